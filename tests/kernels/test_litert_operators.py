# Tests of features beyond TFLM, and of small operators of LiteRT, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.binary_cases import SHAPES
from support import litert
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op
from tflm import dtypes

cases = Cases()


def _add(name, op, inputs, outputs, values=None, rtol=0, atol=0, **options):
    model = single_op(op, inputs, outputs, **options)
    cases.add(name, model, values, expected=litert.outputs, rtol=rtol, atol=atol)


# Unary operators on all values of int8.
for op in ("EXP", "LOG", "RELU_N1_TO_1", "RELU_0_TO_1"):
    for number, (source, target) in enumerate(
        [((0.03, -20), (0.05, -30)), ((0.008, -128), (0.01, 0)), ((0.25, 127), (0.02, -128))]
    ):
        x = Tensor((256,), "int8", scale=source[0], zero_point=source[1])
        y = Tensor((256,), "int8", scale=target[0], zero_point=target[1])
        _add(f"{op} int8 {number}", op, [x], [y], [[np.arange(-128, 128)]])
for op in ("RELU_N1_TO_1", "RELU_0_TO_1"):
    for shape in [(), (3, 5)]:
        _add(f"{op} float32 {shape}", op, [Tensor(shape, "float32")], [Tensor(shape, "float32")])

# int32, which TFLM lacks.
for op, count in (("ADD_N", 2), ("ADD_N", 4)):
    for shape in [(), (3, 5)]:
        tensors = [Tensor(shape, "int32") for _ in range(count)]
        values = [generator(f"{op}{shape}").integers(-(2**29), 2**29, shape, np.int32)] * count
        _add(f"{op} int32 {count} {shape}", op, tensors, [Tensor(shape, "int32")], [values])
for op in ("ABS", "NEG"):
    for shape in [(), (3, 5), (0, 2)]:
        _add(f"{op} int32 {shape}", op, [Tensor(shape, "int32")], [Tensor(shape, "int32")])
    values = [-(2**31), 2**31 - 1, 0, -1, 1, 2**30]
    _add(f"{op} int32", op, [Tensor((6,), "int32")], [Tensor((6,), "int32")], [[values]])
    quantized = Tensor((2,), "int32", scale=0.5, zero_point=1)
    cases.add(
        f"{op} int32 scale", single_op(op, [quantized], [quantized]), error="a scale for this type"
    )

# int16, which TFLM lacks.
for number, (narrow, wide) in enumerate([(3e-5, 2e-4), (0.5, 0.01), (1e-7, 1.0), (100.0, 1e-3)]):
    x, y = (Tensor((2, 300), "int16", scale=each, zero_point=0) for each in (narrow, wide))
    values = generator(f"SQRT{number}").integers(0, 2**15, (2, 300), np.int16)
    values[0, :4] = [0, 1, 2, 2**15 - 1]
    _add(f"SQRT int16 {number}", "SQRT", [x], [y], [[values]])
for op in ("REDUCE_MAX", "REDUCE_MIN"):
    for shape, axes, kept in [
        ((40,), (0,), ()),
        ((3, 5, 7), (1,), (3, 7)),
        ((2, 6, 4), (0, 2), (6,)),
    ]:
        x, y = (Tensor(each, "int16", scale=0.004, zero_point=0) for each in (shape, kept))
        values = generator(f"{op}{shape}").integers(-(2**15), 2**15, shape, np.int16)
        _add(f"{op} int16 {shape} {axes}", op, [x, Tensor((len(axes),), "int32", axes)], [y],
             [[values], [np.full(shape, -(2**15))], [np.full(shape, 2**15 - 1)]])  # fmt: skip
for shape, size in [((1, 4, 4, 3), (8, 8)), ((2, 5, 7, 2), (3, 4)), ((1, 3, 5, 1), (17, 11))]:
    for mode in ({}, {"align_corners": True}, {"half_pixel_centers": True}):
        x, y = (
            Tensor(each, "int16", scale=0.1, zero_point=0)
            for each in (shape, (shape[0], *size, shape[3]))
        )
        values = generator(f"{shape}{mode}").integers(-(2**15), 2**15, shape, np.int16)
        signs = np.where(values > 0, 2**15 - 1, -(2**15))
        _add(f"RESIZE_BILINEAR int16 {shape} {mode}", "RESIZE_BILINEAR",
             [x, Tensor((2,), "int32", size)], [y], [[values], [signs], [values >> 14]],
             **mode)  # fmt: skip

# int16 times int8: a computed or a constant matrix, turned or not.
for left, right, options in [
    ((2, 3, 40), (2, 40, 5), {}),
    ((3, 7), (4, 7), {"adj_y": True}),
    ((5, 2, 3), (2, 1), {"adj_x": True}),
]:
    target = (*left[:-2], left[-1] if "adj_x" in options else left[-2])
    target += (right[-2] if "adj_y" in options else right[-1],)
    random = generator(f"matrices {left}")
    values = random.integers(-128, 128, right, np.int8)
    for constant in (None, values):
        x = Tensor(left, "int16", scale=0.004, zero_point=0)
        w = Tensor(right, "int8", constant, scale=0.02, zero_point=0)
        y = Tensor(target, "int16", scale=0.01, zero_point=0)
        for limit in (2**15, 100):
            given = random.integers(-limit, limit, left, np.int16)
            runs = [[given] if constant is not None else [given, values]]
            name = f"BATCH_MATMUL int16 int8 {left} {constant is None} {limit}"
            _add(name, "BATCH_MATMUL", [x, w], [y], runs, **options)

# int16 times int4.
for op, shape, weights, target, options in [
    ("FULLY_CONNECTED", (3, 10), (4, 10), (3, 4), {}),
    ("CONV_2D", (1, 6, 5, 4), (6, 3, 3, 4), (1, 6, 5, 6), {"fused_activation_function": "RELU"}),
]:
    random, last = generator(f"{op} int4"), target[-1]
    for count in (1, last):
        keywords = {"scale": random.uniform(0.01, 0.02, count).astype("f"), "zero_point": 0}
        if op != "FULLY_CONNECTED":
            options = {"padding": "SAME", "stride_h": 1, "stride_w": 1, **options}
        x = Tensor(shape, "int16", scale=0.004, zero_point=0)
        w = Tensor(weights, "int4", random.integers(-7, 8, weights), **keywords)
        scales = keywords["scale"] * np.float32(0.004)
        bias = Tensor((last,), "int64", range(-3, last - 3), scale=scales, zero_point=0)
        y = Tensor(target, "int16", scale=0.003, zero_point=0)
        runs = [[random.integers(-(2**15), 2**15, shape, np.int16)], [np.full(shape, 77, "h")]]
        _add(f"{op} int16 int4 {count}", op, [x, w, bias], [y], runs, **options)
# A bias of int32, which the option names by the code of the type.
for stride, shape in [((1, 1), (1, 4, 5, 3)), ((2, 2), (1, 8, 10, 3)), ((2, 1), (1, 8, 5, 3))]:
    random = generator(f"int32 bias {stride}")
    keywords = {"scale": random.uniform(0.01, 0.02, 3).astype("f"), "zero_point": 0}
    weights = random.integers(-127, 128, (3, 3, 3, 6))
    x = Tensor((1, 4, 5, 6), "int16", scale=0.004, zero_point=0)
    bias = Tensor((3,), "int32", [-90000, 0, 70000], scale=1.0, zero_point=0)
    inputs = [Tensor((4,), "int32", shape), Tensor(weights.shape, "int8", weights, **keywords), x]
    y = Tensor(shape, "int16", scale=0.02, zero_point=0)
    values = random.integers(-(2**11), 2**11, x.shape, np.int16)
    options = {"padding": "SAME", "stride_h": stride[0], "stride_w": stride[1]}
    _add(f"TRANSPOSE_CONV int16 int32 bias {stride}", "TRANSPOSE_CONV", [*inputs, bias], [y],
         [[values]], quantized_bias_type=dtypes.INT32, **options)  # fmt: skip
for dtype in ("int16", "int32", "bool"):
    rows, table = Tensor((3,), "int32"), generator(dtype).integers(0, 2, (4, 5))
    _add(f"EMBEDDING_LOOKUP {dtype}", "EMBEDDING_LOOKUP", [rows, Tensor((4, 5), dtype, table)],
         [Tensor((3, 5), dtype)], [[[2, 0, 3]]])  # fmt: skip
for count in (5, 300):
    x = Tensor((count,), "uint8", scale=0.05, zero_point=117)
    y = Tensor((count,), "int16", scale=0.0003, zero_point=-20)
    runs = [[np.resize(np.arange(0, 256, 1 if count > 256 else 60), count)]]
    _add(f"QUANTIZE uint8 to int16 {count}", "QUANTIZE", [x], [y], runs)

# The input's scale of an untrained network. LiteRT's reference kernel ends the process; its
# optimized kernel gives equal probabilities.
x = Tensor((1, 10), "int8", scale=7.8e-9, zero_point=-1)
y = Tensor((1, 10), "int8", scale=1 / 256, zero_point=-128)
model = single_op("SOFTMAX", [x], [y], beta=1.0)
values = [[np.arange(-128, 112, 24).reshape(1, 10)]]
cases.add("SOFTMAX int8 tiny scale", model, values, expected=[[np.full((1, 10), 26 - 128, "b")]])

# SELECT: a condition for each row, for each element, or one for all.
for dtype in ("float32", "int8", "int32", "int64", "bool"):
    for shape, condition in [((3, 4), (3,)), ((3, 4), (3, 4)), ((2, 3, 2), (2,)), ((4,), ())]:
        values = [Tensor(shape, dtype), Tensor(shape, dtype)]
        _add(
            f"SELECT {dtype} {shape} {condition}",
            "SELECT",
            [Tensor(condition, "bool"), *values],
            [Tensor(shape, dtype)],
        )

# Indices of int64.
for op in ("ARG_MAX", "ARG_MIN"):
    for dtype, quantization in (("float32", {}), ("int8", {"scale": 0.5, "zero_point": 2})):
        for axis, target in ((0, (7, 2)), (1, (3, 2)), (-1, (3, 7))):
            _add(
                f"{op} {dtype} {axis}",
                op,
                [Tensor((3, 7, 2), dtype, **quantization), Tensor((), "int32", [axis])],
                [Tensor(target, "int64")],
                output_type=4,  # int64
            )

for axes, target in (([1], (3, 2)), ([0, 2], (4,)), ([0, 1, 2], ())):
    _add(
        f"REDUCE_ANY {axes}",
        "REDUCE_ANY",
        [Tensor((3, 4, 2), "bool"), Tensor((len(axes),), "int32", axes)],
        [Tensor(target, "bool")],
    )

_LOWEST, _HIGHEST = -(1 << 31), (1 << 31) - 1
_REALS = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1e-42, -1e-42, 3.5, -1e30, 1.0]
for dtype, values in (("float32", _REALS), ("int32", [0, 1, -1, _LOWEST, _HIGHEST, -7, 1 << 30])):
    for shape in ((len(values),), (1, len(values))):
        tensors = [Tensor(shape, dtype)], [Tensor(shape, dtype)]
        runs = [[np.array(values, dtype).reshape(shape)]]
        _add(f"SIGN {dtype} {shape}", "SIGN", *tensors, runs)
    _add(f"SIGN {dtype} scalar", "SIGN", [Tensor((), dtype)], [Tensor((), dtype)])

# All special y with all special x, then quotients of all sizes, in all shapes.
_SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-45, -1e-45, 1e-38, 3e38, -3e38, 1.0, -1.0, 2.5]
_YS, _XS = (side.ravel().astype("f") for side in np.meshgrid(_SPECIAL, _SPECIAL))
tensors = [Tensor(_YS.shape, "float32") for _ in range(3)]
_add("ATAN2 special", "ATAN2", tensors[:2], tensors[2:], [[_YS, _XS]], rtol=1.3e-7, atol=2e-45)
random = generator("ATAN2")
_YS, _XS = random.normal(0, 1, (2, 4000)).astype("f")
_YS *= (2.0 ** random.integers(-30, 31, 4000)).astype("f")
tensors = [Tensor((4000,), "float32") for _ in range(3)]
_add("ATAN2 random", "ATAN2", tensors[:2], tensors[2:], [[_YS, _XS]], rtol=1.3e-7)
tensors = [Tensor((2, 3), "float32") for _ in range(3)]
_add("ATAN2 slices", "ATAN2", tensors[:2], tensors[2:], rtol=1.3e-7)
tensors = [Tensor(shape, "float32") for shape in ((2, 1), (1, 3), (2, 3))]
ones = [np.float32([[1], [-1]]), np.float32([[1, -1, 0]])]
wanted = [[np.arctan2(*ones)]]
_SPREAD = single_op("ATAN2", tensors[:2], tensors[2:])
cases.add("ATAN2 spread", _SPREAD, [ones], expected=wanted, rtol=1.3e-7)

# All special x to all special y, then powers of all sizes, of numbers near 1, and of negative
# numbers.
_NUMBERS = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, np.inf, -np.inf, np.nan, 1e-45, 3e38, 3.0, -3.0]
_XS, _YS = (side.ravel().astype("f") for side in np.meshgrid(_NUMBERS, _NUMBERS))
_POW = {"rtol": 3e-7, "atol": 2e-45}
tensors = [Tensor(_XS.shape, "float32") for _ in range(3)]
_add("POW special", "POW", tensors[:2], tensors[2:], [[_XS, _YS]], **_POW)
random = generator("POW")
_NEAR = random.uniform(-1, 1, 1000) * 2.0 ** -random.integers(1, 24, 1000)
for name, xs, ys in (
    ("any", np.exp(random.uniform(-40, 40, 1000)), random.uniform(-2.2, 2.2, 1000)),
    ("near 1", 1 + _NEAR, random.uniform(-88, 88, 1000) / np.log1p(_NEAR)),
    ("negative", random.integers(-20, 0, 1000), random.integers(-9, 10, 1000)),
):
    tensors = [Tensor((1000,), "float32") for _ in range(3)]
    values = [[xs.astype("f"), ys.astype("f")]]
    _add(f"POW {name}", "POW", tensors[:2], tensors[2:], values, **_POW)
tensors = [Tensor(shape, "float32") for shape in ((2, 1, 3), (4, 1), (2, 4, 3))]
runs = [[random.uniform(0.1, 9, (2, 1, 3)).astype("f"), random.normal(0, 2, (4, 1)).astype("f")]]
_add("POW spread", "POW", tensors[:2], tensors[2:], runs, **_POW)
for number, shapes in enumerate(SHAPES[:3]):
    tensors = [Tensor(shape, "int32") for shape in shapes]
    runs = [
        [random.integers(-8, 9, shapes[0], "int32"), random.integers(0, 10, shapes[1], "int32")]
    ]
    _add(f"POW int32 {number}", "POW", tensors[:2], tensors[2:], runs)
tensors = [Tensor((3,), "int32") for _ in range(3)]
model = single_op("POW", tensors[:2], tensors[2:])
below = [[[1, 2, 3], [1, -1, 2]]]
cases.add("POW int32 below 0", model, below, error="an exponent below 0", heap_lock=False)
wrapped = [[[1 << 31, 0, -(3**31) % 2**32]]]
cases.add(
    "POW int32 wraps",
    model,
    [[[2, 4, -3], [31, 16, 31]]],
    expected=[[np.array(wrapped[0][0], np.uint32).view(np.int32)]],
)

# All special divisors with all special dividends, then random ones in all shapes; scales are
# ignored.
for op in ("FLOOR_DIV", "FLOOR_MOD"):
    for dtype in ("int8", "int16", "int32", "int64")[: 4 if op == "FLOOR_MOD" else 3]:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        special = [low, low + 1, high, high - 1, 1, -1, 2, -2, 3, -3, 7, -7, high // 2, low // 2]
        over, under = (side.ravel() for side in np.meshgrid([*special, 0], special))
        defined = (over != low) | (under != -1)
        operands = [over[defined].astype(dtype), under[defined].astype(dtype)]
        tensors = [Tensor(operands[0].shape, dtype) for _ in range(3)]
        _add(f"{op} {dtype} special", op, tensors[:2], tensors[2:], [operands])
        for number, shapes in enumerate(SHAPES):
            random = generator(f"{op} {dtype} {number}")
            operands = [random.integers(low, high, shape, dtype) for shape in shapes[:2]]
            bits = 8 * operands[1].itemsize - 1
            operands[1] >>= random.integers(0, bits, shapes[1], dtype)
            if number % 3 == 0:
                operands[0] >>= random.integers(0, bits, shapes[0], dtype)
            operands[1] |= 1
            scale = {"scale": 0.5, "zero_point": 0} if number % 2 and dtype == "int16" else {}
            tensors = [Tensor(shape, dtype, **scale) for shape in shapes]
            if shapes[0] == shapes[1] or len(shapes[2]) <= 4:
                _add(f"{op} {dtype} {number}", op, tensors[:2], tensors[2:], [operands])
        tensors = [Tensor((3,), dtype) for _ in range(3)]
        zero = single_op(op, tensors[:2], tensors[2:])
        operands = [[[1, 2, 3], [1, 0, 2]]]
        cases.add(f"{op} {dtype} by 0", zero, operands, error="by zero", heap_lock=False)
        # C leaves this undefined: LiteRT ends the process.
        wrapped = [[[low if op == "FLOOR_DIV" else 0, 3 if op == "FLOOR_DIV" else 1]]]
        tensors = [Tensor((2,), dtype) for _ in range(3)]
        model = single_op(op, tensors[:2], tensors[2:])
        cases.add(f"{op} {dtype} wraps", model, [[[low, 7], [-1, 2]]], expected=wrapped)

_F16 = [0, -0.0, 1, -2.5, 6e-8, -6e-5, 65504, np.inf, -np.inf, 1e-4, 0.1, 2**-14, 2**-15]
for count in (1, len(_F16)):
    x = Tensor((count,), "float16")
    values = [[np.array(_F16[:count], "float16")]]
    _add(f"DEQUANTIZE float16 {count}", "DEQUANTIZE", [x], [Tensor((count,), "float32")], values)
_HALVES = np.array([[1.5, -3], [0.25, 1e-7]], "float16")
model = single_op("DEQUANTIZE", [Tensor((2, 2), "float16", _HALVES)], [Tensor((2, 2), "float32")])
cases.add("DEQUANTIZE constant", model, [[]], expected=[[_HALVES.astype("f")]])

for start, limit, step in ((2, 11, 3), (5, -5, -4), (3, 3, 1)):
    numbers = [Tensor((), "int32", [n]) for n in (start, limit, step)]
    values = list(range(start, limit, step))
    model = single_op("RANGE", numbers, [Tensor((len(values),), "int32")])
    cases.add(f"RANGE {start} {limit} {step}", model, [[]], expected=[[values]])
for start, limit, step, size, error in (
    (-(1 << 31), (1 << 31) - 1, 1, 10, "should have 4294967295 elements"),
    (0, 1 << 20, 1, 1 << 20, "more than 65536 numbers"),
):
    numbers = [Tensor((), "int32", [n]) for n in (start, limit, step)]
    model = single_op("RANGE", numbers, [Tensor((size,), "int32")])
    cases.add(f"RANGE {start} {limit}", model, error=error)
_add("RANK", "RANK", [Tensor((2, 3, 1), "float32")], [Tensor((), "int32")])
_ZERO = [Tensor((), "int32", [n]) for n in (0, 3, 0)]
cases.add("RANGE step 0", single_op("RANGE", _ZERO, [Tensor((3,), "int32")]), error="step is 0")


@litert.needs_litert
@cases.parametrize
def test_litert(case):
    case.check()
