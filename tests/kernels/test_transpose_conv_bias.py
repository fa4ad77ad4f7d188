# Tests of Convolution2DTransposeBias, which TFLM and LiteRT lack, against its definition
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

_NAME = "Convolution2DTransposeBias"
cases = Cases()


# Return (outputs, outputs cut off) along one side, as MediaPipe computes them.
def _side(size, window, stride, padding):
    cut = max(0, window - (size - 1) % stride - 1) if padding == "SAME" else 0
    return stride * (size - 1) + window - cut, cut


# Every input is spread over the outputs of its window; the first outputs are cut off.
def _expected(weights, bias, strides, padding):
    def outputs(_model, runs):
        found = []
        for (x,) in runs:
            count, *size, _ = x.shape
            sides = [_side(size[i], weights.shape[1 + i], strides[i], padding) for i in range(2)]
            whole = [strides[i] * (size[i] - 1) + weights.shape[1 + i] for i in range(2)]
            y = np.zeros((count, *whole, len(bias)))
            for row, column in np.ndindex(*size):
                at = row * strides[0], column * strides[1]
                window = np.einsum("bi,ohwi->bhwo", x[:, row, column], weights, dtype=float)
                y[:, at[0] : at[0] + window.shape[1], at[1] : at[1] + window.shape[2]] += window
            first = [cut // 2 for _, cut in sides]
            ends = [first[i] + sides[i][0] for i in range(2)]
            y = y[:, first[0] : ends[0], first[1] : ends[1]] + bias
            found.append([y.astype(np.float32)])
        return found

    return outputs


def _model(name, source, filters, window, strides, padding, raw=None, target=None):
    random = generator(name)
    weights = random.normal(0, 1, (filters, *window, source[3])).astype(np.float32)
    bias = random.normal(0, 1, filters).astype(np.float32)
    sides = [_side(source[1 + i], window[i], strides[i], padding)[0] for i in range(2)]
    kind = {"SAME": 1, "VALID": 2}[padding]
    model = single_op(
        _NAME,
        [
            Tensor(source, "float32"),
            Tensor(weights.shape, "float32", weights),
            Tensor(bias.shape, "float32", bias),
        ],
        [Tensor(target or (source[0], *sides, filters), "float32")],
        custom=struct.pack("<iii", kind, strides[1], strides[0]) if raw is None else raw,
    )
    return model, _expected(weights, bias, strides, padding)


for padding in ("SAME", "VALID"):
    for source, filters, window, strides in [
        ((1, 4, 5, 3), 2, (2, 2), (2, 2)),
        ((2, 3, 4, 2), 3, (3, 4), (2, 3)),
        ((1, 5, 2, 1), 1, (5, 1), (1, 2)),
        ((1, 1, 1, 4), 5, (3, 3), (1, 1)),
    ]:
        name = f"{padding} {source} {filters} {window} {strides}"
        model, expected = _model(name, source, filters, window, strides, padding)
        cases.add(name, model, expected=expected, rtol=1e-5, atol=1e-5, inputs="random")
_PLAIN = (1, 4, 5, 3), 2, (2, 2), (2, 2), "SAME"
for name, error, changes in [
    ("no options", "its options have 4 bytes, not 12", {"raw": b"\1\0\0\0"}),
    ("padding", "padding 7 does not exist", {"raw": struct.pack("<iii", 7, 2, 2)}),
    ("stride 0", "strides", {"raw": struct.pack("<iii", 1, 0, 2)}),
    ("stride", "strides", {"raw": struct.pack("<iii", 1, 1 << 30, 2)}),
    ("another output", "should have shape", {"target": (1, 8, 8, 2)}),
]:
    cases.add(name, _model(name, *_PLAIN, **changes)[0], error=error)


@cases.parametrize
def test_transpose_conv_bias(case):
    case.check()
