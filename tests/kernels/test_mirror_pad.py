# Tests of MIRROR_PAD against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor
from support.single_op import Tensor, single_op

WHEEL = ("int8", "float32")
MODES = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}
cases = Cases()


# A MIRROR_PAD of a shape by pairs of paddings.
def add(name, shape, paddings, dtype, mode, wheel=True, index_dtype="int32"):
    add_move(
        cases,
        f"{name} {mode}",
        "MIRROR_PAD",
        [tensor(shape, dtype)],
        dtype,
        lambda x: np.pad(x, paddings, MODES[mode]) if shape else x,
        wheel=wheel and dtype in WHEEL,
        constants=[Tensor((len(paddings), 2), index_dtype, paddings)],
        mode=mode,
    )


for mode in MODES:
    for dtype in DTYPES:
        add(f"{dtype} image", (1, 4, 5, 3), [(0, 0), (2, 1), (1, 3), (0, 0)], dtype, mode)
    add("vector", (9,), [(8, 5)], "int8", mode)
    add("int64", (3, 4), [(1, 2), (0, 3)], "int8", mode, index_dtype="int64")
    add("nothing added", (3, 4), [(0, 0), (0, 0)], "int8", mode)
    add(
        "6 dimensions",
        (2, 2, 1, 2, 2, 2),
        [(1, 0), (0, 1), (0, 0), (1, 1), (0, 0), (1, 0)],
        "int8",
        mode,
    )
    add("scalar", (), np.zeros((0, 2), int), "int8", mode, wheel=False)
    add("empty", (0, 3), [(0, 0), (1, 1)], "int8", mode, wheel=False)
random = generator("mirror pad")
for number in range(24):
    mode = list(MODES)[number % 2]
    rank = int(random.integers(1, 5))
    shape = tuple(int(n) for n in random.integers(1, 6, rank))
    edge = 1 if mode == "REFLECT" else 0
    paddings = [random.integers(0, n - edge + 1, 2).tolist() for n in shape]
    add(f"sweep {number} {shape} {paddings}", shape, paddings, WHEEL[number % 4 // 2], mode)
add("as far as it goes", (3, 4), [(3, 3), (4, 4)], "int8", "SYMMETRIC")
add("as far as it goes", (3, 4), [(2, 2), (3, 3)], "int8", "REFLECT")


# Models that must be refused.
def refuse(name, error, paddings, output=(6, 3), dtype="int8", mode="REFLECT", shape=None):
    paddings = Tensor(shape or np.shape(paddings), "int32", paddings)
    inputs = [tensor((3, 3), "int8"), paddings]
    model = single_op("MIRROR_PAD", inputs, [tensor(output, dtype)], mode=mode)
    cases.add(f"refused: {name}", model, error=error)


good = [(1, 2), (0, 0)]
refuse("shape", "should have shape", good, output=(7, 3))
refuse("type", "differ in type", good, dtype="int16")
refuse("too far", "cannot be mirrored", [(3, 0), (0, 0)])
refuse("too far after", "cannot be mirrored", [(0, 4), (0, 0)], (7, 3), mode="SYMMETRIC")
refuse("negative", "cannot be mirrored", [(-1, 4), (0, 0)])
refuse("too few", "2 paddings", [(1, 2)])
refuse("not constant", "must be constant", None, shape=(2, 2))


@cases.parametrize
def test_mirror_pad(case):
    case.check()
