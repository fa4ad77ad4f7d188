# Tests of MEAN, SUM, REDUCE_MAX and REDUCE_MIN against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.binary_cases import quantization
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

# Input shape and axes: Keras pooling, one axis each way, all, none, negative, twice, in turns.
REDUCTIONS = [
    ((1, 7, 5, 9), (1, 2)),
    ((2, 4, 3, 40), (2, 1)),
    ((3, 50), (1,)),
    ((50, 3), (0,)),
    ((4, 5, 6), (0, 1, 2)),
    ((4, 5, 6), (-1, 2, -1)),
    ((4, 5, 6), (0, -1)),
    ((4, 5, 6), (1, 1)),
    ((3, 2, 4, 3, 2, 5), (0, 2, 4)),
    ((3, 2, 4, 3, 2, 5), (1, 3, 5)),
    ((3, 2, 4, 3, 2, 5), (4, 5)),
    ((2, 1, 3, 1), (1, 3)),
    ((1,), (0,)),
    ((4, 5), ()),
    ((), (0,)),
    ((70, 1000), (0, 1)),
]


# A model of one reduction; `axis` may be a number: a tensor of rank 0.
def reduction(name, operator, dtype, shape, axis, keep_dims, spread=1.0, smaller=1.0):
    random = generator(name)
    rank = len(shape)
    gone = {a % rank for a in np.atleast_1d(np.asarray(axis, int))} if rank else set()
    kept = [1 if i in gone else n for i, n in enumerate(shape) if keep_dims or i not in gone]
    integer = "int8" if dtype == "float32" else dtype
    source, target = (quantization(random, integer, spread, True) for _ in range(2))
    source["scale"] /= smaller
    if operator.startswith("REDUCE"):
        target = source
    if dtype == "float32":
        source = target = {}
    axes = np.asarray(axis, np.int32)
    return single_op(
        operator,
        [Tensor(shape, dtype, **source), Tensor(axes.shape, "int32", axes)],
        [Tensor(kept, dtype, **target)],
        keep_dims=keep_dims,
    )


cases = Cases()
for dtype in ("int8", "int16"):
    for operator in ("MEAN", "SUM"):
        for i, (shape, axes) in enumerate(REDUCTIONS):
            name = f"{operator} {dtype} {shape} {axes}"
            smaller = 1.0 if operator == "MEAN" else 16.0
            model = reduction(name, operator, dtype, shape, axes, i % 2 == 0, smaller=smaller)
            cases.add(name, model, runs=1)
        name = f"{operator} {dtype} scalar axis"
        cases.add(name, reduction(name, operator, dtype, (3, 8), 1, False))
        for i in range(12):
            name = f"{operator} {dtype} scales {i}"
            shape = [(40, (5, 33, 127, 64)[i % 4])][0]
            model = reduction(name, operator, dtype, shape, (1,), False, (0.5, 4.0, 8.0)[i % 3])
            cases.add(name, model, runs=3)
for operator in ("REDUCE_MAX", "REDUCE_MIN"):
    for i, (shape, axes) in enumerate(REDUCTIONS):
        name = f"{operator} {shape} {axes}"
        cases.add(name, reduction(name, operator, "int8", shape, axes, i % 2 == 0), runs=1)
        name = f"{operator} float32 {shape} {axes}"
        cases.add(name, reduction(name, operator, "float32", shape, axes, i % 2 == 1), runs=1)
    name = f"{operator} float32 special"
    numbers = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42, -1e-42, 3e38], np.float32)
    rows = np.stack([np.roll(numbers, i)[:4] for i in range(8)] + [[-np.inf] * 4, [np.inf] * 4])
    cases.add(name, reduction(name, operator, "float32", (10, 4), 1, False), [[rows]])
tensors = [Tensor((2, 3), "int8", scale=1.0), Tensor((1,), "int32", [1])]
output = Tensor((2,), "int8", scale=2.0)
cases.add("other scale", single_op("REDUCE_MAX", tensors, [output]), error="quantized like")

empty = [np.zeros((0, 3))], [np.zeros(3)]
tensors = [Tensor((0, 3), "int8", scale=1.0, zero_point=5), Tensor((1,), "int32", [0])]
output = Tensor((3,), "int8", scale=1.0, zero_point=5)
cases.add("MEAN empty", single_op("MEAN", tensors, [output]), [empty[0]], expected=[empty[1]])
lowest = [[np.full(3, -128)]]
cases.add("maximum empty", single_op("REDUCE_MAX", tensors, [output]), [empty[0]], expected=lowest)
bad = [Tensor((2, 3), "int8", scale=1.0), Tensor((1,), "int32", [2])]
cases.add("axis", single_op("MEAN", bad, [Tensor((2,), "int8", scale=1.0)]), error="axis 2")
bad = [Tensor((2, 3), "int8", scale=1.0), Tensor((1,), "int32", [1])]
cases.add("shape", single_op("MEAN", bad, [Tensor((3,), "int8", scale=1.0)]), error="should have")
bad = [Tensor((2, 3), "int8", scale=1.0), Tensor((1,), "int32")]
cases.add(
    "axis input", single_op("MEAN", bad, [Tensor((2,), "int8", scale=1.0)]), error="constant"
)


@cases.parametrize
def test_reduce(case):
    case.check()
