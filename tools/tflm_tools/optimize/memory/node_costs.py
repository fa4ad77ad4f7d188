# tflm_tools: NodeCosts: the scratch, record bytes and weight layouts of a node, by its Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from functools import cache, partial
from weakref import WeakKeyDictionary

from tflm.prepare import conv_dsp, depthwise_dsp
from tflm.prepare.depthwise_lanes import band_rows, scratch_bytes
from tflm.prepare.lanes import BYTES, LANES, group_bytes, lane_scratch
from tflm.tflite.context import CUSTOM, IN_ROM, PREPARE

from ...arena.distances import Distance, distances_of, reading_record
from ...bands.banded_records import record_buffer_bytes
from ...image.custom import HostContext, HostResolver
from ...image.packed_weights import PackedWeights
from ...image.rom import RomStorage
from ...targets import packing_of
from .costs import more_cycles_by_rows, node_cycles
from .weights.flash_cache import miss_of
from .weights.layouts import (
    DENSE_SCRATCH,
    MIN_CYCLES_PER_FREE_BYTE,
    SMALLEST_LAYOUT,
    block_layouts_of,
    cost_of_layout,
    lane_fields,
    layouts_of,
    min_cycles_of_rows,
    named_words,
    weight_cycles,
    weight_words,
)

_SUM_BYTES = 4  # of the portable CONV_2D
# Kernels whose scratch does not depend on the number of rows.
_CONSTANT_SCRATCH = (
    "add_table.eval_int8",
    "transpose_conv.eval_int8",
    "transpose_conv.eval_int16",
)


@dataclass(eq=False)
class NodeCosts:
    """What is known of a node and of its parts in bands.

    scratch: bytes of each scratch buffer. record_bytes: of the largest record.
    record_signature: equal for nodes whose records differ in operand offsets and numbers only.
    constant_bytes: of the constants that Prepare makes.

    Weights, if the node has a single record:
    layouts: the LayoutCosts that may be chosen, fastest first. fine_layouts: more of them, for an
    arena whose size is fixed. block_layouts: if there are no layouts, LayoutCosts with fewer
    pixels at a time. weight_cycles: for the weights as Prepare stores them.
    cost_of_layout(layout): (scratch, cycles). weight_words(layout): words of weights; None if the
    node may have weights that nothing is known of. min_weight_words: the smallest number, however
    few rows a part computes. min_cycles_of_rows(count, rows, is_down, share): a lower bound of the
    cycles for the weights of some rows. min_scratch(rows, pixels, is_down): a lower bound of the
    scratch of some rows. See weights/layouts.py and _min_scratch().

    distances: (position of an input, min_bytes, step) of each Distance. shared_bytes: bytes of
    inputs that the output may overlap.
    """

    scratch: tuple
    record_bytes: int
    record_signature: tuple = ()
    constant_bytes: int = 0
    layouts: tuple = ()
    fine_layouts: tuple = ()
    block_layouts: tuple = ()
    weight_cycles: int = 0
    cost_of_layout: object = None
    weight_words: object = None
    min_weight_words: int = 0
    min_cycles_of_rows: object = None
    min_scratch: object = None
    distances: list = field(default_factory=list)
    shared_bytes: int = 0


# What offsets and numbers in a record do not change.
def _record_signature(record):
    operands = record.words[1 : 1 + record.operands]
    kinds = tuple(word if word & 3 == IN_ROM else word & 3 for word in operands)
    return record.kernel, len(record.words), kinds, len(record.table)


class NodeCostTable:
    """The NodeCosts of the nodes of a model and of nodes for some of their rows.

    target, packing: as for image.prepare.prepare_graph(). miss: cycles to fetch a word of weights
    that is not in the cache; see weights/flash_cache.py. packed_weights: as for HostContext.
    """

    def __init__(self, model, target=None, packing=None, miss=None, packed_weights=None):
        self._model = model
        self._target = target
        self._packing = packing or {}
        self.miss = miss_of(target, miss)
        self._packed_weights = packed_weights or PackedWeights()
        self._resolver = HostResolver()
        self._by_key = {}
        self._by_node = WeakKeyDictionary()

    def of(self, node):
        """Return the NodeCosts of a node; nothing is known of custom operators."""
        costs = self._by_node.get(node)
        if costs is None:
            costs = self._by_node[node] = self._costs(node)
        return costs

    # Nodes of an operator with the same shapes and padding have the same costs.
    def _costs(self, node):
        if node.builtin_code == CUSTOM:
            return NodeCosts((), 0)
        shapes = [None if t is None else t.shape for t in (*node.inputs, *node.outputs)]
        key = (node.index, node.builtin_code, tuple(shapes), node.padding, node.part_of)
        if key not in self._by_key:
            self._by_key[key] = self._prepared_costs(node)
        return self._by_key[key]

    def _prepared_costs(self, node):
        storage = RomStorage()
        storage.start_model_allocation(self._model)
        target_packing = packing_of(self._target)
        context = HostContext(
            storage, None, target_packing, self._packing, packed_weights=self._packed_weights
        )
        context.enter(PREPARE)
        context.node = node
        self._resolver.builtin(node.builtin_code).prepare(context, node)
        records = storage.records
        scratch = tuple(size for size, _ in storage.scratch_requests)
        sizes = [4 * len(record.words) + len(record.table) for record in records]
        costs = NodeCosts(scratch, max(sizes, default=0))
        costs.record_signature = tuple(map(_record_signature, records)), bytes(storage.constants)
        costs.constant_bytes = len(storage.constants)
        if len(records) == 1:
            costs.min_scratch = cache(partial(_min_scratch, records[0], scratch))
            if node.index not in self._packing:
                self._add_layouts(costs, records[0])
        distances = distances_of(node, reading_record(node, records) if records else None)
        costs.distances = [(node.inputs.index(d.source), d.min_bytes, d.step) for d in distances]
        shared = sum(
            min(d.source.nbytes(), max(0, d.target.nbytes() - d.min_bytes)) for d in distances
        )
        costs.shared_bytes = min(shared, node.outputs[0].nbytes()) if distances else 0
        return costs

    def _add_layouts(self, costs, record):
        costs.layouts = tuple(layouts_of(record, self.miss))
        costs.fine_layouts = tuple(layouts_of(record, self.miss, MIN_CYCLES_PER_FREE_BYTE))
        costs.block_layouts = () if costs.layouts else tuple(block_layouts_of(record))
        costs.weight_cycles = weight_cycles(record, self.miss)
        costs.weight_words = cache(partial(weight_words, record))
        layouts = (None, SMALLEST_LAYOUT) if costs.layouts else (None,)
        costs.min_weight_words = min(map(costs.weight_words, layouts))
        if costs.layouts or costs.block_layouts:
            costs.cost_of_layout = cache(partial(cost_of_layout, record, miss=self.miss))
        if costs.layouts:
            max_scratch = max(costs.scratch, default=0)
            costs.min_cycles_of_rows = cache(
                partial(min_cycles_of_rows, record, miss=self.miss, max_scratch=max_scratch)
            )

    def cycles(self, node):
        """Return the cycles of a node by itself, without fetching weights, about."""
        return node_cycles(node, self._target)

    def more_cycles_by_rows(self, node):
        """Return how many cycles more a FULLY_CONNECTED needs if its input exists by rows only."""
        return more_cycles_by_rows(node, self._target)

    def min_scratch(self, node, access, rows):
        """Return a lower bound of the bytes of scratch of a node for a number of output rows.

        access: the RowAccess of the node.
        """
        min_scratch, shape = self.of(node).min_scratch, node.outputs[0].shape
        if min_scratch is None or access.is_reduction or len(shape) != 4:
            return 0
        return min_scratch(rows, rows * shape[3 - access.axis], access.axis == 1)

    def record_buffer_bytes(self, nodes):
        """Return the bytes of arena for the records of a banded chain of nodes, perhaps None."""
        return record_buffer_bytes(
            [self.of(node).record_bytes for node in nodes if node is not None]
        )

    def min_record_buffer_bytes(self, region, recomputed):
        """Return a lower bound of record_buffer_bytes() of a Region in bands.

        recomputed: as in a BandSchedule.
        """
        sizes = []
        for position, (node, access) in enumerate(zip(region.nodes, region.accesses, strict=True)):
            groups = recomputed.get(region.outputs[position], 1)
            groups = max(groups, region.channel_groups(position, recomputed))
            sizes.append(0 if access.is_reduction else self.of(node).record_bytes // groups)
        return record_buffer_bytes(sizes)

    def distances(self, node):
        """Return the Distances of a node."""
        distances = self.of(node).distances
        return [Distance(node.inputs[i], node.outputs[0], *limits) for i, *limits in distances]


# A lower bound of the bytes of scratch that a record needs for some rows, in bands of any height
# and with any layout. record, scratch: of the whole operator. rows, pixels: of the output.
# is_down: these are rows, not columns, of pictures.
def _min_scratch(record, scratch, rows, pixels, is_down):
    if record.kernel in _CONSTANT_SCRATCH:
        return sum(scratch)
    if "_dsp." in record.kernel:
        return _min_scratch_dsp(record, rows, pixels, is_down)
    if record.kernel == "conv.eval_int8":  # two sums for each output of one channel at least
        taps, sums = scratch
        return taps + min(sums, 2 * _SUM_BYTES * pixels)
    r = lane_fields(record)
    if r is None:
        return 0
    if "band_rows" in r:
        size = 3, r["stride_height"], r["plane_columns"]
        planes = [band_rows(each, *size) or each for each in _rows_or_more(rows, r)]
        return scratch_bytes(min(planes), *size, r["padding_width"], False) if is_down else 0
    if "block_pixels" not in r:
        return 0
    depth = r["depth_lanes"]
    group = min(group_bytes(packing, depth) for packing in (LANES, BYTES))
    lanes = lane_scratch(2 * depth, 1, r["column_lanes"]) + group
    return lanes if pixels > 1 else min(DENSE_SCRATCH, lanes)


# The numbers of rows that a part may compute, from `rows` on: planes of more rows may be lower.
def _rows_or_more(rows, fields):
    return range(rows, max(rows, fields["output_height"]) + 1)


# _min_scratch() of a record for the DSP extension, which has a single layout.
def _min_scratch_dsp(record, rows, pixels, is_down):
    name, _, kernel = record.kernel.partition(".")
    if name == "conv_dsp":
        r = named_words(record, conv_dsp.CONV)
        across = r["output_width"] if is_down else rows
        return conv_dsp.blocks(r["window"], pixels if kernel == "eval_pixels_int8" else across)[1]
    if name != "depthwise_conv_dsp" or not is_down:
        return 0
    r = named_words(record, depthwise_dsp.WINDOW)
    height = r["filter_height"] if kernel == "eval_int8" else 3
    size = r["stride"], height, r["plane_columns"]
    planes = [depthwise_dsp.band_rows(each, *size) for each in _rows_or_more(rows, r)]
    return depthwise_dsp.scratch_bytes(min(planes), *size, r["padding_width"])
