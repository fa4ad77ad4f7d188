# tests: the stand-in board's MicroPython: runs code that comes over stdin, as a raw REPL does
# MIT license; Copyright (c) 2026 the tflm authors

import sys

_BLOCK = 4096


# A ROMFS partition in a file: reads as a buffer, is written and erased by blocks.
class Partition(bytearray):
    def save(self):
        with open(self.file, "wb") as file:
            file.write(self)

    def ioctl(self, command, argument):
        return len(self) // _BLOCK if command == 4 else _BLOCK

    def writeblocks(self, block, data, offset=0):
        at = block * _BLOCK + offset
        self[at : at + len(data)] = data
        self.save()


# What `import vfs` gives where there is such a partition.
class Vfs:
    def __init__(self, file):
        import vfs

        with open(file, "rb") as source:
            self._device = Partition(source.read())
        self._device.file = file
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
        except BaseException as error:
            trace = error
        sys.stdout.write("\x04")
        if trace is not None:
            sys.print_exception(trace, sys.stdout)
        sys.stdout.write("\x04")


for file in sys.argv[1:]:
    if file.endswith(".rom"):
        sys.modules["vfs"] = Vfs(file)
    else:  # Python that makes this board a special one
        with open(file) as text:
            exec(text.read(), {})
serve()
