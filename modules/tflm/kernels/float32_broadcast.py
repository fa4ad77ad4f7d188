# expand() of broadcast.py for operators of float32, which machine code replaces
# MIT license; Copyright (c) 2026 the tflm authors

from .broadcast import expand  # noqa: F401
from .machine_code import use_machine_code

use_machine_code(globals(), "float32_broadcast")
