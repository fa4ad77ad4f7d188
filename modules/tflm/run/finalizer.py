# tflm: call_when_collected(): a function that is called once nobody has an object any more
# MIT license; Copyright (c) 2026 the tflm authors

_BLOCK = const(128)  # bytes, the fewest that littlefs takes
_BLOCKS = const(2)
_COUNT = const(4)  # requests of ioctl
_SIZE = const(5)
_ERASE = const(6)


# MicroPython calls no __del__ of a Python class, but closes a file that nobody has any more, which
# writes to its disk. This is the disk: it has one file, and the first write once `function` is set
# is the end of that. Whatever this calls runs amid a collection, where there is no memory.
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


# An object; `function` is called when it is closed, or after it has gone. ImportError without
# littlefs.
def call_when_collected(function):
    from vfs import VfsLfs2

    disk = _Disk()
    VfsLfs2.mkfs(disk)
    file = VfsLfs2(disk).open("n", "wb")
    file.write(b"n")
    disk.function = function
    return file
