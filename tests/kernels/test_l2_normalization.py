# Tests of L2_NORMALIZATION and L2_POOL_2D against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()


def normalization(dtype, shape, zero_point=0, **options):
    keywords = [{}, {}]
    if dtype == "int8":
        keywords = [{"scale": 0.3, "zero_point": zero_point}, {"scale": 1 / 128, "zero_point": 0}]
    tensors = [Tensor(shape, dtype, **k) for k in keywords]
    return single_op("L2_NORMALIZATION", tensors[:1], tensors[1:], **options)


for dtype in ("float32", "int8"):
    for shape in [(1,), (7,), (2, 5), (3, 1), (2, 3, 4), (2, 3, 2, 19), (3, 300)]:
        for zero_point in (0, -128, 127, 5) if dtype == "int8" else (0,):
            name = f"{dtype} {shape} {zero_point}"
            cases.add(name, normalization(dtype, shape, zero_point))
    empty = np.zeros((0, 3))
    cases.add(f"{dtype} empty", normalization(dtype, (0, 3)), [[empty]], expected=[[empty]])
    cases.add(f"{dtype} rank 0", normalization(dtype, ()), error="a dimension")
    cases.add(f"{dtype} rank 5", normalization(dtype, (1,) * 5), error="more than 4")
    model = normalization(dtype, (2,), fused_activation_function="RELU")
    cases.add(f"{dtype} activation", model, error="activation")

# Sums of squares of all sizes, including the sums of one and two squares.
random = generator("sums")
x = random.integers(-128, 128, (400, 3)) // np.exp2(random.uniform(0, 8, (400, 1)))
x[:5] = [[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, 1, 1], [-2, 0, 0]]
cases.add("int8 sums", normalization("int8", (400, 3)), [[x]], slices=(61,))
x = np.zeros((1, 30000))
x[0, ::7] = 100
cases.add("int8 long row", normalization("int8", (1, 30000), -128), [[x]], slices=(1,))
x = random.normal(0, 1, (60, 4)) * np.exp2(random.uniform(-80, 70, (60, 1)))
x[:3, 0] = [np.nan, np.inf, 1e-6]
x[3] = 0
cases.add("float32 sums", normalization("float32", (60, 4)), [[x]], slices=(7,))


# L2_POOL_2D: the windows of the other pooling operators.
for i, (shape, window, stride, padding, activation) in enumerate(
    [
        ((1, 4, 4, 3), (2, 2), (2, 2), "VALID", "NONE"),
        ((2, 5, 7, 4), (3, 2), (1, 2), "SAME", "RELU6"),
        ((1, 6, 5, 1), (1, 5), (1, 1), "VALID", "RELU_N1_TO_1"),
        ((1, 3, 3, 2), (7, 7), (3, 2), "SAME", "RELU"),
        ((1, 1, 1, 1), (1, 1), (1, 1), "SAME", "NONE"),
    ]
):
    size = [
        -(-n // s) if padding == "SAME" else (n - w) // s + 1
        for n, w, s in zip(shape[1:3], window, stride, strict=True)
    ]
    options = {
        "filter_height": window[0],
        "filter_width": window[1],
        "stride_h": stride[0],
        "stride_w": stride[1],
        "padding": padding,
        "fused_activation_function": activation,
    }
    x, y = Tensor(shape, "float32"), Tensor((shape[0], *size, shape[3]), "float32")
    model = single_op("L2_POOL_2D", [x], [y], **options)
    cases.add(f"L2_POOL_2D {i}", model)
    large = random.normal(0, 1, shape) * 1e20
    cases.add(f"L2_POOL_2D {i} overflow", model, [[large]])
x, y = (Tensor(s, "int8", scale=1.0) for s in ((1, 4, 4, 1), (1, 2, 2, 1)))
cases.add("L2_POOL_2D int8", single_op("L2_POOL_2D", [x], [y], **options), error="float32")


@cases.parametrize
def test_l2_normalization(case):
    case.check()
