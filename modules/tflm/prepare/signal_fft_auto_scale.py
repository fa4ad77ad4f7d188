# tflm: Prepare of SignalFftAutoScale
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check
from .signal import check_tensor

LAYOUT = ("input", "output", "bits", "size")


# int16 -> int16 scaled up by a power of two as far as it goes, and that power (int32 scalar).
def prepare(context, node):
    source, target, bits = node.input(0), node.output(0), node.output(1)
    check_tensor(node, source, dtypes.INT16, 1)
    check_tensor(node, target, dtypes.INT16, 1)
    check_tensor(node, bits, dtypes.INT32, 0)
    size = target.elements()
    check(source.elements() >= size, node, "%s is longer than its input" % target)
    fields = {"input": source, "output": target, "bits": bits, "size": size}
    context.emit("signal_fft_auto_scale.eval_bits", LAYOUT, 1, size, **fields)
    context.emit("signal_fft_auto_scale.eval_scaled", LAYOUT, size, size, **fields)
