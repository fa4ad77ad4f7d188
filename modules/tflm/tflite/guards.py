# tflm: guard zones between the tensors of a .tflite, to find a kernel that writes beside its own
# MIT license; Copyright (c) 2026 the tflm authors

from ..arena import fill
from ..errors import StateError
from ..introspection.op_names import name

BYTES = 16  # of a zone
_VALUE = 0xA5
_SOUND = bytes([_VALUE] * BYTES)


# Leave room for a zone behind each buffer, before these are planned.
def widen(buffers):
    for buffer in buffers:
        buffer.size += BYTES


# A kernel that is followed by a look at the zones. A method, not a closure: that would take heap
# with so many arguments.
class _Guarded:
    def __init__(self, function, op, zones):
        self._function = function
        self._op = op
        self._zones = zones

    def evaluate(self, record, arena, rom, start, stop):
        result = self._function(record, arena, rom, start, stop)
        for zone in self._zones:
            if zone != _SOUND:
                self._refuse(zone)
        return result

    def _refuse(self, zone):
        fill(zone, 0, BYTES, _VALUE)
        raise StateError(
            "op %d %s (%s) has written behind a tensor or scratch buffer; its kernel or its "
            "prepare is wrong: please report it with the model"
            % (self._op.node_index, name(self._op.builtin_code), self._op.kernel)
        )


# Put zones behind the planned buffers, widened before, of a Program whose head begins at `start`.
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
