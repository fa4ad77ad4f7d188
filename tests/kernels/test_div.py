# Tests of DIV, FLOOR_DIV, FLOOR_MOD against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.binary_cases import ACTIVATIONS, EMPTY, MISFITS, SHAPES, binary
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

_LOWEST, _HIGHEST = -(1 << 31), (1 << 31) - 1


# Inputs of two shapes, the second one without zeros.
def operands(name, dtype, shapes, zero=0):
    random = generator(name)
    if dtype == "float32":
        return [random.normal(0, 9, shapes[0]), random.uniform(0.1, 9, shapes[1]) - 9.2]
    limits = np.iinfo(dtype)
    first, second = (random.integers(limits.min, limits.max, s, dtype) for s in shapes[:2])
    if dtype == "int32":
        second >>= random.integers(0, 31, shapes[1], dtype)
    return [first, np.where(second == zero, second + 1, second)]


# Shapes, activations, constants, one tensor twice.
for operator, dtype in [
    ("DIV", "float32"),
    ("DIV", "int32"),
    ("FLOOR_DIV", "float32"),
    ("FLOOR_MOD", "float32"),
]:
    for i, shapes in enumerate(SHAPES):
        name = f"{operator} {dtype} {shapes}"
        options = {"fused_activation_function": ACTIVATIONS[i % 4]} if operator == "DIV" else {}
        # TFLM's FLOOR_DIV and FLOOR_MOD broadcast at most 4 dimensions.
        if operator == "DIV" or shapes[0] == shapes[1] or len(shapes[2]) <= 4:
            model = binary(name, operator, dtype, shapes, **options)
            cases.add(name, model, [operands(name, dtype, shapes)], slices=(1, 7))
    name = f"{operator} {dtype} same tensor"
    inputs = [operands(name, dtype, ((3, 50),) * 2)[1]]
    cases.add(name, binary(name, operator, dtype, ((3, 50),) * 3, same=True), [inputs])
    name = f"{operator} {dtype} empty"
    inputs = np.zeros((0, 3)), np.ones((1, 3))
    model = binary(name, operator, dtype, EMPTY)
    cases.add(name, model, [inputs], expected=[[np.zeros((0, 3))]])
    for shapes in MISFITS[:2]:
        name = f"{operator} {dtype} {shapes} misfit"
        cases.add(name, binary(name, operator, dtype, shapes), error="do not fit together")


# Pairs of random bit patterns, of similar magnitudes, multiples, and all special values.
def pairs(name, zeros):
    random = generator(name)
    special = [1, -1, 6, 2.5, 1e-42, -1e-42, 1.1754944e-38, 3.4028235e38, -1e30, np.inf, -np.inf]
    special = np.array([np.nan, *special, *([0.0, -0.0] if zeros else [])], np.float32)
    left, right = (side.ravel() for side in np.meshgrid([*special, 0.0, -0.0], special))
    bits = random.integers(0, 1 << 32, (2, 400), np.uint32).view(np.float32)
    near = random.normal(0, 20, (2, 400)).astype(np.float32)
    whole = random.integers(-60, 60, (2, 200)).astype(np.float32)
    whole[1][whole[1] == 0] = 7
    # Quotients with more bits than a float32 has.
    long = np.exp2(random.uniform(20, 56, 400)) * random.choice([-1, 1], 400)
    long = np.array([long, random.integers(1, 4000, 400) * random.choice([-1, 1], 400)])
    groups = [(left, right), bits, near, whole, long.astype(np.float32)]
    with np.errstate(invalid="ignore"):
        return [np.concatenate(side).astype(np.float32) for side in zip(*groups, strict=True)]


for operator in ("DIV", "FLOOR_DIV", "FLOOR_MOD"):
    inputs = pairs(operator, operator != "FLOOR_DIV")
    model = binary(operator, operator, "float32", (inputs[0].shape,) * 3)
    cases.add(f"{operator} of all magnitudes", model, [inputs], slices=(61,))
for zero in (0.0, -0.0):
    inputs = [[1, np.nan, 3, 4], [1, 2, zero, 4]]
    model = binary("zero", "FLOOR_DIV", "float32", ((4,),) * 3)
    cases.add(f"FLOOR_DIV by {zero}", model, [inputs], error="by zero", heap_lock=False)

# int32: results that C leaves undefined, and the lowest number divided by everything.
inputs = [_LOWEST, _LOWEST, _LOWEST, _LOWEST, 7, -7, 0, _LOWEST, 5, _HIGHEST, _HIGHEST, -7, 7]
inputs = inputs, [-1, 1, 0, _LOWEST, 0, 0, 0, 3, _LOWEST, _LOWEST, -1, 2, -2]
wanted = [_HIGHEST, _LOWEST, -_HIGHEST, 1, _HIGHEST, -_HIGHEST, 0, -715827882, 0, 0, -_HIGHEST]
model = binary("int32 limits", "DIV", "int32", ((13,),) * 3)
cases.add("DIV int32 limits", model, [inputs], expected=[[[*wanted, -3, -3]]])
inputs = [[_LOWEST, _LOWEST, _LOWEST, _LOWEST, _LOWEST], [1, 2, 1 << 30, (1 << 30) + 1, _HIGHEST]]
model = binary("int32 lowest", "DIV", "int32", ((5,),) * 3)
cases.add("DIV int32 lowest", model, [inputs])
scaled = [Tensor((2,), "int32", scale=1.0, zero_point=0) for _ in range(3)]
cases.add("DIV int32 with scales", single_op("DIV", scaled[:2], scaled[2:]), error="a scale")


# int8: all numerators over all denominators except zero. TFLM's final shift, of up to 38 bits
# minus the multiplier's shift, is only defined up to 31: a numerator of 0 alone has a shift of 31
# bits.
for i in range(16):
    random = generator(f"int8 {i}")
    zeros = [int(z) for z in random.choice([-128, 127, 0, *random.integers(-128, 128, 3)], 3)]
    scales = np.exp2(random.uniform(-6, 6, 3))
    # A multiplier of 2**8 .. 2**14.
    scales[2] = scales[0] / scales[1] / np.exp2(random.uniform(8, 14))
    scaled = [
        Tensor(shape, "int8", scale=float(s), zero_point=z)
        for shape, s, z in zip([(256, 1), (255,), (256, 255)], scales, zeros, strict=True)
    ]
    activation = {"fused_activation_function": ACTIVATIONS[i // 2 % 4]}
    every = np.arange(-128, 128)
    inputs = [every.reshape(256, 1), every[every != zeros[1]]]
    model = single_op("DIV", scaled[:2], scaled[2:], **activation)
    cases.add(f"DIV int8 every pair, {i}", model, [inputs], slices=(4111,))
# Realistic multipliers, and small ones: numerators that TFLM shifts by at most 31.
for i in range(12):
    name = f"DIV int8 {i}"
    random = generator(name)
    multiplier = np.exp2(random.uniform(-2, 9))
    zeros = [int(z) for z in random.choice([-128, 127, *random.integers(-128, 128, 3)], 3)]
    scales = [float(s) for s in np.exp2(random.uniform(-6, 2, 2))]
    scales.append(float(np.float32(scales[0] / scales[1] / multiplier)))
    shapes = [SHAPES[6], SHAPES[7], SHAPES[11]][i % 3]
    scaled = [
        Tensor(shape, "int8", scale=s, zero_point=z)
        for shape, s, z in zip(shapes, scales, zeros, strict=True)
    ]
    inputs = operands(name, "int8", shapes, zeros[1])
    # 30 - log2(numerator) + log2(denominator) - log2(multiplier) stays below 31.
    least = np.ceil(256 / 2 / multiplier) + 1
    if least > 120:
        continue
    distance = inputs[0].astype(int) - zeros[0]
    far = zeros[0] + least if zeros[0] < 0 else zeros[0] - least
    inputs[0] = np.where(np.abs(distance) < least, far, inputs[0]).astype(np.int8)
    cases.add(name, single_op("DIV", scaled[:2], scaled[2:]), [inputs])
# The last bit of the multiplier matters: it is computed in double.
for i, (first, second, target, numerator, denominator) in enumerate(
    [
        (0.8040884733200073, 0.3477080464363098, 0.004763574805110693, 27, 107),
        (0.8712518811225891, 0.8479416370391846, 0.001204137341119349, 5, 53),
        (0.6672585010528564, 0.593859851360321, 0.0037098699249327183, 15, 118),
        (0.8294781446456909, 0.5768908262252808, 0.002588587114587426, 11, 52),
    ]
):
    scaled = [Tensor((1,), "int8", scale=s, zero_point=0) for s in (first, second, target)]
    model = single_op("DIV", scaled[:2], scaled[2:])
    cases.add(f"DIV int8 in double, {i}", model, [[[numerator], [denominator]]])
# Results that TFLM leaves undefined: 0 / 0, x / 0, 0 / x, and quotients that vanish.
scaled = [Tensor((6,), "int8", scale=1.0, zero_point=z) for z in (3, -2, 10)]
inputs = [[3, 4, 2, 3, 4, 2], [-2, -2, -2, 9, 100, 100]]
model = single_op("DIV", scaled[:2], scaled[2:])
cases.add("DIV int8 undefined", model, [inputs], expected=[[[10, 127, -128, 10, 10, 10]]])


@cases.parametrize
def test_div(case):
    case.check()
