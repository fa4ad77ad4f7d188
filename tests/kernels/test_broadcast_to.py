# Tests of BROADCAST_TO, BROADCAST_ARGS and SHAPE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor
from support.single_op import Tensor, single_op

cases = Cases()


# A BROADCAST_TO from one shape to another.
def add(name, shape, output, dtype, wheel=True, index_dtype="int32"):
    add_move(
        cases,
        f"BROADCAST_TO {name}",
        "BROADCAST_TO",
        [tensor(shape, dtype)],
        dtype,
        lambda x: np.broadcast_to(x, output),
        wheel=wheel,
        constants=[Tensor((len(output),), index_dtype, output)],
    )


for dtype in DTYPES:
    add(f"{dtype} rows", (3, 1, 5), (3, 4, 5), dtype)
    add(f"{dtype} columns", (2, 1), (2, 9), dtype)
random = generator("broadcast to")
for number in range(20):
    rank = int(random.integers(1, 6))
    output = [int(n) for n in random.integers(1, 5, rank)]
    shape = [n if random.integers(0, 2) else 1 for n in output][int(random.integers(0, rank)) :]
    dtype = ("int8", "float32", "int16")[number % 3]
    add(f"sweep {number} {shape} {output}", tuple(shape), tuple(output), dtype)
add("scalar", (), (3, 2), "int8")
add("int64 shape", (3,), (2, 3), "int8", index_dtype="int64")
add("same", (3, 4), (3, 4), "int8")
add("7 dimensions", (2, 1, 2, 1, 2, 1, 2), (2, 3, 2, 3, 2, 1, 2), "int8", wheel=False)
add("to nothing", (1, 3), (0, 3), "int8", wheel=False)


# Return the shape that two shapes broadcast to.
def add_args(first, second, dtype, constant=False, wheel=True):
    tensors = [Tensor((len(first),), dtype), Tensor((len(second),), dtype)]
    if constant:
        tensors[0].data = first
    shape = np.broadcast_shapes(first, second)
    cases.add(
        f"BROADCAST_ARGS {dtype} {first} {second} {constant}",
        single_op("BROADCAST_ARGS", tensors, [Tensor((len(shape),), dtype)]),
        inputs=[[second] if constant else [first, second]],
        expected=None if wheel else [[shape]],
    )


for dtype in ("int32", "int64"):
    for first, second in [((2, 3), (2, 3)), ((1,), (4, 5)), ((4, 1, 3), (2, 1)), ((7, 1), (1, 9))]:
        add_args(first, second, dtype)
        if len(first) != len(second):
            add_args(second, first, dtype)
    add_args((3, 1), (1, 2), dtype, constant=True)
    add_args((0, 3), (1, 3), dtype)
    add_args((), (2,), dtype, wheel=False)
    cases.add(
        f"refused: BROADCAST_ARGS {dtype} misfit",
        single_op(
            "BROADCAST_ARGS",
            [Tensor((2,), dtype)] * 1 + [Tensor((1,), dtype)],
            [Tensor((2,), dtype)],
        ),
        inputs=[[(2, 3), (4,)]],
        error="do not fit together",
        heap_lock=False,
    )
large = [Tensor((3,), "int64"), Tensor((3,), "int64")]
far = (1 << 32) + 1
cases.add(
    "BROADCAST_ARGS large",
    single_op("BROADCAST_ARGS", large, [Tensor((3,), "int64")]),
    inputs=[[(1, far, 1 << 40), (far, 1, 1 << 40)]],
    expected=[[(far, far, 1 << 40)]],
)
for i, shape in enumerate([(), (5,), (2, 0, 3), (1, 2, 3, 4), (1, 1, 2, 2, 1, 3)]):
    dtype = ("int8", "float32", "bool", "int64", "int16")[i]
    x, y = Tensor(shape, dtype), Tensor((len(shape),), "int32")
    expected = [[shape]] if 0 in (*shape, len(shape)) else None
    model = single_op("SHAPE", [x], [y])
    cases.add(f"SHAPE {shape}", model, inputs="random", runs=1, expected=expected)
x, y = Tensor((3, 4), "int8"), Tensor((2,), "int64")
model = single_op("SHAPE", [x], [y], out_type=4)
cases.add("SHAPE int64", model, inputs="random", runs=1, expected=[[(3, 4)]])


# Models that must be refused.
def refuse(name, error, operator, inputs, output):
    tensors = [Tensor(*entry) for entry in inputs]
    cases.add(f"refused: {name}", single_op(operator, tensors, [Tensor(*output)]), error=error)


to = "BROADCAST_TO"
refuse(
    "shape", "should have shape", to, [((1, 3), "int8"), ((2,), "int32", (2, 3))], ((2, 4), "int8")
)
refuse(
    "spread", "does not spread", to, [((2, 3), "int8"), ((2,), "int32", (4, 3))], ((4, 3), "int8")
)
refuse(
    "rank", "too many dimensions", to, [((1, 3), "int8"), ((1,), "int32", (3,))], ((3,), "int8")
)
refuse("type", "differ in type", to, [((3,), "int8"), ((1,), "int32", (3,))], ((3,), "int16"))
refuse("not constant", "must be constant", to, [((3,), "int8"), ((1,), "int32")], ((3,), "int8"))
refuse(
    "negative", "should have shape", to, [((3,), "int8"), ((1,), "int32", (-3,))], ((3,), "int8")
)
args = "BROADCAST_ARGS"
refuse("args rank", "one dimension", args, [((1, 2), "int32"), ((2,), "int32")], ((2,), "int32"))
refuse(
    "args length", "should have shape", args, [((2,), "int32"), ((2,), "int32")], ((3,), "int32")
)
refuse("args types", "differ in type", args, [((2,), "int32"), ((2,), "int64")], ((2,), "int32"))
refuse(
    "args float", "must be int32", args, [((2,), "float32"), ((2,), "float32")], ((2,), "float32")
)
refuse("SHAPE length", "should have shape", "SHAPE", [((2, 3), "int8")], ((3,), "int32"))
refuse("SHAPE type", "must be int32", "SHAPE", [((2, 3), "int8")], ((2,), "int8"))


@cases.parametrize
def test_broadcast_to(case):
    case.check()
