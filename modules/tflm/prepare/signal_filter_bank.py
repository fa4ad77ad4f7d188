# tflm: SignalFilterBank: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check
from .signal import check_tensor, options

LAYOUT = (
    "input",
    "weights",
    "unweights",
    "frequency_starts",
    "weight_starts",
    "widths",
    "output",
    "bins",
    "weights_size",
)


# Energies (uint32), weights, unweights (int16), and for each channel, and one before the first,
# the start of its band, the start of its weights and its width (int16) -> sums (uint64).
#
# The kernel checks the numbers of the tables, because the tables may be inputs.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    (channels,) = options(node, "num_channels")
    check_tensor(node, source, dtypes.UINT32, 1)
    check_tensor(node, target, dtypes.UINT64, 1)
    weights, unweights, *tables = [node.input(i) for i in range(1, 6)]
    for tensor in [weights, unweights] + tables:
        check_tensor(node, tensor, dtypes.INT16, 1)
    check(target.elements() <= channels, node, "%s has more than num_channels" % target)
    for tensor in tables:
        check(tensor.elements() > channels, node, "%s is shorter than num_channels + 1" % tensor)
    weights_size = min(weights.elements(), unweights.elements())
    context.emit(
        "signal_filter_bank.eval_uint32",
        LAYOUT,
        target.elements(),
        8 * weights_size,
        input=source,
        weights=weights,
        unweights=unweights,
        frequency_starts=tables[0],
        weight_starts=tables[1],
        widths=tables[2],
        output=target,
        bins=source.elements(),
        weights_size=weights_size,
    )
