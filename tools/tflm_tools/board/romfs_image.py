# tflm_tools: images of ROMFS, MicroPython's read-only file system, files at multiples of 16
# MIT license; Copyright (c) 2026 the tflm authors

# An image is records of (kind, bytes, payload); kind and bytes are numbers of 7 bits a byte,
# highest first. MicroPython describes the format at the top of extmod/vfs_rom.c. Kernels read a
# model's words in place, and small cores fault on unaligned words, so a record of padding goes
# before each file whose data would lie askew.

MAGIC = b"\xd2\xcd\x31"
_PADDING, _DATA, _DIRECTORY, _FILE = 1, 2, 4, 5
ALIGNMENT = 16


def number(value, digits=1):
    """A number as MicroPython reads it; a wider one begins with empty digits."""
    parts = [value & 0x7F]
    while (value := value >> 7) or len(parts) < digits:
        parts.append(value & 0x7F | 0x80)
    return bytes(reversed(parts))


def record(kind, payload, digits=1):
    """A record; its length has so many digits at least."""
    return number(kind) + number(len(payload), digits) + payload


# A padding record of exactly `size` bytes, 2 at least.
def _padding(size):
    return record(_PADDING, bytes(size - 2)) if size else b""


# The record of a file that starts at `offset` of the image, with padding before it.
def _file(name, data, offset, alignment):
    head = number(len(name)) + name
    body = record(_DATA, data)
    whole = record(_FILE, head + body)
    # Where the data lies when the record starts at 0.
    at = len(whole) - len(data)
    gap = -(offset + at) % alignment
    if gap == 1:
        gap += alignment
    return _padding(gap) + whole


# The records of a folder (dict of name to bytes or to a dict) that start at `offset`.
def _contents(entries, offset, alignment):
    records = b""
    for name, entry in entries.items():
        at = offset + len(records)
        if isinstance(entry, dict):
            head = number(len(name.encode())) + name.encode()
            # Its header is as wide as the widest, so that what is inside does not move.
            start = at + len(number(_DIRECTORY)) + _WIDTH + len(head)
            inside = _contents(entry, start, alignment)
            records += record(_DIRECTORY, head + inside, _WIDTH)
        else:
            records += _file(name.encode(), entry, at, alignment)
    return records


# Digits of a folder's and the image's size: 28 bits.
_WIDTH = 4


def image(contents, alignment=ALIGNMENT):
    """The image of a dict of path ("lib/a.mpy") to bytes; each file's data starts aligned."""
    tree = {}
    for path, data in contents.items():
        *folders, name = path.split("/")
        node = tree
        for folder in folders:
            node = node.setdefault(folder, {})
        node[name] = bytes(data)
    start = len(MAGIC) + _WIDTH
    records = _contents(tree, start, alignment)
    digits = _WIDTH
    if (start + len(records)) % 2:  # the whole must be even
        records += _padding(3)
    return MAGIC + number(len(records), digits) + records
