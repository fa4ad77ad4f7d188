# Tests of GATHER, GATHER_ND and EMBEDDING_LOOKUP against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, generator, tensor, values
from support.single_op import Tensor, single_op

WHEEL = ("int8", "float32")
cases = Cases()


# GATHER by numpy.
def gathered(x, indices, axis, batch_dims):
    if not batch_dims:
        return np.take(x, indices, axis)
    pairs = zip(x, indices, strict=True)
    return np.stack([gathered(a, i, axis - 1, batch_dims - 1) for a, i in pairs])


# A GATHER; indices are random, an input, a constant, or given.
def add(name, shape, indices, axis, dtype, batch_dims=0, constant=(), kind="int32", **options):
    name = f"GATHER {dtype} {name}"
    x = values(name, shape, dtype)
    if isinstance(indices, tuple):
        indices = generator(name).integers(0, shape[axis], indices)
    positive = axis % len(shape)
    batches = batch_dims % len(np.shape(indices)) if batch_dims < 0 else batch_dims
    output = gathered(x, indices, positive, batches)
    tensors = [
        tensor(shape, dtype, x if 0 in constant else None),
        Tensor(np.shape(indices), kind, indices if 1 in constant else None),
    ]
    indices = np.asarray(indices, kind)
    model = single_op(
        "GATHER",
        tensors,
        [tensor(output.shape, dtype)],
        axis=axis,
        batch_dims=batch_dims,
        **options,
    )
    inputs = [[a for i, a in enumerate((x, indices)) if i not in constant]]
    wheel = dtype in WHEEL and output.size and np.ndim(indices) and kind == "int32"
    cases.add(name, model, inputs=inputs, expected=None if wheel else [[output]])


for dtype in DTYPES:
    add("rows", (6, 5), (4,), 0, dtype)
    add("elements", (3, 7), (2, 3), 1, dtype)
for number, dtype in enumerate(WHEEL * 2):
    constant = [(), (0,), (1,), (0, 1)][number]
    add(f"middle {constant}", (2, 5, 3), (4,), 1, dtype, constant=constant)
    add(f"from the end {constant}", (2, 3, 5, 3), (2, 3), -2, dtype, constant=constant)
    add(f"batches {constant}", (3, 4, 5), (3, 2), 1, dtype, 1, constant=constant)
    add(f"batches, later axis {constant}", (3, 2, 4, 5), (3, 6), 2, dtype, 1, constant=constant)
add("two batch dimensions", (2, 3, 4, 5), (2, 3, 2), 2, "int8", 2)
add("batches from the end", (2, 4, 5), (2, 3), 2, "int8", -1)
add("one index a batch", (3, 4), (3,), 1, "int8", 1)
add("scalar index", (4, 3), np.array(2), 0, "int8")
add("a vector", (40,), (70,), 0, "int8")
add("long rows", (5, 67), (9,), 0, "int8")
add("no indices", (4, 3), (0,), 0, "int8")
for constant in ((), (1,)):
    for kind in ("int64", "int16"):
        add(f"{kind} {constant}", (4, 3), (5,), 0, "int8", constant=constant, kind=kind)
add("large", (2, 130, 4), (50,), 1, "float32")
for bad in (-1, 5, 1 << 30, -(1 << 31), (1 << 31) - 1):
    for constant in (False, True):
        tensors = [
            Tensor((5, 3), "int8"),
            Tensor((4,), "int32", [0, 4, bad, 1] if constant else None),
        ]
        model = single_op("GATHER", tensors, [Tensor((4, 3), "int8")])
        run = [np.zeros((5, 3)), [0, 4, bad, 1]][: 1 if constant else 2]
        cases.add(
            f"refused: index {bad} {constant}",
            model,
            inputs=[run],
            error="outside its tensor",
            heap_lock=False,
        )


# A GATHER_ND; the last dimension of the indices is an index.
def add_nd(name, shape, indices_shape, dtype, constant=(), wheel=True, kind="int32"):
    name = f"GATHER_ND {dtype} {name}"
    x = values(name, shape, dtype)
    depth = indices_shape[-1]
    columns = [
        generator(f"{name} {i}").integers(0, shape[i], indices_shape[:-1]) for i in range(depth)
    ]
    indices = np.stack(columns, -1) if depth else np.zeros(indices_shape, int)
    output = x[tuple(columns)] if depth else np.broadcast_to(x, indices_shape[:-1] + shape)
    tensors = [
        tensor(shape, dtype, x if 0 in constant else None),
        Tensor(indices_shape, kind, indices if 1 in constant else None),
    ]
    model = single_op("GATHER_ND", tensors, [tensor(output.shape, dtype)])
    inputs = [[a for i, a in enumerate((x, indices)) if i not in constant]]
    wheel = wheel and dtype in WHEEL and kind == "int32"
    cases.add(name, model, inputs=inputs, expected=None if wheel else [[output]])


for dtype in DTYPES:
    add_nd("elements", (4, 3, 5), (7, 3), dtype)
    add_nd("rows", (4, 3, 5), (2, 3, 2), dtype)
for i, indices_shape in enumerate([(1,), (3,), (2, 1), (2, 2, 3), (6, 4), (2, 5)]):
    add_nd(f"{indices_shape}", (3, 2, 4, 3, 2), indices_shape, WHEEL[i % 2])
for constant in [(0,), (1,), (0, 1)]:
    add_nd(f"constant {constant}", (4, 3, 5), (6, 2), "int8", constant)
for constant in ((), (1,)):
    for kind in ("int64", "int16"):
        add_nd(f"{kind} {constant}", (4, 3, 5), (6, 2), "int8", constant, kind=kind)
add_nd("6 numbers", (2, 1, 2, 3, 2, 2), (4, 6), "int8", wheel=False)
add_nd("no numbers", (2, 3), (4, 0), "int8", wheel=False)
# TFLM checks the offset only: an index beyond one dimension may address the next one.
model = single_op(
    "GATHER_ND", [Tensor((4, 3), "int8"), Tensor((3, 2), "int32")], [Tensor((3,), "int8")]
)
cases.add("GATHER_ND sideways", model, inputs=[[np.arange(12), [[1, -1], [0, 11], [2, 4]]]])
for bad in ([4, 0], [0, 12], [-1, 0], [1 << 30, -(1 << 30)], [-(1 << 31), 5]):
    cases.add(
        f"refused: GATHER_ND {bad}",
        model,
        inputs=[[np.arange(12), [[0, 0], bad, [1, 1]]]],
        error="outside its tensor",
        heap_lock=False,
    )


# An EMBEDDING_LOOKUP with a table of int8 or float32.
def add_lookup(name, shape, count, dtype, output_dtype, constant=(), scale=0.03):
    name = f"EMBEDDING_LOOKUP {dtype} {output_dtype} {name}"
    numbers = generator(name).integers(0, shape[0], (count,))
    table = values(name, shape, dtype)
    keywords = {"scale": scale, "zero_point": 0} if dtype == "int8" else {}
    tensors = [
        Tensor((count,), "int32", numbers if 0 in constant else None),
        Tensor(shape, dtype, table if 1 in constant else None, **keywords),
    ]
    model = single_op("EMBEDDING_LOOKUP", tensors, [Tensor((count, *shape[1:]), output_dtype)])
    inputs = [a for i, a in enumerate((numbers, table)) if i not in constant]
    cases.add(name, model, inputs=[inputs], slices=(1, 3, 5))


for dtype, output_dtype in [("float32", "float32"), ("int8", "int8"), ("int8", "float32")]:
    add_lookup("table", (7, 5), 6, dtype, output_dtype, (1,))
    add_lookup("all constant", (7, 5), 6, dtype, output_dtype, (0, 1))
    add_lookup("inputs", (4, 3, 2), 9, dtype, output_dtype)
    add_lookup("long rows", (4, 90), 3, dtype, output_dtype, (1,))
add_lookup("tiny scale", (4, 9), 3, "int8", "float32", (1,), 1e-40)
for output_dtype in ("int8", "float32"):
    tensors = [Tensor((2,), "int32"), Tensor((3, 4), "int8", np.ones((3, 4)), scale=1.0)]
    model = single_op("EMBEDDING_LOOKUP", tensors, [Tensor((2, 4), output_dtype)])
    for bad in (3, -1):
        name = f"refused: lookup {bad} {output_dtype}"
        cases.add(name, model, inputs=[[[0, bad]]], error="outside its tensor", heap_lock=False)


# Models that must be refused.
def refuse(name, error, operator, inputs, output, **options):
    tensors = [Tensor(*entry) for entry in inputs]
    model = single_op(operator, tensors, [Tensor(*output)], **options)
    cases.add(f"refused: {operator} {name}", model, error=error)


x, i = ((4, 3), "int8"), ((2,), "int32")
refuse("axis", "does not exist", "GATHER", [x, i], ((2, 3), "int8"), axis=2)
refuse("shape", "should have shape", "GATHER", [x, i], ((2, 4), "int8"))
refuse("type", "differ in type", "GATHER", [x, i], ((2, 3), "int16"))
refuse("indices", "must be int32", "GATHER", [x, ((2,), "int8")], ((2, 3), "int8"))
refuse("batches", "do not fit axis", "GATHER", [x, i], ((2, 3), "int8"), batch_dims=1)
refuse(
    "batch sizes",
    "differ in their batch",
    "GATHER",
    [x, ((3, 2), "int32")],
    ((4, 2), "int8"),
    axis=1,
    batch_dims=1,
)
refuse("shape", "should have shape", "GATHER_ND", [x, i], ((3,), "int8"))
refuse("depth", "is too long", "GATHER_ND", [x, ((3,), "int32")], ((1,), "int8"))
refuse("scalar", "must not be scalars", "GATHER_ND", [x, ((), "int32")], ((1,), "int8"))
refuse("type", "differ in type", "GATHER_ND", [x, i], ((), "int16"))
refuse("indices", "must be int32", "GATHER_ND", [x, ((2,), "int8")], ((), "int8"))
refuse("rank", "one dimension", "EMBEDDING_LOOKUP", [((2, 1), "int32"), x], ((2, 3), "int8"))
refuse("vector", "2 or more", "EMBEDDING_LOOKUP", [i, ((4,), "int8")], ((2,), "int8"))
refuse("output", "should have shape", "EMBEDDING_LOOKUP", [i, x], ((3, 3), "int8"))
refuse("types", "must be float32", "EMBEDDING_LOOKUP", [i, x], ((2, 3), "int16"))
refuse("scale", "has no scale", "EMBEDDING_LOOKUP", [i, x], ((2, 3), "float32"))
lookup = [Tensor((2,), "int32"), Tensor((4, 3), "int8", scale=1.0, zero_point=1)]
model = single_op("EMBEDDING_LOOKUP", lookup, [Tensor((2, 3), "float32")])
cases.add("refused: zero point", model, error="zero point 0")


@cases.parametrize
def test_gather(case):
    case.check()
