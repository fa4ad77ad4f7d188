# tflm: RFFT2D: Prepare (not in TFLM; LiteRT rfft2d.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check, check_dtype, check_outputs, constant_ints, support
from .complex_parts import COMPLEX64
from .signal_fft import (
    LONGEST,
    Transform,
    emit_load,
    emit_split,
    emit_stages,
    factors_of,
)
from .signal_twiddles import Rounding

_SHORTEST = 4


# The complex values of a row are pairs of float32, as SignalRfft writes them.
class _Rows(Transform):
    def __init__(self, context, node, width):
        self.context, self.inverse, self.length = context, 0, width
        self.source, self.target = node.input(0), node.output(0)
        self.dtype = dtypes.FLOAT32
        self.input_row, self.output_row = self.source.shape[-1], width + 2
        self.rows = self.target.elements() // (width // 2 + 1)
        self.pairs = width >> 1
        self.factors = factors_of(self.pairs)


def output_shapes(node):
    shape = node.input(0).shape
    height, width = _lengths(node)
    return [tuple(shape[:-2]) + (height, width // 2 + 1)]


# Return the lengths of the transforms of columns and of rows.
def _lengths(node):
    check(len(node.input(0).shape) >= 2, node, "%s needs two dimensions" % node.input(0))
    lengths = constant_ints(node, node.input(1), "fft_length")
    check(len(lengths) == 2, node, "fft_length has not two numbers")
    return lengths


# Rows [..., 1, values], padded with zeros or cut off to fft_length [1, length].
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.FLOAT32)
    check_dtype(node, target, COMPLEX64)
    height, width = _lengths(node)
    support(height == 1 and source.shape[-2] == 1, node, "a transform of several rows")
    check(width > 0 and not width & width - 1, node, "the length %d is no power of 2" % width)
    support(_SHORTEST <= width <= LONGEST, node, "the length %d" % width)
    check_outputs(node, output_shapes(node))
    if not target.elements():
        return
    check(source.shape[-1] > 0, node, "%s has no values" % source)
    transform = _Rows(context, node, width)
    rounding = Rounding(dtypes.FLOAT32)
    emit_load(transform)
    emit_stages(transform, rounding)
    emit_split(transform, rounding, "eval_split", target, None)
