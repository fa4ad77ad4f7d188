# tflm_tools: invoke_time: estimates the time of a model on a board from its operators
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm import dtypes
from tflm.loading import fits_heap
from tflm.tflite.call_graph import WHILE

from ..model.macs import macs
from ..model.schema import op_name
from .as_int8 import as_int8
from .kernel_costs import cycles_as_int8, invoke_cycles, is_portable, kernel_cycles
from .memory.node_costs import NodeCostTable
from .memory.weights.flash_cache import fetches, miss_of
from .node_facts import rectified_nodes

_WORD = 4  # bytes of weights that one miss of the flash cache fetches
_PIXELS = 4  # of an output that a kernel computes with one fetch of the weights
# It uses weights in the cache for all pixels, if its output does not overlap its input.
_PASSES_ONCE = "conv_int16.eval_int16"


@dataclass(frozen=True)
class Core:
    """The core of a board: arch, clock in Hz that MicroPython sets, and cycles for each count of
    kernel_costs.py, which counts instructions of cores other than Cortex-M.

    code_waits: cycles with waits for code in flash, divided by the cycles without.
    """

    arch: str
    clock: int
    cycles: float = 1
    code_waits: float = 1


# bench/esp32.py estimates 1.36 and 1.43 cycles for an instruction of two networks of MLPerf Tiny
# on an ESP32, with model and arena in internal RAM. No times of a whole model on an ESP32-C3 are
# published; an instruction is taken to need one cycle and loads and branches some more.
CORES = {
    "armv6m": Core("armv6m", 125_000_000, code_waits=1.04),
    "armv7em": Core("armv7emsp", 150_000_000),
    "mac16": Core("xtensawin", 160_000_000, 1.4),
    "rv32imc": Core("rv32imc", 160_000_000, 1.2),
}
# Targets of the boards that `tflm inspect` names.
BOARDS = {"pico": "armv6m", "pico2": "armv7em", "esp32": "mac16", "esp32c3": "rv32imc"}

# Bytes of free heap after boot, with tflm in the firmware, of boards on which load() copies models
# from flash to RAM (board/profile_files).
HEAPS = {"armv6m": 202_000, "armv7em": 442_000}
_IMPORT_HEAP = 9_100  # of these, which `import tflm` takes on an emulated Pico

NOTED_SHARE = 0.05  # of the time of an invoke
# An estimate of more would take long.
_MAX_LOOP_RUNS = 1000  # also of loops within loops
_MAX_OPERATORS = 1 << 17


# More cycles of a node with the layout of its weights in the plan, if they are in RAM: the plan
# counts at least `miss` cycles for each word. Models that fit RAM have small arenas, which have no
# place for the scratch of a FULLY_CONNECTED with weights as bytes.
def _layout_cycles(node, costs, miss):
    if not costs.layouts or op_name(node) == "FULLY_CONNECTED":
        return 0
    layout = costs.layouts[0]
    return layout.cycles - miss * costs.weight_words(layout.layout) - costs.unpack_cycles


# Cycles that a node waits for weights in flash, and more cycles with their layout in the plan.
def _weight_waits(node, costs, miss):
    if costs.layouts:  # the plan stores the weights in the fastest way
        return costs.layouts[0].cycles - costs.unpack_cycles
    if costs.weight_cycles:
        return costs.weight_cycles - costs.unpack_cycles
    if not macs(node):
        return 0
    constants = [t for t in node.inputs if t is not None and t.is_constant()]
    words = sum(tensor.nbytes() for tensor in constants) / _WORD
    shape = node.outputs[0].shape
    if costs.kernels[0] == _PASSES_ONCE:
        return miss * words
    pixels = node.outputs[0].elements() // max(1, shape[-1] if shape else 1)
    return miss * words * fetches(words, max(1, pixels / _PIXELS))


def node_cycles(model, target, in_ram=False):
    """Return a list of (node, kernels, estimated cycles) of the operators that an invoke runs.

    model: a Graph or a TfliteModel. target: a key of CORES. in_ram: the weights are in RAM. The
    cycles include waits for flash, but not what a memory plan adds.
    """
    core, miss = CORES[target], miss_of(target)
    table = NodeCostTable(model, target)
    nodes = executed_nodes(model)
    rectified, known, found = rectified_nodes(nodes), {}, []
    last_readers = {t.index: node for node in nodes for t in node.inputs if t is not None}
    for node in nodes:
        if node.index not in known:
            costs = table.of(node)
            # The planner lets an output overlap an input that is not read later.
            sources = [node.inputs[position] for position, *_ in costs.distances]
            has_overlap = any(last_readers[source.index] is node for source in sources)
            count = kernel_cycles(
                node, target, costs.kernels, node.index in rectified, has_overlap
            )
            waits = (_layout_cycles if in_ram else _weight_waits)(node, costs, miss) if miss else 0
            known[node.index] = core.cycles * core.code_waits * count + waits
        found.append((node, table.of(node).kernels, known[node.index]))
    return found


def invoke_cycles_of(model, target, in_ram=False):
    """Estimate the cycles of an invoke; instructions, for cores other than Cortex-M.

    None for a target whose kernels were not counted. model, in_ram: as for node_cycles().
    """
    if target not in CORES:
        return None
    cycles = sum(cycles for _, _, cycles in node_cycles(model, target, in_ram))
    return cycles / CORES[target].cycles + invoke_cycles(target)


def target_milliseconds(model, target, frequency=0, extra=0, in_ram=False):
    """Estimate the milliseconds of an invoke; None for a target whose kernels were not counted.

    model: a Graph or a TfliteModel. extra: cycles that a memory plan adds. frequency: of the core
    in Hz, by default as MicroPython sets it. in_ram: as for node_cycles().
    """
    cycles = invoke_cycles_of(model, target, in_ram)
    if cycles is None:
        return None
    core = CORES[target]
    return 1000 * (core.cycles * cycles + extra) / (frequency or core.clock)


@dataclass
class BoardTimes:
    """Estimates of an invoke.

    ms: {key of BOARDS: milliseconds}. portable: {operator's number: keys of BOARDS where it runs a
    portable kernel}, without operators that take less than NOTED_SHARE of the time. pico_shares:
    {operator's number: share of the time on a Pico}.
    """

    ms: dict[str, float]
    portable: dict[int, list[str]]
    pico_shares: dict[int, float]


def copying_targets(arena, flash):
    """Return the targets on whose boards tflm.load() copies a model from flash to RAM.

    arena, flash: bytes of the model's arena and of its .tflm.
    """
    free = {target: heap - _IMPORT_HEAP for target, heap in HEAPS.items()}
    return {target for target, heap in free.items() if fits_heap(flash, arena, heap)}


def board_times(model, in_ram=()):
    """Return the BoardTimes of a Graph or a TfliteModel; in_ram: targets with weights in RAM."""
    times = BoardTimes({}, {}, {})
    for board, target in BOARDS.items():
        core, portable, by_node = CORES[target], {}, {}
        total = core.cycles * invoke_cycles(target)
        for node, kernels, cycles in node_cycles(model, target, target in in_ram):
            total += cycles
            by_node[node.index] = by_node.get(node.index, 0) + cycles
            if any(is_portable(kernel, core.arch) for kernel in kernels):
                portable[node.index] = portable.get(node.index, 0) + cycles
        times.ms[board] = 1000 * total / core.clock
        if board == "pico":
            times.pico_shares = {number: cycles / total for number, cycles in by_node.items()}
        for number, cycles in portable.items():
            if cycles > NOTED_SHARE * total:
                times.portable.setdefault(number, []).append(board)
    return times


def board_milliseconds_as_int8(model, in_ram=()):
    """Return {key of BOARDS: estimated milliseconds} of a float model that is made int8.

    in_ram: as for board_times().
    """
    found, (model, converted) = {}, as_int8(model)
    for board, target in BOARDS.items():
        core, total = CORES[target], CORES[target].cycles * invoke_cycles(target)
        for node, _, cycles in node_cycles(model, target, target in in_ram):
            if node.index not in converted:
                cycles = core.cycles * core.code_waits * cycles_as_int8(node, target)
            total += cycles
        found[board] = 1000 * total / core.clock
    return found


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
