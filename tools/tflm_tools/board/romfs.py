# tflm_tools: board: models in a ROMFS partition, beside what is there; read in place
# MIT license; Copyright (c) 2026 the tflm authors

# The first block holds the directory, whose entries point to the bytes of the files further on.
# A new file is written where nothing lies; then one block, the directory, is written anew. Up to
# that moment the partition is as it was; a power cut within it (the erase of one block, about
# 50 ms) leaves a board that boots without /rom, and the next deploy mends it.

from ..errors import DeviceError
from .flash_blocks import BLOCK, FlashBlocks
from .link import romfs_writer

_MAGIC = b"\xd2\xcd\x31"
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
    if head[:3] != _MAGIC:
        return 0
    size = 0
    for i, value in enumerate(head[3:]):
        size = size << 7 | value & 0x7F
        if not value & 0x80:
            return 4 + i + size
    return 0


def directory(files):
    """The image of {path: (bytes, offset in the partition)}: entries that point to the bytes."""
    tree = {}
    for path, place in sorted(files.items()):
        *folders, name = path.split("/")
        node = tree
        for folder in folders:
            node = node.setdefault(folder, {})
        node[name] = place
    head = 4
    while True:  # pointers count from behind the head, whose length is of the image's length
        writer = romfs_writer()
        _add(writer, tree, head)
        image = writer.finalise()
        real = 4 + next(i for i, value in enumerate(image[3:]) if not value & 0x80)
        if real == head:
            return image
        head = real


# Add a folder's entries to a writer.
def _add(writer, tree, head):
    for name, entry in tree.items():
        if isinstance(entry, dict):
            writer.opendir(name)
            _add(writer, entry, head)
            writer.closedir()
        else:
            writer.mkfile(name, (entry[0], entry[1] - head))


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
            return self._link.eval("rom_files()"), end
        except DeviceError:  # it is not mounted
            return {}, 0

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
            self._blocks.write(0, directory(kept))
            files, end = kept, 0
        new, image = {}, b""
        for key, content in [(path, data), *rescued.items()]:
            new[key] = (len(content), len(image))
            image += content + b"\xff" * (-len(content) % 16)
        at = hole(self._used(files, end), len(image), self._size)
        entries = {**kept, **{key: (size, at + i) for key, (size, i) in new.items()}} if at else {}
        head = directory(entries)
        if at is None or len(head) > BLOCK:
            raise DeviceError(
                f"ROMFS has no place for {len(image)} bytes beside what is there; "
                "let the old model go first with --replace, or use: --to files",
                "flash",
            )
        self._blocks.write(at, image)
        self._blocks.write(0, head)

    def source(self, name):
        """(import line or "", Python expression that tflm.load() takes)."""
        return "", repr(f"/rom/{name}.tflm")
