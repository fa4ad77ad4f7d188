# Tests of RFFT2D, COMPLEX_ABS, REAL and IMAG against LiteRT; TFLM has no such operators
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support import litert
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

pytestmark = litert.needs_litert

cases = Cases()
_ABS = {"rtol": 3e-7, "atol": 3e-45}
_OPERATORS = ("REAL", "IMAG", "COMPLEX_ABS")


# A model with a transform and an operator on its complex values.
def _spectrum(op, shape, length):
    model = ModelBuilder()
    x = model.tensor(shape, "float32")
    lengths = model.tensor((2,), "int32", data=[shape[-2], length])
    bins = (*shape[:-1], length // 2 + 1)
    spectrum, y = model.tensor(bins, "complex64"), model.tensor(bins, "float32")
    model.operator("RFFT2D", [x, lengths], [spectrum])
    model.operator(op, [spectrum], [y])
    model.io([x], [y])
    return model.build()


# Rows that are padded, cut off or fit, and images of several rows. The transform is in single
# precision here and in double precision in LiteRT: errors are relative to the largest bin.
for shape, length in [
    ((1, 8), 8),
    ((3, 1, 400), 512),
    ((2, 2, 1, 40), 16),
    ((1, 3), 4),
    ((2, 4), 4),
    ((4, 8), 8),
    ((3, 32, 20), 32),
    ((2, 2, 8, 9), 4),
]:
    for op in _OPERATORS:
        name = f"{op} of RFFT2D {shape} {length}"
        values = [[generator(name).normal(0, 1, shape).astype("f")] for _ in range(2)]
        values_of_bin = length * shape[-2]
        tolerance = 3e-7 * np.sqrt(values_of_bin) * np.log2(values_of_bin)
        cases.add(
            name, _spectrum(op, shape, length), values, expected=litert.outputs, atol=tolerance
        )

_EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3e-39, -1e-25, 1e25, 3e38, 1.0, -2.5]
_GRID = np.array([complex(a, b) for a in _EDGES for b in _EDGES], np.complex64)
_RANDOM = generator("complex").normal(0, 1, (2, 150)) * 2.0 ** generator("powers").integers(
    -60, 60, (2, 150)
)
for op in _OPERATORS:
    for name, values in (("edges", _GRID), ("random", _RANDOM.astype("f").view(np.complex64))):
        tensors = [Tensor(values.shape, "complex64")], [Tensor(values.shape, "float32")]
        model = single_op(op, *tensors)
        cases.add(f"{op} {name}", model, [[values]], expected=litert.outputs, **_ABS)


def _transform(shape, lengths, bins):
    x = [Tensor(shape, "float32"), Tensor((2,), "int32", lengths)]
    return single_op("RFFT2D", x, [Tensor(bins, "complex64")])


values = [[generator("output").normal(0, 1, (2, 1, 8)).astype("f")]]
cases.add(
    "complex output",
    _transform((2, 1, 8), [1, 8], (2, 1, 5)),
    values,
    expected=litert.outputs,
    atol=1e-6,
)

for name, model, error in (
    ("two rows", _transform((2, 8), [4, 8], (4, 5)), "an fft_length of 4 for 2 rows"),
    ("three rows", _transform((3, 8), [3, 8], (3, 5)), "3 is no power of 2"),
    ("length 12", _transform((1, 12), [1, 12], (1, 7)), "12 is no power of 2"),
    ("length 2", _transform((1, 2), [1, 2], (1, 2)), "the length 2"),
    ("bins", _transform((1, 8), [1, 8], (1, 4)), "should have shape"),
    ("float output", single_op("RFFT2D", [Tensor((1, 8), "float32"), Tensor((2,), "int32",
     [1, 8])], [Tensor((1, 5), "float32")]), "float32"),
):  # fmt: skip
    cases.add(name, model, error=error)


@cases.parametrize
def test_complex(case):
    case.check()
