# Tests of EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS and LESS_EQUAL against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.binary_cases import EMPTY, MISFITS, SHAPES
from support.check import Cases
from support.copying_ops import values
from support.inputs import generator
from support.single_op import Tensor, single_op

OPERATORS = {
    "EQUAL": np.equal,
    "NOT_EQUAL": np.not_equal,
    "GREATER": np.greater,
    "GREATER_EQUAL": np.greater_equal,
    "LESS": np.less,
    "LESS_EQUAL": np.less_equal,
}
cases = Cases()


# Few values, so that many are equal.
def few(name, shape, dtype):
    if dtype == "bool":
        return values(name, shape, dtype)
    return generator(name).integers(-3, 4, shape).astype(dtype)


# A comparison of two tensors; `scales` are (scale, zero point) of each.
def add(name, operator, shapes, dtype, scales=None, constant=None, expected=None, data=None):
    name = f"{operator} {dtype} {name}"
    arrays = data or [few(f"{name} {i}", shape, dtype) for i, shape in enumerate(shapes[:2])]
    tensors = []
    for i in (0, 1):
        keywords = {"scale": scales[i][0], "zero_point": scales[i][1]} if scales else {}
        keywords["data"] = arrays[i] if constant == i else None
        tensors.append(Tensor(shapes[i], dtype, **keywords))
    given = [array for i, array in enumerate(arrays) if constant != i]
    model = single_op(operator, tensors, [Tensor(shapes[2], "bool")])
    if expected:
        expected = [[OPERATORS[operator](*arrays)]]
    # Large tensors are not cut into slices of one element.
    slices = (1, 3) if arrays[0].size < 1000 else (997,)
    cases.add(name, model, inputs=[given], expected=expected, slices=slices)


SAME = [(0.02, -3), (0.02, -3)]
every = np.arange(-128, 128)
pairs = [a.ravel() for a in np.meshgrid(every[::5], every[::3])]
edges = [0, 1, -1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, -(2**31), -(2**31) - 1, -(2**32)]
edges += [2**63 - 1, -(2**63), 2**63 - 2**32, 2**62]
wide_pairs = [a.ravel() for a in np.meshgrid(edges, edges)]
small = [n for n in edges if -(2**31) <= n < 2**31]
int32_pairs = [a.ravel() for a in np.meshgrid(small, small)]
floats = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e38, 1.0000001]
float_pairs = [a.ravel() for a in np.meshgrid(np.float32(floats), np.float32(floats))]
random = generator("comparisons")
for number, operator in enumerate(OPERATORS):
    dtypes = ["float32", "int32", "int64", "int8", "int8"]
    if operator in ("EQUAL", "NOT_EQUAL"):
        dtypes.append("bool")
    for i, shapes in enumerate(SHAPES):
        dtype = dtypes[(i + number) % len(dtypes)]
        add(f"{shapes}", operator, shapes, dtype, SAME if dtype == "int8" else None)
        if i % 3 == number % 3 and shapes[0] != shapes[1]:
            swapped = (shapes[1], shapes[0], shapes[2])
            dtype = dtypes[(i + number + 2) % len(dtypes)]
            add(f"{swapped}", operator, swapped, dtype, SAME if dtype == "int8" else None)
    for name, scales in [
        ("same scales", SAME),
        ("small scales", [(0.001, 5), (0.0017, -100)]),
        ("tiny scales", [(1e-6, 0), (2e-6, 0)]),
        ("scales far apart", [(0.9, 127), (0.003, -128)]),
        ("like scales", [(0.25, 10), (0.249, 10)]),
        (
            "scales random",
            [
                (float(s), int(z))
                for s, z in zip(
                    random.uniform(1e-4, 0.99, 2), random.integers(-128, 128, 2), strict=True
                )
            ],
        ),
    ]:
        add(name, operator, [pairs[0].shape] * 3, "int8", scales, data=pairs)
    add(
        "large scales",
        operator,
        [pairs[0].shape] * 3,
        "int8",
        [(2.0, 3), (2.0, 3)],
        data=pairs,
        expected=True,
    )
    add("edges", operator, [wide_pairs[0].shape] * 3, "int64", data=wide_pairs)
    add("edges", operator, [int32_pairs[0].shape] * 3, "int32", data=int32_pairs)
    add("edges", operator, [float_pairs[0].shape] * 3, "float32", data=float_pairs)
    add(
        "one quantization",
        operator,
        [(3, 90), (90,), (3, 90)],
        "int16",
        [(0.1, 0)] * 2,
        expected=True,
    )
    add(
        "not quantized",
        operator,
        [(7,)] * 3,
        "int16",
        expected=True,
        data=[few("a", (7,), "int16"), few("b", (7,), "int16")],
    )
    for i, dtype in enumerate(dtypes[:4]):
        add(
            f"constant {i % 2}",
            operator,
            SHAPES[6],
            dtype,
            SAME if dtype == "int8" else None,
            constant=i % 2,
        )
    x = Tensor((40,), "float32")
    cases.add(f"{operator} same tensor", single_op(operator, [x, x], [Tensor((40,), "bool")]))
add("empty", "LESS", EMPTY, "int32", expected=True, data=[np.zeros((0, 3)), np.zeros((1, 3))])


# Models that must be refused.
def refuse(
    name, error, operator="LESS", shapes=((2,),) * 3, dtypes=("int8", "int8", "bool"), **scale
):
    keywords = scale or {"scale": 0.5}
    tensors = [
        Tensor(s, d, **(keywords if d == "int8" else {}))
        for s, d in zip(shapes, dtypes, strict=True)
    ]
    cases.add(f"refused: {name}", single_op(operator, tensors[:2], tensors[2:]), error=error)


for i, shapes in enumerate(MISFITS):
    refuse(f"shapes {i}", "do not fit together", shapes=shapes)
refuse("rank 7", "more than 6", shapes=((1,) * 7,) * 3)
refuse("bool for LESS", "must be", dtypes=("bool",) * 3)
refuse("mixed", "must be int8", dtypes=("int8", "int32", "bool"))
refuse("output", "must be bool", dtypes=("int8", "int8", "int8"))
refuse("scale of 0", "not positive", scale=0.0)
refuse("no zero point fits", "outside its type", scale=0.5, zero_point=300)
plain = [Tensor((2,), "int8")] * 2
cases.add(
    "refused: no scale", single_op("EQUAL", plain, [Tensor((2,), "bool")]), error="has no scale"
)
other = [Tensor((2,), "int16", scale=s, zero_point=0) for s in (0.5, 0.25)]
cases.add(
    "refused: int16 scales",
    single_op("LESS", other, [Tensor((2,), "bool")]),
    error="different scales",
)


@cases.parametrize
def test_comparisons(case):
    case.check()
