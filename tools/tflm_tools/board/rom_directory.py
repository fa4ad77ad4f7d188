# tflm_tools: board: updates the directory of a ROMFS partition atomically, without an erase
# MIT license; Copyright (c) 2026 the tflm authors

# The first block of the partition contains versions of the directory, one after the other; the
# last one is valid. Each version has a switch before it and a tail after it:
#
#   81 8n nn 00   switch: an unknown record without payload, which MicroPython skips
#   ...           version: records of folders and of files, which point to the files' bytes
#   01 8m mm      tail: a record of padding whose payload is the rest of the block
#
# Flash can clear single bits without an erase. Clearing bit 7 of its first byte turns the switch
# into 01 8n nn, padding of n bytes that covers the version and the head of the tail. A new version
# is written in two steps:
#
#   1. Write the new version into the payload of the last tail, where MicroPython ignores it.
#   2. Clear the bit in the switch of the old version. This makes the new version valid.
#
# A power cut therefore leaves either the old or the new directory. Only a full block is erased.

from ..errors import ToolError
from .flash_blocks import BLOCK
from .romfs_image import ALIGNMENT, MAGIC, number, record

_DATA_POINTER, _DIRECTORY, _FILE = 3, 4, 5
_VALID, _REPLACED = 0x81, 0x01  # first byte of a switch
_SWITCH_BYTES, _TAIL_BYTES = 4, 3
_HEAD = MAGIC + number(BLOCK - len(MAGIC) - 2)  # the length has two digits
_ERASED = b"\xff"


def _two_digits(value):
    return number(value, 2)


# The records of {path: (bytes, offset in the partition)}.
def _records(files):
    tree = {}
    for path, location in sorted(files.items()):
        *folders, name = path.split("/")
        node = tree
        for folder in folders:
            node = node.setdefault(folder, {})
        node[name] = location
    return _folder(tree)


# The records of a folder. MicroPython counts the offsets of files from the end of _HEAD.
def _folder(tree):
    records = b""
    for name, entry in tree.items():
        start = number(len(name.encode())) + name.encode()
        if isinstance(entry, dict):
            records += record(_DIRECTORY, start + _folder(entry))
        else:
            size, offset = entry
            pointer = number(size) + number(offset - len(_HEAD))
            records += record(_FILE, start + record(_DATA_POINTER, pointer))
    return records


# A version with its switch and tail, for the offset `at` in the block; None if it does not fit.
def _version(files, at):
    records = _records(files)
    rest = BLOCK - at - _SWITCH_BYTES - len(records) - _TAIL_BYTES
    if rest < 0:
        return None
    covered = len(records) + _SWITCH_BYTES - 3 + _TAIL_BYTES
    switch = bytes([_VALID]) + _two_digits(covered) + b"\0"
    return switch + records + b"\x01" + _two_digits(rest)


def new_block(files):
    """Return a block whose only version has {path: (bytes, offset)}; None if it does not fit."""
    version = _version(files, len(_HEAD))
    return version and (_HEAD + version).ljust(BLOCK, _ERASED)


def image(contents):
    """Return the image of a partition with {path: bytes}, aligned as by romfs_image.image().

    Raises ToolError if the directory does not fit its block.
    """
    files, data = {}, b""
    for path, content in contents.items():
        files[path] = (len(content), BLOCK + len(data))
        data += content + bytes(-len(content) % ALIGNMENT)
    block = new_block(files)
    if block is None:
        raise ToolError(f"{len(files)} files are too many for ROMFS; use fewer, or shorter names")
    return block + data


def update_steps(block, files):
    """Return the two states of a block that replace its directory by {path: (bytes, offset)}.

    Each state is programmed over the one before it, without an erase. Returns None if that is not
    possible: the new version does not fit, or the block was not written by this module.
    """
    at = len(_HEAD)
    if not block.startswith(_HEAD):
        return None
    while at + _SWITCH_BYTES <= BLOCK and block[at] == _REPLACED:
        at = _version_end(block, at)
    if at + _SWITCH_BYTES > BLOCK or block[at] != _VALID:
        return None
    end = _version_end(block, at)
    version = _version(files, end)
    # An interrupted update may have left bytes in the tail that cannot become the new version.
    if version is None or any(new & ~old for new, old in zip(version, block[end:], strict=False)):
        return None
    written = block[:end] + version + block[end + len(version) :]
    return [written, written[:at] + bytes([_REPLACED]) + written[at + 1 :]]


# The offset after the version whose switch is at the offset `at`.
def _version_end(block, at):
    return at + 3 + ((block[at + 1] & 0x7F) << 7 | block[at + 2])
