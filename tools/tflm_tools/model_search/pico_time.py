# tflm_tools: how long a model takes on a Pico or a Pico 2, from its operators: an estimate
# MIT license; Copyright (c) 2026 the tflm authors

from ..model.schema import op_name
from ..optimize.memory.costs import FITTED, FLOAT, OTHER, Cost, cycles_by, is_float, node_cycles
from ..optimize.memory.flash_cache import miss_of

# Fitted to docs/data/pico-layers.csv, on a Pico: with waits for code.
_FITTED = {
    **FITTED,
    "CONV_2D": Cost(2.64, 61.5, 0, 0, 15_000),
    "DEPTHWISE_CONV_2D": Cost(6, 40, 0, 0, 15_000),
}
_WORD = 4  # bytes of weights that one miss of the flash cache fetches

# Clocks in Hz as MicroPython sets them, and cycles of the core by those of a Cortex-M0+: what the
# Pico 2's estimates of docs/data/pico2.csv are of the figures above, with the model in RAM.
CLOCKS = {"armv6m": (125_000_000, 1.0), "armv7em": (150_000_000, 0.4)}


# Cycles of an operator, its weights at hand.
def _cycles(node):
    return cycles_by(FLOAT if is_float(node) else _FITTED.get(op_name(node), OTHER), node)


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
