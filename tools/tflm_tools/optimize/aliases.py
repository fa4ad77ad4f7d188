# tflm_tools: aliases: replaces operators that only copy bytes by tensors that share memory
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
from .emissions import emissions

_WORD = 4  # bytes that kernels read at a time
_CUSTOM_ALIGNMENT = 16  # bytes; a custom operator may rely on any alignment


@dataclass
class _Copy:
    """A copy of `size` bytes from one tensor to another; offsets in bytes."""

    source: Tensor
    source_offset: int
    target: Tensor
    target_offset: int
    size: int


def apply(graph):
    """Remove operators that only copy blocks of bytes; returns a list of Saving.

    The outputs of such an operator become views of its input (RESHAPE, SPLIT, slices of the
    outermost dimension, QUANTIZE to the same quantization). Otherwise its inputs become views of
    its output, so that they are written in place (CONCATENATION and PACK along the outermost
    dimension). No computation changes.
    """
    from .passes import Saving

    found = []
    for subgraph in graph.running():
        users = Users(subgraph)
        for node in list(subgraph.nodes):
            copies = copies_of(node)
            views = _views(users, copies) if copies else None
            if views is None or not _saves_memory(graph, subgraph, node, views):
                continue
            subgraph.remove(node)
            for tensor, base, offset in views:
                tensor.view_of = base, offset
            size = sum(copy.size for copy in copies)
            found.append(Saving("aliases", node.origins, 0, size, "it moves bytes only"))
    return found


def copies_of(node):
    """Return the copies of a node that only copies bytes; None for any other node."""
    found = []
    for emission in emissions(node):
        copy = _copy(node, emission)
        if copy is None or copy.source.is_constant():
            return None
        found.append(copy)
    return found


# The copy that a record makes; None if the record computes anything.
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


# True for a record whose output equals its input, byte for byte.
def _is_whole(node, emission, source):
    fields = emission.fields
    if emission.kernel == "copy.eval_bytes":
        return fields["size"] == source.nbytes()
    if emission.kernel == "pad.eval":
        return True  # input and output have equal size: nothing is padded
    if emission.kernel == "lookup.eval_int8":
        return bytes(fields["entries"].data) == bytes(range(256))
    if emission.kernel == "pooling.eval_int8" and source.shape == node.output(0).shape:
        window = [fields[name] for name in ("filter_height", "filter_width")]
        limits = fields["activation_min"], fields["activation_max"]
        return window == [1, 1] and limits == (-128, 127)
    return False


# A strided copy moves one block when all strides are equal on both sides.
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
    """The writers of a sub-graph's tensors.

    writers: {tensor number: number of operators that write it}. custom: the numbers of tensors
    that custom operators use.
    """

    def __init__(self, subgraph):
        self.subgraph = subgraph
        self.writers = Counter(t.index for n in subgraph.nodes for t in n.outputs if t is not None)
        custom = [n for n in subgraph.nodes if n.builtin_code == CUSTOM]
        self.custom = {t.index for n in custom for t in n.inputs + n.outputs if t is not None}

    def is_plain(self, tensor):
        """True for a tensor in the arena that is written once and not kept between invokes."""
        for each in (tensor, root_of(tensor)[0]):
            if each.is_constant() or each.is_variable or each.dtype == dtypes.RESOURCE:
                return False
            if self.writers[each.index] > (0 if self.subgraph.is_input(each) else 1):
                return False
        return True

    def may_be_view(self, tensor, base):
        """True if an operator's output `tensor` may be a view of its input `base`.

        The outputs of a called sub-graph may not: its caller reads them while it writes the
        inputs. Neither may an output of the model share memory with an input of the model.
        """
        if self.subgraph.is_input(tensor) or tensor.view_of is not None:
            return False
        if not self.subgraph.is_output(tensor):
            return True
        return self.subgraph.number == 0 and not self.subgraph.is_input(root_of(base)[0])

    def may_be_written_in_place(self, tensor, base):
        """True if an operator's input `tensor` may be a view of its output `base`."""
        if self.subgraph.is_input(tensor) or not self.writers[tensor.index]:
            return False
        if tensor.view_of is not None or root_of(base)[0] is tensor:
            return False
        return self.subgraph.number == 0 or not self.subgraph.is_output(tensor)


# The views that replace these copies: [(tensor, base, byte offset)], or None.
def _views(users, copies):
    if all(c.size == c.target.nbytes() for c in copies):
        views = [(c.target, c.source, c.source_offset) for c in copies]
        allowed = users.may_be_view
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


# True if the views do not need more memory than the copies. They may: a base stays allocated from
# the first use of any of its views to the last one.
def _saves_memory(graph, subgraph, node, views):
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


# Bytes of the arena that the greedy planner needs for the tensors of a graph.
def _head_bytes(graph):
    buffers, _, _ = buffers_of(graph, [])
    merge_views(graph, buffers)
    return align_up(plan_greedy([buffers[i] for i in sorted(buffers)]))
