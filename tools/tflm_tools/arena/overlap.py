# tflm_tools: the plan of a model whose tensors may lie over each other, for rom.RomStorage
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.arena import align_up
from tflm.tflite.planner import Buffer, plan_greedy

from ..model.graph import Graph, root_of
from .distances import distances_of, reader_of
from .lives import Lives
from .loops import Loop
from .planner import place
from .rolled import roll, share_words


def may_overlap(model):
    """True for models whose plan place_over() can make: a Graph without sub-graphs that run."""
    return isinstance(model, Graph) and len(model.running()) == 1 and not model.has_offline_plan()


# {step: [Distance]} of nodes that make records, by what these are.
def _distances(nodes, records):
    made = {}
    for record in records:
        made.setdefault(id(record.node), []).append(record)
    return {
        step: distances_of(node, reader_of(node, made[id(node)]))
        for step, node in enumerate(nodes)
        if id(node) in made
    }


# [(key, bytes, steps)] of the scratch buffers, and of a block for each Loop. Keys are negative.
def _scratch(nodes, requests, loops):
    step_of = {id(node): step for step, node in enumerate(nodes)}
    first = {}
    for loop in loops:
        for numbers in loop.scratch():
            first.update(dict.fromkeys(numbers, numbers[0]))
    sizes, steps = {}, {}
    for i, (size, node) in enumerate(requests):
        key = ~first.get(i, i)
        sizes[key] = max(size, sizes.get(key, 0))
        steps.setdefault(key, []).append(step_of[id(node)])
    for i, loop in enumerate(loops):
        key = ~(len(requests) + i)
        sizes[key] = loop.block_bytes()
        steps[key] = [step_of[id(node)] for node in loop.nodes]
    return [(key, sizes[key], steps[key]) for key in sizes], first


def place_over(storage, requests):
    """Give storage's buffers offsets; the bytes of the whole plan, never more than TFLM's planner.

    requests: (bytes, node) of each scratch buffer. Records whose output comes to lie over an
    input are marked `ordered`: their units must run one after the other.
    """
    nodes = storage.model.running()[0].nodes
    loops = [Loop(chain, storage) for chain in getattr(storage.model, "chains", ())]
    loops = [loop for loop in loops if loop.fits]
    distances = _distances(nodes, storage.records)
    scratch, first = _scratch(nodes, requests, loops)
    subgraph = storage.model.running()[0]
    ends = subgraph.input_tensors(), subgraph.output_tensors()
    lives = Lives(*ends, nodes, scratch, distances)
    model = storage.model
    is_draft = getattr(model, "is_draft", False)
    enough = getattr(model, "enough", 0) if is_draft else 0
    like = getattr(model, "order", ())
    head, storage.order = place(lives, like=like, is_draft=is_draft, enough=enough)
    head = align_up(head)
    if not loops:
        buffers = [storage.tensors[i] for i in sorted(storage.tensors)] + storage.scratch_buffers
        tflm_head = align_up(plan_greedy(buffers))
        if tflm_head <= head:
            return tflm_head
    _take_offsets(storage, lives, first, len(loops))
    _mark(storage, distances, nodes)
    storage.loops = [(loop, len(requests) + i) for i, loop in enumerate(loops)]
    return head


def roll_loops(storage):
    """Make one record of all bands of a part, once all of storage's buffers have places."""
    rolled = [roll(storage, loop, block) for loop, block in storage.loops]
    share_words([template for templates in rolled for template in templates])


# Offsets of the Blocks become those of storage's buffers.
def _take_offsets(storage, lives, first, loops):
    storage.scratch_buffers += [Buffer(0, 0, 0) for _ in range(loops)]
    for block in lives.blocks:
        if block.key < 0:
            buffer = storage.scratch_buffers[~block.key]
            buffer.size = align_up(block.size)
            buffer.first, buffer.last = block.first + 1, block.last + 1
            buffer.offset = block.offset
        else:
            storage.tensors[block.key].offset = block.offset
    for number, owner in first.items():
        if number != owner:
            storage.scratch_buffers[number].offset = storage.scratch_buffers[owner].offset
            storage.scratch_buffers[number].size = 0


# Mark what runs over its own input.
def _mark(storage, distances, nodes):
    over = set()
    for step, found in distances.items():
        for distance in found:
            at, target = _place(storage, distance.source), _place(storage, distance.target)
            if at is None or target is None:
                continue
            if at < target + distance.target.nbytes() and target < at + distance.source.nbytes():
                over.add(id(nodes[step]))
    for record in storage.records:
        record.ordered = id(record.node) in over


# The first byte of a tensor in the arena.
def _place(storage, tensor):
    root, offset = root_of(tensor)
    if root.index not in storage.tensors:
        return None
    return storage.tensors[root.index].offset + offset
