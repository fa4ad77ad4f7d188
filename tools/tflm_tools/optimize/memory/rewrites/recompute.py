# tflm_tools: computes a tensor a second time for late readers, instead of keeping it
# MIT license; Copyright (c) 2026 the tflm authors

import copy

from tflm.tflite.graph import Tensor

from ....bands.row_access import row_access_of
from ....model.graph import copy_quantization, root_of

# Operators that may run twice for one tensor. Only a reader at least as far away is worth it.
# Without a second pass, networks with squeeze and excite need 85 % more bytes.
_MAX_RECOMPUTED = 6


class Recomputation:
    """Operators of a Graph that run a second time, for operators that read their result late.

    Squeeze and excite: a pool reads all rows of a tensor, and its result is multiplied with each
    of them. So no band could run to its end before the next one starts, and the tensor would be
    kept as a whole. It need not exist: one pass computes it for the pool, band by band, a second
    pass for the multiplication.

    graph: a Graph with the copies. first: position of the first operator that is copied.
    reader: position of the first operator that reads the copies' result; both in the Graph without
    the copies. copies: the nodes that run a second time, right before the reader.
    dropped: nodes of the original Graph that `graph` lacks, here none.
    """

    dropped = ()

    def __init__(self, graph, first, reader, nodes):
        self.first, self.reader = first, reader
        late, result = graph.running()[0].nodes[reader:], nodes[-1].outputs[0]
        copy_of, self.copies = {}, []
        for node in nodes:
            target = node.outputs[0]
            tensor = Tensor(graph.next_tensor(), target.name, target.dtype, target.shape)
            if target.is_quantized:
                copy_quantization(target, tensor)
            self.copies.append(_with_tensors(node, copy_of, [tensor]))
            copy_of[target] = tensor
        self._tensors = list(copy_of.values())
        self._late = {
            id(node): _with_tensors(node, {result: copy_of[result]}, node.outputs)
            for node in late
            if any(tensor is result for tensor in node.inputs)
        }
        self.graph = graph.sharing()
        self.apply(self.graph.running()[0])

    def apply(self, subgraph):
        """Insert the copies into a GraphSubgraph, perhaps after other rewrites."""
        at = next(i for i, node in enumerate(subgraph.nodes) if id(node) in self._late)
        nodes = [self._late.get(id(node), node) for node in subgraph.nodes]
        subgraph.nodes = nodes[:at] + self.copies + nodes[at:]
        for tensor in self._tensors:
            subgraph.add_tensor(tensor)


# A copy of a node with other outputs, and with inputs replaced by replacement ({tensor: tensor}).
def _with_tensors(node, replacement, outputs):
    other = copy.copy(node)
    other.inputs = [replacement.get(tensor, tensor) for tensor in node.inputs]
    other.outputs = outputs
    return other


def recomputations(graph):
    """Return the Recomputations of a Graph that may pay.

    1. Find tensors with a late reader (_TensorUses.late_reader()).
    2. Walk backwards from the writer through operators with a single input, as far as
       _MAX_RECOMPUTED allows. The second pass may start at a tensor that is kept anyway, or that
       is smaller than all tensors after it.
    """
    uses = _TensorUses(graph.running()[0])
    found = []
    for position in range(len(uses.nodes)):
        reader = uses.late_reader(position)
        if reader is not None:
            starts = uses.second_pass_starts(position, reader)
            found += [Recomputation(graph, first, reader, nodes) for first, nodes in starts]
    return found


class _TensorUses:
    """Where the tensors of a GraphSubgraph are written and read."""

    def __init__(self, subgraph):
        self.nodes = subgraph.nodes
        self._accesses = [row_access_of(node) for node in subgraph.nodes]
        self._results = {root_of(tensor)[0] for tensor in subgraph.output_tensors()}
        self._viewed = {t.view_of[0] for t in subgraph.tensors.values() if t.view_of is not None}
        self._readers, self._writers = {}, {}  # of each root: positions
        for position, node in enumerate(subgraph.nodes):
            for root in _roots(node.inputs):
                self._readers.setdefault(root, []).append(position)
            for root in _roots(node.outputs):
                self._writers[root] = position

    # The position of an operator that reads the output of the one at `position` together with a
    # result that depends on all of its rows; else of the last reader, if it is far away. None if
    # there is no such reader, or not all readers read by rows.
    def late_reader(self, position):
        if self._accesses[position] is None:
            return None
        tensor = self.nodes[position].outputs[0]
        readers = self._readers.get(tensor, ())
        if not self._is_private(tensor) or len(readers) < 2:
            return None
        if any(self._accesses[at] is None for at in readers):
            return None
        by_rows, as_whole = {tensor}, set()  # tensors that depend on it
        for at in range(position + 1, readers[-1] + 1):
            read, access = _roots(self.nodes[at].inputs), self._accesses[at]
            if read & as_whole:
                if tensor in read:
                    return at
            elif not read & by_rows:
                continue
            is_by_rows = access is not None and not access.is_reduction and not read & as_whole
            (by_rows if is_by_rows else as_whole).update(_roots(self.nodes[at].outputs))
        return readers[-1] if readers[-1] - position >= _MAX_RECOMPUTED else None

    # True for a tensor with separate bytes that only operators use.
    def _is_private(self, tensor):
        is_view = tensor.view_of is not None
        return not is_view and tensor not in self._viewed and tensor not in self._results

    # [(position, operators from there on)] that may compute the output of the operator at
    # `position` a second time, before `reader`.
    def second_pass_starts(self, position, reader):
        starts, nodes, smallest = [], [], self.nodes[position].outputs[0].nbytes()
        while len(nodes) < _MAX_RECOMPUTED:
            node, access = self.nodes[position], self._accesses[position]
            sources = [t for t in node.inputs if t is not None and not t.is_constant()]
            if access is None or access.is_reduction:
                break
            if len(access.inputs) != 1 or len(sources) != 1:
                break
            nodes.insert(0, node)
            source, (root, _) = sources[0], root_of(sources[0])
            is_kept = root in self._results or self._readers[root][-1] >= reader
            if is_kept or root.nbytes() < smallest:
                starts.append((position, list(nodes)))
                smallest = root.nbytes()
            if is_kept or root not in self._writers or not self._is_private(source):
                break
            position = self._writers[root]
        return starts


# The roots of tensors in the arena.
def _roots(tensors):
    return {root_of(t)[0] for t in tensors if t is not None and not t.is_constant()}
