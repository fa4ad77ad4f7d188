# tflm_tools: board: models in a ROMFS partition, beside what is there; read in place
# MIT license; Copyright (c) 2026 the tflm authors

# The first block holds the directory, whose entries point to the bytes of the files further on.
# A new file is written where nothing lies, then the directory that names it comes in force by one
# bit: rom_directory.py. Only where the partition was written by something else, or the block is
# full, it is erased: a power cut in that moment (about 50 ms) leaves a board that boots without
# /rom, and the next deploy mends it.

from ..errors import DeviceError
from . import rom_directory
from .flash_blocks import BLOCK, FlashBlocks
from .romfs_image import MAGIC

_DEVICE = "__import__('vfs').rom_ioctl(2, 0)"
_LIST = """\
def rom_files():
    base = uctypes.addressof(_view)
    found = {}
    for path, size in tree("/rom").items():
        with open(path, "rb") as file:
            found[path[5:]] = (size, uctypes.addressof(memoryview(file)) - base)
    return found
"""


# The end of the file system whose first bytes these are; 0 for none.
def _end(head):
    if head[:3] != MAGIC:
        return 0
    size = 0
    for i, value in enumerate(head[3:]):
        size = size << 7 | value & 0x7F
        if not value & 0x80:
            return 4 + i + size
    return 0


def hole(used, size, top):
    """The first offset of `size` free bytes below `top`, a multiple of BLOCK; None without one.

    used: (start, end) of what is taken.
    """
    at = 0
    for start, end in [*sorted(used), (top, top)]:
        if at + size <= start:
            return at
        at = max(at, (end + BLOCK - 1) // BLOCK * BLOCK)
    return None


class RomfsStorage:
    """Models in the ROMFS partition, as /rom/NAME.tflm."""

    name = "romfs"
    in_place = True

    def __init__(self, link, files, facts):
        self._size = facts.romfs[0]
        self._link = link
        self._blocks = FlashBlocks(link, files, _DEVICE, "_device", self._size)
        link.exec(_LIST)

    # Files in the partition: {path: (bytes, offset)}, and where the file system ends.
    def _state(self):
        end = _end(self._blocks.read(0, 12))
        try:
            return self._link.eval("rom_files()", form={str: (self._size, int)}), end
        except DeviceError as error:
            if error.kind == "garbage":
                raise
            return {}, 0  # it is not mounted

    # What must not be overwritten, for a partition in this state.
    def _used(self, files, end):
        used = [(offset, offset + size) for size, offset in files.values()]
        return [*used, (0, max(BLOCK, end))]

    def room(self, name, replace):
        """Bytes that a model may have, beside those that are there."""
        files, end = self._state()
        if replace:
            files.pop(f"{name}.tflm", None)
            end = 0 if all(offset >= BLOCK for _, offset in files.values()) else end
        used, size = self._used(files, end), self._size // BLOCK
        while size and hole(used, size * BLOCK, self._size) is None:
            size -= 1
        return size * BLOCK

    def holds(self, name, data):
        """True when the model is there."""
        files, _ = self._state()
        size, offset = files.get(f"{name}.tflm", (-1, 0))
        return size == len(data) and self._blocks.holds(offset, data)

    def put(self, name, data, replace):
        """Write a model where nothing lies, then the directory that names it."""
        files, end = self._state()
        path = f"{name}.tflm"
        kept = {key: place for key, place in files.items() if key != path}
        rescued = {}
        for key, (size, offset) in kept.items():
            if offset < BLOCK:  # lies where the directory will be
                rescued[key] = self._blocks.read(offset, size)
        if replace and path in files and not rescued:
            self._write_directory(kept)
            files, end = kept, 0
        new, image = {}, b""
        for key, content in [(path, data), *rescued.items()]:
            new[key] = (len(content), len(image))
            image += content + b"\xff" * (-len(content) % 16)
        at = hole(self._used(files, end), len(image), self._size)
        entries = {**kept, **{key: (size, at + i) for key, (size, i) in new.items()}} if at else {}
        if at is None or rom_directory.first(entries) is None:
            raise DeviceError(
                f"ROMFS has no place for {len(image)} bytes beside what is there; "
                "let the old model go first with --replace, or use: --to files",
                "flash",
            )
        self._blocks.write(at, image)
        self._write_directory(entries)

    # Put {path: (bytes, offset)} in force.
    def _write_directory(self, entries):
        block = self._blocks.read(0, BLOCK)
        steps = rom_directory.following(block, entries)
        if steps is None:
            self._blocks.write(0, rom_directory.first(entries))
            return
        for step in steps:
            self._blocks.program(0, block, step)
            block = step

    def source(self, name):
        """(import line or "", Python expression that tflm.load() takes)."""
        return "", repr(f"/rom/{name}.tflm")
