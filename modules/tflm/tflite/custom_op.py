# tflm: custom operators: a registration of the user's, called in each phase
# MIT license; Copyright (c) 2026 the tflm authors

from ..format import CUSTOM_KERNEL as KERNEL


# What a custom operator's functions get as `node`.
class CustomNode:
    """One custom operator of a model.

    inputs, outputs: in prepare the tensors of the graph (shape, dtype code, quantization), in
    invoke tflm.Tensor objects (data, raw), None where one is left out.
    options: the parsed FlexBuffers options, or the plain bytes where the registration has a true
    `raw_options`; None when there are none. data: what init returned.
    """

    def __init__(self, context, node, registration):
        self.name = node.custom_name
        self.inputs = node.inputs
        self.outputs = node.outputs
        self._registration = registration
        self._context = context
        raw = getattr(registration, "raw_options", False)
        self.options = bytes(node.custom_options) if raw else parse_options(node.custom_options)
        self.data = None
        if hasattr(registration, "init"):
            self.data = registration.init(context, self.options)

    # Prepare: the user's checks, then a record that leads to invoke.
    def prepare(self, context):
        self.inputs = context.node.inputs
        self.outputs = context.node.outputs
        if hasattr(self._registration, "prepare"):
            self._registration.prepare(context, self)
        context.emit(KERNEL + self.name, (), 1)

    # The kernel function that invoke() calls; `view` makes a tflm.Tensor of a tensor of the graph.
    def bind(self, view):
        self.inputs = [None if t is None else view(t) for t in self.inputs]
        self.outputs = [None if t is None else view(t) for t in self.outputs]
        for tensor in self.inputs + self.outputs:
            if tensor is not None:
                tensor.prefetch()
        self._invoke = self._registration.invoke
        return self.evaluate

    # Eval. A method, not a closure: calling a closure with so many arguments takes heap.
    def evaluate(self, _op, _arena, _rom, _start, _stop):
        self._invoke(self._context, self)

    # Back to the state before the first invoke.
    def reset(self):
        if hasattr(self._registration, "reset"):
            self._registration.reset(self._context, self)

    # Give back what init made.
    def free(self):
        if hasattr(self._registration, "free"):
            self._registration.free(self._context, self.data)
        self.data = None


# FlexBuffers options as Python values; None when there are none.
def parse_options(data):
    if not len(data):
        return None
    from .flexbuffer import parse

    return parse(data)
