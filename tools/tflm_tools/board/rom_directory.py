# tflm_tools: board: the directory of a ROMFS partition: the next one takes over by one bit
# MIT license; Copyright (c) 2026 the tflm authors

# The first block of the partition holds versions of the directory, one behind the other; the
# newest one counts. A version lies between a switch and a tail:
#
#   81 8n nn 00   an unknown record without payload: MicroPython skips it and reads the version
#   ...           the version: files that point to their bytes further on, folders
#   01 8m mm      a record of padding whose payload is the rest of the block: room for the next
#
# Flash can clear single bits without an erase. Without bit 7 of its first byte the switch is
# 01 8n nn, padding of n bytes: the version and the head of the tail. So the next version, which
# has been written into the tail's payload before, is in force from one bit to the other, and a
# power cut leaves the old directory or the new one. Only a full block has to be erased.

from ..errors import ToolError
from .flash_blocks import BLOCK
from .romfs_image import ALIGNMENT, MAGIC, number, record

_DATA_POINTER, _DIRECTORY, _FILE = 3, 4, 5
_ALIVE, _DEAD = 0x81, 0x01
_SWITCH_BYTES, _TAIL_BYTES = 4, 3
_HEAD = MAGIC + number(BLOCK - len(MAGIC) - 2)  # a length of two digits
_ERASED = b"\xff"


# A number of two digits.
def _pair(value):
    return number(value, 2)


# The records of {path: (bytes, offset in the partition)}.
def _records(files):
    tree = {}
    for path, place in sorted(files.items()):
        *folders, name = path.split("/")
        node = tree
        for folder in folders:
            node = node.setdefault(folder, {})
        node[name] = place
    return _folder(tree)


# The records of a folder. Pointers count from behind the head of the file system.
def _folder(tree):
    found = b""
    for name, entry in tree.items():
        start = number(len(name.encode())) + name.encode()
        if isinstance(entry, dict):
            found += record(_DIRECTORY, start + _folder(entry))
        else:
            size, offset = entry
            place = number(size) + number(offset - len(_HEAD))
            found += record(_FILE, start + record(_DATA_POINTER, place))
    return found


# A version with its switch and tail, for an offset of the block; None when it does not fit.
def _version(files, at):
    records = _records(files)
    rest = BLOCK - at - _SWITCH_BYTES - len(records) - _TAIL_BYTES
    if rest < 0:
        return None
    switch = bytes([_ALIVE]) + _pair(len(records) + _SWITCH_BYTES - 3 + _TAIL_BYTES) + b"\0"
    return switch + records + b"\x01" + _pair(rest)


def first(files):
    """The block with {path: (bytes, offset)} as its only version; None when it has no room."""
    version = _version(files, len(_HEAD))
    return version and (_HEAD + version).ljust(BLOCK, _ERASED)


def image(contents):
    """The image of a partition with {path: bytes}, aligned as romfs.image() does it.

    Raises ToolError when the directory has no room.
    """
    files, data = {}, b""
    for path, content in contents.items():
        files[path] = (len(content), BLOCK + len(data))
        data += content + bytes(-len(content) % ALIGNMENT)
    block = first(files)
    if block is None:
        raise ToolError(f"{len(files)} files are too many for ROMFS; use fewer, or shorter names")
    return block + data


def following(block, files):
    """Blocks to program over `block`, one by one and without an erase, for its next version.

    None when that is not possible: there is no room, or the block is none of ours.
    """
    at = len(_HEAD)
    if not block.startswith(_HEAD):
        return None
    while at + _SWITCH_BYTES <= BLOCK and block[at] == _DEAD:  # versions that count no more
        at = _behind(block, at)
    if at + _SWITCH_BYTES > BLOCK or block[at] != _ALIVE:
        return None
    end = _behind(block, at)
    version = _version(files, end)
    # A try that was cut off may have left other bytes there.
    if version is None or any(new & ~old for new, old in zip(version, block[end:], strict=False)):
        return None
    written = block[:end] + version + block[end + len(version) :]
    return [written, written[:at] + bytes([_DEAD]) + written[at + 1 :]]


# The offset behind the version whose switch lies at an offset.
def _behind(block, at):
    return at + 3 + ((block[at + 1] & 0x7F) << 7 | block[at + 2])
