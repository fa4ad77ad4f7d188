# tflm: custom operators: a registration of the user's, called in each phase
# MIT license; Copyright (c) 2026 the tflm authors



# What a custom operator's functions get as `node`.
class CustomNode:
    """One custom operator of a model.

    inputs, outputs: in prepare the tensors of the graph (shape, dtype code, quantization), in
    invoke tflm.Tensor objects (data, raw), None where one is left out.
    options: the parsed FlexBuffers options. data: what init returned.
    """

    def __init__(self, context, node, registration):
        self.name = node.custom_name
        self.inputs = node.inputs
        self.outputs = node.outputs
        self._registration = registration
        self.options = parse_options(node.custom_options)
        self.data = None
        if hasattr(registration, "init"):
            self.data = registration.init(context, self.options)

    # Prepare: the user's checks, then a record that leads to invoke.
    def prepare(self, context):
        self.inputs = context.node.inputs
        self.outputs = context.node.outputs
        if hasattr(self._registration, "prepare"):
            self._registration.prepare(context, self)
        context.emit("custom." + self.name, (), 1)

    # Eval: the kernel function that invoke() calls.
    def bind(self, context, view):
        self.inputs = [None if t is None else view(t) for t in self.inputs]
        self.outputs = [None if t is None else view(t) for t in self.outputs]
        invoke = self._registration.invoke

        def evaluate(_op, _arena, _rom, _start, _stop):
            invoke(context, self)

        return evaluate

    # Give back what init made.
    def free(self, context):
        if hasattr(self._registration, "free"):
            self._registration.free(context, self.data)


# FlexBuffers options as Python values; None when there are none.
def parse_options(data):
    if not len(data):
        return None
    from .flexbuffer import parse

    return parse(data)
