# tflm: Find and read the model file that a JSON names, in the folder of the JSON.
# MIT license; Copyright (c) 2026 the tflm authors

import json


def read_json(path, limit):
    """Return the parsed JSON of a file of at most `limit` bytes; None for anything else."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            text = file.read(min(size, limit + 1))  # read() allocates this number of bytes
    except OSError as error:
        raise OSError(error.errno, path)  # open() does not name the file
    if len(text) > limit:
        return None
    try:
        return json.loads(text.decode())
    except (ValueError, RuntimeError):  # RuntimeError: nested too deeply
        return None


def is_file_name(name):
    """Return whether a text is the name of a file, without a folder."""
    return bool(name) and "/" not in name and "\\" not in name


def find_model(path, name):
    """Return the path of the model `name` beside `path`; a .tflm of this name is preferred."""
    folder = path[: path.rfind("/") + 1]
    flat = folder + (name[: name.rfind(".")] if "." in name else name) + ".tflm"
    try:
        with open(flat, "rb"):
            return flat
    except OSError:
        return folder + name


def read_early(path):
    """Return the bytes of a file, before more code is imported.

    Afterwards the heap may have no free block of this size. A file that is used in place or cannot
    be read is left to tflm.load(): its path is returned.
    """
    try:
        with open(path, "rb") as file:
            try:
                memoryview(file)  # only ROMFS gives a buffer
                return path
            except TypeError:
                pass
            data = bytearray(file.seek(0, 2))
            file.seek(0)
            file.readinto(data)
            return data
    except (OSError, MemoryError):
        return path
