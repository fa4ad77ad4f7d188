# tflm: Profiler: ticks of each op, off unless an Interpreter is given one
# MIT license; Copyright (c) 2026 the tflm authors

import time

from .errors import ABORTED
from .op_names import name


class Profiler:
    """Adds up microseconds per op over invokes: Interpreter(model, profiler=Profiler())."""

    def __init__(self):
        self.clear()

    def clear(self):
        """Forget all ticks."""
        self.ticks = None
        self.invokes = 0
        self._ops = ()

    # Run a list of steps and note the time of each; returns what Program.run_steps() does. Steps
    # of a sub-graph count for themselves, not for the operator that runs it.
    def run(self, program, number):
        if self._ops is not program.ops:  # another program than before, or the first
            self.clear()
            self.ticks = [0] * len(program.ops)
            self._ops = program.ops
        ticks = self.ticks
        i = sum([len(steps) for steps in program.graphs[:number]])
        for step in program.graphs[number]:
            inner = self._spent
            begin = time.ticks_us()
            status = program.run_steps((step,))
            own = time.ticks_diff(time.ticks_us(), begin) - (self._spent - inner)
            ticks[i] += own
            self._spent += own
            if status == ABORTED:
                return ABORTED
            i += 1

    # Invoke a program.
    def invoke(self, program):
        self._spent = 0  # ticks that steps have been given in this invoke
        status = self.run(program, 0)
        self.invokes += 1
        return status

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
