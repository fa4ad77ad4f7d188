# tflm_tools: how long a model takes on a Pico or a Pico 2, from its operators: an estimate
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes

from ..model.macs import macs
from ..model.op_name import op_name
from ..optimize.memory.costs import node_cycles
from ..optimize.memory.weights import miss_of

# Cycles of a Cortex-M0+ with the kernels of armv6m: for a multiply-accumulate, for an element of
# the output, and for the operator itself. Fitted to the layers of docs/benchmarks.md (int8).
_FITTED = {
    "CONV_2D": (2.64, 61.5, 15_000),
    "DEPTHWISE_CONV_2D": (6, 40, 15_000),
    "FULLY_CONNECTED": (2.9, 15, 5_000),
    "SVDF": (17.9, 10, 106_000),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (78, 0, 10_000),
    "ADD": (0, 50, 6_600),
    "SOFTMAX": (0, 4_300, 10_000),
}
_OTHER = (23, 40, 5_000)
_POOLED = 33  # an element of the input
_POOLS = ("AVERAGE_POOL_2D", "MAX_POOL_2D", "MEAN")
_FLOAT = 750  # a multiply-accumulate of float32, by the portable kernels
_FLOAT_ELEMENT = 250
_WORD = 4  # bytes of weights that one miss of the flash cache fetches

# Clocks in Hz as MicroPython sets them, and cycles of the core by those of a Cortex-M0+: what the
# Pico 2's estimates of docs/benchmarks.md are of the figures above, with the model in RAM.
CLOCKS = {"armv6m": (125_000_000, 1.0), "armv7em": (150_000_000, 0.4)}


# Cycles of an operator, its weights at hand.
def _cycles(node):
    name, count = op_name(node), macs(node)
    outputs = [t for t in node.outputs if t is not None and dtypes.itemsize(t.dtype)]
    elements = sum(tensor.elements() for tensor in outputs)
    each, element, whole = _FITTED.get(name, _OTHER)
    if any(tensor.dtype == dtypes.FLOAT32 for tensor in outputs):
        each, element = _FLOAT, _FLOAT_ELEMENT
    elif name in _POOLS:
        element, elements = _POOLED, node.input(0).elements()
    return each * count + element * elements + whole


def milliseconds(nodes, levels, extra, weight_bytes, target):
    """Estimated milliseconds of an invoke; None for a target that nobody has fitted this to.

    nodes: of the model that is flattened; levels: its Levels, or None; extra: cycles that the
    level costs beside; weight_bytes: of all weights, which are fetched once where there are no
    Levels that know better.
    """
    if target not in CLOCKS:
        return None
    clock, factor = CLOCKS[target]
    cycles = factor * sum(map(_cycles, nodes))
    base = levels.base_cycles() if levels is not None else 0
    if base:
        cycles += base - sum(node_cycles(node, target) for node in nodes) + extra
    else:
        cycles += miss_of(target) * weight_bytes / _WORD
    return 1000 * cycles / clock
