# tflm_tools: sent to a board with Xtensa: whether its core has MAC16
# MIT license; Copyright (c) 2026 the tflm authors

import io
import sys


# A file system with one file: the .mpy of kernels/xtensawin/__init__.py, which tells.
class _OneFile:
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


def has_mac16(data):
    try:
        import vfs

        vfs.mount(_OneFile("/tflm_core.mpy", data), "/.tflm_core")
    except (ImportError, AttributeError, OSError):
        return 0
    sys.path.insert(0, "/.tflm_core")
    try:
        import tflm_core

        return tflm_core.has_mac16()
    except (ImportError, ValueError, MemoryError):
        return 0
    finally:
        del sys.path[0]
        sys.modules.pop("tflm_core", None)
        vfs.umount("/.tflm_core")
