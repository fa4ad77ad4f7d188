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


# Go to the first record of a band.
@micropython.viper
def _begin(place: ptr32, table: ptr32, band: int):
    cursor = ptr32(int(place) - _CURSOR_BYTES)
    starts = ptr16(int(table) + 4 * _STARTS)
    cursor[_CHANGE] = starts[1 + band]
    cursor[_GROWTH] = starts[0]
    cursor[_FIRST] = 0
    cursor[_BAND] = band - (table[0] >> 1)


# Put the next record of a band at its place: as the model has it, but that the band's list says
# what is added to some words, and another one by how much some grow with each band. Returns its
# units, word 0.
@micropython.viper
def next_record(source: ptr32, place: ptr32, words: int, table: ptr32) -> int:
    cursor = ptr32(int(place) - _CURSOR_BYTES)
    first = cursor[_FIRST]
    last = first + words
    while words:
        place[0] = source[0]
        source = ptr32(int(source) + 4)
        place = ptr32(int(place) + 4)
        words -= 1
    place = ptr32(int(cursor) + _CURSOR_BYTES)
    which = _CHANGE
    times = 1
    while which <= _GROWTH:
        change = ptr32(int(table) + 4 * cursor[which])
        while change[0] < last:
            n = change[0] - first
            place[n] = place[n] + change[1] * times
            change = ptr32(int(change) + 8)
        cursor[which] = int(change) - int(table) >> 2
        times = cursor[_BAND]
        which += 1
    cursor[_FIRST] = last
    return place[0]


# The step that runs the others. Its units are bands; its record: the place of the block where
# one record of the chain after the other lies while it runs, the number of their list of steps,
# the words of the block, where the lists begin, that for all bands and one for each, and these
# lists of changes (tools/tflm_tools/plan/loops.py), which extents/ checks.
class Bands:
    def __init__(self, program, number, record):
        _, block, self._list, words = struct.unpack_from("<IIII", record, 0)
        if (
            not number < self._list < len(program.graphs)
            or self._list in program.bands
            or number in program.bands  # a chain has no chains in it
            or not (record[18] or record[19])  # a table of older files, in a trusted one
        ):
            raise ModelError("the bands of the model are damaged; flatten it again")
        self._program = program
        self._place = program.arena[(block >> 2) + _CURSOR_BYTES : (block >> 2) + 4 * words]
        program.calls.setdefault(number, []).append(self._list)
        program.bands[self._list] = self
        program.next_record = next_record
        program.place = program.changes = None  # there before invoke(), which takes no heap

    # A step of the chain, whose record goes to the block. It has as many units as that says at the
    # time, which 0 stands for.
    def moved(self, step):
        function, record, _, slice_units = step
        return function, record, 0, slice_units

    # Eval. None of these operators ends the run.
    def evaluate(self, record, _arena, _rom, start, stop):
        program = self._program
        program.place = self._place
        program.changes = record
        while start < stop:
            _begin(self._place, record, start)
            program.run(self._list)
            start += 1
