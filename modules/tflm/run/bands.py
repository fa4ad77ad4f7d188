# tflm: Bands: a chain of operators that runs in bands of rows, with records that change in between
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import ABORTED, ModelError
from ..standard import struct


# Copy the record of the model to the one that runs.
@micropython.viper
def _copy(target: ptr32, source: ptr32, words: int):
    while words:
        target[0] = source[0]
        target = ptr32(int(target) + 4)
        source = ptr32(int(source) + 4)
        words -= 1


# Make the changes of a band: pairs of a word's number in the block and its value.
@micropython.viper
def _change(record: ptr32, block: ptr32, start: int):
    at = record[start]
    end = record[start + 1]
    while at < end:
        block[record[at]] = record[at + 1]
        at += 2


# The units of a record, word 0.
@micropython.viper
def units_of(record: ptr32) -> int:
    return int(record[0])


_STARTS = 4  # words of a record before its table


# The error for a record that contradicts itself.
def _damaged():
    return ModelError("the bands of the model are damaged; flatten it again")


# The step that runs the others. Its units are bands; its record: the place of the block where
# the chain's records lie meanwhile, the number of their list of steps, the words of the block,
# where the changes of each band begin (and end), and the changes
# (tools/tflm_tools/plan/loops.py). The records in the model are those of the first
# band.
class Bands:
    def __init__(self, program, number, record):
        if len(record) < 4 * _STARTS:
            raise _damaged()
        bands, block, self._list, words = struct.unpack_from("<IIII", record, 0)
        self._program = program
        self._at = block >> 2
        self._end = self._at + 4 * words
        self._block = program.arena[self._at : self._end]
        self._records = []  # (where it runs, where it lies in the model, words)
        if (
            not number < self._list < len(program.graphs)
            or self._list in program.bands
            or number in program.bands  # a chain has no chains in it
            or block & 3
            or self._at & 3
            or len(self._block) != 4 * words
            or len(record) < 4 * (_STARTS + bands + 1)
        ):
            raise _damaged()
        self._check(record, bands, words)
        program.calls.setdefault(number, []).append(self._list)
        program.bands[self._list] = self
        program.units_of = units_of

    # Refuse changes that lie outside of the record, or of words outside of the block.
    def _check(self, record, bands, words):
        last = _STARTS + bands + 1
        for i in range(bands + 1):
            start = struct.unpack_from("<I", record, 4 * (_STARTS + i))[0]
            if not last <= start <= len(record) // 4 or start - last & 1:
                raise _damaged()
            for at in range(last, start, 2):
                if struct.unpack_from("<I", record, 4 * at)[0] >= words:
                    raise _damaged()
            last = start

    # A step of the chain with its record in the block. It has as many units as that says at the
    # time, which 0 stands for.
    def moved(self, step):
        function, record, _, slice_units = step
        place = self._program.arena[self._at : self._at + len(record)]
        self._at += len(record)
        if self._at > self._end:
            raise _damaged()
        self._records.append((place, record, len(record) >> 2))
        return function, place, 0, slice_units

    # Eval. Other tasks that ran meanwhile may have filled an input that lies over the records.
    def evaluate(self, record, _arena, _rom, start, stop):
        if not start or self._program.paused:
            for place, template, words in self._records:
                _copy(place, template, words)
            for band in range(start):
                _change(record, self._block, _STARTS + band)
            self._program.paused = False
        while start < stop:
            _change(record, self._block, _STARTS + start)
            if self._program.run(self._list) == ABORTED:
                return ABORTED
            start += 1
