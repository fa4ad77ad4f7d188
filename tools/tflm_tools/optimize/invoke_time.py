# tflm_tools: invoke_time: estimates the time of a model on a board from its operators
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes
from tflm.tflite.call_graph import WHILE

from ..model.macs import macs
from ..model.schema import op_name
from .memory.costs import (
    FITTED,
    OTHER,
    Cost,
    cycles_by,
    cycles_of,
    dtype_of,
    node_cycles,
    rectified_nodes,
    reported_cycles,
)
from .memory.weights.flash_cache import miss_of

# Fitted to docs/data/pico-layers.csv, measured on a Pico, including waits for code in flash.
_FITTED = {
    **FITTED,
    "CONV_2D": Cost(2.64, 61.5, 0, 0, 15_000),
    "DEPTHWISE_CONV_2D": Cost(6, 40, 0, 0, 15_000),
    "SVDF": Cost(6.3, 196, 0, 0, 22_700),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Cost(28, 0, 0, 0, 10_000),
}
_FLOAT_BYTES = 4  # bytes of a float32 weight, which int8 stores in one
_WORD = 4  # bytes of weights that one miss of the flash cache fetches
# Cycles of operators on a Pico, divided by the cycles without waits for code in flash.
_CODE_WAITS, _LSTM_CODE_WAITS = 1.04, 1.4

# Cycles of an ESP32 for an instruction, with model and arena in internal RAM: bench/esp32.py
# estimates 1.36 and 1.43 for two networks of MLPerf Tiny.
_ESP32 = "mac16"
_ESP32_CYCLES = 1.4

# (clock in Hz that MicroPython sets, cycles of an int8 operator divided by the cycles of a
# Cortex-M0+). The ratio 0.4 was fitted to docs/data/pico2.csv, with the model in RAM.
CLOCKS = {"armv6m": (125_000_000, 1.0), "armv7em": (150_000_000, 0.4)}
_ESP32_CLOCK = 160_000_000
PICO = "armv6m"
_LSTM = "UNIDIRECTIONAL_SEQUENCE_LSTM"
# An estimate of more would take long.
_MAX_LOOP_RUNS = 1000  # also of loops within loops
_MAX_OPERATORS = 1 << 17
# Targets of the boards that `tflm inspect` names.
_BOARDS = {"pico": PICO, "pico2": "armv7em", "esp32": _ESP32}


# Estimated cycles of an int8 operator on a target, without fetching weights from flash.
def _int8_cycles(node, target):
    return CLOCKS[target][1] * cycles_by(_FITTED.get(op_name(node), OTHER), node)


def _cycles(node, target, is_rectified):
    if target == _ESP32:
        instructions = reported_cycles(node_cycles(node, target, is_rectified), target)
        return _ESP32_CYCLES * instructions
    if dtype_of(node) is None:
        return _int8_cycles(node, target)
    cycles = node_cycles(node, target, is_rectified)
    if target == PICO:
        cycles *= _LSTM_CODE_WAITS if op_name(node) == _LSTM else _CODE_WAITS
    return cycles


def milliseconds(nodes, levels, extra, weight_bytes, target, frequency=0):
    """Estimate the milliseconds of an invoke; None for a target without measurements.

    nodes: the operators of the model. levels: its Levels, or None. extra: cycles that the memory
    plan adds. weight_bytes: size of all weights; without `levels` each byte is fetched once.
    frequency: of the core in Hz, by default as MicroPython sets it.
    """
    if target not in CLOCKS and target != _ESP32:
        return None
    clock = frequency or (_ESP32_CLOCK if target == _ESP32 else CLOCKS[target][0])
    rectified = rectified_nodes(nodes)
    cycles = sum(_cycles(node, target, node.index in rectified) for node in nodes)
    base = levels.base_cycles() if levels is not None else 0
    if base:
        cycles += base - cycles_of(nodes, target) + extra
    else:
        cycles += miss_of(target) * weight_bytes / _WORD
    return 1000 * cycles / clock


def nodes_of(model):
    """Return the operators that run, of a Graph or a TfliteModel."""
    found = []
    for number in model.call_graph().numbers():
        subgraph = model.subgraphs[number]
        found += [subgraph.node(i) for i in range(subgraph.nodes_length())]
    return found


def _constant_integers(tensor):
    if tensor is None or not tensor.is_constant() or tensor.dtype != dtypes.INT32:
        return []
    return (
        [int.from_bytes(bytes(tensor.data[:4]), "little", signed=True)]
        if tensor.elements() == 1
        else []
    )


# How often a loop runs: the smallest number that its condition compares with LESS; 1 if it
# compares none. Loops of Keras count their steps so.
def _loop_runs(condition):
    limits = []
    for i in range(condition.nodes_length()):
        node = condition.node(i)
        if op_name(node) == "LESS":
            for tensor in node.inputs:
                limits += _constant_integers(tensor)
    return min(max(min(limits, default=1), 1), _MAX_LOOP_RUNS)


def executed_nodes(model):
    """Return the operators that an invoke runs, of a Graph or a TfliteModel, each as often.

    Loops run as often as their condition says. Of the branches of an IF both are counted.
    """
    calls, found = model.call_graph().calls, []

    def visit(number, times):
        if len(found) > _MAX_OPERATORS:
            return
        subgraph = model.subgraphs[number]
        nodes = [subgraph.node(i) for i in range(subgraph.nodes_length())]
        found.extend(times * nodes)
        for i, called in calls.get(number, {}).items():
            for position, other in enumerate(called):
                runs = 1
                if nodes[i].builtin_code == WHILE:
                    # The condition is tested once more.
                    runs = _loop_runs(model.subgraphs[called[0]]) + (position == 0)
                    found.extend((times * (runs - 1) if position else 0) * [nodes[i]])
                visit(other, min(times * runs, _MAX_LOOP_RUNS))

    visit(0, 1)
    return found


def weights_of(nodes):
    """Return the constant tensors of operators that multiply, each once."""
    found = {}
    for node in nodes:
        if macs(node):
            constants = [t for t in node.inputs if t is not None and t.is_constant()]
            found.update((tensor.index, tensor) for tensor in constants)
    return list(found.values())


def target_milliseconds(model, target, frequency=0):
    """Return milliseconds() of a Graph or a TfliteModel.

    The estimate includes no memory plan: it needs milliseconds, a plan seconds.
    """
    nodes = executed_nodes(model)
    size = sum(tensor.nbytes() for tensor in weights_of(nodes))
    return milliseconds(nodes, None, 0, size, target, frequency)


def board_milliseconds(model):
    """Return {"pico", "pico2", "esp32": estimated milliseconds of an invoke} of a model."""
    return {board: target_milliseconds(model, target) for board, target in _BOARDS.items()}


def pico_milliseconds_as_int8(model):
    """Return the estimated milliseconds of an invoke on a Pico, of a float model made int8."""
    nodes = executed_nodes(model)
    size = sum(tensor.nbytes() for tensor in weights_of(nodes))
    cycles = sum(_int8_cycles(node, PICO) for node in nodes)
    cycles += miss_of(PICO) * size / _FLOAT_BYTES / _WORD
    return 1000 * cycles / CLOCKS[PICO][0]
