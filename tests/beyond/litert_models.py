# Models of one operator: each operator of LiteRT's table with each type, index type and operand
# MIT license; Copyright (c) 2026 the tflm authors

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from support.inputs import generator
from support.single_op import Tensor, single_op

_SCALES = {"int8": (0.05, 3), "uint8": (0.05, 120), "int16": (0.01, 0)}
_TYPES = ("float32", "int8", "int16", "int32", "int64", "bool", "uint8")
_INDEX_TYPES = ("int32", "int64", "int16", "int8")
_BIAS = {"float32": "float32", "int8": "int32", "int16": "int64", "uint8": "int32"}


class Model(NamedTuple):
    """A model of one operator. types: what it has, in words. run: the inputs of one invoke."""

    operator: str
    types: str
    data: bytes
    run: list[np.ndarray]


# A tensor of a type with its usual scale, or other keywords.
def _t(shape, dtype, **keywords):
    if not keywords and dtype in _SCALES:
        keywords = dict(zip(("scale", "zero_point"), _SCALES[dtype], strict=True))
    return Tensor(shape, dtype, **keywords)


# A constant, or an input that has these values.
def _values(values, dtype="int32", computed=False):
    values = np.array(values)
    if not computed:
        return Tensor(values.shape, dtype, values)
    tensor = Tensor(values.shape, dtype)
    tensor.run = values.astype(dtype)
    return tensor


# Values of an input: all integers of 8 and 16 bits; small ones of more bits, none of them 0.
def _run(tensor, random, positive):
    if hasattr(tensor, "run"):
        return tensor.run
    shape, dtype = tensor.shape, np.dtype(tensor.dtype)
    if dtype.kind == "f":
        values = random.normal(0, 1, shape)
        return (abs(values) + 0.1 if positive else values).astype(dtype)
    if dtype.kind == "c":
        return random.normal(0, 1, shape) + 1j * random.normal(0, 1, shape).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if "scale" in tensor.keywords:
        info = np.iinfo(dtype)
        low = max(info.min, tensor.keywords["zero_point"] + 1) if positive else info.min
        return random.integers(low, info.max, shape, dtype, endpoint=True)
    values = random.integers(1, 5, shape)
    signed = np.iinfo(dtype).min < 0 and not positive
    return (values * random.choice([-1, 1] if signed else [1], shape)).astype(dtype)


def _model(operator, types, inputs, outputs, positive=False, **options):
    random = generator(f"{operator} {types}")
    data = single_op(operator, inputs, outputs, **options)
    given = {id(t): t for t in inputs if t is not None and t.is_input()}
    return Model(operator, types, data, [_run(t, random, positive) for t in given.values()])


# Yield (operator, inputs, outputs, options) of operators with an operand of indices, a shape or an
# axis, which operand(values) makes.
def _indexed(dtype, operand) -> Iterator[tuple[str, list, list, dict]]:
    def x(*shape):
        return _t(shape, dtype)

    yield "GATHER", [x(4, 3), operand([1, 3])], [x(2, 3)], {}
    yield "GATHER_ND", [x(4, 3), operand([[1], [3]])], [x(2, 3)], {}
    yield "SLICE", [x(4, 3), operand([1, 0]), operand([2, 3])], [x(2, 3)], {}
    ones = [operand([1, 0]), operand([3, 3]), operand([1, 1])]
    yield "STRIDED_SLICE", [x(4, 3), *ones], [x(2, 3)], {}
    pads = operand([[1, 1], [0, 0]])
    yield "PAD", [x(4, 3), pads], [x(6, 3)], {}
    yield "PADV2", [x(4, 3), pads, x()], [x(6, 3)], {}
    yield "MIRROR_PAD", [x(4, 3), pads], [x(6, 3)], {}
    yield "TILE", [x(2, 3), operand([2, 1])], [x(4, 3)], {}
    yield "BROADCAST_TO", [x(1, 3), operand([2, 3])], [x(2, 3)], {}
    yield "RESHAPE", [x(2, 3), operand([3, 2])], [x(3, 2)], {}
    yield "TRANSPOSE", [x(2, 3), operand([1, 0])], [x(3, 2)], {}
    axis = Tensor((), "int32", 0)
    yield "SPLIT_V", [x(4, 3), operand([1, 3]), axis], [x(1, 3), x(3, 3)], {"num_splits": 2}
    yield "SPLIT", [operand(0), x(4, 3)], [x(2, 3), x(2, 3)], {"num_splits": 2}
    yield "EXPAND_DIMS", [x(4, 3), operand([0])], [x(1, 4, 3)], {}
    yield "CUMSUM", [x(4, 3), operand(0)], [x(4, 3)], {}
    yield "REVERSE_V2", [x(4, 3), operand([0])], [x(4, 3)], {}
    for name in ("SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"):
        yield name, [x(4, 3), operand([0])], [x(3)], {}
    yield "FILL", [operand([2, 3]), x()], [x(2, 3)], {}
    block, crops = operand([2, 2]), operand([[0, 0], [0, 0]])
    yield "SPACE_TO_BATCH_ND", [x(1, 4, 4, 2), block, crops], [x(4, 2, 2, 2)], {}
    yield "BATCH_TO_SPACE_ND", [x(4, 2, 2, 2), block, crops], [x(1, 4, 4, 2)], {}
    yield "DYNAMIC_UPDATE_SLICE", [x(4, 3), x(2, 3), operand([1, 0])], [x(4, 3)], {}
    for name in ("ARG_MAX", "ARG_MIN"):
        yield name, [x(4, 3), operand(1)], [Tensor((4,), "int32")], {}
    yield (
        "ONE_HOT",
        [operand([0, 3, 1]), Tensor((), "int32", 4), x(), x()],
        [x(3, 4)],
        {"axis": -1},
    )
    yield "TOPK_V2", [x(2, 5), operand(2)], [x(2, 2), Tensor((2, 2), "int32")], {}
    lengths = operand([1, 3])
    options = {"seq_dim": 1, "batch_dim": 0}
    yield "REVERSE_SEQUENCE", [x(2, 3, 2), lengths], [x(2, 3, 2)], options
    for name in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
        yield name, [x(1, 2, 2, 2), operand([4, 4])], [x(1, 4, 4, 2)], {}
    yield "EMBEDDING_LOOKUP", [operand([1, 3]), x(4, 3)], [x(2, 3)], {}
    yield "SCATTER_ND", [operand([[1], [3]]), x(2, 3), operand([4, 3])], [x(4, 3)], {}
    yield "SEGMENT_SUM", [x(4, 3), operand([0, 0, 1, 1])], [x(2, 3)], {}


_BINARY = ("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "POW",
           "FLOOR_DIV", "FLOOR_MOD", "ATAN2", "BITWISE_XOR", "RIGHT_SHIFT")  # fmt: skip
_COMPARE = ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
_UNARY = ("ABS", "NEG", "SQUARE", "SQRT", "RSQRT", "EXP", "LOG", "SIN", "COS", "FLOOR", "CEIL",
          "ROUND", "RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "TANH", "LOGISTIC",
          "HARD_SWISH", "ELU", "LEAKY_RELU", "SIGN", "GELU", "ZEROS_LIKE", "SOFTMAX",
          "LOG_SOFTMAX", "L2_NORMALIZATION", "LOGICAL_NOT")  # fmt: skip
_POSITIVE = ("SQRT", "RSQRT", "LOG", "POW")
_OPTIONS = {"SOFTMAX": {"beta": 1.0}, "LEAKY_RELU": {"alpha": 0.1}}
# Scales that an output must have.
_OUTPUTS = {
    ("TANH", "int8"): (1 / 128, 0), ("LOGISTIC", "int8"): (1 / 256, -128),
    ("SOFTMAX", "int8"): (1 / 256, -128), ("LOG_SOFTMAX", "int8"): (16 / 256, 127),
    ("L2_NORMALIZATION", "int8"): (1 / 128, 0), ("TANH", "int16"): (2**-15, 0),
    ("LOGISTIC", "int16"): (2**-15, 0), ("SOFTMAX", "int16"): (2**-15, 0),
    ("TANH", "uint8"): (1 / 128, 128), ("LOGISTIC", "uint8"): (1 / 256, 0),
    ("SOFTMAX", "uint8"): (1 / 256, 0), ("LOG_SOFTMAX", "uint8"): (16 / 256, 255),
    ("L2_NORMALIZATION", "uint8"): (1 / 128, 128), ("NEG", "int8"): (0.05, 3),
}  # fmt: skip


def _elementwise(dtype) -> Iterator[Model]:
    def x(*shape):
        return _t(shape, dtype)

    for name in _BINARY:
        positive = name in _POSITIVE
        yield _model(name, dtype, [x(2, 3), x(2, 3)], [x(2, 3)], positive)
        yield _model(name, f"{dtype}, broadcast", [x(2, 3), x(3)], [x(2, 3)], positive)
    for name in _COMPARE:
        yield _model(name, dtype, [x(2, 3), x(2, 3)], [Tensor((2, 3), "bool")])
    for name in ("LOGICAL_AND", "LOGICAL_OR"):
        yield _model(name, dtype, [x(2, 3), x(2, 3)], [x(2, 3)])
    for name in _UNARY:
        scale = _OUTPUTS.get((name, dtype))
        keywords = dict(zip(("scale", "zero_point"), scale, strict=True)) if scale else {}
        options = _OPTIONS.get(name, {})
        yield _model(
            name, dtype, [x(2, 3)], [_t((2, 3), dtype, **keywords)], name in _POSITIVE, **options
        )
    yield _model("PRELU", dtype, [x(1, 2, 2, 3), x(1, 1, 3)], [x(1, 2, 2, 3)])
    yield _model("ADD_N", dtype, [x(2, 3), x(2, 3), x(2, 3)], [x(2, 3)])
    for name in ("SELECT", "SELECT_V2"):
        yield _model(name, dtype, [Tensor((2, 3), "bool"), x(2, 3), x(2, 3)], [x(2, 3)])
    for target in _TYPES:
        yield _model(
            "CAST", f"{dtype} to {target}", [Tensor((2, 3), dtype)], [Tensor((2, 3), target)]
        )
    for target in ("int8", "int16", "uint8", "int32"):
        keywords = {"scale": 0.1, "zero_point": 0} if target == "int32" else {}
        y = _t((2, 3), target, **keywords)
        yield _model("QUANTIZE", f"{dtype} to {target}", [x(2, 3)], [y])
    yield _model("DEQUANTIZE", dtype, [x(2, 3)], [Tensor((2, 3), "float32")])


def _layout(dtype) -> Iterator[Model]:
    def x(*shape):
        return _t(shape, dtype)

    yield _model("CONCATENATION", dtype, [x(2, 3), x(2, 3)], [x(4, 3)], axis=0)
    yield _model("PACK", dtype, [x(3), x(3)], [x(2, 3)], values_count=2, axis=0)
    yield _model("UNPACK", dtype, [x(2, 3)], [x(3), x(3)], num=2, axis=0)
    yield _model("DEPTH_TO_SPACE", dtype, [x(1, 2, 2, 4)], [x(1, 4, 4, 1)], block_size=2)
    yield _model("SPACE_TO_DEPTH", dtype, [x(1, 4, 4, 1)], [x(1, 2, 2, 4)], block_size=2)
    yield _model("SQUEEZE", dtype, [x(1, 3, 1)], [x(3)], squeeze_dims=[0, 2])
    yield _model("SHAPE", dtype, [x(2, 3)], [Tensor((2,), "int32")])
    yield _model("RANK", dtype, [x(2, 3)], [Tensor((), "int32")])
    for name in ("REDUCE_ANY", "REDUCE_ALL"):
        yield _model(name, dtype, [x(2, 3), _values([0])], [x(3)])
    limits = [Tensor((), dtype, value) for value in (0, 4, 1)]
    yield _model("RANGE", dtype, limits, [Tensor((4,), dtype)])
    yield _model("UNIQUE", dtype, [x(4)], [x(4), Tensor((4,), "int32")])
    yield _model("WHERE", dtype, [x(4)], [Tensor((4, 1), "int64")])
    yield _model("MATRIX_DIAG", dtype, [x(3)], [x(3, 3)])
    yield _model("MATRIX_SET_DIAG", dtype, [x(3, 3), x(3)], [x(3, 3)])
    yield _model("BITCAST", dtype, [Tensor((2, 3), dtype)], [Tensor((2, 3), dtype)])


# Random weights: with one scale, or one for each channel of a dimension.
def _weights(name, shape, dtype, channel=None, computed=False):
    random = generator(name)
    if dtype == "float32":
        values, keywords = random.normal(0, 1, shape).astype("f"), {}
    else:
        low, high = {"int4": (-7, 8), "uint8": (0, 256)}.get(dtype, (-127, 128))
        count = 1 if channel is None else shape[channel]
        values = random.integers(low, high, shape)
        zero = 120 if dtype == "uint8" else 0
        keywords = {"scale": random.uniform(0.01, 0.02, count), "zero_point": zero}
        keywords["quantized_dimension"] = channel or 0
    tensor = Tensor(shape, dtype, None if computed else values, **keywords)
    if computed:
        tensor.run = values.astype(dtype)
    return tensor


# A bias with the scales that the converter writes.
def _bias(x, weights, channels, dtype):
    if dtype == "float32":
        return Tensor((channels,), dtype, np.linspace(-1, 1, channels, dtype="f"))
    scale = np.asarray(weights.keywords["scale"]) * x.keywords.get("scale", 1)
    return Tensor((channels,), dtype, range(channels), scale=scale, zero_point=0)


# An output of sums of products of an input.
def _sums(x, shape):
    scale = {"scale": 0.5} if "scale" in x.keywords else {}
    return Tensor(shape, x.dtype, **{**x.keywords, **scale})


_PAIRS = (("float32", "float32"), ("float32", "int8"), ("float32", "int4"), ("int8", "int8"),
          ("int8", "int4"), ("int16", "int8"), ("int16", "int4"),
          ("uint8", "uint8"))  # fmt: skip


# Operators with weights: types of activations and weights, per channel, without a bias, computed.
def _weighted() -> Iterator[Model]:
    for dtype, kind in _PAIRS:
        for channel in (False, True):
            for feature in ("", ", no bias", ", computed weights"):
                if (
                    channel
                    and kind in ("float32", "uint8")
                    or kind == "int4"
                    and "computed" in feature
                ):
                    continue
                types = f"{dtype}, {kind} weights{', per channel' * channel}{feature}"
                yield from _weighted_by(types, dtype, kind, channel, feature)
        if dtype == "float32":
            yield from _recurrent(f"{dtype}, {kind} weights", dtype, kind)


def _weighted_by(types, dtype, kind, channel, feature):
    bias = _BIAS[dtype]
    computed = "computed" in feature

    def weights(shape, dimension):
        return _weights(types, shape, kind, dimension if channel else None, computed)

    def model(operator, shape, w, target, channels, **options):
        x = _t(shape, dtype)
        b = None if "no bias" in feature else _bias(x, w, channels, bias)
        return _model(operator, types, [x, w, b], [_sums(x, target)], **options)

    strides = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
    yield model("FULLY_CONNECTED", (2, 6), weights((4, 6), 0), (2, 4), 4)
    one = (1, 4, 4, 3)
    yield model("CONV_2D", one, weights((4, 3, 3, 3), 0), (1, 4, 4, 4), 4, **strides)
    yield model(
        "DEPTHWISE_CONV_2D", one, weights((1, 3, 3, 6), 3), (1, 4, 4, 6), 6,
        depth_multiplier=2, **strides,
    )  # fmt: skip
    w, x = weights((4, 3, 3, 3), 0), _t((1, 2, 2, 3), dtype)
    inputs = [_values([1, 4, 4, 4]), w, x]
    if "no bias" not in feature:
        inputs.append(_bias(x, w, 4, bias))
    y = _sums(x, (1, 4, 4, 4))
    yield _model("TRANSPOSE_CONV", types, inputs, [y], padding="SAME", stride_h=2, stride_w=2)
    if "no bias" not in feature:
        x, w = _t((2, 3, 4), dtype), weights((2, 4, 5), 2)
        yield _model("BATCH_MATMUL", types, [x, w], [_sums(x, (2, 3, 5))])
    yield model("CONV_3D", (1, 3, 4, 4, 2), weights((2, 2, 2, 2, 3), 4), (1, 3, 4, 4, 3), 3,
                padding="SAME", stride_d=1, stride_h=1, stride_w=1)  # fmt: skip


# UNIDIRECTIONAL_SEQUENCE_LSTM, SVDF and the cells that TFLM lacks, of float32 or dynamic range.
def _recurrent(types, dtype, kind):
    def w(shape, number):
        return _weights(f"{types} {number}", shape, kind)

    def state(*shape):
        return Tensor(shape, dtype, variable=True)

    def ones(count):
        return Tensor((count,), dtype, np.ones(count, "f"))

    x, y = Tensor((1, 3, 5), dtype), Tensor((1, 3, 4), dtype)
    lstm = [w((4, 5), i) for i in range(4)] + [w((4, 4), 4 + i) for i in range(4)]
    rest = [ones(4)] * 4, [None] * 2, [state(1, 4), state(1, 4)], [None] * 4
    tanh = {"fused_activation_function": "TANH"}
    inputs = [x, *lstm, *[None] * 3, *sum(rest, [])]
    yield _model("UNIDIRECTIONAL_SEQUENCE_LSTM", types, inputs, [y], **tanh)
    peephole = [ones(4)] * 3
    inputs = [x, *lstm, *peephole, *sum(rest, [])]
    yield _model("UNIDIRECTIONAL_SEQUENCE_LSTM", f"{types}, peepholes", inputs, [y], **tanh)
    rnn = [w((4, 5), 0), w((4, 4), 1), ones(4), state(1, 4)]
    yield _model(
        "UNIDIRECTIONAL_SEQUENCE_RNN",
        types,
        [x, *rnn],
        [y],
        options_table="SequenceRNNOptions",
        **tanh,
    )
    yield _model("RNN", types, [Tensor((1, 5), dtype), *rnn], [Tensor((1, 4), dtype)], **tanh)
    inputs = [Tensor((1, 5), dtype), w((6, 5), 0), w((6, 3), 1), ones(6), state(1, 18)]
    yield _model("SVDF", types, inputs, [Tensor((1, 6), dtype)], rank=1)
    rnn = [*rnn, *rnn[:3], state(1, 4), *[None] * 3]
    outputs = [y, Tensor((1, 3, 4), dtype)]
    yield _model(
        "BIDIRECTIONAL_SEQUENCE_RNN",
        types,
        [x, *rnn],
        outputs,
        options_table="BidirectionalSequenceRNNOptions",
        **tanh,
    )


def _pooling(dtype) -> Iterator[Model]:
    options = {
        "padding": "SAME",
        "stride_h": 2,
        "stride_w": 2,
        "filter_height": 2,
        "filter_width": 2,
    }
    for name in ("MAX_POOL_2D", "AVERAGE_POOL_2D", "L2_POOL_2D"):
        yield _model(name, dtype, [_t((1, 4, 4, 3), dtype)], [_t((1, 2, 2, 3), dtype)], **options)
    options = {"radius": 1, "bias": 1.0, "alpha": 0.5, "beta": 0.5}
    x = _t((1, 2, 2, 4), dtype)
    yield _model("LOCAL_RESPONSE_NORMALIZATION", dtype, [x], [_t((1, 2, 2, 4), dtype)], **options)


# Spectra, random numbers and the operators of detectors.
def _others() -> Iterator[Model]:
    for shape, length in (((1, 8), (1, 8)), ((2, 4, 8), (4, 8)), ((3, 8), (4, 16))):
        target = Tensor((*shape[:-2], length[0], length[1] // 2 + 1), "complex64")
        x = Tensor(shape, "float32")
        types = f"{length} of {shape}"
        yield _model("RFFT2D", types, [x, _values(length)], [target])
    shape = _values([2, 3])
    for name in ("RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL"):
        yield _model(name, "float32", [shape], [Tensor((2, 3), "float32")], seed=1, seed2=2)
    for kind in ("int32", "int64"):
        x = Tensor((2, 5), "float32")
        y = Tensor((2, 7), kind)
        yield _model("MULTINOMIAL", kind, [x, Tensor((), "int32", 7)], [y], seed=3, seed2=4,
                     options_table="RandomOptions")  # fmt: skip
    for name in ("REAL", "IMAG", "COMPLEX_ABS"):
        yield _model(name, "complex64", [Tensor((2, 3), "complex64")], [Tensor((2, 3), "float32")])


def models() -> Iterator[Model]:
    """Make all models, one after the other."""
    for dtype in _TYPES:
        yield from _elementwise(dtype)
        yield from _layout(dtype)
        yield from _pooling(dtype)
    for dtype in _TYPES:
        for index in _INDEX_TYPES:
            for computed in (False, True):

                def operand(values, index=index, computed=computed):
                    return _values(values, index, computed)

                for name, inputs, outputs, options in _indexed(dtype, operand):
                    types = f"{dtype}, {'computed ' * computed}{index} operand"
                    yield _model(name, types, inputs, outputs, **options)
    yield from _weighted()
    yield from _others()
