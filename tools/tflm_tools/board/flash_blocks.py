# tflm_tools: board: raw flash of a board, written by blocks where it can be read in place
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

from ..errors import DeviceError

BLOCK = 4096
_PAGE = 256  # what flash programs at once

# `_device` writes blocks that count from `_first` on; `_view` reads all of them in place.
_OPEN = """\
import uctypes
_device = {device}
_view = memoryview({view})
_block = bytearray({block})
def fill(text):
    global _at
    data = a2b_base64(text)
    _block[_at:_at + len(data)] = data
    _at += len(data)
def burn(number):
    _device.writeblocks({first} + number, _block)
"""


class FlashBlocks:
    """Blocks of flash of the board at a Link, `size` bytes.

    device: Python expression of the block device there, on which they begin at block `first`.
    view: Python expression of the buffer in which the board reads them.
    """

    def __init__(self, link, files, device, view, size, first=0):
        self._link, self._files = link, files
        self.size, self._first = size, first
        link.exec(_OPEN.format(device=device, view=view, block=BLOCK, first=first))

    def read(self, start, size):
        """Bytes from an offset."""
        data = b""
        while len(data) < size:
            at, count = start + len(data), min(1024, size - len(data))
            data += self._link.bytes(f"_view[{at}:{at + count}]", count)
        return data

    def crcs(self, start, size):
        """CRC32 of each block from `start` on; the last one may be short."""
        return self._link.eval(f"crcs(_view, {start}, {size}, {BLOCK})", seconds=60, form=[int])

    def holds(self, start, data):
        """True when the flash has these bytes at an offset."""
        end = start + len(data)
        crc = self._link.eval(f"crc32(_view[{start}:{end}]) & 0xFFFFFFFF", seconds=60)
        return crc == binascii.crc32(data)

    def write(self, start, data):
        """Write whole blocks from a multiple of BLOCK on, but for those that are right already.

        Raises DeviceError when the flash does not hold the bytes then.
        """
        data = data + b"\xff" * (-len(data) % BLOCK)
        wanted = [binascii.crc32(data[i : i + BLOCK]) for i in range(0, len(data), BLOCK)]
        there = self.crcs(start, len(data)) + [None] * len(wanted)  # an answer may be too short
        for i, (new, old) in enumerate(zip(wanted, there, strict=False)):
            if new != old:
                self._link.exec("_at = 0")
                self._files.pieces(data[i * BLOCK : (i + 1) * BLOCK], "fill")
                self._link.exec(f"burn({start // BLOCK + i})")
            else:
                self._files.progress(BLOCK)
        if self.crcs(start, len(data)) != wanted:
            raise self._not_written()

    def program(self, start, old, new):
        """Make a block that holds `old` hold `new`, which only clears bits, without an erase.

        Raises DeviceError when the flash does not hold the bytes then.
        """
        for at in range(0, len(new), _PAGE):
            if new[at : at + _PAGE] != old[at : at + _PAGE]:
                self.patch(start + at, new[at : at + _PAGE])
        if not self.holds(start, new):
            raise self._not_written()

    def _not_written(self):
        return DeviceError(
            f"the flash of the board at {self._link.port} does not hold what was written; "
            "try again, or use: tflm deploy --to files",
            "crc",
        )

    def patch(self, start, data):
        """Program whole pages that only clear bits, in one block and without erasing it."""
        block, offset = divmod(start, BLOCK)
        text = binascii.b2a_base64(data, newline=False)
        self._link.exec(
            f"_device.writeblocks({self._first + block}, a2b_base64({text!r}), {offset})"
        )
