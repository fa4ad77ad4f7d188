# tflm: Program: a model made ready to run: kernels, their records, and where its tensors are
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import fill


# One op of a program, for tables and the profiler.
class Op:
    def __init__(self, node_index, builtin_code, kernel):
        self.node_index = node_index
        self.builtin_code = builtin_code
        self.kernel = kernel


# What invoke() gives when an operator ended the run before the last one (TFLM's kTfLiteAbort, as
# its Python interpreter spells it). The kernel has returned it.
ABORTED = 15


# `steps` holds (eval, record, units, units a slice): all that invoke() touches.
class Program:
    def __init__(self, arena, rom):
        self.arena = arena  # memoryview; operand words count from its first byte
        self.rom = rom
        self.steps = []
        self.ops = []  # an Op for each step
        self.inputs = []
        self.outputs = []
        self.variables = []  # (raw bytes, byte to reset them to)
        self.custom = ()  # a CustomNode for each custom operator
        self.tensors = {}  # number: Tensor, when all of them are kept
        self.used_bytes = 0

    # Add the call of a kernel.
    def add(self, op, function, record, units, slice_units):
        self.ops.append(op)
        self.steps.append((function, record, units, slice_units))

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
        self.steps = [(f, record, units, min(s, most)) for f, record, units, s in self.steps]
