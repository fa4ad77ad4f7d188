# tflm: SignalStacker: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check
from .signal import check_tensor, options

LAYOUT = ("input", "output", "valid", "stack", "channels", "left_context", "frames", "step")

_MOST = 1 << 16


# A frame of int16 -> this frame with the frames before and after it, once there are enough frames
# since the last output, and whether there are enough (bool scalar). Otherwise the output is
# unchanged.
#
# The state is 1 + the number of frames (a word, 0 before the first frame), and the frames.
def prepare(context, node):
    source, target, valid = node.input(0), node.output(0), node.output(1)
    channels, left, right, step = options(
        node, "num_channels", "stacker_left_context", "stacker_right_context", "stacker_step"
    )
    check_tensor(node, source, dtypes.INT16, 1)
    check_tensor(node, target, dtypes.INT16, 1)
    check_tensor(node, valid, dtypes.BOOL, 0)
    check(1 <= channels <= source.elements(), node, "the option 'num_channels' is %d" % channels)
    check(0 <= left <= _MOST and 0 <= right <= _MOST, node, "a context is negative or too large")
    frames = left + right + 1
    check(1 <= step <= frames, node, "the option 'stacker_step' is %d" % step)
    check(target.elements() == channels * frames, node, "%s does not hold the frames" % target)
    context.emit(
        "signal_stacker.eval_int16",
        LAYOUT,
        1,
        channels * frames,
        input=source,
        output=target,
        valid=valid,
        stack=context.allocate_state(4 + 2 * channels * frames + 3 & -4),
        channels=channels,
        left_context=left,
        frames=frames,
        step=step,
    )
