# firmware: files that boards are flashed with: UF2
# MIT license; Copyright (c) 2026 the tflm authors

import struct

_MAGIC = (0x0A324655, 0x9E5D5157)
_END = 0x0AB16F30
_FAMILY_PRESENT = 0x2000
_PAYLOAD = 256  # bytes a block, a page of flash


def uf2(parts, family):
    """A UF2 of `parts`, a list of (address, bytes), for a family of chips."""
    pages = [
        (address + at, data[at : at + _PAYLOAD].ljust(_PAYLOAD, b"\xff"))
        for address, data in parts
        for at in range(0, len(data), _PAYLOAD)
    ]
    blocks = []
    for number, (address, page) in enumerate(pages):
        head = (*_MAGIC, _FAMILY_PRESENT, address, _PAYLOAD, number, len(pages), family)
        blocks.append(struct.pack("<8I", *head) + page.ljust(476, b"\0") + struct.pack("<I", _END))
    return b"".join(blocks)
