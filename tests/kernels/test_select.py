# Tests of SELECT_V2 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, tensor, values
from support.single_op import Tensor, single_op

WHEEL = ("int8", "int16", "float32")
# Condition, first, second, output.
SHAPES = [
    ((), (), (), ()),
    ((1,), (), (1,), (1,)),
    ((), (1,), (1, 1), ()),
    ((1,), (), (), ()),
    ((7,), (7,), (7,), (7,)),
    ((), (2, 30), (2, 30), (2, 30)),
    ((2, 30), (), (), (2, 30)),
    ((3, 1), (1, 300), (3, 300), (3, 300)),
    ((3, 1), (1, 300), (1, 1), (3, 300)),
    ((300,), (3, 1), (3, 300), (3, 300)),
    ((2, 3, 4, 5), (5,), (3, 1, 1), (2, 3, 4, 5)),
    ((2, 1, 2, 1, 3), (1, 3, 1, 2, 1), (2, 3, 2, 2, 3), (2, 3, 2, 2, 3)),
    ((4, 1, 3), (2, 1), (1,), (4, 2, 3)),
]
cases = Cases()


# A SELECT_V2; inputs in `constant` are constants.
def add(name, shapes, dtype, constant=(), wheel=True):
    name = f"{dtype} {name}"
    arrays = [values(f"{name} c", shapes[0], "bool")]
    arrays += [values(f"{name} {i}", shapes[i], dtype) for i in (1, 2)]
    data = [array if i in constant else None for i, array in enumerate(arrays)]
    tensors = [Tensor(shapes[0], "bool", data[0])]
    tensors += [tensor(shapes[i], dtype, data[i]) for i in (1, 2)]
    model = single_op("SELECT_V2", tensors, [tensor(shapes[3], dtype)])
    inputs = [[array for i, array in enumerate(arrays) if i not in constant]]
    expected = None if wheel and dtype in WHEEL else [[np.where(*arrays)]]
    cases.add(name, model, inputs=inputs, expected=expected)


for number, shapes in enumerate(SHAPES):
    for dtype in (WHEEL[number % 3], WHEEL[(number + 1) % 3], DTYPES[number % len(DTYPES)]):
        if f"{dtype} {shapes}" not in [case.name for case in cases]:
            add(f"{shapes}", shapes, dtype)
for constant in [(0,), (1,), (2,), (1, 2)]:
    add(f"constant {constant}", SHAPES[8], "int8", constant)
add(
    "6 dimensions",
    ((2, 1, 2, 1, 2, 3), (1, 3, 1, 2, 2, 1), (3,), (2, 3, 2, 2, 2, 3)),
    "int8",
    wheel=False,
)
add("empty", ((0, 3), (1, 3), (1, 1), (0, 3)), "int8", wheel=False)
condition, x = Tensor((60,), "bool"), tensor((60,), "int8")
cases.add("same tensor twice", single_op("SELECT_V2", [condition, x, x], [tensor((60,), "int8")]))


# Models that must be refused.
def refuse(name, error, shapes=((2, 3),) * 4, dtypes=("bool", "int8", "int8", "int8")):
    tensors = [tensor(s, d) for s, d in zip(shapes, dtypes, strict=True)]
    cases.add(f"refused: {name}", single_op("SELECT_V2", tensors[:3], tensors[3:]), error=error)


refuse("shapes", "do not fit together", ((2, 3), (2,), (2, 3), (2, 3)))
refuse("output", "do not fit together", ((2, 3), (2, 3), (2, 3), (2, 4)))
refuse("output too large", "do not fit together", ((1, 3), (1, 3), (1, 3), (2, 3)))
refuse("condition", "must be bool", dtypes=("int8",) * 4)
refuse("types", "differ in type", dtypes=("bool", "int8", "int16", "int8"))
refuse("output type", "differ in type", dtypes=("bool", "int8", "int8", "int16"))


@cases.parametrize
def test_select(case):
    case.check()
