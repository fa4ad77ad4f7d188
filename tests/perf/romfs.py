# The measuring bench: an image of a read-only file system, as MicroPython's VfsRom mounts it
# MIT license; Copyright (c) 2026 the tflm authors

# Records are (kind, bytes, payload); the first two are numbers of 7 bits a byte, highest first.
# MicroPython describes the format at the top of extmod/vfs_rom.c.

_DATA, _DIRECTORY, _FILE = 2, 4, 5
_MAGIC = b"\xd2\xcd\x31"


# A number as MicroPython reads it.
def _number(value):
    digits = [value & 0x7F]
    while value := value >> 7:
        digits.append(value & 0x7F | 0x80)
    return bytes(reversed(digits))


def _record(kind, payload):
    return _number(kind) + _number(len(payload)) + payload


# The records of what is in a directory: a dict of name to bytes, or to a dict again.
def _contents(entries):
    records = b""
    for name, entry in entries.items():
        head = _number(len(name)) + name.encode()
        if isinstance(entry, dict):
            records += _record(_DIRECTORY, head + _contents(entry))
        else:
            records += _record(_FILE, head + _record(_DATA, entry))
    return records


def image(files):
    """The image of a dict of path ("a/b.mpy") to bytes."""
    tree = {}
    for path, data in files.items():
        *folders, name = path.split("/")
        node = tree
        for folder in folders:
            node = node.setdefault(folder, {})
        node[name] = data
    records = _contents(tree)
    size = _number(len(records))
    # The whole must be even; a number may begin with empty digits.
    if (len(_MAGIC) + len(size) + len(records)) % 2:
        size = b"\x80" + size
    return _MAGIC + size + records
