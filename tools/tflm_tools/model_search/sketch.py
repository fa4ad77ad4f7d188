# tflm_tools: sketch: Network, which builds a quantized network with random weights by layers
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from ..errors import ToolError
from ..transform import schema as files

_SCALE = 0.1  # of activations
_WEIGHT_SCALE = 0.01


# (height, width) of a number or a pair.
def _pair(size):
    return (size, size) if isinstance(size, int) else tuple(size)


class Network:
    """A network for build() without TensorFlow; its costs are real, its weights are random.

    Network(32, 32, 3) has an image (height, width, channels) as its input, Network(20) a vector.
    Each method adds a layer (int8, a batch of 1) and returns the Network; convolutions have a
    ReLU. Requires the extra `verify`. Raises ToolError for layers whose shapes do not fit.
    """

    def __init__(self, *shape):
        files.require()
        self._schema = s = files.schema()
        self._graph = s.SubGraphT()
        self._graph.name, self._graph.tensors, self._graph.operators = "main", [], []
        self._model = s.ModelT()
        self._model.version, self._model.description = 3, "sketch"
        self._model.operatorCodes, self._model.buffers = [], [s.BufferT()]
        self._model.subgraphs = [self._graph]
        self._random = np.random.default_rng(0)
        self._at = self._tensor((1, *shape), "input")
        self._graph.inputs = [self._at]

    @property
    def shape(self):
        """The shape of the last layer's output, without the batch dimension."""
        return tuple(self._graph.tensors[self._at].shape[1:])

    def conv(self, channels, kernel=3, stride=1, padding="same"):
        """Add CONV_2D; `kernel` is the window: a number, or (height, width)."""
        window, depth = _pair(kernel), self._image()[2]
        return self._convolution(
            "CONV_2D", "Conv2DOptions", (channels, *window, depth), 0, channels, stride, padding
        )

    def depthwise(self, kernel=3, stride=1, padding="same"):
        """Add DEPTHWISE_CONV_2D with a depth multiplier of 1."""
        window, depth = _pair(kernel), self._image()[2]
        return self._convolution(
            "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", (1, *window, depth), 3, depth, stride,
            padding, depthMultiplier=1,
        )  # fmt: skip

    def max_pool(self, size=2):
        """Add MAX_POOL_2D over adjacent windows."""
        height, width, depth = self._image()
        rows, columns = _pair(size)
        options = {"strideH": rows, "strideW": columns, "filterHeight": rows,
                   "filterWidth": columns, "padding": 1}  # fmt: skip
        shape = 1, height // rows, width // columns, depth
        return self._add("MAX_POOL_2D", [self._at], shape, "Pool2DOptions", **options)

    def mean(self):
        """Add MEAN over height and width: one number for each channel."""
        depth = self._image()[2]
        axes = self._constant(np.array([1, 2], np.int32), "INT32")
        return self._add("MEAN", [self._at, axes], (1, depth), "ReducerOptions", keepDims=False)

    def dense(self, width, relu=False):
        """Add FULLY_CONNECTED; an image is flattened first."""
        depth = int(np.prod(self.shape))
        if len(self.shape) > 1:
            shape = self._constant(np.array([1, depth], np.int32), "INT32")
            options = {"newShape": [1, depth]}
            self._add("RESHAPE", [self._at, shape], (1, depth), "ReshapeOptions", **options)
        inputs = [self._at, *self._weights((width, depth), width, None)]
        options = {"fusedActivationFunction": int(relu)}
        return self._add("FULLY_CONNECTED", inputs, (1, width), "FullyConnectedOptions", **options)

    def softmax(self):
        """Add SOFTMAX."""
        shape = 1, *self.shape
        self._add("SOFTMAX", [self._at], shape, "SoftmaxOptions", beta=1.0)
        self._quantize(self._at, 1 / 256, -128)
        return self

    def here(self):
        """Return a mark for the output of the last layer, for add()."""
        return self._at

    def add(self, mark):
        """Add ADD of the last layer's output and the output that here() marked."""
        other = tuple(self._graph.tensors[mark].shape[1:])
        if other != self.shape:
            raise ToolError(f"add() has the shapes {self.shape} and {other}; make them the same")
        return self._add("ADD", [self._at, mark], (1, *other), "AddOptions")

    def tflite(self):
        """Return the .tflite (bytes)."""
        self._graph.outputs = [self._at]
        return files.write_model(self._model)

    # Height, width and channels.
    def _image(self):
        if len(self.shape) != 3:
            raise ToolError(
                f"this layer needs height, width and channels, and its input is {self.shape}; "
                "give it an image"
            )
        return self.shape

    def _convolution(self, name, table, weights, dimension, channels, stride, padding, **options):
        rows, columns = _pair(stride)
        valid = padding == "valid"
        size = []
        for length, window, step in zip(self.shape, weights[1:3], (rows, columns), strict=False):
            size.append(-(-(length - valid * (window - 1)) // step))
        if min(size) < 1:
            raise ToolError(
                f"{name} with a window of {weights[1]} x {weights[2]} does not fit the shape "
                f"{self.shape}; make it smaller"
            )
        inputs = [self._at, *self._weights(weights, channels, dimension)]
        return self._add(name, inputs, (1, *size, channels), table, strideH=rows, strideW=columns,
                         padding=int(valid), dilationHFactor=1, dilationWFactor=1,
                         fusedActivationFunction=1, **options)  # fmt: skip

    # Add weights and biases; returns the numbers of the two tensors. dimension: of the weights'
    # per-channel scales, None for one scale.
    def _weights(self, shape, channels, dimension):
        values = self._random.integers(-127, 128, shape, np.int8)
        weights = self._constant(values, "INT8")
        bias = self._constant(self._random.integers(-99, 99, channels, np.int32), "INT32")
        count = 1 if dimension is None else channels
        self._quantize(weights, [_WEIGHT_SCALE] * count, [0] * count, dimension or 0)
        self._quantize(bias, [_WEIGHT_SCALE * _SCALE] * count, [0] * count)
        return weights, bias

    def _constant(self, values, kind):
        number = self._tensor(values.shape, "constant", kind)
        buffer = files.add_buffer(self._model, values.tobytes())
        self._graph.tensors[number].buffer = buffer
        self._graph.tensors[number].quantization = None
        return number

    def _tensor(self, shape, name, kind="INT8"):
        tensor = self._schema.TensorT()
        tensor.shape, tensor.name, tensor.buffer = list(map(int, shape)), name, 0
        tensor.type = getattr(self._schema.TensorType, kind)
        self._graph.tensors.append(tensor)
        number = len(self._graph.tensors) - 1
        self._quantize(number, _SCALE, 0)
        return number

    def _quantize(self, number, scale, zero_point, dimension=0):
        found = self._schema.QuantizationParametersT()
        found.scale = np.atleast_1d(scale).tolist()
        found.zeroPoint = np.atleast_1d(zero_point).tolist()
        found.quantizedDimension = dimension
        self._graph.tensors[number].quantization = found

    # Add an operator, whose output is the input of the next layer.
    def _add(self, name, inputs, shape, table, **options):
        s = self._schema
        code = s.OperatorCodeT()
        code.builtinCode = getattr(s.BuiltinOperator, name)
        code.deprecatedBuiltinCode, code.version = code.builtinCode, 1
        self._model.operatorCodes.append(code)
        operator = s.OperatorT()
        operator.opcodeIndex = len(self._model.operatorCodes) - 1
        operator.builtinOptionsType = getattr(s.BuiltinOptions, table)
        operator.builtinOptions = getattr(s, f"{table}T")()
        vars(operator.builtinOptions).update(options)
        self._at = self._tensor(shape, name.lower())
        operator.inputs, operator.outputs = list(inputs), [self._at]
        self._graph.operators.append(operator)
        return self
