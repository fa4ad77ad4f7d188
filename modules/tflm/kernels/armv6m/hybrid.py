# tflm: convolutions and FULLY_CONNECTED, float32 with int8 weights: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32_select import clamp
from ..hybrid import outputs
from .float32 import combine
from .gen.hybrid_asm import finish, floats, sums
from .gen.hybrid_depthwise_asm import depthwise

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
_CHANNEL_STEP = const(24)
_CELL_STEP = const(25)
_PER_CHANNEL = const(26)
_ACTIVATION_MIN = const(27)

_MOST = const(1023)  # outputs of a call
_MUL = const(1)
_ADD = const(2)


# Units are outputs. The portable kernel computes groups of several input channels, and CONV_2D
# with filters whose cells in a row do not touch each other in the image.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    gaps = depth - r[_INPUT_CHANNELS] | depth - r[_CELL_STEP] | r[_DILATION_WIDTH] - 1
    is_depthwise = depth == 1 and r[_CHANNEL_STEP] == 1
    if stop >> 20 or gaps and not is_depthwise:
        outputs(op, arena, rom, start, stop)
        return
    per_batch = r[_OUTPUT_HEIGHT] * r[_OUTPUT_WIDTH] * r[_OUTPUT_CHANNELS]
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        if gaps:
            depthwise(op, arena, rom, start << 10 | count)
        else:
            sums(op, arena, rom, start << 10 | count)
        end = start + count
        while start < end:
            # From here to the end of the batch. `finish` leaves some scales, such as infinity.
            batch = start // per_batch
            last = (batch + 1) * per_batch
            if last > end:
                last = end
            n = last - start
            if int(finish(op, arena, rom, start << 10 | n)):
                start = last
            else:
                floats(op, arena, rom, start << 10 | n)
            while start < last:
                _finish_one(op, arena, rom, start, batch)
                start += 1


# Scale one output, which is float32, add its bias and limit it.
@micropython.viper
def _finish_one(op, arena, rom, at: int, batch: int):
    r = ptr32(op)
    channel = at - at // r[_OUTPUT_CHANNELS] * r[_OUTPUT_CHANNELS] << 4
    dst = r[_OUTPUT] + (at << 4)
    combine(arena, rom, dst, dst, r[_WEIGHT_SCALES] + channel * r[_PER_CHANNEL], 1, 0, _MUL)
    combine(arena, rom, dst, dst, r[_SCALES] + (batch << 4), 1, 0, _MUL)
    if r[_BIAS] != 1:
        combine(arena, rom, dst, dst, r[_BIAS] + channel, 1, 0, _ADD)
    clamp(arena, op, dst, 1, _ACTIVATION_MIN << 4 | 1)
