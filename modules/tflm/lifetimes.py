# tflm: when each tensor and scratch buffer of a model is in use: what the planner works on
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import MAX_BYTES, align_up
from .dtypes import RESOURCE
from .errors import ModelError
from .planner import ONLINE, Buffer

_OFFLINE_PLAN = "OfflineMemoryAllocation"


# The offsets that a model brings along: metadata of int32 (version, sub-graphs, count, offsets).
def offline_offsets(model):
    data = model.metadata().get(_OFFLINE_PLAN)
    if data is None:
        return None
    count = model.tensors_length
    if len(data) < 4 * (3 + count) or _int32(data, 2) != count:
        raise ModelError(
            "the metadata %s does not have one offset for each of the %d tensors; remove it"
            % (_OFFLINE_PLAN, count)
        )
    offsets = [_int32(data, 3 + i) for i in range(count)]
    for offset in offsets:
        if offset < ONLINE or (offset % 4 and offset != ONLINE):
            raise ModelError("the offline plan has the offset %d; remove the plan" % offset)
    return offsets


def _int32(data, i):
    value = int.from_bytes(bytes(data[4 * i : 4 * i + 4]), "little")
    return value - (1 << 32) if value >= 1 << 31 else value


# Steps are counted as TFLM's micro_allocation_info.cc does: inputs come into being at step 0,
# operator i runs at step i + 1; a tensor is in use from the step that writes it to the last
# one that touches it, graph outputs to the end; a scratch buffer, requested as (bytes, node
# number), only while its operator runs.
# Returns ({tensor number: Buffer}, [Buffer of each scratch request]).
def buffers_of(model, scratch_requests):
    subgraph = model.subgraphs[0]
    first = {}
    last = {}
    early = set()  # read before written
    for i in subgraph.inputs:
        first[i] = last[i] = 0
    step = 0
    for n in range(subgraph.nodes_length()):
        step += 1
        inputs, outputs = subgraph.node_indices(n)
        for i in inputs:
            last[i] = step
            if i not in first:
                early.add(i)
        for i in outputs:
            first.setdefault(i, step)
            last[i] = step
    for i in subgraph.outputs:
        first.setdefault(i, step)
        last[i] = step
    offsets = offline_offsets(model)
    found = {}
    variable_bytes = 0
    for i in range(subgraph.tensors_length()):
        tensor = subgraph.tensor(i)
        if tensor.is_variable:
            variable_bytes += align_up(tensor.nbytes())
            continue
        if i not in last or tensor.is_constant() or tensor.nbytes() == 0:
            continue
        if tensor.dtype == RESOURCE:
            continue  # a handle: Prepare knows what it stands for
        if i in early:
            raise ModelError("%s is read before anything writes it; the model is damaged" % tensor)
        offset = offsets[tensor.index] if offsets else ONLINE
        found[tensor.index] = Buffer(align_up(tensor.nbytes()), first[i], last[i], offset)
    if variable_bytes > MAX_BYTES:
        raise ModelError(
            "the variables of the model need %d bytes, at most %d can be addressed; "
            "the model is damaged" % (variable_bytes, MAX_BYTES)
        )
    scratch = []
    for size, node in scratch_requests:
        step = node - subgraph.first_node + 1
        scratch.append(Buffer(align_up(size), step, step))
    return found, scratch
