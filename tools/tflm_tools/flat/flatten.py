# tflm_tools: flatten: the pipeline from a .tflite to a .tflm, for all commands and the Python API
# MIT license; Copyright (c) 2026 the tflm authors

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tflm.errors import UnsupportedError
from tflm.prepare.lanes import BYTES
from tflm.tflite.reader import TfliteModel

from ..arena.arena_plan import tflm_head_bytes
from ..errors import ToolError
from ..features.feature_block import read_block
from ..image.custom import CheckingResolver, HostResolver
from ..image.flat_image import image_of
from ..image.prepare import prepare_graph
from ..image.prepared_nodes import CachingResolver
from ..model.graph import Graph, is_in_order
from ..optimize import compressed_weights
from ..optimize.memory.levels import BALANCED, BUDGET, OFF, ArenaLimits, Levels
from ..optimize.memory.planned_graphs import PreparedModels
from ..optimize.memory.weights.flash_cache import miss_of
from ..optimize.passes import apply_passes, passes_without
from ..optimize.stream_input import apply as apply_by_rows
from .features import keep, keep_inputs
from .packing import fit, steps

# Passes and searches compare each operator with each other one, so larger models stay unchanged.
_MAX_OPERATORS = 512


@dataclass(frozen=True)
class FlattenOptions:
    """The options of `tflm flatten`.

    target: one of targets.TARGETS packs weights for that instruction set, which costs flash.
    optimize: the level of the memory plan, "ram", "balanced", "speed" or "off" (how-to/less-ram).
    arena_budget: bytes of the arena. The result is the fastest plan within them; it replaces
    `optimize`.
    flash_budget: bytes of the .tflm. The layers that gain least from packing are packed less.
    without: optimization passes to exclude, as passes.OPTIONS spells them; "all" for all passes.
    input_shapes: other shapes of inputs: words like "name=1,96,96,1" (or "1,96,96,1" for the only
    input), or {number of an input: shape}.
    by_rows: the input comes by rows, as invoke(source) gives them.
    features: tensors to keep beside the outputs for a Learner: names, numbers, or "last".
    block: a JSON of Edge Impulse (path or dict), stored with the model: tflm.features computes
    the input from samples.
    keep_inputs: invoke() leaves the inputs as they are, so an input need not be set again.
    keep_state: caches that are inputs and outputs stay in the arena, and are neither of both.
    invoke() increments the input with the position.
    keep_tensors: no tensors share memory, and all are readable after invoke, for debugging.
    Passes, levels and compression are off.
    compress_weights: store int8 weights with at most 16 values as 4-bit indices (armv6m only).
    miss: cycles to fetch a word of weights from flash. None stands for the usual cycles of the
    target, 0 for memory without wait states.
    """

    target: str | None = None
    optimize: str = BALANCED
    arena_budget: int | None = None
    flash_budget: int | None = None
    without: tuple[str, ...] = ()
    input_shapes: Mapping | tuple[str, ...] = ()
    by_rows: bool = False
    features: tuple[str, ...] = ()
    block: object | None = None
    keep_inputs: bool = False
    keep_state: bool = False
    keep_tensors: bool = False
    compress_weights: bool = False
    miss: int | None = None

    @property
    def level(self):
        """The level of optimize/memory/levels.py; raises ToolError for two contrary options."""
        if self.arena_budget is None:
            return self.optimize
        if self.optimize != BALANCED:
            raise ToolError(
                "--arena-budget asks for the fastest plan within these bytes, whatever its level; "
                "leave --optimize out"
            )
        return BUDGET


class FlattenPipeline:
    """The steps from a .tflite (bytes) to a .tflm.

    Each step is a property that runs when it is first read. Its result is kept.
    1. source: read the file.
    2. optimized: check the model by Prepare, then run the optimization passes.
    3. compressed: store weights with few values as 4-bit indices (compressed_layers).
    4. levels: the search for memory plans; None for a model that is not planned again.
    5. planned: the model with the memory plan of the options' level.
    6. packing: how weights are packed to fit the flash budget.
    7. storage: prepare the planned model: its records and its arena.
    8. flat: write the bytes of the .tflm.

    packing: {operator's number: how its weights are stored}, a constant of prepare.lanes; for
    tests. All properties raise TflmError for a model that is damaged or not supported.
    """

    def __init__(self, tflite, options=FlattenOptions(), resolver=None, packing=None):
        self.options = options
        self.level = options.level
        self.passes = passes_without(("all",) if options.keep_tensors else options.without)
        self._tflite = tflite
        self._resolver = resolver or HostResolver()
        self._packing = packing
        # Records of nodes that several prepared models share, without users' operators.
        self._prepared_nodes = CachingResolver(CheckingResolver(self._resolver))

    def at_level(self, level):
        """Return a pipeline with another level, which shares the steps before the plan."""
        other = copy.copy(self)  # includes the results of cached properties
        for name in ("planned", "packing", "storage", "flat"):
            vars(other).pop(name, None)
        other.level = level
        return other

    @cached_property
    def source(self):
        """The TfliteModel of the file, with the input shapes and features of the options."""
        model = self._read()
        if self.options.features:
            keep(model, self.options.features)
        model.keeps_state = self.options.keep_state
        if self.options.keep_inputs:
            if self.options.by_rows:
                raise ToolError("--input-by-rows stores no input to keep; leave --keep-inputs out")
            keep_inputs(model)
        return model

    def as_in_file(self):
        """Return the source without the tensors that the options keep."""
        is_changed = self.options.features or self.options.keep_inputs
        return self._read() if is_changed else self.source

    def _read(self):
        shapes = self.options.input_shapes
        if shapes and not isinstance(shapes, Mapping):
            main = TfliteModel(self._tflite).subgraphs[0]
            shapes = shapes_by_number([main.tensor(i).name for i in main.inputs], shapes)
        return TfliteModel(self._tflite, shapes or None)

    @cached_property
    def optimized(self):
        """The model after the optimization passes: the source, or a Graph."""
        return self._after_passes[0]

    @cached_property
    def savings(self):
        """A list of Saving: what each pass saved."""
        return self._after_passes[1]

    # Passes rely on the checks of Prepare, so the source is prepared first.
    @cached_property
    def _after_passes(self):
        by_rows = self.options.by_rows
        if (self.passes or by_rows) and not self._resolver._builtin:
            prepare_graph(self.source, CheckingResolver(self._resolver))
            if _may_change(self.source):
                graph = Graph(self.source)
                savings = apply_passes(graph, self.passes)
                if by_rows:
                    apply_by_rows(graph)
                return graph, savings
        if by_rows:
            raise ToolError(
                "this model is flattened without changes (custom operators replace builtin ones, "
                f"it has over {_MAX_OPERATORS} operators, or these are not in order); leave "
                "--input-by-rows out"
            )
        return self.source, []

    @cached_property
    def compressed(self):
        """The optimized model with compressed weights."""
        return self._after_compression[0]

    @cached_property
    def compressed_layers(self):
        """A list of CompressedLayer."""
        return self._after_compression[1]

    # Weights that the file stores in fewer than 8 bits are compressed unless all passes are off.
    @cached_property
    def _after_compression(self):
        model, every = self.optimized, self.options.compress_weights
        if self.options.keep_tensors:
            return model, []
        if every and self.options.target != compressed_weights.TARGET:
            raise ToolError(
                "--compress-weights requires --target armv6m, the only target with kernels for "
                "it; give that, or leave it out"
            )
        if self.options.target != compressed_weights.TARGET or self._resolver._builtin:
            return model, []
        has_passes = bool(self.passes) and isinstance(model, Graph)
        if not (every or has_passes) or not _may_change(model):
            return model, []
        graph = model if isinstance(model, Graph) else Graph(model)
        layers = compressed_weights.apply(graph, every, self.options.miss)
        graph.drop_unused()
        return graph, layers

    @cached_property
    def levels(self):
        """The Levels of the compressed model; None for a model that is not planned again.

        These are models with keep_tensors, with users' versions of builtin operators, with many
        operators, or with operators that are not in order.
        """
        options = self.options
        if options.keep_tensors:
            return None
        return levels_of(
            self.compressed, self._resolver, options.target, self._packing, options.miss,
            ArenaLimits(options.arena_budget, tflm_head_bytes(self.source)), self._prepared_nodes,
        )  # fmt: skip

    @cached_property
    def planned(self):
        """The compressed model with the memory plan of the level."""
        if self.level == OFF and not miss_of(self.options.target, self.options.miss):
            return self.compressed
        if self.levels is None:
            return self.compressed
        if self.level == OFF:
            return self.levels.as_planned(self.compressed)
        return self.levels.model(self.level)[0]

    @cached_property
    def packing(self):
        """{operator's number: how its weights are stored} where that is not the fastest packing.

        Raises UnsupportedError if the .tflm exceeds the flash budget with every packing.
        """
        budget = self.options.flash_budget
        if budget is None:
            return {}
        storage = self.prepare(self.planned)
        if len(self._image(self.planned, storage)) <= budget:
            return {}

        def build(packing):
            return self._image(self.planned, self.prepare(self.planned, packing))

        image, packing = fit(build, steps(storage), budget)
        if image is None:
            raise UnsupportedError(
                f"the .tflm does not fit {budget} bytes of flash, however it is packed; "
                "use a smaller model"
            )
        return packing

    @property
    def bytes_packing(self):
        """{operator's number: BYTES} of all weights that its kernel can read as single bytes."""
        return {node: how for node, how in self._steps() if how == BYTES}

    @property
    def least_packing(self):
        """{operator's number: IN_PLACE} of all weights that are packed: the smallest .tflm."""
        return dict(self._steps())

    # The steps that make the model with the fastest packing smaller, see packing.steps().
    def _steps(self):
        return steps(self.prepare(self.planned))

    def with_packing(self, packing):
        """Return a pipeline with this packing, which shares the steps before it."""
        other = copy.copy(self)
        for name in ("storage", "flat"):
            vars(other).pop(name, None)
        other.packing = packing
        return other

    @cached_property
    def storage(self):
        """The RomStorage of the planned model."""
        return self.prepare(self.planned, self.packing)

    @cached_property
    def flat(self):
        """The bytes of the .tflm; raises UnsupportedError if it exceeds a budget."""
        image = self._image(self.planned, self.storage)
        self.check_arena()
        return image

    def check_arena(self):
        """Raise UnsupportedError if the arena of `storage` exceeds the budget."""
        budget, needed = self.options.arena_budget, self.storage.arena_bytes
        if budget is not None and needed > budget:
            raise UnsupportedError(
                f"the arena needs {needed} bytes, --arena-budget is {budget}, and this model "
                "cannot be planned again (because of control flow, --keep-tensors, custom "
                f"operators, --flash-budget, or over {_MAX_OPERATORS} operators); leave out which "
                "of these you can, or raise the budget"
            )

    def prepare(self, model, packing=None):
        """Return the RomStorage of a model of one of the steps, prepared at most once.

        packing: {operator's number: how its weights are stored}.
        """
        options, packing = self.options, packing or self._packing
        if options.keep_tensors or self._has_users_operators():
            return prepare_graph(
                model, self._resolver, options.keep_tensors, options.target, packing
            )
        if packing == self._packing and "levels" in vars(self) and self.levels is not None:
            return self.levels.prepared(model)
        return prepare_graph(model, self._prepared_nodes, target=options.target, packing=packing)

    def prepare_compressed(self, packing):
        """Return the RomStorage of the compressed model with TFLM's plan and this packing."""
        options = self.options
        return prepare_graph(
            self.compressed, self._prepared_nodes, options.keep_tensors, options.target, packing
        )

    def image(self, model):
        """Return (bytes of the .tflm, bytes of the arena) of a model of `levels`, as sizes."""
        storage = self.prepare(model, self.packing)
        return len(self._image(model, storage)), storage.arena_bytes

    def _image(self, model, storage):
        return image_of(
            self._tflite, model, storage, self.options.keep_tensors, self._block_metadata
        )

    # The metadata of the option `block`; raises ToolError if it does not fit the input.
    @cached_property
    def _block_metadata(self):
        if self.options.block is None:
            return {}
        block = read_block(self.options.block)
        subgraph = self.source.subgraphs[0]
        if len(subgraph.inputs) != 1:
            raise ToolError("--features is for models with one input; leave it out")
        block.check(subgraph.tensor(subgraph.inputs[0]))
        return block.metadata()

    def _has_users_operators(self):
        return bool(self._resolver._builtin or self._resolver._custom)


# False for models that passes and searches leave unchanged.
def _may_change(model):
    operators = sum(s.nodes_length() for s in model.subgraphs)
    return operators <= _MAX_OPERATORS and is_in_order(model)


def shapes_by_number(names, words):
    """Return {number of an input: shape} of words like "name=1,96,96,1".

    names: of the inputs. The name may be omitted for the only input. Raises ToolError.
    """
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


def levels_of(model, resolver=None, target=None, packing=None, miss=None, limits=None,
              prepared_nodes=None):  # fmt: skip
    """Return the Levels of a TfliteModel or Graph; None for a model that is not planned again.

    target, miss: as FlattenOptions. packing: as FlattenPipeline. limits: ArenaLimits, or
    None. prepared_nodes: a CachingResolver of records that were prepared before.
    """
    resolver = resolver or HostResolver()
    if resolver._builtin or not _may_change(model):
        return None
    nodes = prepared_nodes or CachingResolver(CheckingResolver(resolver))

    def prepare(model):
        return prepare_graph(model, nodes, target=target, packing=packing)

    prepared = PreparedModels(prepare, nodes.packed_weights)
    return Levels(model, prepared, target, packing, miss, limits or ArenaLimits())


def optimized_model(tflite, resolver=None, passes=(), input_shapes=None, by_rows=False):
    """Run optimization passes on a .tflite (bytes).

    passes: names of the passes. input_shapes, by_rows: as FlattenOptions. Returns
    (TfliteModel or Graph, list of Saving). Raises TflmError as Prepare does.
    """
    options = FlattenOptions(without=("all",), input_shapes=input_shapes or (), by_rows=by_rows)
    pipeline = FlattenPipeline(tflite, options, resolver)
    pipeline.passes = passes
    return pipeline.optimized, pipeline.savings


def prepare(tflite, resolver=None, packing=None, passes=(), **options):
    """Prepare a .tflite (bytes), by default without passes and with TFLM's plan.

    passes: names of optimization passes. packing: as FlattenPipeline. options: as FlattenOptions.
    Returns (model, RomStorage).
    """
    chosen = {"optimize": OFF, "without": ("all",), **options}
    pipeline = FlattenPipeline(tflite, FlattenOptions(**chosen), resolver, packing)
    pipeline.passes = passes
    pipeline.check_arena()
    return pipeline.planned, pipeline.storage


def flatten(tflite, resolver=None, **options):
    """Return the .tflm (bytes) of a .tflite (bytes). options: as FlattenOptions."""
    return FlattenPipeline(tflite, FlattenOptions(**options), resolver).flat
