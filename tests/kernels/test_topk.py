# Tests of TOPK_V2, which TFLM lacks, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

from support import litert
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()


def _top(shape, count, dtype="float32", target=None, **quantization):
    target = shape[:-1] + (count,) if target is None else target
    return single_op(
        "TOPK_V2",
        [Tensor(shape, dtype, **quantization), Tensor((), "int32", [count])],
        [Tensor(target, dtype, **quantization), Tensor(target, "int32")],
    )


for shape, count in [((1,), 1), ((9,), 9), ((3, 9), 4), ((2, 2, 5), 1), ((4, 3), 0)]:
    for dtype, quantization in [
        ("float32", {}),
        ("int32", {}),
        ("int8", {"scale": 0.5, "zero_point": -3}),
        ("uint8", {"scale": 0.5, "zero_point": 3}),
    ]:
        cases.add(
            f"{dtype} {shape} {count}",
            _top(shape, count, dtype, **quantization),
            expected=litert.outputs,
        )
cases.add(
    "equal ones in order",
    _top((2, 6), 4),
    inputs=[[[[1, -2, 1, -2, 1, 0.5], [-1, -3, -1, -2, -3, -9]]]],
    expected=litert.outputs,
)
cases.add("int16", _top((2, 7), 3, "int16"), expected=litert.outputs)
cases.add("too many", _top((2, 3), 4), error="4 of 3 values")
cases.add("shape", _top((2, 3), 2, target=(2, 3)), error="should have shape")


@litert.needs_litert
@cases.parametrize
def test_top_k(case):
    case.check()
