# tflm_tools: costs: computes RAM and flash of a network on a board, and estimates its time
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from ..flat.flatten import FlattenOptions, FlattenPipeline
from ..model.macs import macs
from ..optimize.invoke_time import copying_targets, nodes_of, target_milliseconds, weights_of
from ..optimize.memory.levels import BALANCED, OFF


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

    target, level: as FlattenOptions.
    """
    pipeline = FlattenPipeline(data, FlattenOptions(target, level))
    flat, levels, extra = pipeline.flat, pipeline.levels, 0
    if levels is not None and level != OFF:
        extra = levels.model(level)[1]
    written, ram = nodes_of(pipeline.source), pipeline.storage.arena_bytes
    in_ram = target in copying_targets(ram, len(flat))
    return Costs(
        ram=ram,
        flash=len(flat),
        ms=target_milliseconds(pipeline.compressed, target, extra=extra, in_ram=in_ram),
        macs=sum(map(macs, written)),
        weights=sum(tensor.elements() for tensor in weights_of(written)),
    )
