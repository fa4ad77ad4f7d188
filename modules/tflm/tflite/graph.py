# tflm: The graph as Prepare sees it: tensors and nodes, from whatever file.
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..errors import ModelError


# A tensor. `data`: the bytes of a constant, else None; `offset`: their position in the file.
class Tensor:
    was_unsigned = False  # it is uint8 in the file (unsigned.py)
    blocks = None  # (tensor of scales, elements of a block): a scale for each block
    # Only on the host:
    is_float_end = False  # an input or output that is float32 in the file
    by_rows = None  # the shape of an input that comes by rows
    view_of = None  # (tensor, byte): this tensor is a part of another one
    step = None  # bytes from one pixel to the next, if other bytes are between them

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

    # Set the quantization: vectors, like flatbuffer.Vector, of float32 and int64.
    def set_quantization(self, scales, zero_points, dimension):
        self._scales = scales
        self._zero_points = zero_points
        self.quantized_dimension = dimension
        self.is_quantized = True

    # Return the arguments of set_quantization().
    def quantization(self):
        return self._scales, self._zero_points, self.quantized_dimension

    # Return the number of scales: 1 is per-tensor, more is per-channel.
    def scales_length(self):
        return len(self._scales) if self.is_quantized else 0

    # Return scale `i` as the bits of a float32; 0 without quantization.
    def scale_bits(self, i=0):
        return self._scales.number(i, "I") if self.is_quantized else 0

    # Return the scale of all values; 0 if there is none, or one for each channel.
    def common_scale_bits(self):
        return self.scale_bits() if self.scales_length() == 1 else 0

    # Return zero point `i`; if the file gives one, it is for all channels.
    def zero_point(self, i=0):
        if not self.is_quantized or not self._zero_points:
            return 0
        return self._zero_points.number(i if i < len(self._zero_points) else 0, "q")

    # Return a tensor with the same bytes, another shape and no quantization.
    def with_shape(self, shape):
        return Tensor(self.index, self.name, self.dtype, shape, self.data, self.offset)

    # Return the number of elements.
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

    # The tensor in error messages.
    def __str__(self):
        return "tensor %d '%s' %s%s" % (
            self.index,
            self.name,
            dtypes.name(self.dtype),
            list(self.shape),
        )


# The interface of call_graph.CallGraph for a model without control flow.
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


# The options of an operator without options, or with options of an unexpected type.
class NoOptions:
    def get(self, number, kind, default=0):
        return default

    def numbers(self, number, kind):
        return ()

    def vector(self, number, item_size=4):
        return None

    def string(self, number):
        return ""


# An operator with its tensors; None for an optional tensor that is absent.
class Node:
    # Only on the host:
    padding = None  # (top, left, bottom, right) in place of the padding of the options
    part_of = None  # of an operator in bands: (height of the largest band, padding of all)
    clamp = None  # (lowest, highest) in addition to the activation of the options
    # Everywhere:
    refused = None  # why the node cannot run with the shapes of its inputs (shapes.py)

    def __init__(self, index, builtin_code, version, custom_name, inputs, outputs):
        self.index = index  # number over all sub-graphs, in execution order
        self.builtin_code = builtin_code
        self.version = version
        self.custom_name = custom_name
        self.inputs = inputs
        self.outputs = outputs
        self._options = NoOptions()
        self._options_type = 0
        self.custom_options = b""

    # Set the options: a table, and its type in the schema's union BuiltinOptions.
    def set_options(self, options_type, options):
        self._options_type = options_type
        self._options = options

    # Return the options if they have this type, else defaults, as TFLM's parsers do.
    def options(self, options_type):
        return self._options if options_type == self._options_type else NoOptions()

    # Return the FlexBuffers options of a custom operator, a dict or list; {} without options.
    def custom_values(self):
        if not len(self.custom_options):
            return {}
        from .flexbuffer import parse

        return parse(self.custom_options)

    # Return a copy with other inputs and default options.
    def with_inputs(self, inputs):
        return Node(
            self.index, self.builtin_code, self.version, self.custom_name, inputs, self.outputs
        )

    # Return input `i`; raise ModelError if it is absent.
    def input(self, i):
        return self._required(self.inputs, i, "input")

    # Return input `i`, or None.
    def optional_input(self, i):
        return self.inputs[i] if i < len(self.inputs) else None

    # Return output `i`; raise ModelError if it is absent.
    def output(self, i):
        return self._required(self.outputs, i, "output")

    def _required(self, tensors, i, what):
        if i >= len(tensors) or tensors[i] is None:
            raise ModelError("%s has no %s %d; convert the model again" % (self, what, i))
        return tensors[i]

    # The operator in error messages.
    def __str__(self):
        from ..introspection.op_names import name

        return "op %d %s" % (self.index, self.custom_name or name(self.builtin_code))
