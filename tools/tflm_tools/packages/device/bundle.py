# tflm: makes tflm importable from bundles; tflm/loader.mpy begins with this code
# MIT license; Copyright (c) 2026 the tflm authors

import os
import sys

_package = sys.modules["tflm"]


# A read-only file system with the files of all bundles in a folder. open() returns the bundle,
# positioned at the start of the file: MicroPython's loader finds the end of a .mpy itself.
class _Bundles:
    def __init__(self, folder, names):
        self._folder = folder
        self._bundles = []  # (name, index): "\n/path offset" for each file, then "\n SIZE\n"
        for name in names:
            if name[-7:] == ".bundle":
                with open(folder + "/" + name, "rb") as file:
                    head = file.read(32)
                    if head[:14] == b"tflm bundle v1":
                        index = file.read(int(head[16:24]))
                        # MicroPython's loader does not end on a truncated .mpy.
                        if file.seek(0, 2) != int(index[index.rfind(b" ") :]):
                            raise ImportError(name + " is cut off; install it again")
                        self._bundles.append((name, index))

    # Called by os.mount.
    def mount(self, readonly, make):
        pass

    def umount(self):
        pass

    def ilistdir(self, path):
        return iter(())

    def stat(self, path):
        text = "\n" + path + ("/" if path.find(".") < 0 else " ")
        for _, index in self._bundles:
            if index.find(text.encode()) >= 0:
                return (0x4000 if text[-1] == "/" else 0x8000, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        raise OSError(2)

    def open(self, path, mode):
        text = ("\n" + path + " ").encode()
        for name, index in self._bundles:
            at = index.find(text)
            if at >= 0:
                at += len(text)
                end = index.find(b"\n", at)
                at = int(index[at:end])
                file = open(self._folder + "/" + name, "rb")
                try:
                    data = memoryview(file)
                except TypeError:
                    file.seek(at)
                    return file
                # MicroPython's loader reads a ROMFS file from its start, whatever its position is.
                from io import BytesIO

                next_one = index.find(b" ", end)
                return BytesIO(data[at : int(index[next_one : index.find(b"\n", next_one)])])
        raise OSError(2)


os.mount(_Bundles(_package.__path__, os.listdir(_package.__path__)), "/.tflm")
_package.__path__ = "/.tflm"
