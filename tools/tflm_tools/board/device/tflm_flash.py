# tflm_flash: models in the free flash of an RP2 board, read in place; see `tflm deploy`
# MIT license; Copyright (c) 2026 the tflm authors

# A model lies behind a page that says what it is. The page is written last, when the bytes behind
# it are right, and filled with zeros when a newer model takes the place of this one.

import struct
from binascii import crc32

import uctypes

_XIP = 0x10000000
_BLOCK = 4096
_PAGE = 256
_MAGIC = b"tflmSLOT"
_HEAD = "<8sIII"  # then the length of the name, the name, and at the end of the page a CRC32
_CRC = 252


# The page of a slot as (name, sequence, bytes, CRC32); None where there is none.
def parse(page):
    if bytes(page[:8]) != _MAGIC:
        return None
    if crc32(page[:_CRC]) & 0xFFFFFFFF != struct.unpack_from("<I", page, _CRC)[0]:
        return None
    _, sequence, size, crc = struct.unpack_from(_HEAD, page, 0)
    return bytes(page[21 : 21 + page[20]]).decode(), sequence, size, crc


# All slots below an address: {address: (name, sequence, bytes, CRC32)}.
def slots(top):
    found = {}
    for address in range(_XIP + _BLOCK, top, _BLOCK):
        slot = parse(uctypes.bytearray_at(address, _PAGE))
        if slot is not None and address + _PAGE + slot[2] <= top:
            found[address] = slot
    return found


# Where the file system begins: slots lie below.
def _top():
    import rp2

    return uctypes.addressof(rp2.Flash())


# The newest slot of a name as (address, its page); None without one.
def _newest(found, name):
    best = None
    for address, slot in found.items():
        if slot[0] == name and (best is None or slot[1] > best[1][1]):
            best = address, slot
    return best


def models():
    """{name: bytes} of the models that are there."""
    return {slot[0]: slot[2] for slot in slots(_top()).values()}


def model(name):
    """The model of that name as a buffer in flash, for tflm.load(). Raises OSError without it."""
    best = _newest(slots(_top()), name)
    if best is None:
        raise OSError("there is no model %r in flash; put it there with: tflm deploy" % name)
    return memoryview(uctypes.bytearray_at(best[0] + _PAGE, best[1][2]))
