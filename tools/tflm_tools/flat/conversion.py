# tflm_tools: from a .tflite file to a .tflm file, with the sizes that come out
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from pathlib import Path

from .. import files
from ..arena.arena_plan import tflm_head_bytes
from ..errors import ToolError
from ..image.custom import CheckingResolver, load_resolver
from ..image.flat_image import image_of
from ..image.prepare import prepare_graph
from ..model.flat_file import FlatFile
from ..model.graph import Graph
from ..model.model_file import open_model
from ..optimize.compressed_weights import CompressedLayer
from ..optimize.memory.costs import cycle_unit
from ..optimize.memory.levels import BALANCED, BUDGET, OFF, RAM, SPEED, LevelSize, gc_paused
from ..optimize.passes import Saving, passes_without
from ..render.notebook import Shown
from .flatten import check_arena, compressed, level_of, levels_of, optimized_model, packed_within
from .packing_costs import PackedLayer, packed_layers


@dataclass
class Conversion(Shown):
    """What `tflm flatten` made; sizes in bytes. `tflm_head_bytes`: TFLM's plan of the tensors.

    savings: what was saved. compressed: layers with weights of four bits. packing: for a target,
    what packed weights cost. levels: size and cost of each level of --optimize. skipped_levels:
    levels not searched because that would be slow. level: the chosen one, "" for none, "budget"
    for --arena-budget. unit: of the levels' `cycles`.
    is_of_use: that level needs less RAM or fewer cycles than "off". data: the .tflm's bytes.
    """

    _shown = ("results", "print_conversion")
    data = b""  # no field, which JSON would show

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
    is_of_use: bool = True


# The .tflite of a path; a .tflm cannot be converted again.
def open_tflite(path, what):
    model = open_model(path)
    if model.kind != "tflite":
        raise ToolError(f"{path} is already a .tflm; {what} needs the .tflite it was made from")
    return model


def shapes_by_number(model, words):
    """{number of an input: shape} of words like "name=1,96,96,1"; see flatten_file()."""
    names = [tensor.name for tensor in model.inputs]
    found = {}
    for word in words:
        name, equals, numbers = word.rpartition("=")
        if not equals and len(names) == 1:
            name = names[0]
        if name not in names:
            raise ToolError(
                f"--input-shape {word} names no input; the model has {', '.join(names)}, as in "
                f"{names[0] if names else 'name'}=1,96,96,1"
            )
        try:
            shape = tuple(int(number) for number in numbers.split(",") if number.strip())
        except ValueError:
            raise ToolError(
                f"--input-shape {word} is not a shape; give numbers with commas, as in 1,96,96,1"
            ) from None
        found[names.index(name)] = shape
    return found


@gc_paused()
def flatten_file(
    source,
    output,
    keep_tensors=False,
    custom=(),
    target=None,
    flash_budget=None,
    without=(),
    optimize=BALANCED,
    input_shapes=(),
    by_rows=False,
    features=(),
    compress_weights=False,
    arena_budget=None,
):
    """Flatten the .tflite `source` into the file `output`; with None no file is written.

    keep_tensors: each tensor gets a place of its own, to be read after invoke; nothing is saved.
    custom: Python files that register custom operators.
    target, flash_budget, without, optimize: as for flatten.flatten().
    input_shapes: words like "name=1,96,96,1", or "1,96,96,1" for a model's only input.
    by_rows, features, compress_weights, arena_budget: as for flatten.flatten().
    Raises TflmError for a model that cannot be flattened and for files.
    """
    from tflm.tflite.reader import TfliteModel

    if output is not None:
        files.check_output(output, source, *custom)
    level = level_of(optimize, arena_budget)
    model = open_tflite(source, "flatten")
    resolver = load_resolver(custom)
    names = passes_without(("all",) if keep_tensors else without)
    shapes = shapes_by_number(model, input_shapes)
    saved, savings = optimized_model(model.data, resolver, names, shapes, by_rows, features)
    layers, levels = [], None
    if not keep_tensors:
        saved, layers = compressed(saved, resolver, target, compress_weights, bool(names))
    if not keep_tensors and level != OFF:
        levels = levels_of(saved, resolver, target, arena=arena_budget)
    graph = saved if levels is None else levels.model(level)[0]
    # Levels prepare what users' operators need as if these needed nothing.
    storage = None if levels is None or custom else levels.prepared(graph)
    flat, packing = packed_within(
        model.data, graph, resolver, keep_tensors, target, flash_budget, storage
    )
    arena_bytes = FlatFile(flat).arena_bytes
    check_arena(arena_bytes, arena_budget)
    if output is not None:
        files.write(output, flat)

    layouts = graph.layouts if isinstance(graph, Graph) else {}
    stored = {number: each for number, (each, _) in layouts.items()}
    stored.update(packing)

    def prepare(packing):
        return prepare_graph(saved, CheckingResolver(resolver), keep_tensors, target, packing)

    def image(level):
        if packing or custom:
            made = prepare_graph(level, resolver, target=target, packing=packing)
        else:
            made = levels.prepared(level)
        return len(image_of(model.data, level, made)), made.arena_bytes

    others = (SPEED,) if level == BUDGET else (RAM, BALANCED, SPEED)
    wanted = dict.fromkeys((*others, level)) if levels is not None else ()
    searched = [each for each in wanted if each == level or levels.is_quick(each)]
    result = Conversion(
        source=str(source),
        output=str(output or Path(source).with_suffix(".tflm").name),
        tflite_bytes=len(model.data),
        flat_bytes=len(flat),
        arena_bytes=arena_bytes,
        tflm_head_bytes=tflm_head_bytes(TfliteModel(model.data, shapes)),
        savings=savings,
        compressed=layers,
        packing=packed_layers(prepare, stored, target) if target else [],
        level=level if levels is not None else "",
        levels=[levels.size(each, image) for each in searched],
        skipped_levels=[each for each in wanted if each not in searched],
        unit=cycle_unit(target) if levels is not None else "",
        is_of_use=levels is None or levels.is_of_use(level),
    )
    result.data = flat
    return result
