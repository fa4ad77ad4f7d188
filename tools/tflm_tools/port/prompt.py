# tflm_tools: port: starts MicroPython's unix port for the user, with tflm on its import path
# MIT license; Copyright (c) 2026 the tflm authors

import os
import signal
import subprocess
import tempfile

from .unix_port import executable, library_folder

# The unix port's own default for MICROPYPATH.
_PATH = ".frozen:~/.micropython/lib:/usr/lib/micropython"


def prompt(arguments):
    """Run MicroPython with `arguments`, or its prompt without any, and return its exit code.

    The import path is tflm's folder, then MICROPYPATH or the unix port's default. Raises ToolError
    when MicroPython is not installed.
    """
    command = [executable(), *arguments]
    # Ctrl-C is for MicroPython alone. The child would inherit SIG_IGN, but not a handler.
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        with tempfile.TemporaryDirectory(prefix="tflm-") as folder:
            path = f"{library_folder(folder)}:{os.environ.get('MICROPYPATH', _PATH)}"
            code = subprocess.run(command, env={**os.environ, "MICROPYPATH": path}).returncode
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code
