# tflm: SignalWindow: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check, check_dtype
from .signal import check_option, check_tensor, options

LAYOUT = ("input", "weights", "output", "length", "shift")


# input (frames of the window's length), weights of one frame -> output; all int16.
def prepare(context, node):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    (shift,) = options(node, "shift")
    check_option(node, "shift", shift, 0, 31)
    check_dtype(node, source, dtypes.INT16)
    check_tensor(node, weights, dtypes.INT16, 1)
    check_tensor(node, target, dtypes.INT16, len(source.shape))
    check(target.elements() == source.elements(), node, "%s is not as long as its input" % target)
    length = weights.elements()
    frames = source.elements() // length if length else 0
    check(frames * length == source.elements(), node, "the window does not fit %s" % source)
    context.emit(
        "signal_window.eval_int16",
        LAYOUT,
        frames,
        source.elements(),
        input=source,
        weights=weights,
        output=target,
        length=length,
        shift=shift,
    )
