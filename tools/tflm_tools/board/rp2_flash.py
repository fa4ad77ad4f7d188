# tflm_tools: board: models in the flash of an RP2 board that neither firmware nor files use
# MIT license; Copyright (c) 2026 the tflm authors

# The firmware says in its binary info where it ends; the file system begins where rp2.Flash()
# lies. Nothing is between them. rp2.Flash().writeblocks() takes blocks before its first one, so
# this flash can be written; each write is read back. The old model goes when the new one counts.

import binascii
import struct

from ..errors import DeviceError
from .facts import script
from .flash_blocks import BLOCK, FlashBlocks
from .replies import SIZE
from .romfs import hole

_XIP = 0x10000000
_MARKER = 0x7188EBF2
_ID_INT = 5
_BINARY_END = 0x68F465DE
_TAG = 0x5052  # "RP"
_PAGE = 256
_MAGIC = b"tflmSLOT"
_SLOTS = {int: (str, SIZE, SIZE, SIZE)}


# Bytes of the board's memory.
def _memory(link, address, size):
    data = b""
    for at in range(address, address + size, 1024):
        count = min(1024, address + size - at)
        data += link.bytes(f"uctypes.bytearray_at({at}, {count})", count)
    return data


def binary_end(link):
    """The address behind the firmware, from its binary info; None when it does not say."""
    link.exec("import uctypes")
    words = struct.unpack("<1024I", _memory(link, _XIP, 4096))
    if _MARKER not in words:
        return None
    at = words.index(_MARKER)
    start, end = words[at + 1 : at + 3]
    if not (_XIP < start <= end < _XIP + (1 << 24)) or end - start > 4096:
        return None
    for (pointer,) in struct.iter_unpack("<I", _memory(link, start, end - start)):
        if not _XIP <= pointer < _XIP + (1 << 24):
            continue
        kind, tag, number, value = struct.unpack("<HHIi", _memory(link, pointer, 12))
        if (kind, tag, number) == (_ID_INT, _TAG, _BINARY_END):
            return value
    return None


# The page that makes a slot count.
def _page(name, sequence, data):
    page = struct.pack("<8sIIIB", _MAGIC, sequence, len(data), binascii.crc32(data), len(name))
    page = (page + name.encode()).ljust(_PAGE - 4, b"\0")
    return page + struct.pack("<I", binascii.crc32(page))


class Rp2FlashStorage:
    """Models in slots of the free flash; on the board tflm_flash.model(NAME) finds them."""

    name = "flash"
    in_place = True

    def __init__(self, link, files, facts):
        end = binary_end(link)
        self._top, _ = facts.storage
        if facts.romfs is not None:
            self._top = min(self._top, facts.romfs[2])
        if end is None or not _XIP < end <= self._top:
            raise DeviceError(
                f"the firmware of the board at {facts.port} does not say where it ends, so its "
                "free flash is not safe to use; use: --to files",
                "flash",
            )
        self._first = (end - _XIP + BLOCK - 1) // BLOCK * BLOCK + _XIP
        self._link = link
        self._blocks = FlashBlocks(
            link,
            files,
            "__import__('rp2').Flash()",
            f"uctypes.bytearray_at({self._first}, {self._top - self._first})",
            self._top - self._first,
            (self._first - facts.storage[0]) // BLOCK,
        )
        link.exec(script("tflm_flash"))

    # Slots behind the firmware: {offset: (name, sequence, bytes, CRC32)}.
    def _slots(self):
        found = self._link.eval(f"slots({self._top})", form=_SLOTS)
        return {at - self._first: slot for at, slot in found.items() if at >= self._first}

    # (start, end) of the slots.
    def _used(self, slots):
        return [(at, at + _PAGE + slot[2]) for at, slot in slots.items()]

    def room(self, name, replace):
        """Bytes that a model may have, beside those that are there."""
        slots = {at: s for at, s in self._slots().items() if not (replace and s[0] == name)}
        size = self._blocks.size // BLOCK
        while size and hole(self._used(slots), size * BLOCK, self._blocks.size) is None:
            size -= 1
        return max(size * BLOCK - _PAGE, 0)

    def holds(self, name, data):
        """True when the model is there."""
        same = [s for s in self._slots().values() if s[0] == name]
        newest = max(same, key=lambda slot: slot[1], default=None)
        return newest is not None and newest[2:] == (len(data), binascii.crc32(data))

    # Make a slot count no more: its page becomes zeros.
    def _drop(self, at):
        self._blocks.patch(at, bytes(_PAGE))

    def put(self, name, data, replace):
        """Write a model where nothing lies, then the page that makes it count."""
        slots = self._slots()
        old = [at for at, slot in slots.items() if slot[0] == name]
        if replace:
            for at in old:
                self._drop(at)
                slots.pop(at)
            old = []
        image = b"\xff" * _PAGE + data
        at = hole(self._used(slots), len(image), self._blocks.size)
        if at is None:
            raise DeviceError(
                f"the free flash has no place for {len(image)} bytes beside what is there; "
                "let the old model go first with --replace, or use: --to files",
                "flash",
            )
        self._blocks.write(at, image)
        sequence = max((slot[1] for slot in slots.values()), default=0) + 1
        self._blocks.patch(at, _page(name, sequence, data))
        if not self.holds(name, data):
            raise DeviceError(
                f"the flash of the board at {self._link.port} does not hold what was written; "
                "try again, or use: tflm deploy --to files",
                "crc",
            )
        for each in old:
            self._drop(each)

    def source(self, name):
        """(import line or "", Python expression that tflm.load() takes)."""
        return "import tflm_flash", f"tflm_flash.model({name!r})"
