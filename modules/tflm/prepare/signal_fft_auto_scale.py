# tflm: SignalFftAutoScale: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check
from .signal import check_tensor

LAYOUT = ("input", "output", "bits", "size", "ignored")


_LOWEST = 0x8000  # bits of -32768
_NONE = 0x10000


# int16 -> int16 scaled up by the largest possible power of two, and its exponent (int32 scalar).
# The option ignore_lowest, which only tflm has, ignores samples of -32768 as TensorFlow's
# microfrontend does (microfrontend/lib/window.cc).
def prepare(context, node):
    source, target, bits = node.input(0), node.output(0), node.output(1)
    check_tensor(node, source, dtypes.INT16, 1)
    check_tensor(node, target, dtypes.INT16, 1)
    check_tensor(node, bits, dtypes.INT32, 0)
    size = target.elements()
    check(source.elements() >= size, node, "%s is longer than its input" % target)
    values = node.custom_values()
    lowest = isinstance(values, dict) and values.get("ignore_lowest")
    ignored = _LOWEST if lowest else _NONE
    fields = {"input": source, "output": target, "bits": bits, "size": size, "ignored": ignored}
    context.emit("signal_fft_auto_scale.eval_bits", LAYOUT, 1, size, **fields)
    context.emit("signal_fft_auto_scale.eval_scaled", LAYOUT, size, size, **fields)
