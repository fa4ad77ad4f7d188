# tflm_tools: Probe: what Prepare makes of one operator, without its model
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from functools import cache, partial

from tflm.tflite.context import CUSTOM, IN_ROM, PREPARE

from ...arena.distances import Distance, distances_of, reader_of
from ...arena.loops import block_bytes
from ...image.custom import HostResolver, RecordingContext
from ...image.rom import RomStorage
from ...targets import packing_of
from .costs import more_by_rows, node_cycles
from .flash_cache import miss_of
from .remembered import remember
from .scrap import Scrap
from .scratch import least_scratch
from .weights import (
    BYTES_ONLY,
    FREE_BYTE,
    blocks_of,
    choices_of,
    cost_of,
    cycles_of,
    part_cycles,
    words_of,
)

remember()


@dataclass(eq=False)
class Made:
    """Of a node, the bytes of its scratch buffers and records.

    choices: of ways to store its weights (weights.py), beside the one that is told here, and fine:
    more of them, for an arena that is there anyway; blocks: where there are none, ways to go over
    them for fewer pixels at a time; fetching: cycles that this one takes for them. part(count,
    rows, is_down, share): weights.part_cycles() with its scratch, None where there are no choices.
    words(stored): weights.words_of(), None where there may be some nobody knows of; fewest: the
    least of these, however many rows of the node a part makes. least(rows, pixels, is_down):
    scratch.least_scratch(), None where nothing is known of it. form: equal where records differ in
    places and numbers only, so that one of them can become the other. cost(stored): (scratch,
    cycles) of its weights stored otherwise. distances: (which input, least, step) of each
    Distance; over: bytes of inputs that the output may lie over.
    """

    scratch: tuple
    record_bytes: int
    choices: tuple = ()
    fine: tuple = ()
    blocks: tuple = ()
    fetching: int = 0
    form: tuple = ()
    cost: object = None
    part: object = None
    words: object = None
    fewest: int = 0
    least: object = None
    distances: list = field(default_factory=list)
    over: int = 0


# What the places and numbers in a record do not change.
def _form(record):
    operands = record.words[1 : 1 + record.operands]
    kinds = tuple(word if word & 3 == IN_ROM else word & 3 for word in operands)
    return record.kernel, len(record.words), kinds, len(record.table)


class Probe:
    """Prepares nodes one by one, each kind of part once.

    scrap: makes the tensors of what is only looked at.
    """

    def __init__(self, model, target=None, packing=None, miss=None):
        self._model = model
        self._target = target
        self._packing = packing
        self.miss = miss_of(target, miss)
        self._resolver = HostResolver()
        self._known = {}
        self.scrap = Scrap()

    def made(self, node):
        """The Made of a node; nothing is known of custom operators."""
        probe, made = getattr(node, "made", (None, None))
        if probe is not self:
            made = self._made(node)
            node.made = self, made
        return made

    def _made(self, node):
        if node.builtin_code == CUSTOM:
            return Made((), 0)
        shapes = [None if t is None else t.shape for t in (*node.inputs, *node.outputs)]
        key = (node.index, node.builtin_code, tuple(shapes), node.padding, node.part_of)
        if key not in self._known:
            self._known[key] = self._prepare(node)
        return self._known[key]

    def _prepare(self, node):
        storage = RomStorage()
        storage.start_model_allocation(self._model)
        context = RecordingContext(
            storage, target_packing=packing_of(self._target), packing=self._packing
        )
        context.enter(PREPARE)
        context.node = node
        self._resolver.builtin(node.builtin_code).prepare(context, node)
        sizes = [4 * len(record.words) + len(record.table) for record in storage.records]
        reader = reader_of(node, storage.records) if storage.records else None
        scratch = tuple(size for size, _ in storage.scratch_requests)
        choices, fine, blocks, fetching, words, fewest = (), (), (), 0, None, 0
        if len(storage.records) == 1 and node.index not in (self._packing or {}):
            choices = tuple(choices_of(storage.records[0], self.miss))
            fine = tuple(choices_of(storage.records[0], self.miss, FREE_BYTE))
            fetching = cycles_of(storage.records[0], self.miss)
            blocks = () if choices else tuple(blocks_of(storage.records[0]))
            words = cache(partial(words_of, storage.records[0]))
            fewest = min(map(words, (None, BYTES_ONLY) if choices else (None,)))
        form = tuple(map(_form, storage.records)), bytes(storage.constants)
        has_ways = choices or blocks
        cost = cache(partial(cost_of, storage.records[0], miss=self.miss)) if has_ways else None
        part, least = None, None
        if len(storage.records) == 1:
            least = cache(partial(least_scratch, storage.records[0], scratch))
        if choices:
            room = max(scratch, default=0)
            part = cache(partial(part_cycles, storage.records[0], miss=self.miss, room=room))
        size = max(sizes, default=0)
        found = distances_of(node, reader)
        over = sum(min(d.source.nbytes(), max(0, d.target.nbytes() - d.least)) for d in found)
        return Made(
            scratch, size, choices, fine, blocks, fetching, form, cost, part, words, fewest,
            least, distances=[(node.inputs.index(d.source), d.least, d.step) for d in found],
            over=min(over, node.outputs[0].nbytes()) if found else 0,
        )  # fmt: skip

    def cycles(self, node):
        """Cycles of a node by itself, its weights there, about."""
        return node_cycles(node, self._target)

    def more_by_rows(self, node):
        """Cycles that a FULLY_CONNECTED takes more where its input comes some rows at a time."""
        return more_by_rows(node, self._target)

    def least_scratch(self, node, way, rows):
        """Bytes of scratch that a node needs at least to make so many rows; way: its ByRows."""
        least, shape = self.made(node).least, node.outputs[0].shape
        if least is None or way.gathers or len(shape) != 4:
            return 0
        return least(rows, rows * shape[3 - way.axis], way.axis == 1)

    def block_bytes(self, nodes):
        """Bytes of arena for the records of a chain of such nodes; None among them is none."""
        return block_bytes([self.made(node).record_bytes for node in nodes if node is not None])

    def least_block_bytes(self, region, anew):
        """The same of a Region's nodes at least, some of them in groups; anew: see Progress."""
        times = [
            max(anew.get(key, 1), region.groups(place, anew))
            for place, key in enumerate(region.outputs)
        ]
        pairs = zip(region.nodes, region.ways, times, strict=True)
        return block_bytes(
            [
                0 if way.gathers else self.made(node).record_bytes // count
                for node, way, count in pairs
            ]
        )

    def distances(self, node):
        """The Distances of a node."""
        made = self.made(node)
        return [Distance(node.inputs[i], node.outputs[0], *how) for i, *how in made.distances]
