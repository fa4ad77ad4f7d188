# tflm: SignalDelay: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check, check_dtype
from .signal import options

LAYOUT = ("input", "output", "history", "length", "delay", "history_row")

_LONGEST = 1 << 20


# Rows of int16 -> the same rows, `delay_length` samples later, over any number of invokes.
#
# The state of a row is the position of its oldest sample (a word) and the last samples in a ring.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    (delay,) = options(node, "delay_length")
    check(0 <= delay <= _LONGEST, node, "the option 'delay_length' is %d" % delay)
    check_dtype(node, source, dtypes.INT16)
    check_dtype(node, target, dtypes.INT16)
    check(len(source.shape) > 0, node, "%s is a scalar" % source)
    check(target.elements() == source.elements(), node, "%s is not as long as its input" % target)
    length = source.shape[-1]
    rows = source.elements() // length if length else 0
    history_row = 4 + 2 * delay + 3 & -4
    context.emit(
        "signal_delay.eval_int16",
        LAYOUT,
        rows,
        source.elements(),
        input=source,
        output=target,
        history=context.allocate_state(rows * history_row),
        length=length,
        delay=delay,
        history_row=history_row,
    )
