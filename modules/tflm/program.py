# tflm: Program: a prepared model: its steps, tensors and variables.
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import fill
from .errors import ABORTED


class PrepareOptions:
    """What an Interpreter asks of a model: FlatModel and TfliteModel measure and prepare with it.

    resolver, external_context, guards: see Interpreter. keep: bits of arena.py. is_shared: the
    arena serves several Interpreters. has_delegates: steps will be replaced.
    """

    def __init__(
        self,
        resolver,
        external_context=None,
        keep=0,
        guards=False,
        is_shared=False,
        has_delegates=False,
    ):
        self.resolver = resolver
        self.external_context = external_context
        self.keep = keep
        self.guards = guards
        self.is_shared = is_shared
        self.has_delegates = has_delegates


class Program:
    """A prepared model, ready to run.

    A step is (function, record, units, units of a slice). `graphs` holds lists of steps. List 0
    is the model; the other sub-graphs follow, then the copies that control flow makes and the
    lists that run in bands (run/bands.py). If the last number of a step is not above 0, its
    function gets addresses (short_steps.py): with 0, the step is one slice, and the function
    gets the number of units; below 0, it is the units of a slice, negated.
    """

    begin_source = None  # of a model whose input comes by rows: run/rows.py begin()
    check_loops = None  # of a model with control flow: run/control_flow.py check_loops()
    allocation_counts = None  # of a .tflite: see MicroAllocator.counts()

    def __init__(self, arena, rom, lists=1):
        self.arena = arena  # memoryview; operand words of arena tensors count from its start
        self.rom = rom
        self.graphs = [[] for _ in range(lists)]
        # Once bound (short_steps.py): (self, graphs, memory, run_short()). The memory is arena
        # and rom, first as buffers, then as machine code gets them; what join() of
        # core_steps.py returns, or None; len(), because MicroPython may search builtins for
        # 700 cycles.
        self.ready = None
        self.flat = None  # the FlatModel, if it is one
        self.calls = {}  # list: the lists that its control flow runs
        self.bands = set()  # the lists that run in bands
        self.max_while_steps = self.while_steps_left = None  # each invoke sets them
        self.profiler = None
        self.is_running = False  # in invoke() or invoke_async()
        self.inputs = []
        self.outputs = []
        self.variables = []  # (bytes, the value that reset() gives them)
        self.custom = ()  # a CustomNode for each custom operator
        self.tensors = {}  # number: Tensor, if tensors are kept
        self.used_bytes = 0

    # `ops`: an Op for each step, list by list. A flat model's are made at the first use. With a
    # property, MicroPython would search the class at each store to an attribute.
    def __getattr__(self, name):
        if name != "ops":
            raise AttributeError(name)
        from .introspection.op import describe_ops

        self.ops = describe_ops(self.flat)
        return self.ops

    # Append a step to list `number`. The lists are filled in their order.
    def add(self, number, function, record, units, slice_units):
        if number in self.bands:  # its records hold the units; the step holds the layout, < 0
            units = 0 - slice_units
        self.graphs[number].append((function, record, units, slice_units))

    # Return the number of the first op of a list.
    def first_op(self, number):
        return sum(map(len, self.graphs[:number]))

    # Run a list of steps; return ABORTED if an operator ended the run.
    def run(self, number):
        if self.profiler is not None:
            return self.profiler.run(self, number)
        return self.run_steps(self.graphs[number])

    # Return True if Interpreter._start() must run before each invoke.
    def needs_start(self):
        return self.begin_source is not None or self.check_loops is not None

    # Run steps slice by slice. Ctrl-C works between slices, except between some steps of one
    # slice. MicroPython's bytecode would take half of the time of a small model.
    def run_steps(self, steps):
        _, _, memory, run_short = self.ready
        return self.run_rest(steps, run_short(steps, 0, memory))

    # Run the steps that run_short() left, which returned `i`.
    def run_rest(self, steps, i):
        _, _, memory, run_short = self.ready
        while i:
            if i < 0:
                i = -1 - i
                if i == len(steps) or self._run_slices(steps[i]) == ABORTED:
                    return ABORTED
                i += 1
            i = run_short(steps, i, memory)

    # Run a step of several slices; return ABORTED if its operator ended the run.
    def _run_slices(self, step):
        function, record, units, slice_units = step
        _, _, (arena, rom, arena_at, rom_at, _, _), _ = self.ready
        if slice_units < 0:
            arena = arena_at
            rom = rom_at
            slice_units = 0 - slice_units
        start = 0
        stop = slice_units
        while stop < units:
            if function(record, arena, rom, start, stop) == ABORTED:
                return ABORTED
            start = stop
            stop += slice_units
        return function(record, arena, rom, start, units)

    # Run the units start..stop-1 of a step; return what its kernel does.
    def run_slice(self, step, start, stop):
        function, record, units, slice_units = step
        _, _, (arena, rom, arena_at, rom_at, _, _), _ = self.ready
        if slice_units > 0:
            return function(record, arena, rom, start, stop)
        if slice_units < 0:
            return function(record, arena_at, rom_at, start, stop)
        return function(record, arena_at, rom_at, units)

    # Set variable tensors and custom operators to their state before the first invoke.
    def reset(self):
        for node in self.custom:
            node.reset()
        self.reset_variables()

    def reset_variables(self):
        for raw, value in self.variables:
            fill(raw, 0, len(raw), value)

    # Call `free` of custom operators and delegates.
    def free(self):
        self.is_running = False
        custom, self.custom = self.custom, ()
        for node in custom:
            node.free()

    # Let no slice be longer than `most` units.
    def limit_slices(self, most):
        for steps in self.graphs:
            steps[:] = [(f, record, units, min(s, most)) for f, record, units, s in steps]
