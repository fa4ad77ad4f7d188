# tflm_tools: board: stores models in a board's ROMFS partition, from which they are read in place
# MIT license; Copyright (c) 2026 the tflm authors

# The first block contains the directory, whose entries point to the bytes of the files in later
# blocks. A new file is written to free blocks. Then clearing one bit makes the directory valid
# that names the file: see rom_directory.py. The first block is erased only if it is full or
# another tool wrote the partition. A power cut during that erase (about 50 ms) leaves a board that
# boots without /rom; the next deploy fixes it.

from ..errors import DeviceError
from . import rom_directory
from .flash_blocks import BLOCK, FlashBlocks
from .romfs_image import MAGIC

_DEVICE = "__import__('vfs').rom_ioctl(2, 0)"
_LIST = """\
def rom_files():
    base = uctypes.addressof(_view)
    files = {}
    for path, size in tree("/rom").items():
        with open(path, "rb") as file:
            files[path[5:]] = (size, uctypes.addressof(memoryview(file)) - base)
    return files
"""


# The end of the file system that starts with these bytes; 0 if they are not a file system.
def _end(head):
    if head[:3] != MAGIC:
        return 0
    size = 0
    for i, value in enumerate(head[3:]):
        size = size << 7 | value & 0x7F
        if not value & 0x80:
            return 4 + i + size
    return 0


def find_gap(used, size, top):
    """Return the first offset below `top` of `size` free bytes, a multiple of BLOCK, or None.

    used: (start, end) of each range that is not free.
    """
    at = 0
    for start, end in [*sorted(used), (top, top)]:
        if at + size <= start:
            return at
        at = max(at, (end + BLOCK - 1) // BLOCK * BLOCK)
    return None


class RomfsStorage:
    """Stores models in the ROMFS partition, as /rom/NAME.tflm."""

    name = "romfs"
    in_place = True

    def __init__(self, link, files, facts):
        self._size = facts.romfs[0]
        self._link = link
        self._blocks = FlashBlocks(link, files, _DEVICE, "_device", self._size)
        link.exec(_LIST)

    # The files in the partition, {path: (bytes, offset)}, and the end of the file system.
    def _state(self):
        end = _end(self._blocks.read(0, 12))
        try:
            return self._link.eval("rom_files()", schema={str: (self._size, int)}), end
        except DeviceError as error:
            if error.kind == "garbage":
                raise
            return {}, 0  # the partition is not mounted

    # The ranges that must not be overwritten, for a result of _state().
    def _used(self, files, end):
        used = [(offset, offset + size) for size, offset in files.values()]
        return [*used, (0, max(BLOCK, end))]

    def free_bytes(self, name, replace):
        """Return the size of the largest model that can be stored.

        name, replace: the old model of this name would be deleted first.
        """
        files, end = self._state()
        if replace:
            files.pop(f"{name}.tflm", None)
            end = 0 if all(offset >= BLOCK for _, offset in files.values()) else end
        used, size = self._used(files, end), self._size // BLOCK
        while size and find_gap(used, size * BLOCK, self._size) is None:
            size -= 1
        return size * BLOCK

    def holds(self, name, data):
        """Return whether the model `name` is stored with the bytes `data`."""
        files, _ = self._state()
        size, offset = files.get(f"{name}.tflm", (-1, 0))
        return size == len(data) and self._blocks.holds(offset, data)

    def put(self, name, data, replace):
        """Store a model: write its bytes to free blocks, then the directory that names it.

        replace: delete the old model of this name first. Raises DeviceError.
        """
        files, end = self._state()
        path = f"{name}.tflm"
        kept = {key: location for key, location in files.items() if key != path}
        moved = {}
        for key, (size, offset) in kept.items():
            if offset < BLOCK:  # in the block that the directory needs
                moved[key] = self._blocks.read(offset, size)
        if replace and path in files and not moved:
            self._write_directory(kept)
            files, end = kept, 0
        new, image = {}, b""
        for key, content in [(path, data), *moved.items()]:
            new[key] = (len(content), len(image))
            image += content + b"\xff" * (-len(content) % 16)
        at = find_gap(self._used(files, end), len(image), self._size)
        entries = {**kept, **{key: (size, at + i) for key, (size, i) in new.items()}} if at else {}
        if at is None or rom_directory.new_block(entries) is None:
            raise DeviceError(
                f"ROMFS has no {len(image)} free bytes in one piece; "
                "delete the old model first with --replace, or use: --to files",
                "flash",
            )
        self._blocks.write(at, image)
        self._write_directory(entries)

    # Make {path: (bytes, offset)} the valid directory.
    def _write_directory(self, entries):
        block = self._blocks.read(0, BLOCK)
        steps = rom_directory.update_steps(block, entries)
        if steps is None:
            self._blocks.write(0, rom_directory.new_block(entries))
            return
        for step in steps:
            self._blocks.program(0, block, step)
            block = step

    def source(self, name):
        """Return (import line or "", Python expression that is the argument of tflm.load())."""
        return "", repr(f"/rom/{name}.tflm")
