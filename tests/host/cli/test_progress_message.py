# Tests of the message that a command shows on standard error while it works
# MIT license; Copyright (c) 2026 the tflm authors

import os
import pty
import subprocess
import sys

import pytest

_PROGRAM = """
import sys, time
from tflm_tools.cli import output
output._QUIET_SECONDS = output._LINE_SECONDS = float(sys.argv[1])
with output.working("verify", "digits"):
    time.sleep(0.4)
print("done")
"""


# Return the bytes that the program writes to standard error, a terminal or a pipe.
def _stderr_of_program(after, terminal):
    inner, outer = pty.openpty() if terminal else os.pipe()
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(after)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=outer,
        timeout=60,
        check=True,
    )
    assert done.stdout == b"done\n"
    os.set_blocking(inner, False)
    try:
        return os.read(inner, 1 << 16)
    except BlockingIOError:
        return b""
    finally:
        os.close(inner)
        os.close(outer)


@pytest.mark.parametrize(
    "after, terminal, is_shown",
    [(0.05, True, True), (9, True, False), (0.05, False, True), (9, False, False)],
)
def test_message_while_working(after, terminal, is_shown):
    assert (b"verify digits" in _stderr_of_program(after, terminal)) == is_shown
