# tflm: store: the examples of a Learner in a file that a power cut leaves old or new
# MIT license; Copyright (c) 2026 the tflm authors

import json

from ..errors import InputError, ModelError
from ..micropython_port import crc32, struct

# magic, version, features, bytes of the labels (JSON), examples; then the labels, the class of
# each example, the examples, and the CRC32 of all before it.
_HEADER = "<4sHHII"
_HEADER_BYTES = 16
_MAGIC = b"TFLE"
_VERSION = 1


def _crc(data, value=0):
    return crc32(data, value) & 0xFFFFFFFF


def save(path, labels, rows, numbers, size):
    text = json.dumps(labels).encode()
    head = struct.pack(_HEADER, _MAGIC, _VERSION, size, len(text), len(numbers))
    parts = [head, text, numbers, rows]
    crc = 0
    for part in parts:
        crc = _crc(part, crc)
    write(path, parts + [struct.pack("<I", crc)])


# Write a file beside the old one, then in its place. Where a file system cannot do that in one
# step (FAT), the old one goes first, and load() finds the new one by its other name.
def write(path, parts):
    import os

    with open(path + ".new", "wb") as file:
        for part in parts:
            file.write(part)
    try:
        os.rename(path + ".new", path)
    except OSError:
        os.remove(path)
        os.rename(path + ".new", path)


# (labels, examples, their classes) of a file.
def load(path, size):
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        with open(path + ".new", "rb") as file:  # the power went between removing and renaming
            data = file.read()
    is_whole = len(data) >= _HEADER_BYTES + 4 and data[:4] == _MAGIC
    if not is_whole or _crc(memoryview(data)[:-4]) != struct.unpack("<I", data[-4:])[0]:
        raise ModelError("%s holds no examples, or is damaged; save() them again" % path)
    _, version, features, text, count = struct.unpack(_HEADER, data[:_HEADER_BYTES])
    at = _HEADER_BYTES + text
    if version != _VERSION or len(data) != at + count * (features + 1) + 4:
        raise ModelError("%s is of another version of tflm; save() the examples again" % path)
    if features != size:
        raise InputError(
            "%s has examples of %d features, the layer has %d; take the layer they are of"
            % (path, features, size)
        )
    labels = _labels(data[_HEADER_BYTES:at])
    numbers = data[at : at + count]
    if labels is None or count and max(numbers) >= len(labels):
        raise ModelError("%s names classes that it lacks; save() the examples again" % path)
    return labels, data[at + count : -4], numbers


# The list of texts and whole numbers that save() wrote; None for anything else.
def _labels(text):
    try:
        labels = json.loads(text.decode())
    except (ValueError, RuntimeError):  # RuntimeError: nested too deeply
        return None
    is_list = isinstance(labels, list)
    return labels if is_list and all(isinstance(label, (str, int)) for label in labels) else None
