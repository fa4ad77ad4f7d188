# tflm: Find when each tensor and scratch buffer of a model is in use, for the planner.
# MIT license; Copyright (c) 2026 the tflm authors

from ..arena import KEEP_INPUTS, MAX_BYTES, align_up
from ..dtypes import const
from ..errors import ModelError
from .planner import ONLINE, Buffer

_VAR_HANDLE = const(142)
_OFFLINE_PLAN = "OfflineMemoryAllocation"


# Return the offsets of the model's own memory plan, which is metadata of int32: version,
# sub-graphs, count, offsets. None without a plan.
def offline_offsets(model):
    data = model.metadata().get(_OFFLINE_PLAN)
    if data is None:
        return None
    count = model.file_tensors
    if len(data) < 4 * (3 + count) or _int32(data, 2) != count:
        raise ModelError(
            "the metadata %s must have one offset for each of the %d tensors; remove it"
            % (_OFFLINE_PLAN, count)
        )
    offsets = [_int32(data, 3 + i) for i in range(count)]
    for offset in offsets:
        if offset < ONLINE or (offset % 4 and offset != ONLINE):
            raise ModelError("the offline plan has the offset %d; remove the plan" % offset)
    return offsets + [ONLINE] * (model.tensors_length - count)


def _int32(data, i):
    value = int.from_bytes(bytes(data[4 * i : 4 * i + 4]), "little")
    return value - (1 << 32) if value >= 1 << 31 else value


# The steps at which the tensors of a sub-graph are in use, counted from its start: {tensor: step}.
class _Uses:
    def __init__(self, subgraph, calls, keep):
        self.first = {}
        self.last = {}
        self.early = set()  # read before they are written
        self.handles = set()  # outputs of VAR_HANDLE, which have no bytes in the arena
        for i in subgraph.inputs:
            self.first[i] = self.last[i] = 0
        end = 0
        for n, start, end in calls.timeline(subgraph.number):
            inputs, outputs = subgraph.node_indices(n)
            for i in inputs:
                self.last[i] = end
                if i not in self.first:
                    self.early.add(i)
                    self.first[i] = start
            for i in outputs:
                self.first.setdefault(i, start)
                self.last[i] = end
            if subgraph.node_code(n) == _VAR_HANDLE:
                self.handles.update(outputs)
        for i in subgraph.outputs:
            self.first.setdefault(i, end)
            self.last[i] = end
        if keep & KEEP_INPUTS:
            for i in subgraph.inputs:
                self.last[i] = end


# Return ({tensor number: Buffer}, [Buffer of each scratch request], {variable: bytes}).
# scratch_requests: [(bytes, node number)]. keep: bits of arena.py.
#
# Lifetimes are as in TFLM's micro_allocation_info.cc (CallGraph counts the steps):
# * An input is in use from the start of its sub-graph. With KEEP_INPUTS an input of the model is
#   in use until the end.
# * Any other tensor is in use from the step that writes it to the last step that uses it. A step
#   of control flow includes all that it runs.
# * An output is in use until the end of its sub-graph.
# * A scratch buffer is in use while its operator runs.
# * In a sub-graph that runs several times: from the first run to the last.
def buffers_of(model, scratch_requests, keep=0):
    calls = model.call_graph()
    offsets = None if keep else offline_offsets(model)  # such a plan may overwrite inputs
    found = {}
    variables = {}
    for number in calls.numbers():
        subgraph = model.subgraphs[number]
        uses = _Uses(subgraph, calls, 0 if number else keep)
        begin, begin_last = calls.first[number], calls.last[number]
        for i in range(subgraph.tensors_length()):
            tensor = subgraph.tensor(i)
            if tensor.is_variable:
                if tensor.nbytes():
                    variables[tensor.index] = tensor.nbytes()
                continue
            if i not in uses.last or tensor.is_constant() or tensor.nbytes() == 0:
                continue
            if i in uses.handles:
                continue
            if i in uses.early and not (model.views or model.incomplete):
                raise ModelError(
                    "%s is read before anything writes it; the model is damaged" % tensor
                )
            found[tensor.index] = Buffer(
                align_up(tensor.nbytes()),
                begin + uses.first[i],
                begin_last + uses.last[i],
                offsets[tensor.index] if offsets else ONLINE,
            )
    variable_bytes = sum(variables.values())
    if variable_bytes > MAX_BYTES:
        raise ModelError(
            "the variables of the model need %d bytes, at most %d are addressable; "
            "the model is damaged" % (variable_bytes, MAX_BYTES)
        )
    return found, _scratch_buffers(model, calls, scratch_requests), variables


# Return the Buffer of each scratch request.
def _scratch_buffers(model, calls, requests):
    times = {}
    for number in calls.numbers() if requests else ():
        subgraph = model.subgraphs[number]
        for n, start, end in calls.timeline(number):
            times[subgraph.node_number(n)] = calls.first[number] + start, calls.last[number] + end
    return [Buffer(align_up(size), *times[node]) for size, node in requests]
