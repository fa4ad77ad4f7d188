# tflm: SignalFilterBankSpectralSubtraction: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check
from .signal import check_option, check_tensor, options

LAYOUT = (
    "input",
    "output",
    "noise_output",
    "noise",
    "smoothing",
    "one_minus_smoothing",
    "alternate_smoothing",
    "alternate_one_minus_smoothing",
    "min_signal_remaining",
    "smoothing_bits",
    "spectral_subtraction_bits",
    "clamping",
)

_WORK = 64  # of one channel


# uint32 -> uint32 without the noise, and the estimate of the noise, which is kept.
def prepare(context, node):
    source, target, noise = node.input(0), node.output(0), node.output(1)
    values = options(
        node,
        "alternate_one_minus_smoothing",
        "alternate_smoothing",
        "clamping",
        "min_signal_remaining",
        "num_channels",
        "one_minus_smoothing",
        "smoothing",
        "smoothing_bits",
        "spectral_subtraction_bits",
    )
    channels = values[4]
    check_option(node, "smoothing_bits", values[7], 0, 31)
    check_option(node, "spectral_subtraction_bits", values[8], 0, 63)
    for tensor in (source, target, noise):
        check_tensor(node, tensor, dtypes.UINT32, 1)
        check(tensor.elements() == channels, node, "%s must have num_channels elements" % tensor)
    context.emit(
        "signal_filter_bank_spectral_subtraction.eval_uint32",
        LAYOUT,
        channels,
        channels * _WORK,
        input=source,
        output=target,
        noise_output=noise,
        noise=context.allocate_state(4 * channels),
        smoothing=values[6],
        one_minus_smoothing=values[5],
        alternate_smoothing=values[1],
        alternate_one_minus_smoothing=values[0],
        min_signal_remaining=values[3],
        smoothing_bits=values[7],
        spectral_subtraction_bits=values[8],
        clamping=1 if values[2] else 0,
    )
