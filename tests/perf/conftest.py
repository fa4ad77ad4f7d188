# The measuring bench's own tests find its files beside them
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
