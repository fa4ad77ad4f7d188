# tflm: SignalOverlapAdd: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import FLOAT_WORK, check, check_dtype
from .signal import options

LAYOUT = ("input", "output", "sums", "frames", "size", "step")


# Rows of frames, int16 or float32 -> rows of samples: frames are added, each frame_step samples
# after the previous one, over any number of invokes.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    _, step = options(node, "T", "frame_step")
    check_dtype(node, source, dtypes.INT16, dtypes.FLOAT32)
    check_dtype(node, target, source.dtype)
    shape = source.shape
    check(len(shape) >= 2, node, "%s has less than 2 dimensions" % source)
    check(len(target.shape) == len(shape) - 1, node, "%s has another rank" % target)
    frames, size = shape[-2], shape[-1]
    check(1 <= step <= max(size, 1), node, "the option 'frame_step' is %d" % step)
    rows = source.elements() // (frames * size) if frames * size else 0
    check(target.elements() == rows * frames * step, node, "%s does not hold the sums" % target)
    is_float = source.dtype == dtypes.FLOAT32
    itemsize = dtypes.itemsize(source.dtype)
    context.emit(
        "signal_overlap_add.eval_float32" if is_float else "signal_overlap_add.eval_int16",
        LAYOUT,
        rows,
        source.elements() * (FLOAT_WORK if is_float else 2),
        input=source,
        output=target,
        sums=context.allocate_state(rows * size * itemsize),
        frames=frames,
        size=size,
        step=step,
    )
