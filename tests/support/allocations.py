# Test support: reads TFLM's report of the arena of a model
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
    """Return {"head": bytes, "tail": bytes, "total": bytes} of a .tflite; {} if TFLM refuses it.

    Scratch buffers are in the head. TFLM runs in another process, because it prints from C++ and
    may abort.
    """
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(path)], capture_output=True, text=True, check=False
    )
    lines = re.findall(r"Arena allocation (\w+) (\d+)", done.stderr + done.stdout)
    return {section: int(size) for section, size in lines}
