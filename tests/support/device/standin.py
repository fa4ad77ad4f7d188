# Test support: the MicroPython of a simulated board: runs code from stdin, as a raw REPL does
# MIT license; Copyright (c) 2026 the tflm authors

import sys

_BLOCK = 4096


# A ROMFS partition in a file. It is read as a buffer, and written and erased by blocks. As in real
# flash, an erase sets all bits of a block and a write only clears bits. The power is cut in the
# middle of the erase or write number `cut`.
class Partition(bytearray):
    count = 0

    def _save(self):
        with open(self.file, "wb") as file:
            file.write(self)
        self.count += 1
        if self.count == self.cut:
            sys.exit()

    def ioctl(self, command, argument):
        return len(self) // _BLOCK if command == 4 else _BLOCK

    def writeblocks(self, block, data, offset=None):
        at = block * _BLOCK + (offset or 0)
        if offset is None:
            self._put(at, bytes([255] * len(data)))
        self._put(at, bytes([data[i] & self[at + i] for i in range(len(data))]))

    def _put(self, at, data):
        size = len(data) // 2 if self.count + 1 == self.cut else len(data)
        self[at : at + size] = data[:size]
        self._save()


# The module vfs of a board with such a partition.
class Vfs:
    def __init__(self, file, cut):
        import vfs

        with open(file, "rb") as source:
            self._device = Partition(source.read())
        self._device.file, self._device.cut = file, cut
        try:
            vfs.mount(vfs.VfsRom(self._device), "/rom")
            sys.path.append("/rom/lib")
        except OSError:
            pass

    def rom_ioctl(self, command, number=0):
        return 1 if command == 1 else self._device


# Run requests: 4 bytes of length, then code. Output, then 4, then the traceback, then 4.
def serve():
    source = sys.stdin.buffer
    names = {"__name__": "__main__"}
    while True:
        head = source.read(4)
        if len(head) < 4:
            return
        code = source.read(int.from_bytes(head, "little"))
        trace = None
        try:
            exec(code.decode(), names)
        except SystemExit:
            raise
        except BaseException as error:
            trace = error
        sys.stdout.write("\x04")
        if trace is not None:
            sys.print_exception(trace, sys.stdout)
        sys.stdout.write("\x04")


for file in sys.argv[1:]:
    file, _, cut = file.partition("@")
    if file.endswith(".rom"):
        sys.modules["vfs"] = Vfs(file, int(cut or 0))
    else:  # the Python code of a special board
        with open(file) as text:
            exec(text.read(), {})
serve()
