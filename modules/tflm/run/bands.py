# tflm: Bands: a chain of operators that runs in bands of rows, with records that change in between
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import damaged
from ..micropython_port import struct

_PARTS = const(8)  # halfword of a record that tells of parts, before those that tell of lists
_WHOLE = const(7)  # words of a record before those that lie two in one
_HALVES = const(127)  # of its form: where these end
_APART = const(128)  # the words behind them are those of a record before it, so many words back

# A change is the number of a step, of a word of its record, and what is added to that, biased.
_STEP = const(1 << 24)
_WORD = const(17)  # its lowest bit
_MOST_WORDS = const(127)
_VALUE = const(0x1FFFF)
_BIAS = const(0x10000)
_HALF_BIAS = const(0x8000)
_GROUPS = const(255)


# Eval of the step that runs the others: band `start`. Each record is put at its place: as the
# model has it, but that the band's list says what is added to some words, and another one by how
# much some grow with each band, or, where the lowest bit says so, with each group of channels.
# Half of what small steps take may be this loop: it looks next to nothing up, and takes no heap,
# which a frame of bytecode would for each band. None of these operators ends the run. Ctrl-C works
# between bands, which are slices.
# `source` and `target` are the arena and the model, which come anew with `bands`: parameters live
# in registers, which other locals do not.
@micropython.viper
def run_banded(bands, source: ptr32, target: ptr32, start: int, stop: int):
    changes, place, steps, number, arena, rom = bands
    target = ptr32(place)
    table = int(ptr32(changes))
    starts = ptr16(table)
    band = start - (starts[0] >> 1)
    change = ptr32(table + starts[_PARTS + 2 + start])
    growth = ptr32(table + starts[_PARTS + 1])
    part = ptr32(table + starts[_PARTS])
    last = 0
    while part[0]:
        first = last
        changed = change
        grown = growth
        group = 0
        while group - (part[0] & _GROUPS):
            last = first
            change = changed
            growth = grown
            while last < part[0]:
                function, record, form, _ = steps[last >> 24]
                start = change[0] - last  # of the units, if they come first
                if start >> _WORD:
                    start = _BIAS
                source = ptr32(record)
                start += source[0] - _BIAS
                if start:
                    # Words from `halves` on are those of the group, which lie group by group in
                    # the model; before them two lie in one.
                    words = 0 - int(form)
                    halves = words & _HALVES
                    value = _WHOLE - halves >> 1
                    if words & _APART:
                        value -= source[halves + value]
                    words >>= 8
                    value += (words - halves) * group
                    while words - halves:
                        words -= 1
                        target[words] = source[words + value]
                    while words - _WHOLE:
                        words -= 1
                        target[words] = ptr16(source)[words + _WHOLE] - _HALF_BIAS
                    while words:
                        words -= 1
                        target[words] = source[words]
                last += _STEP
                which = 0
                times = 1
                while which - 2:
                    while change[0] < last:
                        words = change[0] >> _WORD & _MOST_WORDS
                        value = (change[0] & _VALUE) - _BIAS
                        factor = times
                        if value & which:
                            value -= 1
                            factor = group
                        target[words] = target[words] + value * factor
                        change = ptr32(int(change) + 4)
                    source = change
                    change = growth
                    growth = source
                    times = band
                    which += 1
                if start:
                    function(place, arena, rom, 0, start)
            group += 1
        part = ptr32(int(part) + 4)


# What run_banded() gets for its record, which has the bands, the place of the block where one
# record of the chain after the other lies while it runs, the number of their list of steps, the
# words of the block, and a table (tools/tflm_tools/arena/changes.py), which extents/ checks.
def bind(program, number, record):
    _, block, chain, words = struct.unpack_from("<4I", record)
    if not number < chain < len(program.graphs) or chain in program.bands:
        raise damaged("its bands")
    program.calls.setdefault(number, []).append(chain)
    program.bands.add(chain)
    block >>= 2
    place = program.arena[block : block + 4 * words]
    return record, place, program.graphs[chain], chain, program.arena, program.rom
