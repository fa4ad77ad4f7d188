# tflm: Custom operators: call the user's registration in each phase.
# MIT license; Copyright (c) 2026 the tflm authors

from ..format import CUSTOM_KERNEL as KERNEL


class CustomNode:
    """A custom operator of a model: the `node` that a registration's functions get.

    inputs, outputs: lists; during prepare tensors of the graph (shape, dtype code, quantization),
        during invoke tflm.Tensor objects (data, raw); None for an optional tensor that is absent.
    options: the parsed FlexBuffers options; their bytes if the registration's `raw_options` is
        true; None without options.
    data: what init returned.
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
        self._is_initialized = False

    # Call the user's init. The node is in the list of nodes before: if the list could not grow
    # after init(), nothing would call free().
    def init(self):
        if hasattr(self._registration, "init"):
            self.data = self._registration.init(self._context, self.options)
        self._is_initialized = True

    # Prepare: the user's prepare, then a record that makes invoke() call evaluate().
    def prepare(self, context):
        self.inputs = context.node.inputs
        self.outputs = context.node.outputs
        if hasattr(self._registration, "prepare"):
            self._registration.prepare(context, self)
        context.emit(KERNEL + self.name, (), 1)

    # Return the function of the step. `view` makes the tflm.Tensor of a graph tensor.
    def bind(self, view):
        self.inputs = [None if t is None else view(t) for t in self.inputs]
        self.outputs = [None if t is None else view(t) for t in self.outputs]
        for tensor in self.inputs + self.outputs:
            if tensor is not None:
                tensor.prefetch()
        self._invoke = self._registration.invoke
        return self.evaluate

    # Eval. A method: calling a closure with this number of arguments would allocate heap.
    def evaluate(self, _op, _arena, _rom, _start, _stop):
        self._invoke(self._context, self)

    # Call the user's reset.
    def reset(self):
        if hasattr(self._registration, "reset"):
            self._registration.reset(self._context, self)

    # Call the user's free.
    def free(self):
        if self._is_initialized and hasattr(self._registration, "free"):
            self._registration.free(self._context, self.data)
        self.data = None


# Return FlexBuffers options as Python values; None without options.
def parse_options(data):
    if not len(data):
        return None
    from .flexbuffer import parse

    return parse(data)
