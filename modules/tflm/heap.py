# tflm: the heap of a board: kept in one piece, and how much of it is free
# MIT license; Copyright (c) 2026 the tflm authors

import gc

_ON_BOARD = hasattr(gc, "mem_free")


# Collect garbage now, where memory is scarce: code and weights that are loaded next stay for
# good, and should not come to lie among what will soon be free.
def collect():
    if _ON_BOARD:
        gc.collect()


# Bytes of heap that are free; 0 under CPython, which has no such number.
def free_bytes():
    return gc.mem_free() if _ON_BOARD else 0
