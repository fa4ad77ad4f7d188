# tflm: Program: a model made ready to run: kernels, their records, and where its tensors are
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import fill
from .errors import ABORTED
from .format import CONTROL_KERNEL

BANDS_KERNEL = "control.banded"


# A step is (eval, record, units, units a slice): all that invoke() touches. `graphs` holds a list
# of steps for each sub-graph, and then the copies that control flow makes, and what runs in bands
# (run/bands.py); list 0 is the model.
class Program:
    by_rows = None  # of an input that comes by rows: what gives it its source (run/rows.py)

    def __init__(self, arena, rom, lists=1):
        self.arena = arena  # memoryview; operand words count from its first byte
        self.rom = rom
        self.graphs = [[] for _ in range(lists)]
        self._ops = None
        self.flat = None  # of a flat model: (model, whether delegates are shown its ops)
        self.calls = {}  # list: lists that its control flow runs
        self.bands = set()  # lists that run in bands
        self.max_while_steps = self.while_steps_left = None  # set by each invoke
        self.profiler = None
        self.inputs = []
        self.outputs = []
        self.variables = []  # (raw bytes, byte to reset them to)
        self.custom = ()  # a CustomNode for each custom operator
        self.tensors = {}  # number: Tensor, when all of them are kept
        self.used_bytes = 0
        self.uses = None  # of a .tflite: what takes them (tell/allocations.py)

    # An Op for each step, list by list. Those of a flat model are made when somebody asks.
    @property
    def ops(self):
        if self._ops is None:
            from .introspection.op import describe_ops

            self._ops = describe_ops(*self.flat)
        return self._ops

    @ops.setter
    def ops(self, ops):
        self._ops = ops

    # Add the call of a kernel to a list; `resolver` gives its function unless that is given.
    # Lists are filled one by one, in their order.
    def add(self, number, kernel, record, slice_units, resolver, function=None):
        units = int.from_bytes(record[:4], "little")
        if kernel == BANDS_KERNEL:
            from .run.bands import bind, run_banded

            function, record, slice_units = run_banded, bind(self, number, record), 1
        elif kernel.startswith(CONTROL_KERNEL):
            from .run.control_flow import bind

            function = bind(self, number, kernel, record)
        if number in self.bands:  # which say the units at the time: the record's form, below 0
            units = 0 - slice_units
        step = (function or resolver.kernel(kernel), record, units, slice_units)
        self.graphs[number].append(step)

    # The number of the first op of a list.
    def first_op(self, number):
        return sum(map(len, self.graphs[:number]))

    # Run a list of steps; ABORTED when an operator has ended the run.
    def run(self, number):
        if self.profiler is not None:
            return self.profiler.run(self, number)
        return self.run_steps(self.graphs[number])

    # Slice by slice: in between Ctrl-C works. Most steps of a small model are one slice, and half
    # of what it takes may be this loop: it computes and looks up next to nothing for them.
    def run_steps(self, steps):
        arena = self.arena
        rom = self.rom
        for function, record, units, slice_units in steps:
            start = 0
            stop = slice_units
            while stop < units:
                if function(record, arena, rom, start, stop) == ABORTED:
                    return ABORTED
                start = stop
                stop += slice_units
            status = function(record, arena, rom, start, units)
            if status and status == ABORTED:
                return ABORTED

    # Give variable tensors the value they have before the first invoke.
    def reset(self):
        for node in self.custom:
            node.reset()
        self.reset_variables()

    def reset_variables(self):
        for raw, value in self.variables:
            fill(raw, 0, len(raw), value)

    # Let no slice be longer than `most` units.
    def limit_slices(self, most):
        for steps in self.graphs:
            steps[:] = [(f, record, units, min(s, most)) for f, record, units, s in steps]
