# tflm_flash: finds models that `tflm deploy` stored in unused flash of an RP2 board
# MIT license; Copyright (c) 2026 the tflm authors

# A slot is a page that describes a model, then the model. `tflm deploy` writes the page last, when
# the model's bytes are right, and fills it with zeros when a newer model replaces this one.

import struct
from binascii import crc32

import uctypes

_XIP = 0x10000000
_BLOCK = 4096
_PAGE = 256
_MAGIC = b"tflmSLOT"
_HEAD = "<8sIII"  # then the length of the name, the name, and at the end of the page a CRC32
_CRC = 252


# Parse the page of a slot: (name, sequence, bytes, CRC32), or None if the page is not valid.
def parse(page):
    if bytes(page[:8]) != _MAGIC:
        return None
    if crc32(page[:_CRC]) & 0xFFFFFFFF != struct.unpack_from("<I", page, _CRC)[0]:
        return None
    _, sequence, size, crc = struct.unpack_from(_HEAD, page, 0)
    return bytes(page[21 : 21 + page[20]]).decode(), sequence, size, crc


# All slots below an address: {address: (name, sequence, bytes, CRC32)}.
def slots(top):
    valid = {}
    for address in range(_XIP + _BLOCK, top, _BLOCK):
        slot = parse(uctypes.bytearray_at(address, _PAGE))
        if slot is not None and address + _PAGE + slot[2] <= top:
            valid[address] = slot
    return valid


# The address of the file system, which is the end of the flash for slots.
def _top():
    import rp2

    return uctypes.addressof(rp2.Flash())


# (address, parsed page) of the newest slot of a name, or None.
def _newest(valid, name):
    newest = None
    for address, slot in valid.items():
        if slot[0] == name and (newest is None or slot[1] > newest[1][1]):
            newest = address, slot
    return newest


def models():
    """Return {name: bytes} of the stored models."""
    return {slot[0]: slot[2] for slot in slots(_top()).values()}


def model(name):
    """Return a model as a buffer in flash, for tflm.load(). Raises OSError if it is not stored."""
    newest = _newest(slots(_top()), name)
    if newest is None:
        raise OSError("there is no model %r in flash; store it with: tflm deploy" % name)
    return memoryview(uctypes.bytearray_at(newest[0] + _PAGE, newest[1][2]))
