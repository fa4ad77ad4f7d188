# tflm: when each tensor and scratch buffer of a model is in use: what the planner works on
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import align_up
from .errors import ModelError
from .planner import ONLINE, Buffer

_OFFLINE_PLAN = "OfflineMemoryAllocation"


# The offsets that a model brings along: metadata of int32 (version, sub-graphs, count, offsets).
def offline_offsets(model):
    data = model.metadata().get(_OFFLINE_PLAN)
    if data is None:
        return None
    values = [_int32(data, i) for i in range(len(data) // 4)]
    if len(values) < 3 or values[2] != model.tensors_length or len(values) < 3 + values[2]:
        raise ModelError(
            "the metadata %s does not have one offset for each of the %d tensors; remove it"
            % (_OFFLINE_PLAN, model.tensors_length)
        )
    for offset in values[3:]:
        if offset < ONLINE or offset % 4:
            raise ModelError("the offline plan has the offset %d; remove the plan" % offset)
    return values[3:]


def _int32(data, i):
    value = int.from_bytes(bytes(data[4 * i : 4 * i + 4]), "little")
    return value - (1 << 32) if value >= 1 << 31 else value


# Steps are counted as TFLM's micro_allocation_info.cc does: inputs come into being at step 0,
# operator i runs at step i + 1; a tensor is in use from the step that writes it to the last
# one that touches it, graph outputs to the end; a scratch buffer only while its operator runs.
# Returns ({tensor number: Buffer}, [Buffer of each scratch request]).
def buffers_of(model, scratch_requests):
    offsets = offline_offsets(model)
    found = {}
    scratch = [None] * len(scratch_requests)
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
        for s in range(len(scratch_requests)):
            if scratch_requests[s][1] == subgraph.first_node + n:
                scratch[s] = Buffer(align_up(scratch_requests[s][0]), step, step)
    for i in subgraph.outputs:
        first.setdefault(i, step)
        last[i] = step
    for i in range(subgraph.tensors_length()):
        if i not in last:
            continue
        tensor = subgraph.tensor(i)
        offset = offsets[tensor.index] if offsets else ONLINE
        if tensor.is_constant() or tensor.is_variable or tensor.nbytes() == 0:
            continue
        if i in early:
            raise ModelError("%s is read before anything writes it; the model is damaged" % tensor)
        found[tensor.index] = Buffer(align_up(tensor.nbytes()), first[i], last[i], offset)
    return found, scratch
