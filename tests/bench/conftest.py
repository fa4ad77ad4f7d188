# Makes the modules of bench/ and this folder's helpers importable for the bench's own tests
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
for _path in (_FOLDER, _FOLDER.parents[1] / "bench"):
    sys.path.insert(0, str(_path))
