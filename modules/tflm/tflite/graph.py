# tflm: what Prepare sees of a model: tensors, nodes and sub-graphs, whatever file they come from
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..errors import ModelError


# A tensor of the graph. `data` is its constant value (bytes), `offset` where that is in the file.
class Tensor:
    was_unsigned = False  # the file has it as uint8 (unsigned.py)
    is_float_end = False  # on the host, an input or output that the file has as float32
    by_rows = None  # on the host, the shape of an input of which no bytes are in the arena
    view_of = None  # on the host, a tensor that this one is part of, and the byte where it begins
    step = None  # on the host, bytes from one pixel to the next, where others lie between

    def __init__(self, index, name, dtype, shape, data=None, offset=-1):
        self.index = index  # number over all sub-graphs
        self.name = name
        self.dtype = dtype  # a code of dtypes
        self.shape = shape  # tuple of ints
        self.data = data
        self.offset = offset
        self.is_variable = False
        self.is_quantized = False
        self._scales = None  # vector of float32
        self._zero_points = None  # vector of int64
        self.quantized_dimension = 0

    # Attach quantization: flatbuffer.Vector-like objects of float32 and int64.
    def set_quantization(self, scales, zero_points, dimension):
        self._scales = scales
        self._zero_points = zero_points
        self.quantized_dimension = dimension
        self.is_quantized = True

    # What set_quantization() was given.
    def quantization(self):
        return self._scales, self._zero_points, self.quantized_dimension

    # How many scales there are: 1 is per-tensor, more is per-channel.
    def scales_length(self):
        return len(self._scales) if self.is_quantized else 0

    # Scale `i` as the bits of a float32; a tensor without quantization has 0.
    def scale_bits(self, i=0):
        return self._scales.number(i, "I") if self.is_quantized else 0

    # Zero point `i`; one for all where the file gives only one.
    def zero_point(self, i=0):
        if not self.is_quantized or not self._zero_points:
            return 0
        return self._zero_points.number(i if i < len(self._zero_points) else 0, "q")

    # The same bytes with another shape, and without quantization.
    def with_shape(self, shape):
        return Tensor(self.index, self.name, self.dtype, shape, self.data, self.offset)

    # Number of elements.
    def elements(self):
        count = 1
        for dimension in self.shape:
            count *= dimension
        return count

    # Bytes of the tensor.
    def nbytes(self):
        return dtypes.nbytes(self.dtype, self.elements())

    # True for weights and other constants.
    def is_constant(self):
        return self.data is not None

    # What errors call it.
    def __str__(self):
        return "tensor %d '%s' %s%s" % (
            self.index,
            self.name,
            dtypes.name(self.dtype),
            list(self.shape),
        )


# What call_graph.CallGraph tells of a model, for one without control flow: its operators run one
# by one.
class SingleGraph:
    first = last = {0: 0}

    def __init__(self, nodes):
        self.nodes = nodes
        self.steps = {0: nodes}
        self.calls = {0: {}}

    def numbers(self):
        return (0,)

    def timeline(self, number):
        for i in range(self.nodes):
            yield i, i + 1, i + 1


# The options of an operator when the file holds none, or none of the expected type.
class NoOptions:
    def get(self, number, kind, default=0):
        return default

    def numbers(self, number, kind):
        return ()

    def vector(self, number, item_size=4):
        return None

    def string(self, number):
        return ""


# One operator with its tensors (None where an optional one is absent).
class Node:
    padding = None  # on the host (top, left, bottom, right), instead of what the options say
    part_of = None  # on the host (height of the largest part, padding of all) of one in bands
    clamp = None  # on the host (lowest, highest), limits besides those of the options' activation
    refused = None  # why it cannot run with the shapes of its inputs (shapes.py)

    def __init__(self, index, builtin_code, version, custom_name, inputs, outputs):
        self.index = index  # number over all sub-graphs, in the order of execution in each
        self.builtin_code = builtin_code
        self.version = version
        self.custom_name = custom_name
        self.inputs = inputs
        self.outputs = outputs
        self._options = NoOptions()
        self._options_type = 0
        self.custom_options = b""

    # Attach the options table with its type from the schema's union BuiltinOptions.
    def set_options(self, options_type, options):
        self._options_type = options_type
        self._options = options

    # The options if they are of `options_type`, else defaults, as TFLM's parsers do.
    def options(self, options_type):
        return self._options if options_type == self._options_type else NoOptions()

    # The FlexBuffers options of a custom operator: a dict or list, {} when there are none.
    def custom_values(self):
        if not len(self.custom_options):
            return {}
        from .flexbuffer import parse

        return parse(self.custom_options)

    # The same operator with other inputs; its options have been read.
    def with_inputs(self, inputs):
        return Node(
            self.index, self.builtin_code, self.version, self.custom_name, inputs, self.outputs
        )

    # Input `i`, which must be there.
    def input(self, i):
        return self._required(self.inputs, i, "input")

    # Input `i`, or None.
    def optional_input(self, i):
        return self.inputs[i] if i < len(self.inputs) else None

    # Output `i`, which must be there.
    def output(self, i):
        return self._required(self.outputs, i, "output")

    def _required(self, tensors, i, what):
        if i >= len(tensors) or tensors[i] is None:
            raise ModelError("%s has no %s %d; convert the model again" % (self, what, i))
        return tensors[i]

    # What errors call it.
    def __str__(self):
        from ..introspection.op_names import name

        return "op %d %s" % (self.index, self.custom_name or name(self.builtin_code))
