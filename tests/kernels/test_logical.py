# Tests of LOGICAL_AND, LOGICAL_OR and LOGICAL_NOT against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from kernels.binary_cases import MISFITS, SHAPES
from support.check import Cases
from support.copying_ops import values
from support.single_op import Tensor, single_op

cases = Cases()
for operator in ("LOGICAL_AND", "LOGICAL_OR"):
    for shapes in SHAPES:
        tensors = [Tensor(shape, "bool") for shape in shapes]
        cases.add(f"{operator} {shapes}", single_op(operator, tensors[:2], tensors[2:]))
    for constant in (0, 1):
        name = f"{operator} constant {constant}"
        tensors = [Tensor(shape, "bool") for shape in SHAPES[6]]
        tensors[constant].data = values(name, SHAPES[6][constant], "bool")
        cases.add(name, single_op(operator, tensors[:2], tensors[2:]))
    tensors = [Tensor(shape, "bool") for shape in MISFITS[0]]
    model = single_op(operator, tensors[:2], tensors[2:])
    cases.add(f"refused: {operator} shapes", model, error="do not fit together")
    tensors = [Tensor((2,), "int8", scale=1.0), Tensor((2,), "bool")]
    model = single_op(operator, tensors, [Tensor((2,), "bool")])
    cases.add(f"refused: {operator} int8", model, error="must be bool")
for shape in [(), (1,), (5,), (2, 3, 71)]:
    model = single_op("LOGICAL_NOT", [Tensor(shape, "bool")], [Tensor(shape, "bool")])
    cases.add(f"LOGICAL_NOT {shape}", model)
model = single_op("LOGICAL_NOT", [Tensor((2,), "bool")], [Tensor((3,), "bool")])
cases.add("refused: LOGICAL_NOT elements", model, error="number of elements")
model = single_op("LOGICAL_NOT", [Tensor((2,), "bool")], [Tensor((2,), "int8")])
cases.add("refused: LOGICAL_NOT type", model, error="must be bool")


@cases.parametrize
def test_logical(case):
    case.check()
