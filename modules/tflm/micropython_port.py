# tflm: What tflm uses of MicroPython: struct, crc32 and the state of the heap.
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import sys

# `import struct` searches sys.path for a file of that name each time: 3 ms on a Pico, six times
# for a model. MicroPython finds the old names of these modules at once.
try:
    import ustruct as struct
    from ubinascii import crc32
except ImportError:  # CPython, or a firmware without the old names
    import struct
    from binascii import crc32

__all__ = ("struct", "crc32", "collect", "collect_for_import", "more_heap", "free_bytes")

_ON_BOARD = hasattr(gc, "mem_free")


# Collect garbage. Boards need it; CPython does it by itself.
def collect():
    if _ON_BOARD:
        gc.collect()


# Collect garbage before code is loaded into the heap: code stays forever and should not be placed
# between garbage. Frozen code needs almost no heap, and collecting takes some ms, so skip it then.
def collect_for_import():
    if _ON_BOARD and not str(sys.modules["tflm"].__path__).startswith(".frozen"):
        gc.collect()


# Return how to get more heap, as the end of an error message; "" on boards.
def more_heap():
    return "; or: micropython -X heapsize=64M" if sys.platform in ("linux", "darwin") else ""


# Return the free bytes of the heap; 0 under CPython, which has no such number.
def free_bytes():
    return gc.mem_free() if _ON_BOARD else 0
