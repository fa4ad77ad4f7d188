# Tests on boards: what an emulated board says on its port
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import select
import time


def listen(board, pattern, times=1, timeout=300):
    """What a board says until `pattern` is in it so many times; AssertionError when it is not."""
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
