# tflm_tools: conversion: flattens a file for `tflm flatten`, and reports sizes and costs
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from pathlib import Path

from .. import files
from ..arena.arena_plan import tflm_head_bytes
from ..image.custom import load_resolver
from ..model.graph import Graph
from ..model.model_file import naming, read_tflite
from ..optimize.compressed_weights import CompressedLayer
from ..optimize.invoke_time import copying_targets, invoke_cycles_of
from ..optimize.memory.costs import cycle_unit
from ..optimize.memory.levels import BALANCED, BUDGET, OFF, RAM, SPEED, LevelSize, gc_paused
from ..optimize.memory.weights.flash_cache import miss_of
from ..optimize.passes import Saving
from ..render.common import Shown
from .explanation import PlanExplanation, explain_plan
from .flatten import FlattenOptions, FlattenPipeline
from .packing_costs import PackedLayer, packed_layers


@dataclass
class Conversion(Shown):
    """The result of `tflm flatten`; sizes are in bytes.

    data: the .tflm. tflm_head_bytes: of TFLM's plan for the tensors. savings: what each pass
    saved. compressed: layers with 4-bit weights. packing: for a target, the costs of packed
    weights.
    level: the level of the memory plan, "" for TFLM's plan, "budget" for --arena-budget. levels:
    size and cost of each level. skipped_levels: levels not searched because that would be slow.
    unit: of the levels' `cycles`. is_of_use: the level needs less RAM or fewer cycles than "off".
    explanation: why the plan was chosen, if that was requested. is_copied: tflm.load() copies the
    model to RAM on a Pico or Pico 2, for which it is packed.
    """

    _shown = ("results", "print_conversion")
    data = b""  # not a field, so that JSON does not show it

    source: str
    output: str
    tflite_bytes: int
    flat_bytes: int
    arena_bytes: int
    tflm_head_bytes: int
    savings: list[Saving] = field(default_factory=list)
    compressed: list[CompressedLayer] = field(default_factory=list)
    packing: list[PackedLayer] = field(default_factory=list)
    level: str = ""
    levels: list[LevelSize] = field(default_factory=list)
    skipped_levels: list[str] = field(default_factory=list)
    unit: str = ""
    target: str | None = None
    is_of_use: bool = True
    explanation: PlanExplanation | None = None
    is_copied: bool = False


@gc_paused()
def flatten_file(source, output, custom=(), explain=False, **options):
    """Flatten the .tflite `source` to the file `output`; return a Conversion.

    output: None to write no file. custom: Python files that register custom operators.
    explain: add a PlanExplanation. options: as FlattenOptions. Raises TflmError for a model that
    cannot be flattened, and for files.
    """
    options = FlattenOptions(**options)
    if output is not None:
        files.check_output(output, source, options.block, *custom)
    tflite = read_tflite(source, "flatten")
    with naming(source):
        pipeline = FlattenPipeline(tflite, options, load_resolver(custom))
        flat = pipeline.flat
    if output is not None:
        files.write(output, flat)
    result = Conversion(
        source=str(source),
        output=str(output or Path(source).with_suffix(".tflm").name),
        tflite_bytes=len(tflite),
        flat_bytes=len(flat),
        arena_bytes=pipeline.storage.arena_bytes,
        tflm_head_bytes=tflm_head_bytes(pipeline.as_in_file()),
        savings=pipeline.savings,
        compressed=pipeline.compressed_layers,
        packing=_packing(pipeline),
    )
    copying = copying_targets(result.arena_bytes, len(flat))
    result.is_copied = options.target in copying
    _add_levels(result, pipeline)
    if explain:
        result.explanation = explain_plan(pipeline, result.levels)
    result.data = flat
    return result


# The PackedLayers of a model that is packed for a target.
def _packing(pipeline):
    if not pipeline.options.target:
        return []
    graph = pipeline.planned
    layouts = graph.layouts if isinstance(graph, Graph) else {}
    chosen = {number: packing for number, (packing, _) in layouts.items()}
    chosen.update(pipeline.packing)
    return packed_layers(pipeline.prepare_compressed, chosen, pipeline.options.target)


# Add the levels to a Conversion, unless the model has TFLM's plan.
def _add_levels(result, pipeline):
    level = pipeline.level
    levels = None if level == OFF else pipeline.levels
    if levels is None:
        return
    others = (SPEED,) if level == BUDGET else (RAM, BALANCED, SPEED)
    wanted = dict.fromkeys((*others, level))
    searched = [each for each in wanted if each == level or levels.is_quick(each)]
    result.level = level
    target, miss = pipeline.options.target, pipeline.options.miss
    cycles = invoke_cycles_of(pipeline.compressed, target, in_ram=not miss_of(target, miss))
    result.levels = [levels.size(each, pipeline.image, cycles) for each in searched]
    result.skipped_levels = [each for each in wanted if each not in searched]
    result.unit = cycle_unit(target)
    result.target = target
    result.is_of_use = levels.is_of_use(level)
