# Test support: what TFLM itself says of the arena that a model takes
# MIT license; Copyright (c) 2026 the tflm authors

import re
import subprocess
import sys

_PROGRAM = """
import sys
from tflite_micro.python.tflite_micro import runtime
runtime.Interpreter.from_file(sys.argv[1], arena_size=1 << 24).print_allocations()
"""


def tflm_allocations(path):
    """{"head": bytes, "tail": bytes, "total": bytes} of a .tflite; empty where TFLM refuses it.

    Scratch buffers are in the head. In a process of its own: it prints them past Python, and may
    abort.
    """
    made = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(path)], capture_output=True, text=True, check=False
    )
    told = re.findall(r"Arena allocation (\w+) (\d+)", made.stderr + made.stdout)
    return {part: int(size) for part, size in told}
