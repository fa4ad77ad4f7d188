# Tests of TILE, which TFLM lacks, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

from support import litert
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()


def _tile(shape, multiples, dtype="float32", count="int32", target=None, **quantization):
    if target is None:
        target = [d * n for d, n in zip(shape, multiples, strict=True)]
    return single_op(
        "TILE",
        [
            Tensor(shape, dtype, **quantization),
            Tensor((len(multiples),), count, multiples),
        ],
        [Tensor(target, dtype, **quantization)],
    )


for shape, multiples in [
    ((3,), [4]),
    ((2, 3), [1, 1]),
    ((2, 3), [3, 2]),
    ((2, 1, 3), [1, 4, 2]),
    ((2, 3, 2, 2), [2, 1, 3, 2]),
    ((1, 2, 1, 2, 1), [2, 2, 2, 2, 2]),
]:
    for dtype, quantization in [
        ("float32", {}),
        ("int8", {"scale": 0.5, "zero_point": -3}),
        ("int32", {}),
        ("bool", {}),
    ]:
        cases.add(
            f"{dtype} {shape} by {multiples}",
            _tile(shape, multiples, dtype, **quantization),
            expected=litert.outputs,
        )
cases.add("int64", _tile((2, 2), [2, 3], "int64", "int64"), expected=litert.outputs)
cases.add("too few multiples", _tile((2, 2), [2], target=(4, 2)), error="1 multiples")
cases.add("negative", _tile((2,), [-1], target=(2,)), error="negative")
cases.add("wrong shape", _tile((2,), [2], target=(3,)), error="should have shape")


@litert.needs_litert
@cases.parametrize
def test_tile(case):
    case.check()
