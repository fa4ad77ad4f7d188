# Forges a .tflm: changes its records, tables or constants and corrects its CRC
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import random
import struct

from tflm import format as layout
from tflm.model import FlatModel

_WORDS = (
    0, 1, 2, 3, 4, 5, 7, 8, 64, 65, 127, 255, 256, 1000, 4096, 0xFFFF, 1 << 16, 1 << 20, 1 << 24,
    (1 << 28) + 4, 1 << 30, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF, 0xFFFFFF00,
)  # fmt: skip


def sealed(data):
    """Return the bytes of a .tflm with the correct CRC."""
    data = bytearray(data)
    crc = binascii.crc32(data[layout.CRC_START :]) & 0xFFFFFFFF
    struct.pack_into("<I", data, layout.CRC_OFFSET, crc)
    return bytes(data)


def section(flat, number):
    """Return (offset, entries) of a section of a .tflm."""
    return struct.unpack_from(layout.SECTION, flat, layout.SECTIONS_OFFSET + 8 * number)


def one_of_each(flats):
    """Return small ones of some .tflm that together have all of their kernels."""
    found, seen = [], set()
    for flat in sorted(flats, key=len):
        kernels = set(FlatModel(flat).kernels())
        if not kernels <= seen:
            found.append(flat)
            seen |= kernels
    return found


# Offsets of the words of all records.
def _record_words(flat):
    start, count = section(flat, layout.OPS)
    words = []
    for i in range(count):
        *_, at, size = struct.unpack_from(layout.OP, flat, start + i * layout.OP_BYTES)
        words += range(at, at + min(size, 200), 4)
    return words


def every_word(flat, values=_WORDS):
    """Yield copies with each word of each record set to `values` and to numbers near it."""
    for at in _record_words(flat):
        old = struct.unpack_from("<I", flat, at)[0]
        for value in {*values, old + 1, old + 4, old * 2, old - 1, old // 2} - {old}:
            data = bytearray(flat)
            struct.pack_into("<I", data, at, value & 0xFFFFFFFF)
            yield sealed(data)


# Change some of the words at these offsets to a number near the old one, or to any number.
def _change_words(data, words, rng):
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.choice(words)
        old = struct.unpack_from("<I", data, at)[0]
        near = (old + 1, old - 1, old * 2, old + 4, old // 2, old + 64, old ^ 1, old - 4)
        value = rng.choice(near if rng.random() < 0.6 else _WORDS)
        struct.pack_into("<I", data, at, value & 0xFFFFFFFF)


def forged_records(record, rng, count):
    """Return `count` copies of the bytes of a record with a few words changed."""
    found = []
    for _ in range(count):
        data = bytearray(record)
        _change_words(data, range(0, min(len(data), 400), 4), rng)
        found.append(bytes(data))
    return found


# Values of a byte of a record, and of a word beside those near the old one.
_EDGE_BYTES = (0, 1, 0x7F, 0x80, 0xFF)
_EDGE_WORDS = (0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, *_WORDS[9:])
_MAX_EDGE_WORDS = 96  # of a record; then the words of a table, which are alike


def edge_records(record, operands, rng):
    """Yield copies of the bytes of a record with one word or one byte changed to an edge value.

    Each word except operands gets a value before any word gets its next one.
    """
    pending = []
    words = [0, *range(operands + 1, len(record) // 4)][:_MAX_EDGE_WORDS]
    for word in words:
        old = struct.unpack_from("<I", record, 4 * word)[0]
        values = {*_EDGE_WORDS, *(old + n for n in (1, -1, 2, 4, -4, 8, 64)), 2 * old, old // 2}
        for byte in range(0, 32, 8):
            values |= {old & ~(0xFF << byte) | value << byte for value in _EDGE_BYTES}
        values = sorted({value & 0xFFFFFFFF for value in values} - {old})
        rng.shuffle(values)
        pending.append((4 * word, values))
    while pending:
        rng.shuffle(pending)
        for at, values in pending:
            data = bytearray(record)
            struct.pack_into("<I", data, at, values.pop())
            yield bytes(data)
        pending = [each for each in pending if each[1]]


def forgeries(flat, seed, count):
    """Return `count` copies with a few changes in records, in tables, or in constants."""
    rng = random.Random(seed)
    words = _record_words(flat)
    tables = range(16, section(flat, layout.RECORDS)[0], 2)
    found = []
    for _ in range(count):
        data = bytearray(flat)
        if rng.random() < 0.1:
            start = section(flat, layout.RECORDS)[0]
            for _ in range(rng.choice((1, 8, 64))):
                data[rng.randrange(start, len(data))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
        elif not words or rng.random() < 0.3:
            for _ in range(rng.choice((1, 1, 2))):
                at = rng.choice(tables)
                struct.pack_into("<H", data, at, rng.choice(_WORDS) & 0xFFFF)
        else:
            _change_words(data, words, rng)
        found.append(sealed(data))
    return found
