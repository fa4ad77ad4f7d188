# tflm_tools: board: makes images of ROMFS, MicroPython's read-only file system, with aligned files
# MIT license; Copyright (c) 2026 the tflm authors

# An image consists of records (kind, bytes, payload). Kind and bytes are numbers with 7 bits per
# byte, highest bits first. extmod/vfs_rom.c of MicroPython describes the format. Kernels read a
# model's words in place, and small cores fault on unaligned words. A record of padding before each
# file therefore aligns the file's data.

MAGIC = b"\xd2\xcd\x31"
_PADDING, _DATA, _DIRECTORY, _FILE = 1, 2, 4, 5
ALIGNMENT = 16
_SIZE_DIGITS = 4  # of the size of a folder or image: 28 bits


def number(value, digits=1):
    """Return a number in ROMFS's encoding, with leading zero digits up to `digits`."""
    encoded = [value & 0x7F]
    while (value := value >> 7) or len(encoded) < digits:
        encoded.append(value & 0x7F | 0x80)
    return bytes(reversed(encoded))


def record(kind, payload, digits=1):
    """Return a record; its length is encoded with at least `digits` digits."""
    return number(kind) + number(len(payload), digits) + payload


# A padding record of exactly `size` bytes, at least 2; b"" for 0.
def _padding(size):
    return record(_PADDING, bytes(size - 2)) if size else b""


# The record of a file that starts at `offset` of the image, with padding before it.
def _file(name, data, offset, alignment):
    head = number(len(name)) + name
    body = record(_DATA, data)
    whole = record(_FILE, head + body)
    data_offset = len(whole) - len(data)
    gap = -(offset + data_offset) % alignment
    if gap == 1:  # no record is that short
        gap += alignment
    return _padding(gap) + whole


# The records of a folder, {name: bytes or dict}, that starts at `offset` of the image.
def _contents(entries, offset, alignment):
    records = b""
    for name, entry in entries.items():
        at = offset + len(records)
        if isinstance(entry, dict):
            head = number(len(name.encode())) + name.encode()
            # The size has a fixed width, so that the offset of the content is known in advance.
            start = at + len(number(_DIRECTORY)) + _SIZE_DIGITS + len(head)
            inside = _contents(entry, start, alignment)
            records += record(_DIRECTORY, head + inside, _SIZE_DIGITS)
        else:
            records += _file(name.encode(), entry, at, alignment)
    return records


def image(contents, alignment=ALIGNMENT):
    """Return the image of {path: bytes}, with paths like "lib/a.mpy"; files' data is aligned."""
    tree = {}
    for path, data in contents.items():
        *folders, name = path.split("/")
        node = tree
        for folder in folders:
            node = node.setdefault(folder, {})
        node[name] = bytes(data)
    start = len(MAGIC) + _SIZE_DIGITS
    records = _contents(tree, start, alignment)
    if (start + len(records)) % 2:  # the image's size must be even
        records += _padding(3)
    return MAGIC + number(len(records), _SIZE_DIGITS) + records
