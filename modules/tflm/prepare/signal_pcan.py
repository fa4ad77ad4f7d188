# tflm: SignalPCAN: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check
from .signal import check_option, check_tensor, options

LAYOUT = ("input", "noise", "gains", "output", "snr_shift", "intervals")


# Energies and noise (uint32), a table of gains (int16: 3 values, then 4 for each power of two up
# to 2**31) -> uint32. A shorter table ends with its last interval.
def prepare(context, node):
    source, noise, gains, target = node.input(0), node.input(1), node.input(2), node.output(0)
    (shift,) = options(node, "snr_shift")
    check_option(node, "snr_shift", shift, 0, 63)
    check_tensor(node, gains, dtypes.INT16, 1)
    check(gains.elements() >= 9, node, "%s has less than 9 values" % gains)
    for tensor in (source, noise, target):
        check_tensor(node, tensor, dtypes.UINT32, 1)
        check(tensor.elements() == source.elements(), node, "%s has another length" % tensor)
    context.emit(
        "signal_pcan.eval_uint32",
        LAYOUT,
        target.elements(),
        target.elements() * 32,
        input=source,
        noise=noise,
        gains=gains,
        output=target,
        snr_shift=shift,
        intervals=min((gains.elements() + 3) // 4, 32),
    )
