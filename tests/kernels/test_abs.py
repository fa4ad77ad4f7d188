# Tests of ABS, ELU, RSQRT on int8 and int16 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.every_value import every_value, every_value_model, random_quantizations
from support.single_op import Tensor, single_op

cases = Cases()


# Input and output have the same scale, so that nothing is rescaled.
def same_scale(quantizations):
    return [(s, zero_in, s, zero_out) for s, zero_in, _, zero_out in quantizations]


for seed in range(4):
    for name in ("ABS", "ELU"):
        quantizations = random_quantizations(seed, 12)
        if seed == 3:
            quantizations = same_scale(quantizations)
        cases.add(
            f"{name} of every value, {seed}",
            every_value_model(name, quantizations),
            inputs=every_value(quantizations),
            slices=(17,),
        )
    # RSQRT accepts nothing below the zero point.
    quantizations = random_quantizations(seed, 12, (1e-4, 10.0), (1e-2, 100.0))
    if seed == 3:
        # The last bit of the multiplier matters: single precision gives other roots and products.
        pairs = [(0.028281938284635544, 0.043966397643089294)]
        pairs += [(0.9409148693084717, 0.004970663692802191)]
        pairs += [(0.17388030886650085, 0.024933479726314545)]
        pairs += [(0.02211778424680233, 0.062001556158065796)]
        quantizations = [(a, -128, b, -128) for a, b in pairs]
    values = [np.maximum(np.arange(-128, 128), q[1]) for q in quantizations]
    cases.add(
        f"RSQRT of every value, {seed}",
        every_value_model("RSQRT", quantizations),
        [values],
        slices=(17,),
    )

# Ratios whose last bit matters for some of the values, so that single precision fails; and halves,
# whose rounding is not symmetric about zero.
for i, (scale_in, scale_out) in enumerate(
    [
        (0.1, 0.1),
        (0.215, 0.246),
        (0.745, 0.87),
        (0.5, 1.0),
        (1.0, 0.001),
        (1e-4, 1.0),
        (0.134, 0.156),
    ]
):
    x = Tensor((8192,), "int16", scale=scale_in, zero_point=0)
    y = Tensor((8192,), "int16", scale=scale_out, zero_point=0)
    every = np.append(np.arange(8190) * 4 - 32767, [-32768, 32767])
    cases.add(f"ABS of int16, {i}", single_op("ABS", [x], [y]), [[every]], slices=(997,))
x = Tensor((4,), "int16")
model = single_op("ABS", [x], [Tensor((4,), "int16")])
cases.add("ABS of int16 without scale", model, [[[-32768, 32767, -1, 0]]])

for shape in [(), (7,), (2, 5), (1, 2, 3, 4, 5, 2)]:
    for name in ("ABS", "ELU", "RSQRT"):
        x, y = (Tensor(shape, "int8", scale=0.05, zero_point=-4) for _ in range(2))
        cases.add(f"{name} {shape}", single_op(name, [x], [y]), ranges={0: (-4, 127)})
    x, y = (Tensor(shape, "int16", scale=0.05, zero_point=0) for _ in range(2))
    cases.add(f"ABS of int16 {shape}", single_op("ABS", [x], [y]))

x = Tensor((2,), "int16", scale=0.05, zero_point=1)
cases.add("ABS with a zero point", single_op("ABS", [x], [x]), error="zero point")
x, y = (Tensor((2,), "int8", scale=0.05, zero_point=3) for _ in range(2))
cases.add(
    "RSQRT below zero", single_op("RSQRT", [x], [y]), [[[3, 2]]], error="negative", heap_lock=False
)


# exp() of very negative numbers takes no time and no memory.
for scale in (3e38, 1e-38):
    x = Tensor((256,), "int8", scale=scale, zero_point=5)
    y = Tensor((256,), "int8", scale=0.01, zero_point=-7)
    model = single_op("ELU", [x], [y])
    wanted = np.where(np.arange(-128, 128) < 5, -107, 127)
    wanted[133] = -7
    if scale < 1:
        wanted = np.full(256, -7)
    cases.add(f"ELU of scale {scale}", model, every_value([()]), expected=[[wanted]])


@cases.parametrize
def test_abs(case):
    case.check()
