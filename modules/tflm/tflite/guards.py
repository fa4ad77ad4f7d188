# tflm: Guard zones between the tensors of a .tflite find kernels that write beside their tensors.
# MIT license; Copyright (c) 2026 the tflm authors

from ..arena import fill
from ..errors import StateError
from ..introspection.op_names import name

BYTES = 16  # of a guard zone
_VALUE = 0xA5
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
