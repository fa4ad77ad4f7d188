# tflm: x86-64: ADD and SUB, int8, by a table of all pairs of inputs
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import put_words, words_of
from .gen import add

eval_int8 = add.eval_int8

_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_ACCUMULATORS = 6
_STEP1 = 7
_EXPAND2 = 10
_BLOCK = 11

_TABLE_OFFSET = const(4)  # of the table, a byte offset in the new record
_PAIRS = 1 << 16
_WORTH = 1 << 12  # elements from which on a table saves time


# Return (function, record) that replace add.eval_int8 for this record, or None: for few elements,
# for shapes that differ, or if the new record takes more than `max_bytes`. `function` itself fills
# the table when the model is prepared: byte x1 * 256 + x2 is its output for the bytes x1 and x2.
def bind_int8(function, record, rom, max_bytes):
    record = bytes(record)
    words = words_of(record)
    if words[0] < _WORTH or words[_STEP1 : _EXPAND2 + 1] != [1, 1, 0, 0]:
        return None
    block = words[_BLOCK]
    size = 3 * _PAIRS + 4 * block
    if size + _PAIRS > max_bytes:
        return None
    arena = bytearray(size)
    for i in range(256):
        arena[256 * i : 256 * i + 256] = bytes([i]) * 256
        arena[_PAIRS + 256 * i : _PAIRS + 256 * i + 256] = bytes(range(256))
    bound = bytearray(4 * (_TABLE_OFFSET + 1) + _PAIRS)
    put_words(bound, words[:_TABLE_OFFSET] + [4 * (_TABLE_OFFSET + 1)])
    words[_INPUT1] = 0
    words[_INPUT2] = _PAIRS << 2
    words[_OUTPUT] = 2 * _PAIRS << 2
    words[_ACCUMULATORS] = 3 * _PAIRS << 2
    trial = bytearray(record)
    put_words(trial, words)
    function(trial, arena, rom, 0, _PAIRS)
    bound[4 * (_TABLE_OFFSET + 1) :] = memoryview(arena)[2 * _PAIRS : 3 * _PAIRS]
    return run_int8, bound


# Units are elements.
@micropython.viper
def run_int8(op, arena, rom, start: int, stop: int):
    _run(0, 0, 0, op, arena, rom, start, stop)


# `x`, `y` and `table` come first because the first locals are in registers.
@micropython.viper
def _run(x: ptr8, y: ptr8, table: ptr8, op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = r[_INPUT1]
    x = ptr8((flash if word & 1 else base) + (word >> 2) + start)
    word = r[_INPUT2]
    y = ptr8((flash if word & 1 else base) + (word >> 2) + start)
    to = ptr8(base + (r[_OUTPUT] >> 2) + start)
    table = ptr8(int(r) + r[_TABLE_OFFSET])
    k = stop - start
    fours = k >> 2
    k = k & 3
    while k:
        to[0] = table[(x[0] << 8) + y[0]]
        x = ptr8(int(x) + 1)
        y = ptr8(int(y) + 1)
        to = ptr8(int(to) + 1)
        k -= 1
    while fours:
        to[0] = table[(x[0] << 8) + y[0]]
        to[1] = table[(x[1] << 8) + y[1]]
        to[2] = table[(x[2] << 8) + y[2]]
        to[3] = table[(x[3] << 8) + y[3]]
        x = ptr8(int(x) + 4)
        y = ptr8(int(y) + 4)
        to = ptr8(int(to) + 4)
        fours -= 1
