# tflm_tools: sent to a board: writes files and flash in pieces, and says what has arrived
# MIT license; Copyright (c) 2026 the tflm authors

import os
from binascii import a2b_base64, crc32

_buffer = bytearray(512)


# (bytes, CRC32) of a file's first `most` bytes; (-1, 0) when it is not there.
def file_crc(path, most=1 << 30):
    try:
        file = open(path, "rb")
    except OSError:
        return -1, 0
    crc = size = 0
    view = memoryview(_buffer)
    while size < most:
        count = file.readinto(view[: min(len(view), most - size)])
        if not count:
            break
        crc = crc32(view[:count], crc)
        size += count
    file.close()
    return size, crc & 0xFFFFFFFF


def first_bytes(path, size):
    with open(path, "rb") as file:
        return file.read(size)


# Make the folders of a path.
def make_folders(path):
    parts = path.split("/")
    for i in range(1, len(parts)):
        folder = "/".join(parts[:i])
        if folder:
            try:
                os.mkdir(folder)
            except OSError:
                pass  # it is there


# Open a file to write; keep its first `start` bytes.
def begin(path, start):
    global _file
    make_folders(path)
    _file = open(path, "ab" if start else "wb")


def put(text):
    _file.write(a2b_base64(text))


def end():
    _file.close()


# A folder and all that is in it goes.
def remove(path):
    try:
        names = os.listdir(path)
    except OSError:
        names = ()
    for name in names:
        remove(path + "/" + name)
    for function in (os.remove, os.rmdir):
        try:
            function(path)
            return
        except OSError:
            pass


# CRC32 of each `step` bytes of a buffer from `start`.
def crcs(view, start, size, step):
    return [crc32(view[i : min(i + step, start + size)]) & 0xFFFFFFFF
            for i in range(start, start + size, step)]  # fmt: skip


# Paths and sizes of the files below a folder.
def tree(folder):
    found = {}
    try:
        entries = list(os.ilistdir(folder))
    except OSError:
        return found
    for entry in entries:
        path = folder + "/" + entry[0]
        if entry[1] & 0x4000:
            found.update(tree(path))
        else:
            found[path] = entry[3] if len(entry) > 3 else os.stat(path)[6]
    return found
