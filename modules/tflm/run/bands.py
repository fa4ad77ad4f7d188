# tflm: Bands: a chain of operators that runs in bands of rows, with records that change in between
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import ModelError
from ..standard import struct

_STARTS = const(4)  # words of a record before its table

# Words in front of the record that runs: the next change of the band, the next one of each band,
# the word of the chain that the next record begins with, and the band, counted from the middle.
_CURSOR_BYTES = const(16)
_CHANGE = const(0)
_GROWTH = const(1)
_FIRST = const(2)
_BAND = const(3)


# Eval of the step that runs the others: band `start`; or, where that is -1, steps of a band from
# where it has come. Each record is put at its place: as the model has it, but that the band's list
# says what is added to some words, and another one by how much some grow with each band. Half of
# what small steps take may be this loop: it looks next to nothing up, and takes no heap, which a
# frame of bytecode would for each band. None of these operators ends the run. Ctrl-C works between
# bands, which are slices.
@micropython.viper
def run_banded(bands, arena, rom, start: int, stop: int):
    program, number, steps, changes, place, none = bands
    table = int(ptr32(changes))
    target = ptr32(place)
    cursor = ptr32(int(target) - _CURSOR_BYTES)
    if start >= 0:
        source = ptr32(table)
        cursor[_BAND] = start - (source[0] >> 1)
        cursor[_FIRST] = 0
        starts = ptr16(table + 4 * _STARTS)
        cursor[_CHANGE] = starts[1 + start]
        cursor[_GROWTH] = starts[0]
        if program.profiler is not none:  # viper does not compare with None itself
            program.band = bands
            program.run(number)
            steps = ()
    for function, record, size, most in steps:
        words = 0 - int(size)
        first = cursor[_FIRST]
        last = first + words
        cursor[_FIRST] = last
        source = ptr32(table + 4 * cursor[_CHANGE])
        start = 0
        if source[0] == first:
            start = source[1]
        source = ptr32(record)
        start += source[0]
        if not start:  # no units in this band: nothing reads the record
            words = 0
        while words:
            words -= 1
            target[words] = source[words]
        which = _CHANGE
        times = 1
        while which <= _GROWTH:
            source = ptr32(table + 4 * cursor[which])
            while source[0] < last:
                words = source[0] - first
                target[words] = target[words] + source[1] * times
                source = ptr32(int(source) + 8)
            cursor[which] = int(source) - table >> 2
            times = cursor[_BAND]
            which += 1
        start = 0 if start else target[0]
        while start < target[0]:
            stop = start + int(most)
            if stop > target[0]:
                stop = target[0]
            function(place, arena, rom, start, stop)
            start = stop


# What run_banded() gets for its record, which has the place of the block where one record of the
# chain after the other lies while it runs, the number of their list of steps, the words of the
# block, where the lists begin, that for all bands and one for each, and these lists of changes
# (tools/tflm_tools/plan/loops.py), which extents/ checks.
def bind(program, number, record):
    _, block, chain, words = struct.unpack_from("<IIII", record, 0)
    if (
        not number < chain < len(program.graphs)
        or chain in program.bands
        or number in program.bands  # a chain has no chains in it
        or not (record[18] or record[19])  # a table of older files, in a trusted one
    ):
        raise ModelError("the bands of the model are damaged; flatten it again")
    place = program.arena[(block >> 2) + _CURSOR_BYTES : (block >> 2) + 4 * words]
    program.calls.setdefault(number, []).append(chain)
    program.bands.add(chain)
    program.run_banded = run_banded
    program.band = None  # there before invoke(), which takes no heap
    return program, chain, program.graphs[chain], record, place, None
