# tflm: SignalEnergy: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check
from .signal import check_tensor, options

LAYOUT = ("input", "output", "first", "last")


# A spectrum, int16 pairs (real, imaginary) -> the energy of each bin as uint32.
#
# TFLM leaves bins outside of start_index..end_index - 1 unchanged; here they are 0.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    end, start = options(node, "end_index", "start_index")
    check_tensor(node, source, dtypes.INT16, 1)
    check_tensor(node, target, dtypes.UINT32, 1)
    bins = target.elements()
    start, end = (start, end) if start < end else (0, 0)
    check(start >= 0 and end <= bins, node, "end_index %d is outside %s" % (end, target))
    check(2 * end <= source.elements(), node, "end_index %d is outside %s" % (end, source))
    context.emit(
        "signal_energy.eval_int16",
        LAYOUT,
        bins,
        2 * bins,
        input=source,
        output=target,
        first=start,
        last=end,
    )
