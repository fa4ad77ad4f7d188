# tflm_tools: board: runs on a board: writes files in chunks, and computes checksums of files
# MIT license; Copyright (c) 2026 the tflm authors

import os
from binascii import a2b_base64, crc32

_buffer = bytearray(512)


# (bytes, CRC32) of a file's first `most` bytes; (-1, 0) if the file does not exist.
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
    names = path.split("/")
    for i in range(1, len(names)):
        folder = "/".join(names[:i])
        if folder:
            try:
                os.mkdir(folder)
            except OSError:
                pass  # it exists


# Open a file for put(): to append to it if `start` is not 0, else a new file.
def begin(path, start):
    global _file
    make_folders(path)
    _file = open(path, "ab" if start else "wb")


def put(text):
    _file.write(a2b_base64(text))


def end():
    _file.close()


# Remove a file, or a folder with its content.
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


# The CRC32 of each `step` bytes of a range of a buffer.
def crcs(view, start, size, step):
    return [crc32(view[i : min(i + step, start + size)]) & 0xFFFFFFFF
            for i in range(start, start + size, step)]  # fmt: skip


# {path: bytes} of the files below a folder.
def tree(folder):
    files = {}
    try:
        entries = list(os.ilistdir(folder))
    except OSError:
        return files
    for entry in entries:
        path = folder + "/" + entry[0]
        if entry[1] & 0x4000:
            files.update(tree(path))
        else:
            files[path] = entry[3] if len(entry) > 3 else os.stat(path)[6]
    return files
