# Tests of ONE_HOT, which TFLM lacks, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

from support import litert
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()


def _one_hot(shape, depth, axis, dtype="float32", indices="int32", target=None):
    at = len(shape) if axis == -1 else axis
    if target is None:
        target = shape[:at] + (max(depth, 0),) + shape[at:]
    inputs = [
        Tensor(shape, indices),
        Tensor((), "int32", [depth]),
        Tensor((), dtype),
        Tensor((), dtype),
    ]
    return single_op("ONE_HOT", inputs, [Tensor(target, dtype)], axis=axis)


for shape, depth, axis in [
    ((), 3, -1),
    ((5,), 4, -1),
    ((5,), 1, 0),
    ((2, 3), 4, 1),
    ((2, 3), 4, 0),
    ((2, 3, 2), 3, 2),
    ((2, 3), 0, -1),
]:
    for dtype, indices in [("float32", "int32"), ("int8", "int64"), ("int64", "int32")]:
        cases.add(
            f"{dtype} {indices} {shape} depth {depth} axis {axis}",
            _one_hot(shape, depth, axis, dtype, indices),
            ranges={0: (-2, depth + 1)},
            expected=litert.outputs,
        )
cases.add(
    "far outside",
    _one_hot((4,), 3, -1, indices="int64"),
    inputs=[[[1 << 32, -1 << 40, (1 << 62) + 1, 2], 2.5, -1]],
    expected=[[[[-1, -1, -1], [-1, -1, -1], [-1, -1, -1], [-1, -1, 2.5]]]],
)
cases.add("axis", _one_hot((2,), 3, 2, target=(2, 3)), error="axis 2 does not exist")
cases.add("shape", _one_hot((2,), 3, -1, target=(2, 4)), error="should have shape")


@litert.needs_litert
@cases.parametrize
def test_one_hot(case):
    case.check()
