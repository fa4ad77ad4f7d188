# tflm_tools: the garbage collector of Python waits while plans are searched for
# MIT license; Copyright (c) 2026 the tflm authors

import gc
from contextlib import contextmanager


@contextmanager
def uncollected():
    """No cyclic garbage is looked for inside.

    A search keeps hundreds of thousands of objects, which each look goes through again: a fifth of
    all time, while next to nothing is freed (under 10 % of memory, MCUNet's nets under 1 %).
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
