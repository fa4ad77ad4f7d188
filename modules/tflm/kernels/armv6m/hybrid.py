# tflm: convolutions and FULLY_CONNECTED, float32 with int8 weights: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..hybrid import outputs
from .gen.hybrid_asm import finish, sums
from .gen.hybrid_depthwise_asm import depthwise

_INPUT_CHANNELS = const(10)
_OUTPUT_HEIGHT = const(11)
_OUTPUT_WIDTH = const(12)
_OUTPUT_CHANNELS = const(13)
_DILATION_WIDTH = const(19)
_DEPTH = const(22)
_CHANNEL_STEP = const(24)
_CELL_STEP = const(25)

_MOST = const(1023)  # outputs of a call


# Units are outputs. The portable kernel computes outputs with scales that `finish` leaves, such as
# infinity, groups of several input channels, and CONV_2D with filters whose cells in a row do not
# touch each other in the image.
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
            # From here to the end of the batch.
            batch = start // per_batch
            last = (batch + 1) * per_batch
            if last > end:
                last = end
            n = last - start
            if not int(finish(op, arena, rom, start << 10 | n)):
                outputs(op, arena, rom, start, last)
            start = last
