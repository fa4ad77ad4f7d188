# tflm_tools: RomRecord: the record that Prepare wrote for one kernel call of a flat model
# MIT license; Copyright (c) 2026 the tflm authors

import struct

FULL_WORDS = 7  # the first words of a record, which are never packed
PACKED_BIAS = 1 << 15  # added to a packed word, which is stored as an unsigned halfword
SHARED_TAIL = 1 << 7  # flag in `slice_units` of a banded record: see RomRecord.shared_tail


class RomRecord:
    """A record whose operand words still name tensors and scratch buffers.

    ordered: the output overlaps an input, so units must run one after the other.
    The other attributes concern records of banded execution (band_op.py) only:
    resolved: numbers of operand words that already hold an offset in the arena.
    packed_words: words FULL_WORDS..packed_words-1 are stored as halfwords, two to a word.
    tail: bytes stored after the record: the words after `packed_words` of further channel groups.
    shared_tail: an earlier record with equal tail_bytes(), which this record refers to; or None.
    """

    def __init__(self, step_list, node, kernel, words, operands, slice_units, table):
        self.step_list = step_list
        self.node = node
        self.kernel = kernel
        self.words = words
        self.operands = operands
        self.slice_units = slice_units
        self.table = table
        self.ordered = False
        self.resolved = ()
        self.packed_words = FULL_WORDS
        self.tail = b""
        self.shared_tail = None

    def copy(self):
        """Return the record as Prepare wrote it, with a separate list of words."""
        return RomRecord(
            self.step_list, self.node, self.kernel, list(self.words), self.operands,
            self.slice_units, self.table,
        )  # fmt: skip

    def file_bytes(self, words, words_back=0):
        """Return the record as stored in the file, without `tail`.

        words: the final words, once the arena is planned. words_back: with a shared tail, how many
        words before the place of its own tail the shared one begins.
        """
        data = self._kernel_bytes(words)
        count = self.packed_words - FULL_WORDS
        numbers = struct.unpack_from(f"<{count}i", data, 4 * FULL_WORDS) if count else ()
        packed = struct.pack(f"<{count}H", *(number + PACKED_BIAS for number in numbers))
        tail = struct.pack("<I", words_back) if self.shared_tail else data[4 * self.packed_words :]
        return data[: 4 * FULL_WORDS] + packed + tail

    def bytes_to_tail(self):
        """Return how many bytes of the file precede tail_bytes()."""
        return 2 * (FULL_WORDS + self.packed_words)

    def tail_bytes(self):
        """Return the bytes after the packed words, `tail` included; None if operands are there."""
        if self.operands >= self.packed_words:
            return None
        return self._kernel_bytes(self.words)[4 * self.packed_words :] + self.tail

    # The record as a kernel reads it, with these words.
    def _kernel_bytes(self, words):
        return struct.pack(f"<{len(words)}I", *words) + self.table

    def nbytes(self):
        """Return how many bytes of the file the record occupies."""
        if self.shared_tail:
            return self.bytes_to_tail() + 4
        saved = 2 * (self.packed_words - FULL_WORDS)
        return 4 * len(self.words) + len(self.table) + len(self.tail) - saved
