# tflm: LOGISTIC, TANH, int16: one table of the sigmoid, with interpolation
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from . import scale
from .common import scale_of, support
from .exponential import exp

# Words that curve() of kernels/sigmoid_int16.py reads.
CURVE = (
    "multiplier",
    "shift",
    "fraction_bits",
    "saturated",
    "positive_offset",
    "negative_offset",
    "output_shift",
)
SIGMOID = ("input", "entries", "output") + CURVE

# After the interpolation the result is saturated, added to the offset (for negative inputs
# subtracted), and shifted right: the words of CURVE from fraction_bits on. LOGISTIC: an interval
# of the table has 9 bits of the input, and outputs are half of the table's. TANH is 2 * sigmoid(2
# x) - 1.
LOGISTIC = (9, 0x7FFF << 10, 1 << 9, (1 << 25) + (1 << 9) - 1, 10)
TANH = (8, 0xFFFF << 8, (1 << 7) - (1 << 23), (1 << 23) + (1 << 7) - 1, 8)

_STEPS = 24  # entries of the table per unit
_INPUT_BITS = 12  # fractional bits of an input that is only multiplied by 3
_OUTPUT_SCALE = -15  # its logarithm
_MAX_MULTIPLIER = 32767
_WORK_BITS = 24  # more fractional bits while the table is computed


# LOGISTIC.
def emit_logistic_int16(context, node):
    _emit(context, node, 0, LOGISTIC)


# TANH.
def emit_tanh_int16(context, node):
    _emit(context, node, 1, TANH)


# Return the fields of CURVE by name; the input is first multiplied and shifted right.
def curve_fields(function, multiplier, shift):
    return dict(zip(CURVE, (multiplier, shift) + function))


# `max_log`: up to this power of two times 2**-12 scales are used unchanged.
def _emit(context, node, max_log, function):
    source, target = node.input(0), node.output(0)
    for tensor in (source, target):
        support(tensor.zero_point() == 0, node, "int16 with a zero point")
    support(_log2(scale_of(target)) == _OUTPUT_SCALE, node, "an output scale other than 1/32768")
    multiplier, shift = _input_multiplier(node, scale_of(source), max_log)
    context.emit(
        "sigmoid_int16.eval_int16",
        SIGMOID,
        source.elements(),
        source.elements() * 4,
        input=source,
        entries=context.constant(sigmoid_table()),
        output=target,
        **curve_fields(function, multiplier, shift),
    )


# Return the factor from inputs to 1/24 * 2**-9 (logistic_common.cc, tanh.cc), as large as 16 bits
# hold.
def _input_multiplier(node, input_scale, max_log):
    log = _log2(input_scale)
    if log is not None and 0 <= log + _INPUT_BITS <= max_log:
        return 3 << (log + _INPUT_BITS), 0
    m, e = input_scale
    m *= 3
    e += _INPUT_BITS
    shift = 0
    while shift <= 30 and not scale.less((_MAX_MULTIPLIER, -1), (m, e)):
        shift += 1
        e += 1
    multiplier = m << e if e >= 0 else m >> (0 - e)
    support(multiplier <= _MAX_MULTIPLIER, node, "so large an input scale")
    return multiplier, shift


# Return the logarithm of a scale that is nearly a power of two, with an error below 0.001 as in
# CheckedLog2 of quantization_util.cc; else None.
def _log2(number):
    m, e = number
    bits = scale.bit_length(m)
    for log in (bits - 1, bits):
        if 999307 << log < m * 1000000 < 1000693 << log:
            return e + log
    return None


# Return TFLM's sigmoid_table_uint16 (common.h): sigmoid(i / 24) for i = 0 .. 255 as uint16 with 16
# fractional bits. Each entry is moved by half of the interpolation's error in the middle of its
# interval, which distributes the error; the last entry is 1.
def sigmoid_table():
    half_steps = _sigmoids(2 * _STEPS, 511)
    table = bytearray()
    for i in range(0, 510, 2):
        start, middle, end = half_steps[i : i + 3]
        value = (3 * start + 2 * middle - end + (2 << _WORK_BITS)) >> (2 + _WORK_BITS)
        table += struct.pack("<H", value)
    return table + b"\xff\xff"


# Return sigmoid(i / steps) * 65536 for i below `count`, with _WORK_BITS fractional bits.
def _sigmoids(steps, count):
    m, e = exp((-(1 << 60) // steps, -60))
    ratio = m >> (0 - e - 60)
    power = one = 1 << 60
    values = []
    for _ in range(count):
        values.append((1 << (76 + _WORK_BITS)) // (one + power))
        power = power * ratio >> 60
    return values
