# tflm: CONV_2D and FULLY_CONNECTED of float32 with weights of int8: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32_select import clamp
from ..hybrid import outputs
from .float32 import combine
from .hybrid_asm import floats, sums

_SCALES = const(2)
_WEIGHT_SCALES = const(5)
_BIAS = const(6)
_OUTPUT = const(7)
_INPUT_CHANNELS = const(10)
_OUTPUT_HEIGHT = const(11)
_OUTPUT_WIDTH = const(12)
_OUTPUT_CHANNELS = const(13)
_DILATION_WIDTH = const(19)
_DEPTH = const(22)
_CELL_STEP = const(25)
_PER_CHANNEL = const(26)
_ACTIVATION_MIN = const(27)

_MOST = const(1023)  # outputs of a call
_MUL = const(1)
_ADD = const(2)
_IN_PLACE = const(1 | 1 << 10)  # steps: dst and a advance
_EACH = const(1 << 20)  # steps: b advances, too


# Units are outputs. The portable kernel computes DEPTHWISE_CONV_2D, groups, and filters whose
# cells in a row do not touch each other in the image.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    gaps = depth - r[_INPUT_CHANNELS] | depth - r[_CELL_STEP] | r[_DILATION_WIDTH] - 1
    if stop >> 20 or gaps:
        outputs(op, arena, rom, start, stop)
        return
    channels = r[_OUTPUT_CHANNELS]
    pixels = r[_OUTPUT_HEIGHT] * r[_OUTPUT_WIDTH]
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        sums(op, arena, rom, start << 10 | count)
        floats(op, arena, rom, start << 10 | count)
        end = start + count
        while start < end:
            # From here to the pixel's last channel.
            pixel = start // channels
            channel = start - pixel * channels
            n = channels - channel
            if n > end - start:
                n = end - start
            dst = r[_OUTPUT] + (start << 4)
            steps = _IN_PLACE
            word = r[_WEIGHT_SCALES]
            if r[_PER_CHANNEL]:
                steps = _IN_PLACE | _EACH
                word += channel << 4
            combine(arena, rom, dst, dst, word, n, steps, _MUL)
            word = r[_SCALES] + (pixel // pixels << 4)
            combine(arena, rom, dst, dst, word, n, _IN_PLACE, _MUL)
            if r[_BIAS] != 1:
                word = r[_BIAS] + (channel << 4)
                combine(arena, rom, dst, dst, word, n, _IN_PLACE | _EACH, _ADD)
            clamp(arena, op, dst, n, _ACTIVATION_MIN << 4 | 1)
            start += n
