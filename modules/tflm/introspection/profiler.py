# tflm: Profiler: measure the time of each operator.
# MIT license; Copyright (c) 2026 the tflm authors

import time

from ..errors import ABORTED
from ..format import CUSTOM_KERNEL
from .op_names import name

_CUSTOM = 32


# Return the name of an operator for tables; for a custom operator its own name, or the file of
# its kernel.
def tag(op):
    if op.builtin_code != _CUSTOM:
        return name(op.builtin_code)
    if op.kernel.startswith(CUSTOM_KERNEL):
        return op.kernel[len(CUSTOM_KERNEL) :]
    return op.kernel.partition(".")[0]


class Profiler:
    """Microseconds of each operator, added up over invokes.

    `profiler = tflm.Profiler(); interp = tflm.Interpreter(model, profiler=profiler)`. ticks: a
    list with the microseconds of each kernel call, None before the first invoke. invokes: the
    number of measured runs.
    """

    def __init__(self):
        self.clear()

    def clear(self):
        """Set all ticks and the number of invokes to 0."""
        self.ticks = None
        self.invokes = 0
        self._ops = ()

    # Prepare for an invoke of a Program; the ticks of another Program are dropped.
    def begin(self, program):
        if self._ops is not program.ops:
            self.invokes = 0
            self.ticks = [0] * len(program.ops)
            self._ops = program.ops
        self._program = program
        self._spent = 0  # ticks of this invoke that belong to a step

    # Return step `i` with a function that measures its time, and for a banded step (run/bands.py)
    # the time of each step of its chain.
    def measured(self, i, step):
        function, record = step[:2]
        if isinstance(record, tuple):
            _, _, steps, number = record[:4]
            first = self._program.first_op(number)
            steps = [self.measured(first + k, inner) for k, inner in enumerate(steps)]
            record = record[:2] + (steps,) + record[3:]

        def measure(*arguments):
            inner = self._spent
            begin = time.ticks_us()
            status = function(*arguments)
            own = time.ticks_diff(time.ticks_us(), begin) - (self._spent - inner)
            self.ticks[i] += own
            self._spent += own
            return status

        return (measure, record) + step[2:]

    # Run a list of steps and measure each; return what Program.run_steps() does. The time of a
    # sub-graph's steps does not count for the operator that runs the sub-graph.
    def run(self, program, number):
        i = program.first_op(number)
        for step in program.graphs[number]:
            if program.run_steps((self.measured(i, step),)) == ABORTED:
                return ABORTED
            i += 1

    # Invoke a program.
    def invoke(self, program):
        self.begin(program)
        status = self.run(program, 0)
        self.invokes += 1
        return status

    def total_ticks(self):
        """Return the microseconds of all invokes together."""
        return sum(self.ticks or ())

    def events(self):
        """Return a list of (node, operator, kernel, microseconds), added up over all invokes."""
        return [
            (op.node_index, tag(op), op.kernel, ticks)
            for op, ticks in zip(self._ops, self.ticks or ())
        ]

    def totals(self):
        """Return a list of (operator, kernel calls of an invoke, microseconds), slowest first.

        The microseconds are added up over all invokes.
        """
        found = {}
        for _, tag, _, ticks in self.events():
            row = found.setdefault(tag, [0, tag, 0])
            row[0] -= ticks
            row[2] += 1
        return [(tag, calls, -ticks) for ticks, tag, calls in sorted(found.values())]

    def log_csv(self):
        """Print events() in the format of TFLM's MicroProfiler::LogCsv, in microseconds."""
        print('"Event","Tag","Ticks"')
        for i, (_, tag, _, ticks) in enumerate(self.events()):
            print("%d,%s,%d" % (i, tag, ticks))

    def log_ticks_per_tag_csv(self):
        """Print totals() in the format of TFLM's MicroProfiler::LogTicksPerTagCsv."""
        print('"Unique Tag","Total ticks across all events with that tag."')
        for tag, _, ticks in self.totals():
            print("%s, %d" % (tag, ticks))
        print('"total number of ticks", %d' % self.total_ticks())

    # Return a line of the table, with the microseconds of one invoke and the share of all ticks.
    def _line(self, op, name, kernel, ticks):
        share = 100 * ticks / (self.total_ticks() or 1)
        per_invoke = ticks / (self.invokes or 1)
        return "%4s %-24s %-28s %9.0f %5.1f%%" % (op, name[:28], kernel, per_invoke, share)

    def __repr__(self):
        lines = ["%4s %-24s %-28s %9s %6s" % ("op", "name", "kernel", "us", "share")]
        rows = {}  # an operator with several kernels shows its first
        for node, tag, kernel, ticks in self.events():
            row = rows.setdefault(node, [node, tag, kernel, 0])
            row[3] += ticks
        for row in sorted(rows.values()):
            kernel_line = ""
            if len(row[2]) > 28:
                kernel_line = "\n     " + row[2]
                row[2] = ""
            lines.append(self._line(*row) + kernel_line)
        for tag, calls, ticks in self.totals():
            count = "%d call%s" % (calls, "s"[: calls - 1])
            lines.append(self._line("all", tag, count, ticks))
        if self.ticks:
            lines.append(self._line("all", "together", "", self.total_ticks()))
        return "\n".join(lines)


# Run an Interpreter `invokes` times and print the table. Each run sets the Tensors `inputs` again,
# because the run before it may have overwritten them.
def profile(interpreter, invokes, inputs):
    interpreter.profiler = profiler = Profiler()
    saved = []
    for tensor in inputs:
        raw = tensor.kept.raw
        saved.append((raw, bytes(raw)))
    while invokes:
        for raw, data in saved:
            raw[:] = data
        interpreter.invoke()
        invokes -= 1
    print(profiler)
