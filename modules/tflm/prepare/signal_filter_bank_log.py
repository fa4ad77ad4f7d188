# tflm: SignalFilterBankLog: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import check
from .signal import check_option, check_tensor, options

LAYOUT = ("input", "segments", "output", "correction_bits", "output_scale")

_SEGMENTS_BITS = 7
_FRACTION_BITS = 16
_WORK_BITS = 40


# uint32 -> natural logarithm times output_scale as int16.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    correction, scale = options(node, "input_correction_bits", "output_scale")
    check_option(node, "input_correction_bits", correction, 0, 31)
    check_tensor(node, source, dtypes.UINT32, 1)
    check_tensor(node, target, dtypes.INT16, 1)
    check(target.elements() == source.elements(), node, "%s is not as long as its input" % target)
    context.emit(
        "signal_filter_bank_log.eval_uint32",
        LAYOUT,
        target.elements(),
        target.elements() * 16,
        input=source,
        segments=context.constant(log_table()),
        output=target,
        correction_bits=correction,
        output_scale=scale,
    )


# Return log2(1 + i / 128) minus the straight line i / 128 with 16 fractional bits, as uint16. Each
# squaring of a number of 1..2 gives one bit of its logarithm.
def log_table():
    segments = 1 << _SEGMENTS_BITS
    values = []
    for i in range(segments):
        x = (segments + i) << (_WORK_BITS - _SEGMENTS_BITS)
        bits = 0
        for _ in range(_FRACTION_BITS + 8):
            x = x * x >> _WORK_BITS
            carry = x >> (_WORK_BITS + 1)
            x >>= carry
            bits = bits << 1 | carry
        bits = (bits + (1 << 7)) >> 8
        values.append(bits - (i << (_FRACTION_BITS - _SEGMENTS_BITS)))
    values.append(0)
    return struct.pack("<%dH" % len(values), *values)
