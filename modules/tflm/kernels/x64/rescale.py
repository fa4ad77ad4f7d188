# tflm: x86-64: QUANTIZE to bytes by a table of all inputs
# MIT license; Copyright (c) 2026 the tflm authors

from .bound import put_words, words_of

_INPUT = const(1)
_OUTPUT = const(2)
_WIDE = const(3)  # in the new record: 1 for int16
_INPUT_TYPE = 3
_OUTPUT_TYPE = 4

_TABLE = const(16)  # offset of the table in the new record
_WORTH = 32  # elements from which on a table saves time
_INT16 = 2  # types; int8 and uint8 have lower codes


# Return (function, record) that replace rescale.eval_integers for this record, or None: for few
# elements, for wider types, or if the new record takes more than `max_bytes`. `function` itself
# fills the table when the model is prepared.
def bind_integers(function, record, rom, max_bytes):
    words = words_of(record)
    wide = 1 if words[_INPUT_TYPE] == _INT16 else 0
    values = 1 << (8 << wide)
    if words[0] < _WORTH or words[_INPUT_TYPE] > _INT16 or words[_OUTPUT_TYPE] >= _INT16:
        return None
    if (2 + wide) * values > max_bytes:
        return None
    arena = bytearray((2 + wide) * values)
    _fill(arena, values, wide)
    trial = bytearray(record)
    put_words(trial, [values, 0, values << wide + 2])
    function(trial, arena, rom, 0, values)
    bound = bytearray(_TABLE) + memoryview(arena)[values << wide :]
    put_words(bound, words[:_WIDE] + [wide])
    return run_integers, bound


# Write all bytes, or all int16, in the order of their bits.
@micropython.viper
def _fill(arena, values: int, wide: int):
    p = ptr8(arena)
    v = 0
    while v < values:
        if wide:
            ptr16(p)[v] = v
        else:
            p[v] = v
        v += 1


# Units are elements. `op`, `arena` and `rom`, which are in registers, become the table, input and
# output.
@micropython.viper
def run_integers(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    wide = op[_WIDE]
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2) + (start << wide)
    rom = ptr8(int(arena) + (op[_OUTPUT] >> 2) + start)
    arena = ptr8(source)
    op = ptr32(int(op) + _TABLE)
    left = stop - start
    if wide:
        while left:
            rom[0] = ptr8(op)[ptr16(arena)[0]]
            arena = ptr8(int(arena) + 2)
            rom = ptr8(int(rom) + 1)
            left -= 1
    while left:
        rom[0] = ptr8(op)[arena[0]]
        arena = ptr8(int(arena) + 1)
        rom = ptr8(int(rom) + 1)
        left -= 1
