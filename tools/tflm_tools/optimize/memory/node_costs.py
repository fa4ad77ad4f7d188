# tflm_tools: NodeCosts: the scratch, record bytes and weight layouts of a node, by its Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import repeat
from weakref import WeakKeyDictionary

from tflm.tflite.context import CUSTOM, IN_ROM, PREPARE

from ...arena.distances import Distance, distances_of, reading_record
from ...bands.banded_records import record_buffer_bytes
from ...image.custom import HostContext, HostResolver
from ...image.packed_weights import PackedWeights
from ...image.rom import RomStorage
from ...targets import packing_of
from ..node_facts import rectified_nodes
from .costs import more_cycles_by_rows, node_cycles
from .weights.band_slots import BandSlot
from .weights.flash_cache import miss_of
from .weights.layouts import (
    MIN_CYCLES_PER_BYTE,
    MIN_CYCLES_PER_FREE_BYTE,
    block_layouts_of,
    cost_of_layout,
    layouts_of,
    weight_cycles,
    weight_words,
)


@dataclass(eq=False)
class NodeCosts:
    """What is known of a node and of its parts in bands.

    scratch: bytes of each scratch buffer. record_bytes: of the largest record.
    record_signature: equal for nodes whose records differ in operand offsets and numbers only.
    constant_bytes: of the constants that Prepare makes. kernels: of its records. cycles: by
    target, as far as they were asked for.

    Weights, if the node has a single record:
    layouts: the LayoutCosts that may be chosen, fastest first. fine_layouts: more of them, for an
    arena whose size is fixed. block_layouts: if there are no layouts, LayoutCosts with fewer
    pixels at a time. weight_cycles: for the weights as Prepare stores them.
    cost_of_layout(layout): (scratch, cycles). weight_words(layout): words of weights; None if the
    node may have weights that nothing is known of. See weights/layouts.py.

    distances: (position of an input, min_bytes, step) of each Distance. shared_bytes: bytes of
    inputs that the output may overlap.
    """

    scratch: tuple
    record_bytes: int
    record_signature: tuple = ()
    constant_bytes: int = 0
    kernels: tuple = ()
    cycles: dict = field(default_factory=dict)
    layouts: tuple = ()
    fine_layouts: tuple = ()
    block_layouts: tuple = ()
    weight_cycles: int = 0
    unpack_cycles: int = 0
    cost_of_layout: object = None
    weight_words: object = None
    distances: list = field(default_factory=list)
    shared_bytes: int = 0

    @cached_property
    def min_weight_words(self):
        """The least words of weights with any of `layouts`."""
        if self.weight_words is None:
            return 0
        return min(map(self.weight_words, [None, *(cost.layout for cost in self.layouts)]))


# What offsets and numbers in a record do not change.
def _record_signature(record):
    operands = record.words[1 : 1 + record.operands]
    kinds = tuple(word if word & 3 == IN_ROM else word & 3 for word in operands)
    return record.kernel, len(record.words), kinds, len(record.table)


# The bytes of a node's outputs; ASSIGN_VARIABLE and CALL_ONCE have none.
def _output_bytes(node):
    return sum(tensor.nbytes() for tensor in node.outputs if tensor is not None)


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
        self._rectified = None  # rectified_nodes() of the model
        self._by_key = {}
        self._by_node = WeakKeyDictionary()
        self._slots = {}  # what a BandSlot consists of: the BandSlot

    def of(self, node):
        """Return the NodeCosts of a node; nothing is known of custom operators."""
        costs = self._by_node.get(node)
        if costs is None:
            costs = self._by_node[node] = self._costs(node)
        return costs

    def slot(self, nodes, repeats=None):
        """Return the BandSlot of a slot of a BandedChain.

        nodes: the node of each band, or None where nothing runs. repeats: how many bands each of
        the nodes stands for; None for one. Nodes with the same NodeCosts share a BandSlot.
        """
        costs, pairs = Counter(), []
        for node, count in zip(nodes, repeats or repeat(1), strict=False):
            if node is not None:
                pairs.append((node, self.of(node)))
                costs[pairs[-1][1]] += count
        key = sum(repeats) if repeats else len(nodes), *costs.items()
        if key not in self._slots:
            largest = max(pairs, key=lambda pair: _output_bytes(pair[0]))[1]
            self._slots[key] = BandSlot(pairs[0][0], costs, key[0], largest, self.miss)
        return self._slots[key]

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
        costs.kernels = tuple(record.kernel for record in records)
        if len(records) == 1 and node.index not in self._packing:
            self._add_layouts(costs, records[0])
        reader = reading_record(node, records) if records else None
        distances = distances_of(node, reader, target_packing)
        costs.distances = [(node.inputs.index(d.source), d.min_bytes, d.step) for d in distances]
        shared = sum(
            min(d.source.nbytes(), max(0, d.target.nbytes() - d.min_bytes)) for d in distances
        )
        costs.shared_bytes = min(shared, node.outputs[0].nbytes()) if distances else 0
        return costs

    def _add_layouts(self, costs, record):
        costs.layouts = tuple(layouts_of(record, self.miss, MIN_CYCLES_PER_BYTE))
        costs.fine_layouts = tuple(layouts_of(record, self.miss, MIN_CYCLES_PER_FREE_BYTE))
        costs.block_layouts = () if costs.layouts else tuple(block_layouts_of(record))
        costs.weight_cycles = weight_cycles(record, self.miss)
        costs.unpack_cycles = weight_cycles(record, 0)
        costs.weight_words = cache(partial(weight_words, record))
        if costs.layouts or costs.block_layouts:
            costs.cost_of_layout = cache(partial(cost_of_layout, record, miss=self.miss))

    def is_rectified(self, node):
        """Return whether a RELU wrote the input of a float32 node."""
        if self._rectified is None:
            graphs = self._model.running()
            self._rectified = rectified_nodes([each for graph in graphs for each in graph.nodes])
        return node.index in self._rectified

    def cycles(self, node):
        """Return the cycles of a node by itself, without fetching weights, about."""
        return self.cycles_on(self._target, node)

    def cycles_on(self, target, node):
        """Return the cycles of a node with its kernels on another target."""
        costs = self.of(node)
        if target not in costs.cycles:
            costs.cycles[target] = node_cycles(
                node, target, costs.kernels, self.is_rectified(node)
            )
        return costs.cycles[target]

    def more_cycles_by_rows(self, node):
        """Return how many cycles more a FULLY_CONNECTED needs if its input exists by rows only."""
        return more_cycles_by_rows(node, self._target)

    def record_buffer_bytes(self, nodes):
        """Return the bytes of arena for the records of a banded chain of nodes, perhaps None."""
        return record_buffer_bytes(
            [self.of(node).record_bytes for node in nodes if node is not None]
        )

    def distances(self, node):
        """Return the Distances of a node."""
        distances = self.of(node).distances
        return [Distance(node.inputs[i], node.outputs[0], *limits) for i, *limits in distances]
