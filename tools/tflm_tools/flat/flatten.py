# tflm_tools: flatten: from a .tflite to the flat model that boards read in place
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.errors import UnsupportedError
from tflm.tflite.reader import TfliteModel

from ..errors import ToolError
from ..image.custom import CheckingResolver, HostResolver
from ..image.flat_image import image_of
from ..image.prepare import prepare_graph
from ..image.prepared_nodes import CachingResolver
from ..model.flat_file import FlatFile
from ..model.graph import Graph, is_in_order
from ..optimize import compressed_weights
from ..optimize.memory.levels import BALANCED, BUDGET, OFF, Levels
from ..optimize.memory.weights.flash_cache import miss_of
from ..optimize.passes import apply_passes, passes_without
from ..optimize.stream_input import apply as apply_by_rows
from .features import keep
from .packing import fit, steps

_MOST_OPERATORS = 512  # of a model that is made cheaper; larger ones stay as they are


def prepare(
    tflite,
    resolver=None,
    keep_tensors=False,
    target=None,
    packing=None,
    savings=(),
    optimize=OFF,
    miss=None,
    compress_weights=False,
    arena_budget=None,
    by_rows=False,
):
    """Prepare a .tflite (bytes) on the host: (model, RomStorage) with plan and records.

    savings: names of passes of optimize/passes.py; without any, the model is as it is written.
    compress_weights, arena_budget, by_rows: as for flatten().
    optimize: a level of optimize/memory/levels.py; OFF leaves memory as TFLM plans it.
    miss: cycles that a word of weights takes to fetch (optimize/memory/weights/flash_cache.py).
    """
    model, _ = optimized_model(tflite, resolver, savings, by_rows=by_rows)
    model, _ = compressed(model, resolver, target, compress_weights, bool(savings), miss)
    level = level_of(optimize, arena_budget, OFF)
    model = at_level(model, level, resolver, target, packing, miss, arena_budget)
    return model, prepare_graph(model, resolver, keep_tensors, target, packing)


def optimized_model(
    tflite, resolver=None, savings=(), input_shapes=None, by_rows=False, features=()
):
    """The model of a .tflite (bytes), changed by `savings`, and what these saved.

    input_shapes: {number of an input: shape} for other ones than those of the file.
    by_rows: its input comes by rows (optimize/stream_input.py).
    features: tensors that are kept beside the outputs (flat/features.py).
    Returns (TfliteModel or Graph, list of Saving). Raises tflm.TflmError as Prepare of the model
    as it is written does: passes may rely on what is checked there.
    """
    model = TfliteModel(tflite, input_shapes)
    if features:
        keep(model, features)
    resolver = resolver or HostResolver()
    # What a user's operators do is not known.
    if not (savings or by_rows) or resolver._builtin:
        return _whole(model, by_rows)
    prepare_graph(model, CheckingResolver(resolver))
    if not _may_change(model):
        return _whole(model, by_rows)
    graph = Graph(model)
    found = apply_passes(graph, savings)
    if by_rows:
        apply_by_rows(graph)
    return graph, found


def compressed(model, resolver=None, target=None, every=False, packed=True, miss=None):
    """What optimized_model() returned with weights in four bits, and where these are.

    every: those of int8 with at most 16 values, too; packed: those that the file has in fewer
    bits (int4, TFLM_DECODE). Returns
    (model, list of optimize.compressed_weights.CompressedLayer). Raises ToolError where `every`
    is for nothing.
    """
    able = target == compressed_weights.TARGET
    if every and not able:
        raise ToolError(
            "--compress-weights is for kernels of --target armv6m; give that, or leave it out"
        )
    if not able or not (every or packed and isinstance(model, Graph)):
        return model, []
    if (resolver is not None and resolver._builtin) or not _may_change(model):
        return model, []
    graph = model if isinstance(model, Graph) else Graph(model)
    found = compressed_weights.apply(graph, every, miss)
    graph.drop_unused()
    return graph, found


# A model that stays as it is.
def _whole(model, by_rows):
    if by_rows:
        raise ToolError(
            "this model is flattened as it is written (custom operators, over "
            f"{_MOST_OPERATORS} operators, or these in no order); leave --input-by-rows out"
        )
    return model, []


# Passes and searches compare each operator with each other one.
def _may_change(model):
    return sum(s.nodes_length() for s in model.subgraphs) <= _MOST_OPERATORS and is_in_order(model)


def level_of(optimize, arena_budget, usual=BALANCED):
    """The level of optimize/memory/levels.py for these two; usual: where none is asked for."""
    if arena_budget is None:
        return optimize
    if optimize != usual:
        raise ToolError(
            "--arena-budget asks for the fastest plan with so many bytes, whatever its level; "
            "leave --optimize out"
        )
    return BUDGET


def check_arena(needed, arena_budget):
    """Raise UnsupportedError where the arena needs more bytes than that; None is any."""
    if arena_budget is not None and needed > arena_budget:
        raise UnsupportedError(
            f"the arena needs {needed} bytes, --arena-budget is {arena_budget}, and what takes "
            "them cannot be planned again (control flow, --keep-tensors, custom operators, "
            f"--flash-budget, over {_MOST_OPERATORS} operators); leave out which of these you "
            "can, or give it as many"
        )


def at_level(model, level, resolver=None, target=None, packing=None, miss=None, arena=None):
    """What optimized_model() returned, as a level of optimize/memory/levels.py makes it.

    arena: bytes for BUDGET.
    """
    if level == OFF and not miss_of(target, miss):
        return model
    levels = levels_of(model, resolver, target, packing, miss, arena)
    if levels is None:
        return model
    return levels.as_planned(model) if level == OFF else levels.model(level)[0]


def levels_of(model, resolver=None, target=None, packing=None, miss=None, arena=None):
    """The Levels of what optimized_model() returned; None where a user's operators are in the way.

    The same for a model that is not in order (see optimize.graph.is_in_order) or very large.
    """
    resolver = resolver or HostResolver()
    if resolver._builtin or not _may_change(model):
        return None
    tries = CachingResolver(CheckingResolver(resolver))

    def prepare(model):
        return prepare_graph(model, tries, target=target, packing=packing)

    return Levels(model, prepare, target, packing, miss, arena)


def flatten(
    tflite,
    resolver=None,
    keep_tensors=False,
    target=None,
    flash_budget=None,
    without=(),
    optimize=BALANCED,
    input_shapes=None,
    miss=None,
    by_rows=False,
    features=(),
    compress_weights=False,
    arena_budget=None,
):
    """The flat model (bytes) of a .tflite (bytes).

    keep_tensors: every tensor gets a place and a table entry of its own, for debugging; nothing
    is saved then.
    target: one of targets.TARGETS packs weights for that instruction set, which costs flash.
    flash_budget: bytes that the flat model may have; layers that gain least get smaller.
    without: savings to leave out, as docs/explanation/optimization-passes.md names them; "all"
        leaves out all.
    optimize: "ram", "balanced" or "speed": what RAM may cost, see docs/how-to/less-ram.md; "off"
    leaves memory as TFLM plans it.
    input_shapes: {number of an input: shape} for other ones than those of the file.
    miss: cycles that a word of weights takes to fetch; None: what is usual where the target runs,
    0 for memory without wait states.
    by_rows: the input comes by rows, invoke(source): docs/how-to/less-ram.md.
    features: names of tensors that are kept beside the outputs: docs/how-to/learn-on-board.md.
    compress_weights: weights of int8 with at most 16 values become indices of four bits where a
    layer uses each once, for the target armv6m: docs/explanation/optimization-passes.md.
    arena_budget: bytes that the arena may have, in place of a level: the fastest plan that is
    found with so many, by estimate.
    Raises tflm.TflmError for what is damaged or not supported.
    """
    level = level_of(optimize, arena_budget)
    savings = passes_without(("all",) if keep_tensors else without)
    model, _ = optimized_model(tflite, resolver, savings, input_shapes, by_rows, features)
    if not keep_tensors:
        model, _ = compressed(model, resolver, target, compress_weights, bool(savings), miss)
        model = at_level(model, level, resolver, target, miss=miss, arena=arena_budget)
    flat = image_within(tflite, model, resolver, keep_tensors, target, flash_budget)
    if arena_budget is not None:
        check_arena(FlatFile(flat).arena_bytes, arena_budget)
    return flat


def flat_and_graph(tflite, resolver=None, target=None, optimize=BALANCED):
    """What flatten() gives, and the model as it is planned in it: one search for both."""
    model, _ = optimized_model(tflite, resolver, passes_without(()))
    model = at_level(model, optimize, resolver, target)
    return image_within(tflite, model, resolver, target=target), model


def image_within(tflite, model, resolver=None, keep_tensors=False, target=None, flash_budget=None):
    """Return the bytes of a .tflm, at most `flash_budget`, from an optimized_model()."""
    return packed_within(tflite, model, resolver, keep_tensors, target, flash_budget)[0]


def packed_within(
    tflite,
    model,
    resolver=None,
    keep_tensors=False,
    target=None,
    flash_budget=None,
    storage=None,
):
    """image_within(), and how weights are stored where that is not as fast as can be.

    storage: the model's RomStorage, where it has been prepared.
    Returns (bytes, {operator's number: a constant of prepare.lanes}).
    """
    storage = storage or prepare_graph(model, resolver, keep_tensors, target)
    image = image_of(tflite, model, storage, keep_tensors)
    if flash_budget is None or len(image) <= flash_budget:
        return image, {}

    def build(packing):
        storage = prepare_graph(model, resolver, keep_tensors, target, packing)
        return image_of(tflite, model, storage, keep_tensors)

    image, packing = fit(build, steps(storage), flash_budget)
    if image is None:
        raise UnsupportedError(
            f"the .tflm does not fit {flash_budget} bytes of flash, however it is packed; "
            "use a smaller model"
        )
    return image, packing
