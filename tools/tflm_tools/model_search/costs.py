# tflm_tools: costs: computes RAM and flash of a network on a board, and estimates its time
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.tflite.reader import TfliteModel

from ..flat.flatten import image_within, levels_of, optimized_model
from ..image.custom import HostResolver
from ..inspection.pico_time import milliseconds, nodes_of, weights_of
from ..model.flat_file import FlatFile
from ..model.macs import macs
from ..optimize.memory.levels import BALANCED, OFF
from ..optimize.passes import passes_without


@dataclass
class Costs:
    """The costs of a network on a board.

    ram: bytes of the arena. flash: bytes of the .tflm of `tflm flatten`. ms: estimated
    milliseconds of an invoke, None for a target without measurements. macs, weights:
    multiply-accumulates and number of weights of the .tflite.
    """

    ram: int
    flash: int
    ms: float | None
    macs: int
    weights: int


def costs_of(data, target, level=BALANCED):
    """Return the Costs of a .tflite (bytes). Raises TflmError for a model that does not run.

    target, level: as for flatten.flatten().
    """
    resolver = HostResolver()
    saved, _ = optimized_model(data, resolver, passes_without(()))
    levels = levels_of(saved, resolver, target)
    graph, extra = saved, 0
    if levels is not None and level != OFF:
        graph, extra = levels.model(level)
    flat = image_within(data, graph, resolver, target=target)
    nodes, written = nodes_of(saved), nodes_of(TfliteModel(data))
    size = sum(tensor.nbytes() for tensor in weights_of(nodes))
    return Costs(
        ram=FlatFile(flat).arena_bytes,
        flash=len(flat),
        ms=milliseconds(nodes, levels, extra, size, target),
        macs=sum(map(macs, written)),
        weights=sum(tensor.elements() for tensor in weights_of(written)),
    )
