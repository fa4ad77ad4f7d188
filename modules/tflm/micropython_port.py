# tflm: standard: what all of tflm uses of the firmware: struct, crc32, and the state of the heap
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import sys

# `import struct` looks for a file of that name in all of sys.path first, each time: 3 ms on a
# Pico, and a model would do it six times. The old names of these modules are found at once.
try:
    import ustruct as struct
    from ubinascii import crc32
except ImportError:  # CPython, or a firmware that has dropped the old names
    import struct
    from binascii import crc32

__all__ = ("struct", "crc32", "collect", "make_room", "more_heap", "free_bytes")

_ON_BOARD = hasattr(gc, "mem_free")


# Collect garbage now, where memory is scarce.
def collect():
    if _ON_BOARD:
        gc.collect()


# The same before code is loaded into the heap: it stays for good, and should not come to lie among
# what will soon be free. Frozen code takes next to nothing of it, and collecting a few ms.
def make_room():
    if _ON_BOARD and not str(sys.modules["tflm"].__path__).startswith(".frozen"):
        gc.collect()


# How to get more heap, at the end of a sentence; a board has what it has.
def more_heap():
    return "; or: micropython -X heapsize=64M" if sys.platform in ("linux", "darwin") else ""


# Bytes of heap that are free; 0 under CPython, which has no such number.
def free_bytes():
    return gc.mem_free() if _ON_BOARD else 0
