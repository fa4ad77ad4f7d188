# Tests of STRIDED_SLICE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import math

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor
from support.single_op import Tensor, single_op

WHEEL = ("int8", "bool", "int16", "float32", "int32")
cases = Cases()


# Return numpy's index for the same slice.
def index_of(begin, end, strides, begin_mask=0, end_mask=0, shrink_axis_mask=0):
    index = []
    for i, (first, last, step) in enumerate(zip(begin, end, strides, strict=True)):
        if shrink_axis_mask >> i & 1:
            index.append(first)
        else:
            first = None if begin_mask >> i & 1 else first
            index.append(slice(first, None if end_mask >> i & 1 else last, step))
    return tuple(index)


# A strided slice.
def add(name, shape, begin, end, strides, dtype="int8", wheel=True, index_dtype="int32", **masks):
    index = index_of(begin, end, strides, **masks)
    add_move(
        cases,
        name,
        "STRIDED_SLICE",
        [tensor(shape, dtype)],
        dtype,
        lambda x: np.asarray(x[index]),
        wheel=wheel and dtype in WHEEL,
        constants=[Tensor((len(begin),), index_dtype, v) for v in (begin, end, strides)],
        **masks,
    )


for dtype in DTYPES:
    add(f"{dtype} every second", (6, 5), (0, 1), (6, 5), (2, 1), dtype)
    add(f"{dtype} backwards", (4, 5), (3, 4), (0, 0), (-1, -2), dtype)
    add(f"{dtype} one row", (4, 5), (2, 0), (3, 5), (1, 1), dtype, shrink_axis_mask=1)
for begin, end in [(0, 7), (-3, 100), (-100, 4), (2, -1), (6, 7), (0, 1)]:
    for step in (1, 2, 3, 7):
        add(f"forward {begin} {end} {step}", (7,), (begin,), (end,), (step,))
for begin, end in [(6, 0), (100, -100), (-1, -4), (5, 1), (0, -100), (3, 2)]:
    for step in (-1, -2, -3, -7):
        add(f"backward {begin} {end} {step}", (7,), (begin,), (end,), (step,))
for step in (1, -1, 2, -3):
    add(f"open begin {step}", (7, 3), (3, 0), (4, 3), (step, 1), begin_mask=1)
    add(f"open end {step}", (7, 3), (3, 0), (4, 3), (step, 1), end_mask=1)
    add(f"open {step}", (7, 3), (3, 1), (4, 2), (step, step), begin_mask=3, end_mask=3)
add(
    "last of each",
    (3, 4, 5),
    (0, 0, -1),
    (0, 0, 0),
    (1, 1, 1),
    begin_mask=3,
    end_mask=3,
    shrink_axis_mask=4,
)
add("scalar from vector", (5,), (3,), (4,), (1,), shrink_axis_mask=1)
add("all shrunk", (2, 3), (1, -2), (2, -1), (1, 1), dtype="float32", shrink_axis_mask=3)
add("shrunk ends do not matter", (4, 3), (-1, 0), (0, 3), (1, 1), shrink_axis_mask=1)


# A random slice of up to 4 dimensions that is not empty.
def random_slice(random):
    while True:
        rank = int(random.integers(1, 5))
        shape = tuple(int(n) for n in random.integers(1, 8, rank))
        begin, end = random.integers(-9, 10, (2, rank)).tolist()
        strides = [int(n) for n in random.choice((-3, -2, -1, 1, 2, 3), rank)]
        masks = {
            "begin_mask": int(random.integers(0, 1 << rank)),
            "end_mask": int(random.integers(0, 1 << rank)),
        }
        if math.prod(np.empty(shape)[index_of(begin, end, strides, **masks)].shape):
            return shape, begin, end, strides, masks


random = generator("strided slice")
for number in range(40):
    shape, begin, end, strides, masks = random_slice(random)
    dtype = WHEEL[number % len(WHEEL)]
    add(f"sweep {number} {shape}", shape, begin, end, strides, dtype, **masks)
add(
    "5 dimensions",
    (2, 3, 4, 3, 2),
    (1, 2, 3, 0, 0),
    (-3, -4, 0, 3, 2),
    (-1, -1, -2, 2, 1),
    wheel=False,
)
add("fewer entries than dimensions", (4, 3, 2), (1,), (4,), (2,), wheel=False)
add("int64 entries", (4, 3), (1, 0), (1 << 40, 2), (1, 1), wheel=False, index_dtype="int64")
add("nothing", (4, 3), (3, 0), (1, 3), (1, 1), wheel=False)
add("of nothing", (0, 3), (0, 0), (5, 3), (1, 1), wheel=False)
add("of nothing, backwards", (0, 3), (-1, 0), (-9, 3), (-1, 1), wheel=False)
add("of a scalar", (), (), (), (), wheel=False)


# Models that must be refused.
def refuse(name, begin, end, strides, error, output=(2, 3), dtype="int8", **masks):
    inputs = [tensor((4, 5), "int8")]
    for values in (begin, end, strides):
        inputs.append(Tensor((2 if values is None else len(values),), "int32", values))
    model = single_op("STRIDED_SLICE", inputs, [tensor(output, dtype)], **masks)
    cases.add(f"refused: {name}", model, error=error)


good = ((0, 0), (2, 3), (1, 1))
refuse("stride 0", (0, 0), (2, 3), (1, 0), "stride is 0")
refuse("output shape", (0, 0), (2, 4), (1, 1), "should have shape")
refuse("output rank", *good, "should have shape", output=(2, 3, 1))
refuse("output type", *good, "differ in type", dtype="bool")
refuse(
    "index too large",
    (4, 0),
    (5, 3),
    (1, 1),
    "outside its dimension of 4",
    (3,),
    shrink_axis_mask=1,
)
refuse("index backwards", (1, 0), (2, 3), (-1, 1), "stride -1", (3,), shrink_axis_mask=1)
refuse("lengths differ", (0, 0), (2,), (1, 1), "2 entries")
refuse("too many entries", (0, 0, 0), (2, 3, 1), (1, 1, 1), "2 entries")
refuse("ellipsis", *good, "ellipsis", ellipsis_mask=1)
refuse("new axis", *good, "new axes", new_axis_mask=1)
refuse("offset", *good, "counts from the begin", offset=True)
refuse("begin not constant", None, (2, 3), (1, 1), "must be constant")
refuse("end not constant", (0, 0), None, (1, 1), "must be constant")
refuse("strides not constant", (0, 0), (2, 3), None, "must be constant")


@cases.parametrize
def test_strided_slice(case):
    case.check()
