# tflm_tools: board: stores models in the flash between firmware and file system of an RP2 board
# MIT license; Copyright (c) 2026 the tflm authors

# The firmware's binary info has the address of its end; the file system begins at the address of
# rp2.Flash(). The flash between them is unused. rp2.Flash().writeblocks() accepts negative block
# numbers, so this flash can be written; each write is read back. The old model is deleted when the
# new one is valid.

import binascii
import struct

from ..errors import DeviceError
from .facts import script_source
from .flash_blocks import BLOCK, FlashBlocks
from .replies import SIZE
from .romfs import find_gap

_XIP = 0x10000000  # address of the flash
# Constants of pico-sdk's binary_info.h.
_MARKER = 0x7188EBF2
_ID_INT = 5
_BINARY_END = 0x68F465DE
_TAG = 0x5052  # "RP"
_PAGE = 256
_MAGIC = b"tflmSLOT"
_SLOTS_SCHEMA = {int: (str, SIZE, SIZE, SIZE)}


# Read the board's memory.
def _memory(link, address, size):
    data = b""
    for at in range(address, address + size, 1024):
        count = min(1024, address + size - at)
        data += link.bytes(f"uctypes.bytearray_at({at}, {count})", count)
    return data


def binary_end(link):
    """Return the end address of the firmware from its binary info, or None if it has none."""
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


# The first page of a slot, which describes its model and makes the slot valid.
def _page(name, sequence, data):
    page = struct.pack("<8sIIIB", _MAGIC, sequence, len(data), binascii.crc32(data), len(name))
    page = (page + name.encode()).ljust(_PAGE - 4, b"\0")
    return page + struct.pack("<I", binascii.crc32(page))


class Rp2FlashStorage:
    """Stores models in slots of the unused flash; tflm_flash.model(NAME) on the board finds them.

    A slot is a page that describes the model, then the model.
    """

    name = "flash"
    in_place = True

    def __init__(self, link, files, facts):
        end = binary_end(link)
        self._top, _ = facts.storage
        if facts.romfs is not None:
            self._top = min(self._top, facts.romfs[2])
        if end is None or not _XIP < end <= self._top:
            raise DeviceError(
                f"the firmware of the board at {facts.port} does not report its end, so the flash "
                "after it is not safe to use; use: --to files",
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
        link.exec(script_source("tflm_flash"))

    # The slots after the firmware: {offset: (name, sequence, bytes, CRC32)}.
    def _slots(self):
        slots = self._link.eval(f"slots({self._top})", schema=_SLOTS_SCHEMA)
        return {at - self._first: slot for at, slot in slots.items() if at >= self._first}

    # (start, end) of the slots.
    def _used(self, slots):
        return [(at, at + _PAGE + slot[2]) for at, slot in slots.items()]

    def free_bytes(self, name, replace):
        """Return the size of the largest model that can be stored.

        name, replace: the old model of this name would be deleted first.
        """
        slots = {at: s for at, s in self._slots().items() if not (replace and s[0] == name)}
        size = self._blocks.size // BLOCK
        while size and find_gap(self._used(slots), size * BLOCK, self._blocks.size) is None:
            size -= 1
        return max(size * BLOCK - _PAGE, 0)

    def holds(self, name, data):
        """Return whether the model `name` is stored with the bytes `data`."""
        versions = [slot for slot in self._slots().values() if slot[0] == name]
        newest = max(versions, key=lambda slot: slot[1], default=None)
        return newest is not None and newest[2:] == (len(data), binascii.crc32(data))

    # Make a slot invalid: its page becomes zeros.
    def _drop(self, at):
        self._blocks.patch(at, bytes(_PAGE))

    def put(self, name, data, replace):
        """Store a model: write its bytes to free blocks, then the page that makes it valid.

        replace: delete the old model of this name first. Raises DeviceError.
        """
        slots = self._slots()
        old = [at for at, slot in slots.items() if slot[0] == name]
        if replace:
            for at in old:
                self._drop(at)
                slots.pop(at)
            old = []
        image = b"\xff" * _PAGE + data
        at = find_gap(self._used(slots), len(image), self._blocks.size)
        if at is None:
            raise DeviceError(
                f"the unused flash has no {len(image)} free bytes in one piece; "
                "delete the old model first with --replace, or use: --to files",
                "flash",
            )
        self._blocks.write(at, image)
        sequence = max((slot[1] for slot in slots.values()), default=0) + 1
        self._blocks.patch(at, _page(name, sequence, data))
        if not self.holds(name, data):
            raise DeviceError(
                f"the flash of the board at {self._link.port} differs from the data written; "
                "try again, or use: tflm deploy --to files",
                "crc",
            )
        for each in old:
            self._drop(each)

    def source(self, name):
        """Return (import line or "", Python expression that is the argument of tflm.load())."""
        return "import tflm_flash", f"tflm_flash.model({name!r})"
