# tflm_tools: aliases: operators that only copy bytes go; their tensors share memory instead
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from collections import Counter
from dataclasses import dataclass

from tflm import dtypes
from tflm.arena import align_up
from tflm.tflite.context import CUSTOM
from tflm.tflite.graph import Tensor
from tflm.tflite.lifetimes import buffers_of
from tflm.tflite.planner import plan_greedy

from ..arena.views import merge_views
from ..model.graph import root_of
from .probe import emissions

_WORD = 4  # what kernels read at a time
_CUSTOM_ALIGNMENT = 16  # nobody knows what a custom operator reads


@dataclass
class _Copy:
    """So many bytes from one tensor to another."""

    source: Tensor
    source_offset: int
    target: Tensor
    target_offset: int
    size: int


# An operator is an alias when all that it does is to copy blocks of bytes. Then its outputs can be
# parts of its input (RESHAPE, SPLIT, slices of the outermost dimension, QUANTIZE to the same
# quantization), or its inputs parts of its output, which then are written in place
# (CONCATENATION, PACK along the outermost dimension). Nothing is computed differently.
def apply(graph):
    from .passes import Saving

    found = []
    for subgraph in graph.running():
        users = Users(subgraph)
        for node in list(subgraph.nodes):
            copies = copies_of(node)
            views = _views(users, copies) if copies else None
            if views is None or not _worth(graph, subgraph, node, views):
                continue
            subgraph.remove(node)
            for tensor, base, offset in views:
                tensor.view_of = base, offset
            size = sum(copy.size for copy in copies)
            found.append(Saving("aliases", node.origins, 0, size, "it moves bytes only"))
    return found


def copies_of(node):
    """The copies that a node consists of; None when it does more, or anything else."""
    found = []
    for emission in emissions(node):
        copy = _copy(node, emission)
        if copy is None or copy.source.is_constant():
            return None
        found.append(copy)
    return found


# The one copy that a record does.
def _copy(node, emission):
    fields = emission.fields
    if not isinstance(fields.get("input"), Tensor) or not isinstance(fields.get("output"), Tensor):
        return None
    source, target = fields["input"], fields["output"]
    if emission.kernel == "strided_copy.eval":
        return _strided(emission, source, target)
    if source.nbytes() == target.nbytes() and _is_whole(node, emission, source):
        return _Copy(source, 0, target, 0, source.nbytes())
    return None


# True for a record that gives its input, byte for byte.
def _is_whole(node, emission, source):
    fields = emission.fields
    if emission.kernel == "copy.eval_bytes":
        return fields["size"] == source.nbytes()
    if emission.kernel == "pad.eval":
        return True  # as many bytes: there is no padding
    if emission.kernel == "lookup.eval_int8":
        return bytes(fields["entries"].data) == bytes(range(256))
    if emission.kernel == "pooling.eval_int8" and source.shape == node.output(0).shape:
        window = [fields[name] for name in ("filter_height", "filter_width")]
        limits = fields["activation_min"], fields["activation_max"]
        return window == [1, 1] and limits == (-128, 127)
    return False


# A strided copy is one of a block when all strides are the same on both sides.
def _strided(emission, source, target):
    fields, size = emission.fields, emission.fields["size"]
    for turns, a, b in struct.iter_unpack("<iii", emission.table):
        if turns > 1 and a != b:
            return None
        size *= turns
    copy = _Copy(source, fields["input_offset"], target, fields["output_offset"], size)
    whole = size == target.nbytes() or size == source.nbytes()
    return copy if whole else None


class Users:
    """Who writes the tensors of a sub-graph, and which of them custom operators see."""

    def __init__(self, subgraph):
        self.subgraph = subgraph
        self.writers = Counter(t.index for n in subgraph.nodes for t in n.outputs if t is not None)
        custom = [n for n in subgraph.nodes if n.builtin_code == CUSTOM]
        self.custom = {t.index for n in custom for t in n.inputs + n.outputs if t is not None}

    def is_plain(self, tensor):
        """True for a tensor that is written once, with bytes in the arena that no invoke keeps."""
        for each in (tensor, root_of(tensor)[0]):
            if each.is_constant() or each.is_variable or each.dtype == dtypes.RESOURCE:
                return False
            if self.writers[each.index] > (0 if self.subgraph.is_input(each) else 1):
                return False
        return True

    # An output of the operator as a part of its input. What callers of a sub-graph read is copied
    # while they write its inputs, so it has bytes of its own; the outputs of a model have bytes
    # other than its inputs.
    def may_be_part(self, tensor, base):
        if self.subgraph.is_input(tensor) or tensor.view_of is not None:
            return False
        if not self.subgraph.is_output(tensor):
            return True
        return self.subgraph.number == 0 and not self.subgraph.is_input(root_of(base)[0])

    def may_be_written_in_place(self, tensor, base):
        """True for an input of an operator that may be a part of its output: one makes it."""
        if self.subgraph.is_input(tensor) or not self.writers[tensor.index]:
            return False
        if tensor.view_of is not None or root_of(base)[0] is tensor:
            return False
        return self.subgraph.number == 0 or not self.subgraph.is_output(tensor)


# What becomes part of what: [(tensor, base, offset)], or None.
def _views(users, copies):
    if all(c.size == c.target.nbytes() for c in copies):
        views = [(c.target, c.source, c.source_offset) for c in copies]
        allowed = users.may_be_part
    elif any(c.size < c.source.nbytes() for c in copies):
        return None
    else:
        views = [(c.source, c.target, c.target_offset) for c in copies]
        allowed = users.may_be_written_in_place
    if len({tensor.index for tensor, _, _ in views}) < len(views):
        return None
    for tensor, base, offset in views:
        alignment = _CUSTOM_ALIGNMENT if tensor.index in users.custom else _WORD
        if (root_of(base)[1] + offset) % alignment:
            return None
        if not users.is_plain(tensor) or not users.is_plain(base) or not allowed(tensor, base):
            return None
    return views


# Parts keep the whole alive, and the whole is there with the first part: that may take more
# memory than the copies did.
def _worth(graph, subgraph, node, views):
    if all(tensor.nbytes() == base.nbytes() for tensor, base, _ in views):
        return True
    before = _head_bytes(graph)
    nodes, subgraph.nodes = subgraph.nodes, [n for n in subgraph.nodes if n is not node]
    for tensor, base, offset in views:
        tensor.view_of = base, offset
    after = _head_bytes(graph)
    subgraph.nodes = nodes
    for tensor, _, _ in views:
        tensor.view_of = None
    return after <= before


# Bytes that the tensors of a graph take.
def _head_bytes(graph):
    buffers, _, _ = buffers_of(graph, [])
    merge_views(graph, buffers)
    return align_up(plan_greedy([buffers[i] for i in sorted(buffers)]))
