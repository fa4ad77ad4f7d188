# tflm_tools: what Prepare writes for a node, kept: plans of one model share most of their nodes
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.tflite.context import IN_ROM, IN_TAIL, NO_OPERAND, PLANNED_SCRATCH, PLANNED_TENSOR
from tflm.tflite.graph import Node

from ..model.schema import BuiltinOperator

_CONVOLUTIONS = BuiltinOperator.CONV_2D, BuiltinOperator.DEPTHWISE_CONV_2D


class OnceResolver:
    """Another resolver for Prepare of several models that share nodes, which never change.

    Each node is prepared once for each way to store its weights; from then on its records are
    copied, as are those of parts of an operator that are alike.
    """

    def __init__(self, resolver):
        self._resolver = resolver
        self._known = {}

    def __getattr__(self, name):
        return getattr(self._resolver, name)

    def builtin(self, code):
        return _Once(self._resolver.builtin(code), self._known)


# Prepare of an operator. known: {what it depends on: _Written}.
class _Once:
    def __init__(self, module, known):
        self._module = module
        self._known = known

    def prepare(self, context, node):
        storage, number = context.storage, node.index
        key = _key(node), context.packing.get(number), context.lane_bytes.get(number)
        if key in self._known:
            self._known[key].write(storage, node)
            return
        before = _ends(storage)
        self._module.prepare(context, node)
        written = _written(storage, node, *before)
        if written is not None:
            self._known[key] = written


# What Prepare of a node looks at: of nodes where that is the same it writes the same, but for the
# numbers of their tensors. Parts of other operators may know more, such as which rows they make.
def _key(node):
    if type(node) is not Node or node.builtin_code not in _CONVOLUTIONS:
        return id(node)
    first, known = {}, []
    for at, tensor in enumerate((*node.inputs, *node.outputs)):
        if tensor is None or tensor.is_constant():
            known.append(id(tensor))
        else:
            scales, zero_points, _ = tensor.quantization()
            which = first.setdefault(tensor.index, at)
            known.append((which, tensor.shape, tensor.dtype, id(scales), id(zero_points)))
    how = node.clamp, node.padding, node.part_of, id(node._options)
    return node.index, node.builtin_code, node.version, how, tuple(known)


# How much of all that a node can ask for there is: what _Written tells of, and the rest.
def _ends(storage):
    told = len(storage.records), len(storage.asked), len(storage.scratch_requests)
    return told, (storage.persistent_bytes, len(storage.states), storage.step_lists)


# The _Written of a node, since when _ends() gave this; None where that does not tell all.
def _written(storage, node, told, rest):
    record, constant, request = told
    records = [each.copy() for each in storage.records[record:]]
    constants = {word: storage.data_of(word) for word in storage.asked[constant:]}
    words = [word for each in records for word in each.words[1 : 1 + each.operands]]
    named = {word for word in words if word & 3 == IN_ROM} - {NO_OPERAND}
    if _ends(storage)[1] != rest or IN_TAIL in {w & 3 for w in words} or named - set(constants):
        return None
    return _Written(node, records, constants, storage.scratch_requests[request:], request)


# The tensors of a node that are no constants.
def _tensors(node):
    return [t for t in (*node.inputs, *node.outputs) if t is not None and not t.is_constant()]


@dataclass
class _Written:
    """Records of a node, its constants ({operand word: bytes}), its requests of scratch buffers.

    first_request: the number of the first of these.
    """

    node: object  # stays, so that nothing else has its id(), or that of what is its
    records: list
    constants: dict
    requests: list
    first_request: int

    def write(self, storage, node):
        """Have another RomStorage have all that, too, of a node with the same _key()."""
        words = {word: storage.constant(data, 16) for word, data in self.constants.items()}
        words[NO_OPERAND] = NO_OPERAND
        more = len(storage.scratch_requests) - self.first_request << 2
        storage.scratch_requests += [(size, node) for size, _ in self.requests]
        for source, target in zip(_tensors(self.node), _tensors(node), strict=True):
            words[source.index << 2 | PLANNED_TENSOR] = target.index << 2 | PLANNED_TENSOR
        for record in self.records:
            record = record.copy()
            record.node = node
            for k in range(1, record.operands + 1):
                word = record.words[k]
                if word & 3 in (IN_ROM, PLANNED_TENSOR):
                    record.words[k] = words[word]
                elif word & 3 == PLANNED_SCRATCH:
                    record.words[k] = word + more
            storage.records.append(record)
