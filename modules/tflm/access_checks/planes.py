# tflm: access checks: DEPTHWISE_CONV_2D with weights in lanes, or for MAC16
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_BATCHES = const(5)
_INPUT_HEIGHT = const(6)
_OUTPUT_HEIGHT = const(9)
_STRIDE_HEIGHT = const(15)
_PADDING_HEIGHT = const(17)
_CHANNEL_WORDS = const(19)
_ODD_SET = const(21)
_OUTPUT_ZERO_POINT = const(25)
_PARAMETERS = 128  # bytes at the start of the scratch buffer, with addresses
_TAIL = 3  # words of a channel's multiplier
_PACKED_WORDS = 5  # of a 3x3 channel whose weights have one byte
_UNPACKED_BYTES = 64  # bytes of scratch for these words as lanes
_MAC16_WORDS = 9  # of a channel (prepare/mac16.py)


# `side`: of the filter, if the kernel supports one size only; `stride`: of the kernel, likewise;
# `paired`: words for even and odd rows alternate; `mac16`: weights are for MAC16.
def _depthwise(r, side=0, stride=0, paired=False, mac16=False):
    (batches,) = r.numbers(_BATCHES, 1)
    height, width, depth = r.numbers(_INPUT_HEIGHT, 3)
    rows, columns, channels, multiplier, taps_y, taps_x = r.numbers(_OUTPUT_HEIGHT, 6)
    stride_y, stride_x = r.numbers(_STRIDE_HEIGHT, 2)
    top, left = r.numbers(_PADDING_HEIGHT, 2, 0)
    words, tap_words = r.numbers(_CHANNEL_WORDS, 2)
    odd_set, band, across = r.numbers(_ODD_SET, 3)
    if side:
        r.need(taps_y == taps_x == side and stride_y == stride)
    r.need(not paired or (stride_x == 1 and tap_words == 2))
    r.need(r.units <= channels and r.units <= depth * multiplier)
    r.need(across >= left and across >= (columns - 1) * stride_x + taps_x)
    r.small((rows + band) * stride_y + taps_y + top, stride_x * columns, width * depth)
    r.small((top + height + rows * stride_y) * width * depth)
    pairs = ((band - 1) * stride_y + taps_y + 1) // 2
    unpacked = _UNPACKED_BYTES if side and words == _PACKED_WORDS and not mac16 else 0
    if mac16:
        r.need(words >= _MAC16_WORDS)
    elif unpacked:
        r.need(tap_words == 2 if paired else tap_words == 1)
    elif paired:
        r.need(words >= 1 + 4 * side + _TAIL)
    else:
        r.need(words >= 1 + (taps_y + 1) // 2 * taps_x + _TAIL)
        if stride_y & 1 and min(rows, band) > 1:
            r.need(words >= odd_set + (taps_y // 2 + 1) * taps_x + _TAIL)
    r.reads(_INPUT, batches * height * width * depth)
    r.reads(_STREAM, 4 * words * r.units, align=4)
    r.writes(_OUTPUT, batches * rows * columns * channels)
    r.writes(_SCRATCH, _PARAMETERS + unpacked + 4 * (across * pairs + left), align=4)
    r.apart(_OUTPUT, _SCRATCH)
    r.limits(_OUTPUT_ZERO_POINT)


CHECKS = {
    "depthwise_conv_lanes.eval_int8": _depthwise,
    "depthwise_conv_lanes.eval_3x3_int8": lambda r: _depthwise(r, 3, 1, True),
    "depthwise_conv_lanes.eval_3x3_stride_2_int8": lambda r: _depthwise(r, 3, 2),
    "depthwise_conv_mac16.eval_3x3_int8": lambda r: _depthwise(r, 3, 1, mac16=True),
    "depthwise_conv_mac16.eval_3x3_stride_2_int8": lambda r: _depthwise(r, 3, 2, mac16=True),
}
