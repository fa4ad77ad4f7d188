# Tests on boards: reads the output of an emulated board
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import select
import time


def listen(board, pattern, times=1, timeout=300):
    """Return a board's output until `pattern` matched `times` times, or raise AssertionError."""
    port = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
    said = ""
    deadline = time.monotonic() + timeout
    try:
        while len(re.findall(pattern, said)) < times:
            assert time.monotonic() < deadline and board.running(), said[-2000:] + board.log
            if select.select([port], [], [], 0.5)[0]:
                said += os.read(port, 4096).decode(errors="replace").replace("\r", "")
    finally:
        os.close(port)
    return said
