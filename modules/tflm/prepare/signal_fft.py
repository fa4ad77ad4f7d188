# tflm: real FFTs as kissfft computes them: factors, twiddles, and the records of one transform
# MIT license; Copyright (c) 2026 the tflm authors
#
# A real FFT of N values is a complex FFT of N / 2 pairs and a step that separates even and odd
# values. The complex FFT is mixed radix, decimated in time: a table gives the order of the values,
# then each stage joins p transforms of m values into one of p * m, in place. kissfft nests the
# stages, which gives the same values.
#
# All steps work in the output tensor; the scratch buffer only has a few vectors.

import struct

from .. import dtypes
from . import scale
from .common import FLOAT_WORK, check, check_dtype, support
from .signal import options
from .signal_twiddles import super_twiddles, twiddles

LOAD = ("input", "indices", "output", "pairs", "input_row", "output_row", "halves")
STAGE = (
    "twiddles",
    "output",
    "scratch",
    "butterflies",
    "output_row",
    "radix",
    "span",
    "inner",
    "inner_step",
    "outer_step",
    "inner_twiddle",
    "outer_twiddle",
    "inverse",
    "divisor",
    "zero",
    "divisor_again",
    "half",
)
SPLIT = ("input", "indices", "twiddles", "output", "scratch", "pairs", "input_row", "output_row")
SPLIT += ("divisor", "zero", "divisor_again", "half")
LENGTH = ("output", "length", "output_row", "length_float")

LONGEST = 1 << 16
_RADICES = (2, 3, 4, 5)
_CHUNK = 16  # butterflies that the kernel for words computes at a time; kernels/signal_fft_wide.py
_SCRATCH_VECTORS = 8
_HALF_FLOAT32 = 0x3F000000
_INT16_WORK = 16  # of a butterfly with two values
_INT32_WORK = 64


# What the transforms of one node have in common.
class Transform:
    def __init__(self, context, node, inverse):
        _, self.length = options(node, "T", "fft_length")
        self.context = context
        self.inverse = 1 if inverse else 0
        self.source, self.target = node.input(0), node.output(0)
        self.dtype = self.source.dtype
        check_dtype(node, self.source, dtypes.INT16, dtypes.INT32, dtypes.FLOAT32)
        check_dtype(node, self.target, self.dtype)
        shape, output_shape = self.source.shape, self.target.shape
        check(len(shape) > 0, node, "%s is a scalar" % self.source)
        check(len(shape) == len(output_shape), node, "the ranks of input and output differ")
        self.input_row, self.output_row = shape[-1], output_shape[-1]
        self.rows = self.source.elements() // self.input_row if self.input_row else 0
        rows = self.target.elements() // self.output_row if self.output_row else 0
        check(rows == self.rows, node, "input and output have different numbers of rows")
        self.pairs = self.length >> 1
        even = self.length > 2 and not self.length & 1 and self.length <= LONGEST
        support(even, node, "the fft_length %d" % self.length)
        self.factors = factors_of(self.pairs)
        # TFLM supports no other factors either.
        smooth = not [p for p in self.factors if p not in _RADICES]
        support(smooth, node, "the fft_length %d with factors other than 2, 3, 5" % self.length)
        check(self.output_row % 2 == 0, node, "%s has an odd number of values" % self.target)
        time, bins = self.input_row, self.output_row
        if inverse:
            time, bins = bins, time
        check(bins >= 2 * self.pairs + 2, node, "%d values do not hold the spectrum" % bins)
        if inverse:
            check(time >= self.length, node, "%s is shorter than the transform" % self.target)
            check(bins % 2 == 0, node, "the spectrum has no pairs of values")
        else:
            check(time <= self.length, node, "%s is longer than the transform" % self.source)

    # Bytes of one value.
    def itemsize(self):
        return dtypes.itemsize(self.dtype)

    # `work` of one pair.
    def work(self):
        if self.dtype == dtypes.INT16:
            return _INT16_WORK
        return _INT32_WORK if self.dtype == dtypes.INT32 else 12 * FLOAT_WORK

    # The kernel of a stage of p values.
    def stage_kernel(self, p):
        if self.dtype == dtypes.INT16:
            if p & 1:
                return "signal_fft_odd_int16." + ("eval_three" if p == 3 else "eval_five")
            return "signal_fft_int16.eval_stage"
        file = "signal_fft_odd_wide" if p & 1 else "signal_fft_wide"
        return "%s.eval_stage_%s" % (file, dtypes.name(self.dtype))

    # The kernel of a step between the transform and the spectrum.
    def split_kernel(self, function):
        if self.dtype == dtypes.INT16:
            return "signal_fft_int16." + function
        return "signal_fft_wide_real.%s_%s" % (function, dtypes.name(self.dtype))

    # The scratch buffer that kernels for words require.
    def scratch(self):
        if self.dtype == dtypes.INT16:
            return None
        return self.context.request_scratch_buffer(_SCRATCH_VECTORS * _CHUNK * 8)


# kissfft's factors: fours first, then twos, then odd numbers.
def factors_of(n):
    found = []
    p = 4
    while n > 1:
        while n % p:
            p = 2 if p == 4 else 3 if p == 2 else p + 2
            if p * p > n:
                p = n
        n //= p
        found.append(p)
    return found


# The target index of each pair of the input, as uint16.
def indices(factors):
    order = [0]
    for p in reversed(factors):
        order = [j + p * i for j in range(p) for i in order]
    found = bytearray(2 * len(order))
    for i in range(len(order)):
        struct.pack_into("<H", found, 2 * order[i], i)
    return bytes(found)


# Copy pairs of the input to their indices, zeros after the input.
def emit_load(transform):
    transform.context.emit(
        "signal_fft.eval_load",
        LOAD,
        transform.rows * transform.pairs,
        transform.rows * transform.pairs * 4,
        input=transform.source,
        indices=transform.context.constant(indices(transform.factors)),
        output=transform.target,
        pairs=transform.pairs,
        input_row=transform.input_row,
        output_row=transform.output_row,
        halves=transform.itemsize() // 2,
    )


# Emit the stages, innermost first. Units are butterflies: `inner` of them are `inner_step` pairs
# apart, and rows of these `outer_step` pairs; the longer loop is the inner one.
def emit_stages(transform, rounding):
    all_twiddles = twiddles(transform, rounding)
    span = 1
    for p in reversed(transform.factors):
        blocks = transform.pairs // (span * p)
        pairs = [all_twiddles[j * k * blocks] for k in range(span) for j in range(1, p)]
        roots = [all_twiddles[j * span * blocks] for j in range(1, p // 2 + 1)] if p & 1 else []
        by_block = transform.dtype != dtypes.INT16 and blocks > span
        units = blocks * span
        divisor = rounding.maximum[0] // p
        transform.context.emit(
            transform.stage_kernel(p),
            STAGE,
            transform.rows * units,
            transform.rows * units * p * transform.work(),
            twiddles=transform.context.constant(rounding.table(pairs) + rounding.roots(roots)),
            output=transform.target,
            scratch=transform.scratch(),
            butterflies=units,
            output_row=transform.output_row,
            radix=p,
            span=span,
            inner=blocks if by_block else span,
            inner_step=span * p if by_block else 1,
            outer_step=1 if by_block else span * p,
            inner_twiddle=0 if by_block else 1,
            outer_twiddle=1 if by_block else 0,
            inverse=transform.inverse,
            divisor=divisor,
            zero=0,
            divisor_again=divisor,
            half=_HALF_FLOAT32,
        )
        span *= p


# Emit the step between the complex transform and the spectrum, `function`; units are pairs of
# bins.
def emit_split(transform, rounding, function, source, table):
    units = transform.rows * (transform.pairs // 2 + 1)
    transform.context.emit(
        transform.split_kernel(function),
        SPLIT,
        units,
        units * 2 * transform.work(),
        input=source,
        indices=table,
        twiddles=transform.context.constant(
            rounding.table(super_twiddles(transform, rounding)),
        ),
        output=transform.target,
        scratch=transform.scratch(),
        pairs=transform.pairs,
        input_row=transform.input_row,
        output_row=transform.output_row,
        divisor=rounding.maximum[0] // 2,
        zero=0,
        divisor_again=rounding.maximum[0] // 2,
        half=_HALF_FLOAT32,
    )


# Emit the division by the length, which kissfft lacks and TFLM adds for float32.
def emit_length(transform):
    transform.context.emit(
        "signal_fft_wide_real.eval_length_float32",
        LENGTH,
        transform.rows * transform.length,
        transform.rows * transform.length * FLOAT_WORK,
        output=transform.target,
        length=transform.length,
        output_row=transform.output_row,
        length_float=scale.to_bits(scale.from_int(transform.length)),
    )
