# tflm: Call a function when an object is garbage-collected.
# MIT license; Copyright (c) 2026 the tflm authors

_BLOCK = const(128)  # bytes, the smallest block of littlefs
_BLOCKS = const(2)
_COUNT = const(4)  # requests of ioctl: number of blocks, bytes of a block, erase
_SIZE = const(5)
_ERASE = const(6)


# MicroPython does not call __del__ of Python classes, but it closes a file when it collects it,
# and closing writes to the disk. This is that disk, with one file: after `function` is set, the
# first write means that the file is closed. `function` then runs during a collection, so it must
# not allocate.
class _Disk:
    def __init__(self):
        self._bytes = bytearray(_BLOCK * _BLOCKS)
        self.function = None

    def ioctl(self, request, _argument):
        if request == _COUNT:
            return _BLOCKS
        if request == _SIZE:
            return _BLOCK
        return 0 if request == _ERASE else None

    def readblocks(self, block, buffer, offset=0):
        at = block * _BLOCK + offset
        for i in range(len(buffer)):
            buffer[i] = self._bytes[at + i]

    def writeblocks(self, block, buffer, offset=0):
        function, self.function = self.function, None
        if function:
            function()
        at = block * _BLOCK + offset
        for i in range(len(buffer)):
            self._bytes[at + i] = buffer[i]


# Return an object; `function` is called when its close() is called or when it is collected.
# Raises ImportError in firmware without littlefs.
def call_when_collected(function):
    from vfs import VfsLfs2

    disk = _Disk()
    VfsLfs2.mkfs(disk)
    file = VfsLfs2(disk).open("n", "wb")
    file.write(b"n")
    disk.function = function
    return file
