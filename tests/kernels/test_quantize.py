# Tests of QUANTIZE against TFLM: floats to integers, and from one quantization to another
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.every_value import every_value, every_value_model, random_quantizations
from support.single_op import Tensor, single_op

cases = Cases()


# A model of one QUANTIZE; a quantization is (scale, zero point).
def quantize(shape, source, target, x=None, y=(1.0, 0)):
    x = {} if x is None else {"scale": x[0], "zero_point": x[1]}
    return single_op(
        "QUANTIZE",
        [Tensor(shape, source, **x)],
        [Tensor(shape, target, scale=y[0], zero_point=y[1])],
    )


# The uint8 output of LiteRT's QUANTIZE: the quotient is rounded to float32, then halves away from
# zero.
def _bytes(scale, zero_point, values):
    quotient = values / np.float32(scale)
    rounded = np.sign(quotient) * np.floor(np.abs(quotient.astype(np.float64)) + 0.5)
    return [[np.clip(rounded + zero_point, 0, 255).astype(np.uint8)]]


# Floats: halves, values around the limits, and numbers in between.
random = np.random.default_rng(5)
for target, limit in [("int8", 128), ("int16", 32768)]:
    for scale in (1.0, 0.5, 0.1, 0.0123, 3.7, 1e-6, 2.0**-140, 4e-45, 1e30):
        for zero_point in (0, -limit, limit - 1, 5):
            halves = (np.arange(-60, 60) - 0.5) * scale
            edges = (np.array([-limit, limit - 1, -limit - 1, limit]) - zero_point + 0.49) * scale
            spread = random.normal(0, limit / 2, 60) * scale
            values = np.concatenate([halves, edges, spread, [0.0, -0.0, 1e-45, -1e-45]])
            values = values.astype(np.float32)
            cases.add(
                f"float32 to {target}, {scale}, {zero_point}",
                quantize(values.shape, "float32", target, y=(scale, zero_point)),
                inputs=[[values]],
            )
    # TFLM overflows here; a NaN becomes zero.
    cases.add(
        f"float32 to {target}, beyond int32",
        quantize((6,), "float32", target, y=(1e-3, 3)),
        inputs=[[[1e30, -1e30, np.inf, -np.inf, np.nan, 2.2e6]]],
        expected=[[[limit - 1, -limit, limit - 1, -limit, 3, limit - 1]]],
    )

# uint8: as int8, with other limits.
for scale in (1.0, 0.1, 0.0123, 3.7, 2.0**-140):
    for zero_point in (0, 255, 131):
        halves = (np.arange(-60, 60) - 0.5) * scale
        edges = (np.array([0, 255, -1, 256]) - zero_point + 0.49) * scale
        values = np.concatenate([halves, edges, random.normal(0, 128, 60) * scale, [0.0, -0.0]])
        values = values.astype(np.float32)
        cases.add(
            f"float32 to uint8, {scale}, {zero_point}",
            quantize(values.shape, "float32", "uint8", y=(scale, zero_point)),
            inputs=[[values]],
            expected=_bytes(scale, zero_point, values),
        )

# 8-bit types: every value.
for source, target, low_in, low_out in [
    ("int8", "int8", -128, -128),
    ("int8", "uint8", -128, 0),
    ("uint8", "int8", 0, -128),
    ("int8", "int16", -128, 0),
    ("int8", "int32", -128, 0),
]:
    quantizations = [
        (scale_in, zero_in + low_in + 128, scale_out, zero_out + low_out + 128)
        for scale_in, zero_in, scale_out, zero_out in random_quantizations(7, 24)
    ] + [(0.1, low_in, 0.1, low_out), (0.1, low_in + 128, 0.1, low_out + 128)]
    cases.add(
        f"{source} to {target}, every value",
        every_value_model("QUANTIZE", quantizations, source, target),
        inputs=every_value(quantizations, low_in),
    )

# Wider types, also with multipliers above 1.
for source, target, ratios in [
    ("int16", "int8", (1.0, 0.004, 0.9, 1e-6)),
    ("int16", "int16", (1.0, 0.3, 2.7, 1e-6)),
    ("int16", "int32", (1.0, 0.3, 3000.7, 1e-6)),
    ("int32", "int8", (1.0, 1e-7, 0.3, 3e-10)),
    ("int32", "int16", (1.0, 1e-5, 0.3, 3e-10)),
]:
    for ratio in ratios:
        for zero_in, zero_out in [(0, 0), (-7, 100), (300, -128)]:
            if source == "int32":
                zero_in = 0
            cases.add(
                f"{source} to {target}, {ratio}, {zero_in}, {zero_out}",
                quantize((5, 60), source, target, (0.01, zero_in), (0.01 / ratio, zero_out)),
                # With a left shift TFLM overflows on large inputs.
                ranges={0: (-(2**29), 2**29)} if source == "int32" else None,
            )
cases.add(
    "int32 to int16, whole range",
    quantize((4096,), "int32", "int16", (0.5, 0), (40000.0, 0)),
    inputs=[[random.integers(-(2**31), 2**31, 4096)]],
)
# Numbers beyond 32 bits saturate: differences to the zero point, and left shifts.
largest, lowest = 2**31 - 1, -(2**31)
cases.add(
    "int32 with zero points, saturated",
    quantize((4,), "int32", "int16", (1.0, -1000), (70000.0, 0)),
    inputs=[[[largest, lowest, lowest + 1000, 0]]],
    expected=[[[30678, -30678, -30678, 0]]],
)
cases.add(
    "int32, saturated left shift",
    quantize((4,), "int32", "int16", (3.0, 0), (1.0, 7)),
    inputs=[[[largest, lowest, 5, -5]]],
    expected=[[[32767, -32768, 22, -8]]],
)
cases.add(
    "int16 to int32, saturated left shift",
    # The multiplier is 1/2 after the shift.
    quantize((5,), "int16", "int32", (1.0, 0), (2.0**-43, 0)),
    inputs=[[[32767, -32768, 0, 1, -1]]],
    expected=[[[2**30, -(2**30), 0, 2**30, -(2**30)]]],
)

for shape in [(), (7,), (1, 2, 3, 4, 5, 2), (3, 100)]:
    cases.add(f"float32, shape {shape}", quantize(shape, "float32", "int8", y=(0.03, -4)))
    cases.add(f"int8, shape {shape}", quantize(shape, "int8", "int8", (0.1, 2), (0.03, -4)))
    cases.add(
        f"int8 to int16, shape {shape}", quantize(shape, "int8", "int16", (0.1, 2), (0.03, 0))
    )
    cases.add(f"int16, shape {shape}", quantize(shape, "int16", "int8", (0.1, 2), (0.3, -4)))
empty = {"inputs": [[[]]], "expected": [[[]]]}
cases.add("float32, empty", quantize((3, 0), "float32", "int8"), **empty)
cases.add("int16, empty", quantize((3, 0), "int16", "int8", (0.1, 2)), **empty)


# A constant input is stored in the model.
def constant(source, target):
    model = ModelBuilder("constant")
    x = model.tensor((7,), source, np.arange(7) * 9 - 30, scale=0.5, zero_point=3)
    unused = model.tensor((1,), "int8", scale=1.0)
    y = model.tensor((7,), target, scale=0.7, zero_point=-4)
    model.operator("QUANTIZE", [x], [y])
    model.io([unused], [y])
    return model.build()


for pair in [("float32", "int8"), ("int8", "int8"), ("int16", "int32")]:
    cases.add(f"constant {pair}", constant(*pair))

for source, target in [
    ("float32", "int32"),
    ("uint8", "uint8"),
    ("int16", "uint8"),
    ("int32", "int32"),
    ("int64", "int8"),
    ("int8", "float32"),
]:
    cases.add(f"{source} to {target}", quantize((4,), source, target, (1.0, 0)), error="must be")
cases.add("no input scale", quantize((4,), "int8", "int8"), error="no scale")
x = Tensor((4,), "float32")
model = single_op("QUANTIZE", [x], [Tensor((4,), "int8")])
cases.add("no output scale", model, error="no scale")
model = single_op("QUANTIZE", [x], [Tensor((4,), "int8", scale=[0.1] * 4)])
cases.add("scale per channel", model, error="a scale for each channel")
model = single_op("QUANTIZE", [x], [Tensor((5,), "int8", scale=0.1)])
cases.add("size", model, error="number of elements")


@cases.parametrize
def test_quantize(case):
    case.check()
