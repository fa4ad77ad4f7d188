# tflm: Profiler: ticks of each op, off unless an Interpreter is given one
# MIT license; Copyright (c) 2026 the tflm authors

import time

from .op_names import name
from .program import ABORTED


class Profiler:
    """Adds up microseconds per op over invokes: Interpreter(model, profiler=Profiler())."""

    def __init__(self):
        self.clear()

    def clear(self):
        """Forget all ticks."""
        self.ticks = None
        self.invokes = 0
        self._ops = ()

    # Invoke a program and note the time of each step; returns what Interpreter.invoke() does.
    def run(self, program):
        if self._ops is not program.ops:  # another program than before, or the first
            self.clear()
            self.ticks = [0] * len(program.steps)
            self._ops = program.ops
        ticks = self.ticks
        status = None
        for i, (function, record, units, slice_units) in enumerate(program.steps):
            begin = time.ticks_us()
            start = 0
            while start < units:
                stop = min(start + slice_units, units)
                status = function(record, program.arena, program.rom, start, stop)
                start = units if status == ABORTED else stop
            ticks[i] += time.ticks_diff(time.ticks_us(), begin)
            if status == ABORTED:
                break
        self.invokes += 1
        return status if status == ABORTED else None

    def total_ticks(self):
        """Microseconds of all invokes together."""
        return sum(self.ticks or ())

    def events(self):
        """A list of (node number, operator name, kernel, microseconds) over all invokes."""
        return [
            (op.node_index, name(op.builtin_code), op.kernel, ticks)
            for op, ticks in zip(self._ops, self.ticks or ())
        ]

    def __repr__(self):
        total = self.total_ticks() or 1
        lines = ["%4s %-24s %-28s %9s %6s" % ("op", "name", "kernel", "us", "share")]
        for node, op, kernel, ticks in self.events():
            each = ticks / max(self.invokes, 1)
            share = 100 * ticks / total
            lines.append(
                "%4d %-24s %-28s %9.0f %5.1f%%" % (node, op[:24], kernel[:28], each, share)
            )
        return "\n".join(lines)
