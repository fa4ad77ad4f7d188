# Shapes, quantizations and models that the tests of binary operators share
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.inputs import generator
from support.single_op import Tensor, single_op

ACTIVATIONS = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6")

# Shapes of input 1, input 2 and output: equal, scalar, channel, both broadcast, many levels.
SHAPES = [
    ((), (), ()),
    ((1,), (), (1,)),
    ((5,), (5,), (5,)),
    ((2, 3), (), (2, 3)),
    ((1, 1, 1), (2, 700), (1, 2, 700)),
    ((1, 9, 7, 5), (1, 9, 7, 5), (1, 9, 7, 5)),
    ((2, 3, 4, 19), (19,), (2, 3, 4, 19)),
    ((3, 1), (1, 300), (3, 300)),
    ((300, 1), (1, 3), (300, 3)),
    ((2, 1, 1, 7), (2, 5, 6, 7), (2, 5, 6, 7)),
    ((2, 5, 6, 1), (2, 5, 6, 9), (2, 5, 6, 9)),
    ((4, 1, 3), (1, 2, 1), (4, 2, 3)),
    ((2, 1, 2, 1, 2, 3), (1, 3, 1, 2, 2, 1), (2, 3, 2, 2, 2, 3)),
    ((2, 3, 4, 3, 2, 5), (3, 1, 3, 1, 5), (2, 3, 4, 3, 2, 5)),
]
EMPTY = ((0, 3), (1, 3), (0, 3))
MISFITS = [((2, 3), (2,), (2, 3)), ((2, 3), (3,), (2, 4)), ((0,), (2,), (2,)), ((2,), (2,), (4,))]


# Scales 2**-spread..2**spread, and zero points in the middle and at both ends.
def quantization(random, dtype, spread, zero):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    zero_point = random.choice([low, high, 0, random.integers(low, high + 1)])
    return {
        "scale": float(np.float32(2.0 ** random.uniform(-spread, spread))),
        "zero_point": int(zero_point) if zero else 0,
    }


# A model of one binary operator; `spread` None means no quantization. `constant`: indices of
# constant inputs; `same`: input 1 is also input 2.
def binary(
    name, operator, dtype, shapes, spread=None, zero=True, constant=(), same=False, **options
):
    random = generator(name)
    tensors = []
    for i, shape in enumerate(shapes):
        keywords = {} if spread is None else quantization(random, dtype, spread, zero)
        if i in constant:
            limits = np.iinfo(dtype)
            keywords["data"] = random.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        tensors.append(Tensor(shape, dtype, **keywords))
    if same:
        tensors[1] = tensors[0]
    return single_op(operator, tensors[:2], tensors[2:], **options)


# Cases of ADD or SUB (`sign` -1) of int8 with an output scale far below the scales of the inputs,
# so that nearly every output that is not zero saturates. TFLM refuses them.
def add_narrow_cases(cases, operator, sign):
    zero_points = (3, -7, 11)
    for number, (one, other, narrow) in enumerate(
        [(1.0, 1.0, 2.0**-21), (0.25, 4.0, 2.0**-24), (3.0, 0.125, 2.0**-33)]
    ):
        scales = (one, other, narrow)

        def expected(_, runs, scales=scales):
            found = []
            for x, y in runs:
                total = scales[0] * (x.astype(float) - zero_points[0])
                total += sign * scales[1] * (y.astype(float) - zero_points[1])
                z = np.clip(np.round(total / scales[2]) + zero_points[2], -128, 127)
                found.append([z.astype(np.int8)])
            return found

        tensors = [
            Tensor((300,), "int8", scale=scale, zero_point=zero_point)
            for scale, zero_point in zip(scales, zero_points, strict=True)
        ]
        x = np.resize(np.arange(-128, 128, dtype=np.int8), 300)
        equal = np.clip(sign * (zero_points[0] - x.astype(int)) * one / other - 7, -128, 127)
        cases.add(
            f"{operator} narrow output {number}",
            single_op(operator, tensors[:2], tensors[2:]),
            inputs=[[x, equal.astype(np.int8)], [x, np.roll(x, 1)]],
            expected=expected,
        )


# Cases of every binary operator: shapes, constants, one tensor as both inputs, tensors without
# elements (which TFLM refuses), shapes that do not fit.
def add_shape_cases(cases, operator, dtype, spread=None, zero=True, activations=False):
    def model(name, i, shapes, **keywords):
        if activations:
            keywords["fused_activation_function"] = ACTIVATIONS[i % 4]
        return binary(name, operator, dtype, shapes, spread, zero, **keywords)

    for i, shapes in enumerate(SHAPES):
        name = f"{dtype} {shapes}"
        cases.add(name, model(name, i, shapes))
        if shapes[0] != shapes[1]:
            name = f"{dtype} {shapes} swapped"
            model_bytes = model(name, i + 1, (shapes[1], shapes[0], shapes[2]))
            cases.add(name, model_bytes, "random", runs=1)
    for i, constant in enumerate(((0,), (1,))):
        for shapes in (SHAPES[5], SHAPES[6], SHAPES[11]):
            name = f"{dtype} {shapes} constant {constant}"
            cases.add(name, model(name, i, shapes, constant=constant))
    name = f"{dtype} same tensor"
    cases.add(name, model(name, 0, ((3, 50),) * 3, same=True))
    name = f"{dtype} empty"
    empty = np.zeros((0, 3)), np.zeros((1, 3))
    cases.add(name, model(name, 0, EMPTY), [empty], expected=[[np.zeros((0, 3))]])
    for shapes in MISFITS:
        name = f"{dtype} {shapes} misfit"
        cases.add(name, model(name, 0, shapes), error="do not fit together")
    shapes = ((1, 1, 1, 1, 1, 1, 2),) * 3
    name = f"{dtype} rank 7"
    cases.add(name, model(name, 0, shapes), error="more than 6 dimensions")
