# tflm_tools: estimates the cycles of operators on a Cortex-M0+, and converts them for other cores
# MIT license; Copyright (c) 2026 the tflm authors

from collections import namedtuple

from tflm import dtypes

from ...model.macs import macs
from ...model.schema import op_name
from ..kernel_costs import kernel_cycles
from ..node_facts import dtype_of

# Cycles of an operator: for each multiply-accumulate, for each element of the output and of the
# input, for each channel of the output, and for the operator as a whole.
Cost = namedtuple("Cost", "mac element source channel whole")
# cycle_share: what kernels of another core count as, a share of the cycles of a Cortex-M0+.
# instructions: of that core, for each cycle that is counted.
Core = namedtuple("Core", "cycle_share instructions")

# Fitted to the layers of int8 models in docs/data/no-wait-states-layers.csv, measured by
# bench/cycles.py --core m0plus, without the cycles for weights (weights/layouts.py). The largest
# errors are 4 % for CONV_2D, 15 % for DEPTHWISE_CONV_2D, and 20 % for TRANSPOSE_CONV of U-Nets.
FITTED = {
    "CONV_2D": Cost(2.64, 42, 3.3, 0, 5_400),
    "DEPTHWISE_CONV_2D": Cost(8.5, 0, 11, 350, 5_000),
    "TRANSPOSE_CONV": Cost(3.3, 60, 0, 0, 20_000),
    "FULLY_CONNECTED": Cost(2.9, 15, 0, 0, 5_000),
    "SVDF": Cost(17.9, 10, 0, 0, 106_000),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Cost(78, 0, 0, 0, 10_000),
    "ADD": Cost(0, 50, 0, 0, 6_600),
    "SOFTMAX": Cost(0, 4_300, 0, 0, 10_000),
    **dict.fromkeys(("AVERAGE_POOL_2D", "MAX_POOL_2D", "MEAN"), Cost(0, 0, 33, 0, 5_000)),
}
# (rows or columns, Cost of operators whose filter has more of them).
_LARGE_FILTERS = {
    "CONV_2D": (1, Cost(2.6, 73, 0, 0, 13_800)),
    "DEPTHWISE_CONV_2D": (3, Cost(8.4, 0, 0, 360, 5_000)),
}
# Kernels of other targets need fewer cycles than on a Cortex-M0+, while bands and calls need
# as many as anywhere; a level's budget is a share of all cycles. Fitted to the instructions that
# bench/cycles.py counts for mlperf_kws, resnet8, vww96 and person_detect at each level.
_CORES = {
    "armv7em": Core(0.31, 0.9),
    "mac16": Core(0.3, 1.4),
    "pie": Core(0.1, 1.4),
    "rv32imc": Core(0.8, 1.1),
    "xtensawin": Core(0.8, 1.25),
}
# Targets that have the costs of another one, except for int8.
_SAME_COSTS = {"pie": "mac16", "xtensawin": "mac16"}
REFERENCE_TARGET = "armv6m"  # the target that FITTED is measured for
# On all targets.
_WITH_OVERRIDES = "CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED", "ADD"

OTHER = _PORTABLE = Cost(23, 40, 0, 0, 5_000)
# More cycles for a multiply-accumulate with weights in place, compared with lanes.
IN_PLACE_CYCLES = 8
# More cycles for a multiply-accumulate of FULLY_CONNECTED whose input exists some rows at a time.
_BY_ROWS = 12.5


def _results(node):
    return [t for t in node.outputs if t is not None and dtypes.itemsize(t.dtype)]


def cycles_by(cost, node):
    """Return the cycles of a node by a Cost, without fetching weights."""
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
    if target is None:
        return _PORTABLE
    name = op_name(node)
    side, cost = _LARGE_FILTERS.get(name, (0, None))
    if cost is not None and max(node.inputs[1].shape[1:3]) > side:
        return cost
    return FITTED.get(name, OTHER)


def node_cycles(node, target, kernels=(), is_rectified=False):
    """Return the cycles of a node on a target, without fetching weights, about.

    kernels: the names of its records; only operators on int8 may leave them out. is_rectified:
    whether rectified_nodes() has the number of the node.
    """
    if dtype_of(node) is not None:
        counted = _SAME_COSTS.get(target, target)
        cycles = kernel_cycles(node, counted or REFERENCE_TARGET, kernels, is_rectified)
        is_instructions = target in _CORES and target != "armv7em"
        return round(cycles / _CORES[target].instructions if is_instructions else cycles)
    cycles = cycles_by(_cost_of(node, target), node)
    if target not in _CORES or op_name(node) not in _WITH_OVERRIDES:
        return cycles
    return round(_CORES[target].cycle_share * cycles)


def reported_cycles(cycles, target):
    """Return a sum of cycles in the unit that users see; see cycle_unit()."""
    return round(cycles * _CORES[target].instructions) if target in _CORES else cycles


def cycle_unit(target):
    """Return the unit of reported_cycles(): cycles, or instructions of the core of a target."""
    if target == "armv7em":
        return "cycles of a Cortex-M33"
    return "instructions" if target in _CORES else "cycles of a Cortex-M0+"


def more_cycles_by_rows(node, target):
    """Return how many cycles more a FULLY_CONNECTED needs if its input exists by rows only."""
    if target is None or dtype_of(node) is not None:  # these kernels are as fast by rows
        return 0
    return round(_BY_ROWS * (macs(node) or 0))


def min_cycles(nodes, node_costs, target):
    """Return the cycles of nodes that run one by one, with the fastest weight layouts, about."""
    layouts = [node_costs.of(node).layouts for node in nodes]
    cycles = sum(node_costs.cycles_on(target, node) for node in nodes)
    return cycles + sum(each[0].cycles for each in layouts if each)
