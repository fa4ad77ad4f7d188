# tflm: access checks: DEPTHWISE_CONV_2D whose window is a line of pixels
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_OUTPUT_CHANNELS = const(5)
_OUTPUT_ZERO_POINT = const(11)
_PARAMETERS = 64  # bytes of scratch, with addresses
_NUMBERS = 8  # bytes before the weights of a channel; the right shift is after these


def _column(r):
    channels, taps, tap_step, pixels, pixel_step, size = r.numbers(_OUTPUT_CHANNELS, 6)
    r.need(r.units <= channels)
    r.need(size >= _NUMBERS + taps + 1 and not size & 3)
    span = (pixels - 1) * pixel_step + (taps - 1) * tap_step
    r.small(span + r.units, pixels * channels, r.units * size)
    r.reads(_INPUT, span + r.units)
    r.reads(_STREAM, r.units * size, align=4)
    r.writes(_OUTPUT, (pixels - 1) * channels + r.units)
    r.writes(_SCRATCH, _PARAMETERS, align=4)
    r.apart(_OUTPUT, _SCRATCH)
    r.limits(_OUTPUT_ZERO_POINT)


CHECKS = {"depthwise_column.eval_int8": _column}
