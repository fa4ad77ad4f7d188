# Tests of CUMSUM against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from support.check import Cases
from support.copying_ops import values
from support.single_op import Tensor, single_op

cases = Cases()


# A CUMSUM along an axis; `scales` are (scale, zero point) of input and output.
def add(name, shape, axis, dtype, exclusive=False, reverse=False, scales=None, **keywords):
    name = f"{dtype} {name} {shape} {axis} {exclusive:d}{reverse:d}"
    quantization = [{}, {}]
    if dtype == "int8":
        scales = scales or ((0.1, -3), (0.5, 7))
        quantization = [{"scale": scale, "zero_point": zero} for scale, zero in scales]
    model = single_op(
        "CUMSUM",
        [
            Tensor(shape, dtype, keywords.pop("data", None), **quantization[0]),
            Tensor((), "int32", axis),
        ],
        [Tensor(shape, dtype, **quantization[1])],
        exclusive=exclusive,
        reverse=reverse,
    )
    cases.add(name, model, **keywords)


for dtype in ("float32", "int8"):
    for mode in range(4):
        exclusive, reverse = mode & 1 == 1, mode & 2 == 2
        for shape, axis in [
            ((9,), 0),
            ((3, 50), 1),
            ((5, 7), 0),
            ((2, 4, 5, 3), -2),
            ((2, 3, 4), -3),
        ]:
            add("", shape, axis, dtype, exclusive, reverse)
    add("ones", (1, 1, 1), 1, dtype)
    add("rank 6", (2, 1, 2, 3, 1, 2), 3, dtype, reverse=True)
    add("constant", (2, 11), 1, dtype, data=values(dtype, (2, 11), dtype), inputs=[[]])
    model = single_op(
        "CUMSUM",
        [Tensor((4,), dtype, scale=1.0), Tensor((1,), "int32", [-1])],
        [Tensor((4,), dtype, scale=1.0)],
    )
    cases.add(f"{dtype} no options", model)
add("negative zeros", (6,), 0, "float32", inputs=[[[-0.0, -0.0, 1e-45, -1e38, -1e38, -3e38]]])
for number, scales in enumerate(
    [
        ((1.0, 0), (1.0, 0)),
        ((0.05, -128), (2.0, -128)),
        ((0.3, 127), (0.3, 127)),
        ((7.0, 1), (0.1, 0)),
    ]
):
    for exclusive in (False, True):
        add(f"scales {number}", (4, 120), 1, "int8", exclusive, scales=scales)
add("slices", (3, 5), 0, "float32", slices=(1, 2, 4, 7))
add("slices", (2, 70), 1, "int8", reverse=True, slices=(1, 2, 33, 69))
cases.add(
    "empty",
    single_op(
        "CUMSUM", [Tensor((0, 3), "float32"), Tensor((), "int32", 1)], [Tensor((0, 3), "float32")]
    ),
    [[[]]],
    expected=[[[]]],
)


# Models that must be refused.
def refuse(
    name,
    error,
    axis=0,
    shape=(4, 5),
    output=(4, 5),
    dtypes=("int8", "int8"),
    scale=1.0,
    axis_dtype="int32",
):
    x = Tensor(shape, dtypes[0], scale=1.0)
    y = Tensor(output, dtypes[1], scale=scale)
    axis = Tensor((1,), axis_dtype, axis)
    cases.add(f"refused: {name}", single_op("CUMSUM", [x, axis], [y]), error=error)


refuse("axis", "does not exist", 2)
refuse("axis from the end", "does not exist", -3)
refuse("axis not constant", "must be constant", None)
refuse("axis of int64", "must be int32", axis_dtype="int64")
refuse("shape", "should have shape", output=(4, 6))
refuse("type", "must be", dtypes=("int16", "int16"))
refuse("output type", "must be int8", dtypes=("int8", "float32"))
refuse("scalar", "should be one axis", shape=(), output=())
refuse("output scale", "a scale far below", scale=1e-7)
refuse("output scale of 0", "not positive", scale=0.0)


@cases.parametrize
def test_cumsum(case):
    case.check()
