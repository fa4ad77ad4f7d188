# tflm_tools: pico_time: estimates the time of a model on a Pico or a Pico 2 from its operators
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.common import RELU, RELU6

from ..model.macs import macs
from ..model.schema import op_name, option
from ..optimize.memory.costs import (
    FITTED,
    FLOAT,
    FPU_TARGETS,
    OTHER,
    Cost,
    cycles_by,
    is_float,
    node_cycles,
)
from ..optimize.memory.float_costs import fpu_cycles
from ..optimize.memory.weights.flash_cache import miss_of

# Fitted to docs/data/pico-layers.csv, measured on a Pico, including waits for code in flash.
_FITTED = {
    **FITTED,
    "CONV_2D": Cost(2.64, 61.5, 0, 0, 15_000),
    "DEPTHWISE_CONV_2D": Cost(6, 40, 0, 0, 15_000),
    "SVDF": Cost(6.3, 196, 0, 0, 22_700),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Cost(28, 0, 0, 0, 10_000),
}
# float32 with the kernels of kernels/armv6m, fitted to docs/data/float-layers.csv.
_FITTED_FLOAT = {
    "CONV_2D": Cost(61, 300, 0, 0, 5_000),
    "DEPTHWISE_CONV_2D": Cost(66, 260, 0, 0, 5_000),
    "FULLY_CONNECTED": Cost(62, 250, 0, 0, 5_000),
    "MAX_POOL_2D": Cost(0, 80, 28, 0, 5_000),
    "SOFTMAX": Cost(0, 4_300, 0, 0, 5_000),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Cost(217, 0, 0, 0, 5_000),
}
# Fewer cycles for a multiply-accumulate after a RELU: half of the inputs are 0 and cost little.
_AFTER_RELU = 23
_WITH_RELU = "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"
_LINE = 8  # bytes of float32 weights that one miss fetches, through the cache
_FLOAT_BYTES = 4  # bytes of a float32 weight, which int8 stores in one
_WORD = 4  # bytes of weights that one miss of the flash cache fetches

# (clock in Hz that MicroPython sets, cycles divided by the cycles of a Cortex-M0+). The ratio 0.4
# was fitted to docs/data/pico2.csv, with the model in RAM.
CLOCKS = {"armv6m": (125_000_000, 1.0), "armv7em": (150_000_000, 0.4)}
PICO = "armv6m"


# Estimated cycles of an operator on a target, without fetching weights from flash. `after_relu`:
# indices of tensors that a RELU wrote.
def _cycles(node, target, after_relu=(), as_int8=False):
    _, factor = CLOCKS[target]
    name = op_name(node)
    if not is_float(node) or as_int8:
        return factor * cycles_by(_FITTED.get(name, OTHER), node)
    if target in FPU_TARGETS:
        return fpu_cycles(node)
    cost = _FITTED_FLOAT.get(name, FLOAT)
    if name in _WITH_RELU and node.input(0).index in after_relu:
        cost = cost._replace(mac=cost.mac - _AFTER_RELU)
    return factor * cycles_by(cost, node)


# The indices of float32 tensors that a RELU wrote, reshaped or not.
def _after_relu(nodes):
    found = set()
    for node in filter(is_float, nodes):
        name = op_name(node)
        if name == "RESHAPE":
            is_relu = node.input(0).index in found
        elif name in _WITH_RELU:
            is_relu = option(node, "FUSED_ACTIVATION_FUNCTION", "b") in (RELU, RELU6)
        else:
            is_relu = name in ("RELU", "RELU6")
        if is_relu:
            found.add(node.output(0).index)
    return found


def milliseconds(nodes, levels, extra, weight_bytes, target):
    """Estimate the milliseconds of an invoke; None for a target without measurements.

    nodes: the operators of the model. levels: its Levels, or None. extra: cycles that the memory
    plan adds. weight_bytes: size of all weights; without `levels` each byte is fetched once.
    """
    if target not in CLOCKS:
        return None
    clock, _ = CLOCKS[target]
    after_relu = _after_relu(nodes)
    cycles = sum(_cycles(node, target, after_relu) for node in nodes)
    base = levels.base_cycles() if levels is not None else 0
    if base:
        cycles += base - sum(node_cycles(node, target) for node in nodes) + extra
    else:
        cycles += miss_of(target) * weight_bytes / (_LINE if any(map(is_float, nodes)) else _WORD)
    return 1000 * cycles / clock


def nodes_of(model):
    """Return the operators that run, of a Graph or a TfliteModel."""
    found = []
    for number in model.call_graph().numbers():
        subgraph = model.subgraphs[number]
        found += [subgraph.node(i) for i in range(subgraph.nodes_length())]
    return found


def weights_of(nodes):
    """Return the constant tensors of operators that multiply, each once."""
    found = {}
    for node in nodes:
        if macs(node):
            constants = [t for t in node.inputs if t is not None and t.is_constant()]
            found.update((tensor.index, tensor) for tensor in constants)
    return list(found.values())


def pico_milliseconds(model, as_int8=False):
    """Return the estimated milliseconds of an invoke on a Pico, of a Graph or a TfliteModel.

    as_int8: of a float model, as if it were int8.

    The estimate includes no memory plan: it needs milliseconds, a plan seconds.
    """
    nodes = nodes_of(model)
    size = sum(tensor.nbytes() for tensor in weights_of(nodes))
    if not as_int8:
        return milliseconds(nodes, None, 0, size, PICO)
    clock, _ = CLOCKS[PICO]
    cycles = sum(_cycles(node, PICO, as_int8=True) for node in nodes)
    return 1000 * (cycles + miss_of(PICO) * size / _FLOAT_BYTES / _WORD) / clock
