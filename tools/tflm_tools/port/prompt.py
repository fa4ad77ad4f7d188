# tflm_tools: MicroPython's unix port as a command of the user's own, with tflm to import
# MIT license; Copyright (c) 2026 the tflm authors

import os
import signal
import subprocess
import tempfile

from .unix_port import executable, library

# Where the unix port looks when MICROPYPATH is not set.
_PATH = ".frozen:~/.micropython/lib:/usr/lib/micropython"


def prompt(arguments):
    """Run MicroPython with `arguments` (none: its prompt), and return its exit code.

    It finds tflm first, then what MICROPYPATH names, or what it finds by itself. Raises ToolError
    when there is no MicroPython.
    """
    command = [executable(), *arguments]
    # Ctrl-C is MicroPython's. A handler is not inherited, as SIG_IGN would be.
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        with tempfile.TemporaryDirectory(prefix="tflm-") as folder:
            path = f"{library(folder)}:{os.environ.get('MICROPYPATH', _PATH)}"
            code = subprocess.run(command, env={**os.environ, "MICROPYPATH": path}).returncode
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code
