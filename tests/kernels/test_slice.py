# Tests of SLICE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor, values
from support.single_op import Tensor, single_op

WHEEL = ("int8", "bool", "int16", "float32", "int32")
cases = Cases()


# A SLICE; a size of -1 means up to the end.
def add(name, shape, begin, size, dtype, wheel=True, index_dtype="int32", constant=False):
    data = values(name, shape, dtype) if constant else None
    other = [] if data is None else [tensor((1,), dtype)]
    ends = [n if s == -1 else b + s for n, b, s in zip(shape, begin, size, strict=True)]
    where = tuple(slice(b, e) for b, e in zip(begin, ends, strict=True))
    add_move(
        cases,
        name,
        "SLICE",
        [tensor(shape, dtype, data), *other],
        dtype,
        lambda x: x[where],
        wheel=wheel and dtype in WHEEL,
        constants=[Tensor((len(shape),), index_dtype, v) for v in (begin, size)],
    )


for dtype in DTYPES:
    add(f"{dtype} cube", (5, 4, 6), (1, 1, 2), (3, 2, 3), dtype)
    add(f"{dtype} to the end", (5, 4, 6), (1, 0, 5), (-1, -1, -1), dtype)
random = generator("slice")
for number in range(24):
    rank = int(random.integers(1, 6))
    shape = [int(n) for n in random.integers(1, 7, rank)]
    begin = [int(random.integers(0, n)) for n in shape]
    size = [int(random.integers(1, n - b + 1)) for n, b in zip(shape, begin, strict=True)]
    index_dtype = ("int32", "int64")[number % 2]
    dtype = WHEEL[number % len(WHEEL)]
    add(f"sweep {number} {shape} {begin} {size}", shape, begin, size, dtype, True, index_dtype)
add("everything", (3, 4), (0, 0), (3, 4), "int8")
add("long rows at odd places", (4, 131), (1, 3), (3, 101), "int8")
for length in range(1, 41):  # all combinations of words and bytes
    add(f"{length} bytes on words", (1, 64), (0, 4), (1, length), "int8")
    add(f"{length} bytes off words", (1, 64), (0, 3), (1, length), "int8")
add("nothing", (3, 4), (1, 2), (0, 2), "int8", wheel=False)
add("of nothing", (0, 4), (0, 2), (-1, 2), "int8", wheel=False)
add("scalar", (), (), (), "int8", wheel=False)
add("7 dimensions", (2, 3) * 3 + (4,), (1, 1) * 3 + (1,), (1, 2) * 3 + (2,), "int8", wheel=False)


# A SLICE whose begin, and optionally its size, are inputs; `moved` is the begin after clamping.
def add_computed(name, shape, begin, size, dtype, moved=None, index_dtype="int32", **keywords):
    size_is_input = keywords.get("size_is_input", False)
    model = single_op(
        "SLICE",
        [
            tensor(shape, dtype),
            Tensor((len(shape),), index_dtype),
            Tensor(
                (len(shape),), index_dtype, None if size_is_input else keywords.get("given", size)
            ),
        ],
        [tensor(size, dtype)],
    )
    x = values(name, shape, dtype)
    taken = x[tuple(slice(b, b + n) for b, n in zip(moved or begin, size, strict=True))]
    inputs = [x, np.array(begin), np.array(size)]
    wheel = moved is None and dtype in WHEEL and len(shape) <= 5
    cases.add(
        f"computed: {name}",
        model,
        inputs=[inputs if size_is_input else inputs[:2]],
        expected=None if wheel else [[taken]],
    )


for dtype in DTYPES:
    add_computed(f"{dtype} row", (5, 6), (3, 0), (1, 6), dtype)
    add_computed(f"{dtype} cube", (5, 4, 6), (1, 1, 2), (3, 2, 3), dtype)
for number in range(12):
    rank = int(random.integers(1, 6))
    shape = [int(n) for n in random.integers(1, 7, rank)]
    begin = [int(random.integers(0, n)) for n in shape]
    size = [int(random.integers(1, n - b + 1)) for n, b in zip(shape, begin, strict=True)]
    add_computed(
        f"sweep {number} {shape} {begin} {size}",
        shape,
        begin,
        size,
        WHEEL[number % len(WHEEL)],
        index_dtype=("int32", "int64")[number % 2],
        size_is_input=number % 3 == 0,
    )
add_computed("to the end", (4, 9), (0, 3), (4, 6), "int8", given=(-1, -1))
add_computed("outside", (4, 9), (-2, 7), (2, 3), "int8", moved=(0, 6))
add_computed("7 dimensions", (2, 3) * 3 + (4,), (1, 1) * 3 + (1,), (1, 2) * 3 + (2,), "int8")
for far in (1 << 31, (1 << 32) + 1, 1 << 62):
    add_computed(f"far {far}", (4, 9), (-far, far), (2, 3), "int8", (0, 6), "int64")


# Models that must be refused.
def refuse(name, begin, size, error, output=(2, 3), dtype="int8", index_dtype="int32"):
    inputs = [tensor((4, 5), "int8")]
    inputs += [Tensor((2 if v is None else len(v),), index_dtype, v) for v in (begin, size)]
    cases.add(f"refused: {name}", single_op("SLICE", inputs, [tensor(output, dtype)]), error=error)


refuse("begin too large", (3, 0), (2, 3), "reach outside")
refuse("begin negative", (-1, 0), (2, 3), "reach outside")
refuse("size too large", (0, 3), (2, 3), "reach outside")
refuse("size of -2", (0, 0), (2, -2), "reach outside")
refuse("begin past the end", (0, 6), (2, -1), "reach outside", output=(2, 0))
refuse("huge", (0, 1 << 62), (2, 1 << 62), "reach outside", index_dtype="int64")
refuse("too few entries", (1,), (2,), "2 entries")
refuse("too many entries", (1, 1, 0), (2, 3, 1), "2 entries")
refuse("too many computed", (0, 0), None, "is no slice", output=(2, 6))
refuse("rank of computed", (0, 0), None, "is no slice", output=(2,))
refuse("size of computed", None, (2, 4), "should have shape")
refuse("type of computed", None, (2, 3), "differ in type", dtype="uint8")
refuse("output shape", (0, 0), (2, 4), "should have shape")
refuse("output type", (0, 0), (2, 3), "differ in type", dtype="uint8")
refuse("begin of float32", (0, 0), (2, 3), "must be int32 or int64", index_dtype="float32")


@cases.parametrize
def test_slice(case):
    case.check()
