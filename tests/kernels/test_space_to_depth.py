# Tests of SPACE_TO_DEPTH and DEPTH_TO_SPACE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from support.check import Cases
from support.copying_ops import DTYPES, add_move, tensor
from support.single_op import single_op

WHEEL = ("int8", "float32")
cases = Cases()


# Both operators by numpy.
def to_depth(x, block):
    n, height, width, depth = x.shape
    x = x.reshape(n, height // block, block, width // block, block, depth)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(n, height // block, width // block, -1)


def to_space(x, block):
    n, height, width, depth = x.shape
    x = x.reshape(n, height, width, block, block, depth // block // block)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(n, height * block, width * block, -1)


# Both operators; each has the shape of the other's output.
def add(shape, block, dtype, wheel=True):
    n, height, width, depth = shape
    deep = (n, height // block, width // block, depth * block * block)
    for operator, given, function in [
        ("SPACE_TO_DEPTH", shape, to_depth),
        ("DEPTH_TO_SPACE", deep, to_space),
    ]:
        add_move(
            cases,
            f"{operator} {dtype} {given} {block}",
            operator,
            [tensor(given, dtype)],
            dtype,
            lambda x, function=function: function(x, block),
            wheel=wheel and dtype in WHEEL,
            block_size=block,
        )


for dtype in DTYPES:
    add((1, 4, 6, 3), 2, dtype)
for number, (shape, block) in enumerate(
    [
        ((2, 6, 3, 1), 3),
        ((1, 2, 2, 5), 2),
        ((3, 8, 4, 2), 4),
        ((1, 5, 7, 2), 1),
        ((1, 16, 16, 4), 4),
    ]
):
    add(shape, block, WHEEL[number % 2])
add((1, 4, 4, 0), 2, "int8", wheel=False)


# Models that must be refused.
def refuse(name, error, operator, shape, output, block=2, dtype="int8"):
    model = single_op(operator, [tensor(shape, "int8")], [tensor(output, dtype)], block_size=block)
    cases.add(f"refused: {operator} {name}", model, error=error)


for operator, shape, output in [
    ("SPACE_TO_DEPTH", (1, 4, 6, 2), (1, 2, 3, 8)),
    ("DEPTH_TO_SPACE", (1, 2, 3, 8), (1, 4, 6, 2)),
]:
    refuse("shape", "should have shape", operator, shape, shape)
    refuse("type", "differ in type", operator, shape, output, dtype="uint8")
    refuse("rank", "4 dimensions", operator, shape[1:], output)
    refuse("block of 0", "block size is 0", operator, shape, output, 0)
    refuse("negative block", "block size is -2", operator, shape, output, -2)
    refuse("block", "does not divide|no channels", operator, shape, output, 5)
    refuse("huge block", "does not divide|no channels", operator, shape, output, 1 << 30)


@cases.parametrize
def test_space_to_depth(case):
    case.check()
