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
from .strided import emit_byte_copy

_SHORTEST = 4
_COMPLEX = 8  # bytes of an element


# A transform of rows of float32, in place in `target`. pairs: complex values of a row. input_row
# and output_row: numbers of a row.
class _Rows(Transform):
    def __init__(self, context, source, target, rows, input_row, output_row, pairs):
        self.context, self.inverse, self.length = context, 0, 2 * pairs
        self.source, self.target = source, target
        self.dtype = dtypes.FLOAT32
        self.input_row, self.output_row = input_row, output_row
        self.rows, self.pairs = rows, pairs
        self.factors = factors_of(pairs)


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


# Images [..., height, values]; values are padded with zeros or cut off to fft_length [height,
# length].
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.FLOAT32)
    check_dtype(node, target, COMPLEX64)
    height, width = _lengths(node)
    same = height == source.shape[-2]
    support(same, node, "an fft_length of %d for %d rows" % (height, source.shape[-2]))
    for length in (height, width):
        check(length > 0 and not length & length - 1, node, "%d is no power of 2" % length)
        support(length <= LONGEST, node, "the length %d" % length)
    support(width >= _SHORTEST, node, "the length %d" % width)
    check_outputs(node, output_shapes(node))
    elements = target.elements()
    if not elements:
        return
    check(source.shape[-1] > 0, node, "%s has no values" % source)
    bins = width // 2 + 1
    spectrum = target
    if height > 1:
        spectrum = context.request_scratch_buffer(elements * _COMPLEX)
    rows = _Rows(
        context, source, spectrum, elements // bins, source.shape[-1], 2 * bins, width // 2
    )  # fmt: skip
    rounding = Rounding(dtypes.FLOAT32)
    emit_load(rows)
    emit_stages(rows, rounding)
    emit_split(rows, rounding, "eval_split", spectrum, None)
    if height == 1:
        return
    # Columns become rows in the output, are transformed in the scratch buffer, and become columns.
    images = elements // (bins * height)
    _emit_transpose(context, spectrum, target, images, height, bins)
    columns = _Rows(context, target, spectrum, images * bins, 2 * height, 2 * height, height)
    emit_load(columns)
    emit_stages(columns, rounding)
    _emit_transpose(context, spectrum, target, images, bins, height)


# Copy complex images [height, width] to [width, height].
def _emit_transpose(context, source, target, images, height, width):
    image = height * width * _COMPLEX
    loops = [
        (images, image, image),
        (width, _COMPLEX, height * _COMPLEX),
        (height, width * _COMPLEX, _COMPLEX),
    ]
    emit_byte_copy(context, source, target, loops, _COMPLEX)
