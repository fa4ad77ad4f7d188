# Tests of SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor
from support.single_op import Tensor, single_op

WHEEL = ("int8", "float32")
cases = Cases()


# The zero of tensor().
def zero(dtype):
    return {"int8": -3, "uint8": 128}.get(dtype, 0)


# Both operators by numpy.
def to_batch(x, blocks, paddings, value):
    rest = [(0, 0)] * (x.ndim - 1 - len(blocks))
    x = np.pad(x, [(0, 0), *paddings, *rest], constant_values=value)
    shape = [x.shape[0]]
    for i, block in enumerate(blocks):
        shape += [x.shape[1 + i] // block, block]
    tail = x.shape[1 + len(blocks) :]
    x = x.reshape([*shape, *tail])
    count = len(blocks)
    order = [2 + 2 * i for i in range(count)] + [0] + [1 + 2 * i for i in range(count)]
    x = x.transpose(order + list(range(1 + 2 * count, x.ndim)))
    return x.reshape([-1, *shape[1::2], *tail])


def to_space(x, blocks, crops):
    count = len(blocks)
    batch = x.shape[0] // int(np.prod(blocks))
    tail = x.shape[1 + count :]
    y = x.reshape([*blocks, batch, *x.shape[1:]])
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    y = y.transpose(order + list(range(2 * count + 1, y.ndim)))
    sizes = [x.shape[1 + i] * blocks[i] for i in range(count)]
    y = y.reshape([batch, *sizes, *tail])
    cuts = [slice(crops[i][0], sizes[i] - crops[i][1]) for i in range(count)]
    return y[(slice(None), *cuts)]


# TFLM pads with a number that it never sets: numpy is the oracle if there are paddings.
def add(name, shape, blocks, edges, dtype, space=False, wheel=True):
    operator = "BATCH_TO_SPACE_ND" if space else "SPACE_TO_BATCH_ND"
    wheel = wheel and dtype in WHEEL and (space or not np.any(edges))

    def move(x):
        if space:
            return to_space(x, blocks, edges)
        return to_batch(x, blocks, edges, zero(dtype))

    add_move(
        cases,
        f"{operator} {dtype} {name} {shape} {blocks} {edges}",
        operator,
        [tensor(shape, dtype)],
        dtype,
        move,
        wheel=wheel,
        constants=[
            Tensor((len(blocks),), "int32", blocks),
            Tensor((len(blocks), 2), "int32", edges),
        ],
    )


none = [(0, 0), (0, 0)]
for dtype in DTYPES:
    add("", (1, 4, 6, 3), (2, 3), none, dtype)
    add("padded", (2, 3, 5, 2), (2, 3), [(1, 0), (2, 2)], dtype)
    add("", (12, 2, 2, 3), (2, 3), none, dtype, True)
    add("cropped", (12, 2, 3, 2), (2, 3), [(1, 0), (2, 1)], dtype, True)
random = generator("space to batch")
for number in range(28):
    space = number % 2 == 1
    count = int(random.integers(1, 3))
    blocks = [int(n) for n in random.integers(1, 5, count)]
    edges = [[int(n) for n in random.integers(0, 6, 2)] for _ in blocks]
    if space:
        sizes = [int(random.integers(3, 6)) for _ in blocks]
        edges = [
            [before, min(after, size * block - before - 1)]
            for (before, after), size, block in zip(edges, sizes, blocks, strict=True)
        ]
        edges = [[0, 0] if min(pair) < 0 else pair for pair in edges]
        batch = int(np.prod(blocks)) * int(random.integers(1, 3))
    else:
        sizes = [int(n) for n in random.integers(1, 6, count)]
        for i, block in enumerate(blocks):
            edges[i][1] += -(sizes[i] + sum(edges[i])) % block
        batch = int(random.integers(1, 3))
    shape = (batch, *sizes, int(random.integers(1, 4)))
    add(f"sweep {number}", shape, blocks, edges, WHEEL[number % 4 // 2], space)
add("three dimensions", (2, 6, 3), (3,), [(0, 0)], "int8")
add("three dimensions", (6, 2, 3), (3,), [(0, 0)], "int8", True)
add("blocks of 1", (2, 3, 4, 1), (1, 1), none, "int8")
add("larger than the picture", (1, 2, 2, 3), (4, 5), [(1, 1), (1, 2)], "int8")
add("only padding", (1, 2, 2, 1), (2, 2), [(4, 4), (0, 0)], "int8")
add("three blocks", (1, 4, 2, 6, 2), (2, 1, 3), [(1, 1), (0, 0), (2, 1)], "int8")
add("three blocks", (12, 2, 2, 2, 2), (2, 2, 3), [(1, 1), (0, 0), (2, 1)], "int8", True, False)
add("block of the first dimension only", (1, 4, 5, 2), (2,), [(1, 1)], "int8")
add("everything cropped", (4, 1, 1, 2), (2, 2), [(1, 1), (0, 0)], "int8", True, False)
add("empty", (1, 0, 4, 2), (2, 2), [(0, 2), (0, 0)], "int8")
for zero_point in (-128, 127):
    quantized = {"scale": 0.5, "zero_point": zero_point}
    x = [
        Tensor((1, 2, 1), "int8", **quantized),
        Tensor((1,), "int32", [2]),
        Tensor((1, 2), "int32", [[1, 1]]),
    ]
    model = single_op("SPACE_TO_BATCH_ND", x, [Tensor((2, 2, 1), "int8", **quantized)])
    expected = [[[[[zero_point], [2]], [[1], [zero_point]]]]]
    cases.add(f"zero point {zero_point}", model, inputs=[[[[[1], [2]]]]], expected=expected)


# Models that must be refused.
def refuse(
    name,
    error,
    blocks=(2, 2),
    edges=none,
    output=(4, 2, 3, 2),
    shape=(1, 4, 6, 2),
    dtype="int8",
    operator="SPACE_TO_BATCH_ND",
):
    inputs = [
        tensor(shape, "int8"),
        Tensor((2,) if blocks is None else np.shape(blocks), "int32", blocks),
        Tensor((2, 2) if edges is None else np.shape(edges), "int32", edges),
    ]
    model = single_op(operator, inputs, [tensor(output, dtype)])
    cases.add(f"refused: {operator} {name}", model, error=error)


refuse("shape", "should have shape", output=(4, 3, 2, 2))
refuse("type", "differ in type", dtype="int16")
refuse("does not divide", "does not divide", (3, 2))
refuse("block of 0", "smaller than 1", (0, 2))
refuse("negative", "is negative", edges=[(-1, 1), (0, 0)])
refuse("many blocks", "do not fit", (1, 1, 1, 1), [(0, 0)] * 4)
refuse("edges", "do not fit", edges=[(0, 0)])
refuse("blocks not constant", "must be constant", None)
refuse("edges not constant", "must be constant", edges=None)
refuse("huge block", "does not divide", (1 << 30, 2))
space = {"operator": "BATCH_TO_SPACE_ND", "shape": (4, 2, 3, 2), "output": (1, 4, 6, 2)}
refuse("shape", "should have shape", **{**space, "output": (1, 4, 5, 2)})
refuse("batches", "no batches", (3, 1), **space)
refuse("crops", "larger than", edges=[(3, 2), (0, 0)], **space)
refuse("rank", "should have shape", **{**space, "output": (1, 4, 6, 2, 1)})


@cases.parametrize
def test_space_to_batch_nd(case):
    case.check()
