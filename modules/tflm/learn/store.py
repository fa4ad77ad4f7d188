# tflm: Store a Learner's examples in a file that a power cut cannot destroy.
# MIT license; Copyright (c) 2026 the tflm authors

import json

from ..errors import InputError, ModelError
from ..micropython_port import crc32, struct

# The header: magic, version, features, bytes of the labels (JSON), examples. Then follow the
# labels, the class of each example, the examples, and the CRC32 of all bytes before it.
_HEADER = "<4sHHII"
_HEADER_BYTES = 16
_MAGIC = b"TFLE"
_VERSION = 1


def _crc(data, value=0):
    return crc32(data, value) & 0xFFFFFFFF


# Write the examples to a file.
def save(path, labels, rows, numbers, size):
    text = json.dumps(labels).encode()
    head = struct.pack(_HEADER, _MAGIC, _VERSION, size, len(text), len(numbers))
    pieces = [head, text, numbers, rows]
    crc = 0
    for piece in pieces:
        crc = _crc(piece, crc)
    write(path, pieces + [struct.pack("<I", crc)])


# Write a file under another name, then rename it. A file system that cannot replace a file by
# renaming (FAT) loses the old file first. After a power cut at that moment load() finds the new
# file under its other name, and the next write() renames it before it uses this name.
def write(path, pieces):
    import os

    try:
        os.stat(path)
    except OSError:
        try:  # noqa: SIM105 (boards have no contextlib)
            os.rename(path + ".new", path)
        except OSError:
            pass
    with open(path + ".new", "wb") as file:
        for piece in pieces:
            file.write(piece)
    try:
        os.rename(path + ".new", path)
    except OSError:
        os.remove(path)
        os.rename(path + ".new", path)


# Return (labels, examples, their classes) of a file.
def load(path, size):
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        with open(path + ".new", "rb") as file:  # the power was cut between remove and rename
            data = file.read()
    is_whole = len(data) >= _HEADER_BYTES + 4 and data[:4] == _MAGIC
    if not is_whole or _crc(memoryview(data)[:-4]) != struct.unpack("<I", data[-4:])[0]:
        raise ModelError("%s has no examples or is damaged; save() them again" % path)
    _, version, features, text, count = struct.unpack(_HEADER, data[:_HEADER_BYTES])
    at = _HEADER_BYTES + text
    if version != _VERSION or len(data) != at + count * (features + 1) + 4:
        raise ModelError("%s is of another version of tflm; save() the examples again" % path)
    if features != size:
        raise InputError(
            "%s has examples of %d features, the layer has %d; use the layer of the examples"
            % (path, features, size)
        )
    labels = _labels(data[_HEADER_BYTES:at])
    numbers = data[at : at + count]
    if labels is None or count and max(numbers) >= len(labels):
        raise ModelError("%s uses classes that it lacks; save() the examples again" % path)
    return labels, data[at + count : -4], numbers


# Return the labels that save() wrote; None for any other JSON.
def _labels(text):
    try:
        labels = json.loads(text.decode())
    except (ValueError, RuntimeError):  # RuntimeError: nested too deeply
        return None
    is_list = isinstance(labels, list)
    return labels if is_list and all(isinstance(label, (str, int)) for label in labels) else None
