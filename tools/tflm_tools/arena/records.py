# tflm_tools: RomRecord: what Prepare wrote for one call of a kernel
# MIT license; Copyright (c) 2026 the tflm authors

import struct

WHOLE = 7  # words of a record before those that may lie two in one
HALF_BIAS = 1 << 15  # is added to these
APART = 1 << 7  # of its form (rolled.py): the words behind these are those of another record


class RomRecord:
    """A record that waits for the plan: its words still name tensors and scratch buffers."""

    def __init__(self, step_list, node, kernel, words, operands, slice_units, table):
        self.step_list = step_list
        self.node = node
        self.kernel = kernel
        self.words = words
        self.operands = operands
        self.slice_units = slice_units
        self.table = table
        self.ordered = False  # its output lies over an input: units run one after the other
        self.placed = ()  # operands that name a place already, and no buffer
        self.halves = WHOLE  # words up to this one lie two in one in the file
        self.behind = b""  # what lies behind it there
        self.apart = None  # the record before it whose own() words are its, too

    def copy(self):
        """The same as Prepare wrote it, with words of its own."""
        return RomRecord(
            self.step_list, self.node, self.kernel, list(self.words), self.operands,
            self.slice_units, self.table,
        )  # fmt: skip

    def stored(self, words, back=0):
        """Its bytes in the file but for `behind`, with words as they are once all is planned.

        back: words from where its own() ones would be to those of `apart`, if it has that.
        """
        data = self._data(words)
        count = self.halves - WHOLE
        numbers = struct.unpack_from(f"<{count}i", data, 4 * WHOLE) if count else ()
        halves = struct.pack(f"<{count}H", *(number + HALF_BIAS for number in numbers))
        own = struct.pack("<I", back) if self.apart else data[4 * self.halves :]
        return data[: 4 * WHOLE] + halves + own

    def front_bytes(self):
        """Bytes of the file that its words take up to the end of the halves."""
        return 2 * (WHOLE + self.halves)

    def own(self):
        """The bytes behind these, with `behind`; None where there are operands among them."""
        if self.operands >= self.halves:
            return None
        return self._data(self.words)[4 * self.halves :] + self.behind

    # Its bytes with such words, as a kernel gets them.
    def _data(self, words):
        return struct.pack(f"<{len(words)}I", *words) + self.table

    def nbytes(self):
        """Bytes that it takes of the file."""
        if self.apart:
            return self.front_bytes() + 4
        short = 2 * (self.halves - WHOLE)
        return 4 * len(self.words) + len(self.table) + len(self.behind) - short
