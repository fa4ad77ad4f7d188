# tflm_tools: board: runs on an Xtensa board: detects whether its core has MAC16 and vectors
# MIT license; Copyright (c) 2026 the tflm authors

import io
import sys


# A file system with a single file, the .mpy of kernels/xtensawin/__init__.py.
class _SingleFile:
    def __init__(self, path, data):
        self._path = path
        self._data = data

    def mount(self, readonly, make):
        pass

    def umount(self):
        pass

    def stat(self, path):
        if path != self._path:
            raise OSError(2)
        return (0x8000, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    def open(self, path, mode):
        return io.BytesIO(self._data)


# Return 2 if the core has MAC16 and the vector unit, 1 if it has MAC16 only, else 0. `data`: the
# .mpy, whose native code tests the core.
def options(data):
    try:
        import vfs

        vfs.mount(_SingleFile("/tflm_core.mpy", data), "/.tflm_core")
    except (ImportError, AttributeError, OSError):
        return 0
    sys.path.insert(0, "/.tflm_core")
    try:
        import tflm_core

        return tflm_core.has_mac16() + tflm_core.has_pie()
    except (ImportError, ValueError, MemoryError):
        return 0
    finally:
        del sys.path[0]
        sys.modules.pop("tflm_core", None)
        vfs.umount("/.tflm_core")
