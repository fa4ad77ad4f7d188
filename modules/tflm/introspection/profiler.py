# tflm: Profiler: ticks of each op, off unless an Interpreter is given one
# MIT license; Copyright (c) 2026 the tflm authors

import time

from ..errors import ABORTED
from ..format import CUSTOM_KERNEL
from .op_names import name

_CUSTOM = 32


# The name of an operator, as tables show it; a custom operator's own, or the file that runs it.
def tag(op):
    if op.builtin_code != _CUSTOM:
        return name(op.builtin_code)
    if op.kernel.startswith(CUSTOM_KERNEL):
        return op.kernel[len(CUSTOM_KERNEL) :]
    return op.kernel.partition(".")[0]


class Profiler:
    """Adds up microseconds per op over invokes: Interpreter(model, profiler=Profiler())."""

    def __init__(self):
        self.clear()

    def clear(self):
        """Forget all ticks."""
        self.ticks = None
        self.invokes = 0
        self._ops = ()

    # Get ready for an invoke of a program; another one than before begins anew.
    def begin(self, program):
        if self._ops is not program.ops:
            self.clear()
            self.ticks = [0] * len(program.ops)
            self._ops = program.ops
        self._program = program
        self._spent = 0  # ticks that steps have been given in this invoke

    # A step, op `i`, that notes its time; those that it runs in bands (run/bands.py) note theirs.
    def noted(self, i, step):
        function, record = step[:2]
        if isinstance(record, tuple):
            _, _, steps, number = record[:4]
            first = self._program.first_op(number)
            steps = [self.noted(first + k, inner) for k, inner in enumerate(steps)]
            record = record[:2] + (steps,) + record[3:]

        def noting(*arguments):
            inner = self._spent
            begin = time.ticks_us()
            status = function(*arguments)
            own = time.ticks_diff(time.ticks_us(), begin) - (self._spent - inner)
            self.ticks[i] += own
            self._spent += own
            return status

        return (noting, record) + step[2:]

    # Run a list of steps and note the time of each; returns what Program.run_steps() does. Steps
    # of a sub-graph count for themselves, not for the operator that runs it.
    def run(self, program, number):
        i = program.first_op(number)
        for step in program.graphs[number]:
            if program.run_steps((self.noted(i, step),)) == ABORTED:
                return ABORTED
            i += 1

    # Invoke a program.
    def invoke(self, program):
        self.begin(program)
        status = self.run(program, 0)
        self.invokes += 1
        return status

    def total_ticks(self):
        """Microseconds of all invokes together."""
        return sum(self.ticks or ())

    def events(self):
        """A list of (node number, operator name, kernel, microseconds) over all invokes."""
        return [
            (op.node_index, tag(op), op.kernel, ticks)
            for op, ticks in zip(self._ops, self.ticks or ())
        ]

    def totals(self):
        """Per type of operator: (name, kernel calls of an invoke, microseconds), largest first.

        The microseconds are those of all invokes together, as in events().
        """
        found = {}
        for _, tag, _, ticks in self.events():
            calls, total = found.get(tag, (0, 0))
            found[tag] = calls + 1, total + ticks
        rows = [(tag, found[tag][0], found[tag][1]) for tag in found]
        return sorted(rows, key=lambda row: (0 - row[2], row[0]))

    def log_csv(self):
        """Print the events as TFLM's MicroProfiler::LogCsv does; ticks are microseconds."""
        print('"Event","Tag","Ticks"')
        for i, (_, tag, _, ticks) in enumerate(self.events()):
            print("%d,%s,%d" % (i, tag, ticks))

    def log_ticks_per_tag_csv(self):
        """Print the totals as TFLM's MicroProfiler::LogTicksPerTagCsv does."""
        print('"Unique Tag","Total ticks across all events with that tag."')
        for tag, _, ticks in self.totals():
            print("%s, %d" % (tag, ticks))
        print('"total number of ticks", %d' % self.total_ticks())

    # Microseconds of one invoke, and the share of all ticks.
    def _cells(self, ticks):
        share = 100 * ticks / (self.total_ticks() or 1)
        return "%9.0f %5.1f%%" % (ticks / max(self.invokes, 1), share)

    def __repr__(self):
        lines = ["%4s %-24s %-28s %9s %6s" % ("op", "name", "kernel", "us", "share")]
        rows = {}  # of an operator with several kernels the first is named
        for node, tag, kernel, ticks in self.events():
            tag, kernel, more = rows.get(node, (tag, kernel, 0))
            rows[node] = tag, kernel, more + ticks
        for node in sorted(rows):
            tag, kernel, ticks = rows[node]
            short = kernel if len(kernel) <= 28 else ""
            lines.append("%4d %-24s %-28s %s" % (node, tag[:28], short, self._cells(ticks)))
            if not short:
                lines.append("     " + kernel)
        for tag, calls, ticks in self.totals():
            count = "%d call%s" % (calls, "" if calls == 1 else "s")
            lines.append("%4s %-24s %-28s %s" % ("all", tag[:28], count, self._cells(ticks)))
        if self.ticks:
            lines.append("%4s %-53s %s" % ("all", "together", self._cells(self.total_ticks())))
        return "\n".join(lines)
