# tflm: Checks of a .tflite: guard zones between tensors, and inputs that nobody set.
# MIT license; Copyright (c) 2026 the tflm authors

from ..arena import fill, overlap
from ..errors import StateError
from ..introspection.op_names import name

BYTES = 16  # of a guard zone
_VALUE = 0xA5
_MARK = b"\xa5\x5a\xc3\x3c" * 4  # of an input that was not set
_LEAST_BYTES = 4  # of an input that is marked
_INTACT = bytes([_VALUE] * BYTES)


# Make each buffer larger by a guard zone, before memory planning.
def widen(buffers):
    for buffer in buffers:
        buffer.size += BYTES


# A kernel; after it the guard zones are checked. Its Eval is a method: calling a closure with so
# many arguments would allocate heap.
class _Guarded:
    def __init__(self, function, op, zones):
        self._function = function
        self._op = op
        self._zones = zones

    def evaluate(self, record, arena, rom, start, stop):
        result = self._function(record, arena, rom, start, stop)
        for zone in self._zones:
            if zone != _INTACT:
                self._raise_overwritten(zone)
        return result

    def _raise_overwritten(self, zone):
        fill(zone, 0, BYTES, _VALUE)
        raise StateError(
            "op %d %s (%s) wrote beside a tensor or scratch buffer; please report this defect "
            "with the model" % (self._op.node_index, name(self._op.builtin_code), self._op.kernel)
        )


# Fill the guard zones of planned buffers, and check them after each step of a Program. `start`:
# the offset of the head.
def guard(program, buffers, start):
    zones = []
    for buffer in buffers:
        stop = start + buffer.offset + buffer.size
        zones.append(program.arena[stop - BYTES : stop])
        fill(zones[-1], 0, BYTES, _VALUE)
    ops = iter(program.ops)
    for steps in program.graphs:
        for i in range(len(steps)):
            function, record, units, slice_units = steps[i]
            guarded = _Guarded(function, next(ops), zones)
            steps[i] = guarded.evaluate, record, units, slice_units


# The first or last step of a model, with its inputs [(number, first bytes, the same bytes of
# _MARK)]. The last step writes marks, and the first step refuses an input that still has its mark.
class _Marked:
    def __init__(self, function, units, inputs):
        self._function = function
        self._units = units
        self._inputs = inputs

    def begin(self, record, arena, rom, start, stop):
        if not start:
            for i, first, mark in self._inputs:
                if first == mark:
                    raise StateError(
                        "input %d was not set after the last invoke(), which may overwrite "
                        "inputs; set it, or pass keep_inputs=True" % i
                    )
        return self._function(record, arena, rom, start, stop)

    def end(self, record, arena, rom, start, stop):
        status = self._function(record, arena, rom, start, stop)
        if stop == self._units:
            for _, first, mark in self._inputs:
                for i in range(len(mark)):
                    first[i] = mark[i]
        return status


# Let each invoke overwrite the first bytes of the inputs, and refuse to start before they are set.
# An input of few bytes can have these values by chance; the bytes of an output must stay.
def mark_inputs(program):
    inputs = []
    for i in range(len(program.inputs)):
        first = program.inputs[i].raw[: len(_MARK)]
        if len(first) >= _LEAST_BYTES and not any(
            [overlap(first, t.raw) for t in program.outputs]
        ):
            inputs.append((i, first, _MARK[: len(first)]))
    steps = program.graphs[0]
    if steps:
        function, record, units, slice_units = steps[-1]
        steps[-1] = _Marked(function, units, inputs).end, record, units, slice_units
        function, record, units, slice_units = steps[0]
        steps[0] = _Marked(function, units, inputs).begin, record, units, slice_units
