# Tests of BITWISE_XOR, which TFLM lacks, against LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

from support import litert
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()
_SHAPES = [((), (), ()), ((7,), (7,), (7,)), ((2, 3), (3,), (2, 3)), ((3, 1), (1, 300), (3, 300))]
for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32"):
    for shapes in _SHAPES:
        tensors = [Tensor(shape, dtype) for shape in shapes]
        model = single_op("BITWISE_XOR", tensors[:2], tensors[2:])
        cases.add(f"{dtype} {shapes}", model, expected=litert.outputs)
tensors = [Tensor((2,), "int64")] * 3
cases.add("int64", single_op("BITWISE_XOR", tensors[:2], tensors[2:]), error="must be")


@litert.needs_litert
@cases.parametrize
def test_bitwise_xor(case):
    case.check()
