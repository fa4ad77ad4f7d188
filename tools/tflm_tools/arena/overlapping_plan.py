# tflm_tools: plans the arena of a model in which an output may overlap an input that is read last
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.arena import align_up
from tflm.tflite.planner import Buffer, plan_greedy

from ..bands.band_op import roll, share_tails
from ..bands.banded_records import BandedRecords
from ..model.graph import Graph, root_of
from .distances import distances_of, reading_record
from .lifetimes import BufferLifetimes
from .planner import place_buffers

_INT16 = "conv_int16.eval_int16"
# Bytes of weights that stay in the flash cache of an RP2040. If there are more and its output
# overlaps its input, this kernel fetches all of them again for each pixel.
_CACHED_WEIGHTS = 8192


def may_overlap(model):
    """Return True if plan_overlapping() can plan a model: a Graph of which one sub-graph runs."""
    return isinstance(model, Graph) and len(model.running()) == 1 and not model.has_offline_plan()


# {step: [Distance]} of the nodes that have records.
def _distances(nodes, records, packing):
    records_of = {}
    for record in records:
        records_of.setdefault(id(record.node), []).append(record)
    return {
        step: distances_of(node, reading_record(node, records_of[id(node)]), packing)
        for step, node in enumerate(nodes)
        if id(node) in records_of
    }


# ([(key, bytes, steps)] of the scratch buffers and of a record buffer for each banded chain, where
# the key of buffer i is ~i; {number of a scratch buffer: number of the buffer that it shares}).
def _scratch(nodes, requests, banded):
    step_of = {id(node): step for step, node in enumerate(nodes)}
    shared = {}
    for records in banded:
        for numbers in records.shared_scratch():
            shared.update(dict.fromkeys(numbers, numbers[0]))
    sizes, steps = {}, {}
    for i, (size, node) in enumerate(requests):
        key = ~shared.get(i, i)
        sizes[key] = max(size, sizes.get(key, 0))
        steps.setdefault(key, []).append(step_of[id(node)])
    for i, records in enumerate(banded):
        key = ~(len(requests) + i)
        sizes[key] = records.buffer_bytes()
        steps[key] = [step_of[id(node)] for node in records.nodes]
    return [(key, sizes[key], steps[key]) for key in sizes], shared


# The steps that are slower if their output overlaps their input; both fit `head` bytes.
def _slower_steps(nodes, records, head):
    found = {id(r.node) for r in records if r.kernel == _INT16}
    return {
        step
        for step, node in enumerate(nodes)
        if id(node) in found
        and node.inputs[1].nbytes() > _CACHED_WEIGHTS
        and node.inputs[0].nbytes() + node.outputs[0].nbytes() <= head
    }


def plan_overlapping(storage, requests):
    """Set the offsets of a RomStorage's buffers; return the bytes of the plan.

    requests: (bytes, node) of each scratch buffer. Records whose output overlaps an input are
    marked `ordered`: their units must run one after the other. Sets `storage.banded` and
    `storage.buffer_order`. Without banded chains the plan is never larger than TFLM's.
    """
    model = storage.model
    subgraph = model.running()[0]
    nodes = subgraph.nodes
    banded = [BandedRecords(chain, storage) for chain in model.chains or ()]
    banded = [records for records in banded if records.is_rollable]
    distances = _distances(nodes, storage.records, storage.target_packing)
    scratch, shared = _scratch(nodes, requests, banded)
    inputs, outputs = subgraph.input_tensors(), subgraph.output_tensors()
    lifetimes = BufferLifetimes(inputs, outputs, nodes, scratch, distances)
    head, order = place_buffers(
        lifetimes,
        previous_order=model.buffer_order,
        is_draft=model.is_draft,
        enough_bytes=model.enough_bytes if model.is_draft else 0,
    )
    slower = () if model.is_draft else _slower_steps(nodes, storage.records, head)
    if slower:
        others = {step: each for step, each in distances.items() if step not in slower}
        apart = BufferLifetimes(inputs, outputs, nodes, scratch, others)
        apart_head, apart_order = place_buffers(
            apart, previous_order=order, is_draft=True, enough_bytes=head
        )
        if apart_head <= head:
            lifetimes, head, order = apart, apart_head, apart_order
    storage.buffer_order = order
    head = align_up(head)
    if not banded:
        buffers = [storage.tensors[i] for i in sorted(storage.tensors)] + storage.scratch_buffers
        tflm_head = align_up(plan_greedy(buffers))
        if tflm_head <= head:
            return tflm_head
    _set_offsets(storage, lifetimes, shared, len(banded))
    _mark_ordered(storage, distances, nodes)
    storage.banded = [(records, len(requests) + i) for i, records in enumerate(banded)]
    return head


def roll_banded_records(storage):
    """Replace the records of banded chains by one for each step, once all buffers have offsets."""
    templates = [roll(storage, records, buffer) for records, buffer in storage.banded]
    share_tails([template for chain in templates for template in chain])


# Copy the planned offsets to the storage's buffers, which get `chains` record buffers more.
def _set_offsets(storage, lifetimes, shared, chains):
    storage.scratch_buffers += [Buffer(0, 0, 0) for _ in range(chains)]
    for planned in lifetimes.buffers:
        if planned.key < 0:
            buffer = storage.scratch_buffers[~planned.key]
            buffer.size = align_up(planned.size)
            buffer.first, buffer.last = planned.first + 1, planned.last + 1
            buffer.offset = planned.offset
        else:
            storage.tensors[planned.key].offset = planned.offset
    for number, owner in shared.items():
        if number != owner:
            storage.scratch_buffers[number].offset = storage.scratch_buffers[owner].offset
            storage.scratch_buffers[number].size = 0


# Mark the records whose output overlaps an input.
def _mark_ordered(storage, distances, nodes):
    overlapping = set()
    for step, step_distances in distances.items():
        for distance in step_distances:
            source = _offset_of(storage, distance.source)
            target = _offset_of(storage, distance.target)
            if source is None or target is None:
                continue
            source_end = source + distance.source.nbytes()
            if source < target + distance.target.nbytes() and target < source_end:
                overlapping.add(id(nodes[step]))
    for record in storage.records:
        record.ordered = id(record.node) in overlapping


# The offset of a tensor in the arena, or None.
def _offset_of(storage, tensor):
    root, offset = root_of(tensor)
    if root.index not in storage.tensors:
        return None
    return storage.tensors[root.index].offset + offset
