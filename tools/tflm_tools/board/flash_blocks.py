# tflm_tools: board: reads and writes raw flash of a board in blocks
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

from ..errors import DeviceError

BLOCK = 4096
_PAGE = 256  # bytes that flash programs at once

# Code for the board: `_device` writes block numbers that start at `first`; `_view` reads all
# blocks in place; fill() collects a block from chunks; burn() writes it.
_SETUP = """\
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
    """A range of `size` bytes of flash of the board at a Link, in blocks of BLOCK bytes.

    device: Python expression for the board's block device; the range starts at its block `first`.
    view: Python expression for the buffer in which the board reads the range.
    """

    def __init__(self, link, files, device, view, size, first=0):
        self._link, self._files = link, files
        self.size, self._first = size, first
        link.exec(_SETUP.format(device=device, view=view, block=BLOCK, first=first))

    def read(self, start, size):
        """Return `size` bytes from the offset `start` on."""
        data = b""
        while len(data) < size:
            at, count = start + len(data), min(1024, size - len(data))
            data += self._link.bytes(f"_view[{at}:{at + count}]", count)
        return data

    def crcs(self, start, size):
        """Return the CRC32 of each block of a range; the last block may be short."""
        return self._link.eval(f"crcs(_view, {start}, {size}, {BLOCK})", seconds=60, schema=[int])

    def holds(self, start, data):
        """Return whether the flash has the bytes `data` at the offset `start`."""
        end = start + len(data)
        crc = self._link.eval(f"crc32(_view[{start}:{end}]) & 0xFFFFFFFF", seconds=60)
        return crc == binascii.crc32(data)

    def write(self, start, data):
        """Write whole blocks from `start` on, a multiple of BLOCK, except unchanged blocks.

        Raises DeviceError if the flash then differs from `data`.
        """
        data = data + b"\xff" * (-len(data) % BLOCK)
        expected = [binascii.crc32(data[i : i + BLOCK]) for i in range(0, len(data), BLOCK)]
        present = self.crcs(start, len(data)) + [None] * len(expected)  # the answer may be short
        for i, (new, old) in enumerate(zip(expected, present, strict=False)):
            if new != old:
                self._link.exec("_at = 0")
                self._files.send_chunks(data[i * BLOCK : (i + 1) * BLOCK], "fill")
                self._link.exec(f"burn({start // BLOCK + i})")
            else:
                self._files.progress(BLOCK)
        if self.crcs(start, len(data)) != expected:
            raise self._write_error()

    def program(self, start, old, new):
        """Change a block from `old` to `new`, which may only clear bits, without an erase.

        Raises DeviceError if the flash then differs from `new`.
        """
        for at in range(0, len(new), _PAGE):
            if new[at : at + _PAGE] != old[at : at + _PAGE]:
                self.patch(start + at, new[at : at + _PAGE])
        if not self.holds(start, new):
            raise self._write_error()

    def _write_error(self):
        return DeviceError(
            f"the flash of the board at {self._link.port} differs from the data written; "
            "try again, or use: tflm deploy --to files",
            "crc",
        )

    def patch(self, start, data):
        """Program whole pages of one block without an erase; the data may only clear bits."""
        block, offset = divmod(start, BLOCK)
        text = binascii.b2a_base64(data, newline=False)
        self._link.exec(
            f"_device.writeblocks({self._first + block}, a2b_base64({text!r}), {offset})"
        )
