# tflm: SignalFramer: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check, check_dtype
from .signal import check_tensor, options

LAYOUT = (
    "input",
    "output",
    "valid",
    "history",
    "frames",
    "size",
    "step",
    "missing",
    "history_length",
    "history_row",
)

_LONGEST = 1 << 20


# Rows of int16, a multiple of frame_step long -> for each step a frame of frame_size samples, and
# whether all of them are complete (bool scalar). Incomplete frames are undefined in TFLM.
#
# A frame is cut from the start of the row's history and one step of new samples. Without prefill,
# the first frame is complete after `missing` steps. The state of a row is the number of these
# steps so far (a word), and the history.
def prepare(context, node):
    source, target, valid = node.input(0), node.output(0), node.output(1)
    size, step, prefill = options(node, "frame_size", "frame_step", "prefill")
    for name, value in (("frame_size", size), ("frame_step", step)):
        check(1 <= value <= _LONGEST, node, "the option '%s' is %d" % (name, value))
    check_dtype(node, source, dtypes.INT16)
    check_tensor(node, target, dtypes.INT16, len(source.shape) + 1)
    check_tensor(node, valid, dtypes.BOOL, 0)
    check(len(source.shape) > 0, node, "%s is a scalar" % source)
    length = source.shape[-1]
    check(length >= step and length % step == 0, node, "the steps do not fit %s" % source)
    rows = source.elements() // length
    frames = length // step
    check(target.elements() == rows * frames * size, node, "%s does not hold the frames" % target)
    if prefill:
        check(size >= step, node, "frame_size is smaller than frame_step")
        missing, history_length = 0, size - step
    else:
        missing = (size + step - 1) // step - 1
        history_length = missing * step
    history_row = 4 + 2 * history_length + 3 & -4
    context.emit(
        "signal_framer.eval_int16",
        LAYOUT,
        rows,
        rows * frames * (size + history_length),
        input=source,
        output=target,
        valid=valid,
        history=context.allocate_state(rows * history_row),
        frames=frames,
        size=size,
        step=step,
        missing=missing,
        history_length=history_length,
        history_row=history_row,
    )
