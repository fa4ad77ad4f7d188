# tflm_tools: keeps what Prepare writes for a node, because plans of a model share most nodes
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.tflite.context import IN_ROM, IN_TAIL, NO_OPERAND, PLANNED_SCRATCH, PLANNED_TENSOR
from tflm.tflite.graph import Node

from ..model.schema import BuiltinOperator
from .packed_weights import PackedWeights

# Operators whose Prepare depends on nothing but the tensors and options of the node.
_SELF_CONTAINED = (
    BuiltinOperator.CONV_2D,
    BuiltinOperator.DEPTHWISE_CONV_2D,
    BuiltinOperator.LOGISTIC,
    BuiltinOperator.TANH,
)


class CachingResolver:
    """A resolver for Prepare of several models that share nodes, which never change.

    Each node is prepared once for each layout of its weights. Later its records are copied, also
    for other nodes of the operator that Prepare cannot distinguish.

    packed_weights: PackedWeights of these models.
    """

    def __init__(self, resolver):
        self._resolver = resolver
        self._recorded = {}
        self.packed_weights = PackedWeights()

    def __getattr__(self, name):
        return getattr(self._resolver, name)

    def builtin(self, code):
        return ReplayedPrepare(self._resolver.builtin(code), self._recorded)


class ReplayedPrepare:
    """Prepare of an operator, which copies the records if it has prepared such a node before.

    module: Prepare of the operator. recorded: {key: Recorded}, shared by all operators.
    """

    def __init__(self, module, recorded):
        self._module = module
        self._recorded = recorded

    def prepare(self, context, node):
        storage, number = context.storage, node.index
        key = _key(node), context.packing.get(number), context.lane_bytes.get(number)
        if key in self._recorded:
            self._recorded[key].write(storage, node)
            return
        before = _counts(storage)
        self._module.prepare(context, node)
        recorded = _recorded_since(storage, node, *before)
        if recorded is not None:
            self._recorded[key] = recorded


# What Prepare depends on: nodes with equal keys get equal records, apart from the numbers of their
# tensors. Prepare of other nodes (a PartialOperator, say) may depend on more than the tensors.
def _key(node):
    if type(node) is not Node or node.builtin_code not in _SELF_CONTAINED:
        return id(node)
    first_use, tensors = {}, []
    for at, tensor in enumerate((*node.inputs, *node.outputs)):
        if tensor is None or tensor.is_constant():
            tensors.append(id(tensor))
        else:
            scales, zero_points, _ = tensor.quantization()
            first = first_use.setdefault(tensor.index, at)
            tensors.append((first, tensor.shape, tensor.dtype, id(scales), id(zero_points)))
    options = node.clamp, node.padding, node.part_of, id(node._options)
    return node.index, node.builtin_code, node.version, options, tuple(tensors)


# How much a RomStorage holds: (counts of what Recorded can replay, of what it cannot).
def _counts(storage):
    replayable = (
        len(storage.records),
        len(storage.constant_requests),
        len(storage.scratch_requests),
    )
    return replayable, (storage.persistent_bytes, len(storage.states), storage.step_lists)


# What a node has written since _counts() gave these two; None if that cannot be replayed.
def _recorded_since(storage, node, replayable, other):
    record, constant, request = replayable
    records = [each.copy() for each in storage.records[record:]]
    constants = {word: storage.data_of(word) for word in storage.constant_requests[constant:]}
    words = [word for each in records for word in each.words[1 : 1 + each.operands]]
    in_rom = {word for word in words if word & 3 == IN_ROM} - {NO_OPERAND}
    if _counts(storage)[1] != other or IN_TAIL in {word & 3 for word in words}:
        return None
    if in_rom - set(constants):
        return None
    return Recorded(node, records, constants, storage.scratch_requests[request:], request)


# The tensors of a node that are not constants.
def _variable_tensors(node):
    tensors = (*node.inputs, *node.outputs)
    return [t for t in tensors if t is not None and not t.is_constant()]


@dataclass
class Recorded:
    """What Prepare has written for a node.

    node: stays referenced, so that no other object gets its id() or the id() of its tensors.
    records: RomRecords. constants: {operand word: bytes}. requests: [(bytes, node)] of scratch
    buffers; first_request: the number of the first one.
    """

    node: object
    records: list
    constants: dict
    requests: list
    first_request: int

    def write(self, storage, node):
        """Write the same to another RomStorage, for a node with the same _key()."""
        words = {word: storage.constant(data, 16) for word, data in self.constants.items()}
        words[NO_OPERAND] = NO_OPERAND
        shift = len(storage.scratch_requests) - self.first_request << 2
        storage.scratch_requests += [(size, node) for size, _ in self.requests]
        pairs = zip(_variable_tensors(self.node), _variable_tensors(node), strict=True)
        for source, target in pairs:
            words[source.index << 2 | PLANNED_TENSOR] = target.index << 2 | PLANNED_TENSOR
        for record in self.records:
            record = record.copy()
            record.node = node
            for k in range(1, record.operands + 1):
                word = record.words[k]
                if word & 3 in (IN_ROM, PLANNED_TENSOR):
                    record.words[k] = words[word]
                elif word & 3 == PLANNED_SCRATCH:
                    record.words[k] = word + shift
            storage.records.append(record)
