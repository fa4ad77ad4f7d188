# tflm_tools: what operators take, in cycles of a Cortex-M0+, or beside what bands take: estimates
# MIT license; Copyright (c) 2026 the tflm authors

from collections import namedtuple

from tflm import dtypes

from ...model.macs import macs
from ...model.schema import op_name

# Cycles for a multiply-accumulate, an element of the output and of the input, a channel of the
# output, and the operator itself.
Cost = namedtuple("Cost", "mac element source channel whole")
# What kernels of another core count as, a share of the cycles of a Cortex-M0+, and instructions of
# that core for each cycle that is counted.
Core = namedtuple("Core", "share instructions")

# Fitted to the layers that bench/cycles.py --core m0plus measures of the models of int8 in
# docs/data/no-wait-states-layers.csv, without what weights.py counts: those of CONV_2D come
# within 4 % of it, those of DEPTHWISE_CONV_2D within 15 %, those of TRANSPOSE_CONV, of U-Nets,
# within 20 %.
FITTED = {
    "CONV_2D": Cost(2.64, 42, 3.3, 0, 5_400),
    "DEPTHWISE_CONV_2D": Cost(8.5, 0, 11, 350, 5_000),
    "TRANSPOSE_CONV": Cost(6.2, 260, 0, 0, 5_000),
    "FULLY_CONNECTED": Cost(2.9, 15, 0, 0, 5_000),
    "SVDF": Cost(17.9, 10, 0, 0, 106_000),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Cost(78, 0, 0, 0, 10_000),
    "ADD": Cost(0, 50, 0, 0, 6_600),
    "SOFTMAX": Cost(0, 4_300, 0, 0, 10_000),
    **dict.fromkeys(("AVERAGE_POOL_2D", "MAX_POOL_2D", "MEAN"), Cost(0, 0, 33, 0, 5_000)),
}
# The same for filters of more rows or columns than so many.
_LARGER = {
    "CONV_2D": (1, Cost(2.6, 73, 0, 0, 13_800)),
    "DEPTHWISE_CONV_2D": (3, Cost(8.4, 0, 0, 360, 5_000)),
}
# Kernels of other targets take less of these, while bands and calls take as much as anywhere, and
# a level may cost a part of all. Fitted to mlperf_kws, resnet8, vww96 and person_detect at each
# level, whose instructions bench/cycles.py counts.
_CORES = {
    "armv7em": Core(0.31, 0.9),
    "mac16": Core(0.3, 1.4),
    "rv32imc": Core(0.8, 1.1),
    "xtensawin": Core(0.8, 1.25),
}
PLAIN = "armv6m"  # the target that FITTED is of
_TWINS = "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "ADD"  # what all of them have

OTHER = _PORTABLE = Cost(23, 40, 0, 0, 5_000)
FLOAT = Cost(750, 250, 0, 0, 5_000)  # by the portable kernels
_BY_ROWS = 12.5  # a multiply-accumulate of FULLY_CONNECTED more, where its input comes by rows


def _results(node):
    return [t for t in node.outputs if t is not None and dtypes.itemsize(t.dtype)]


def is_float(node):
    """True when a node makes float32, which the portable kernels do."""
    return any(tensor.dtype == dtypes.FLOAT32 for tensor in _results(node))


def cycles_by(cost, node):
    """Cycles of a node by a Cost, its weights at hand."""
    outputs = _results(node)
    if not outputs:
        return 0
    elements = sum(tensor.elements() for tensor in outputs)
    source = node.optional_input(0).elements() if cost.source else 0
    channels = outputs[0].shape[-1] if cost.channel else 0
    return round(
        cost.mac * (macs(node) or 0) + cost.element * elements + cost.source * source
        + cost.channel * channels + cost.whole
    )  # fmt: skip


def _cost_of(node, target):
    if is_float(node):
        return FLOAT
    if target is None:
        return _PORTABLE
    name = op_name(node)
    most, larger = _LARGER.get(name, (0, None))
    if larger is not None and max(node.inputs[1].shape[1:3]) > most:
        return larger
    return FITTED.get(name, OTHER)


def node_cycles(node, target):
    """Cycles of a node, its weights at hand, about."""
    cycles = cycles_by(_cost_of(node, target), node)
    if target not in _CORES or op_name(node) not in _TWINS or is_float(node):
        return cycles
    return round(_CORES[target].share * cycles)


def as_told(cycles, target):
    """What a sum of cycles is told as: these, or instructions of the core of a target."""
    return round(cycles * _CORES[target].instructions) if target in _CORES else cycles


def unit(target):
    """What as_told() is in."""
    return "instructions" if target in _CORES else "cycles of a Cortex-M0+"


def more_by_rows(node, target):
    """Cycles that a FULLY_CONNECTED takes more where its input comes some rows at a time."""
    if target is None or is_float(node):  # the portable kernels are as fast for that
        return 0
    return round(_BY_ROWS * (macs(node) or 0))


def least_cycles(nodes, probe, target):
    """Cycles of nodes that run one by one, their weights stored as is fastest, about."""
    choices = [probe.made(node).choices for node in nodes]
    return sum(node_cycles(node, target) for node in nodes) + sum(
        c[0].cycles for c in choices if c
    )
