# tflm_tools: second passes: what is read again once all its rows have been seen is made again
# MIT license; Copyright (c) 2026 the tflm authors

import copy

from tflm.tflite.graph import Tensor

from ...model.graph import copy_quantization, root_of
from .by_bands import by_rows

_MOST = 6  # operators that may run twice for one tensor
_FAR = 6  # operators between those that read it, for which it may be made again, too


class SecondPass:
    """Operators of a Graph that run once more, for those who read the last one's output late.

    Squeeze and excite: a pool looks at all rows of a tensor, and what is made of it multiplies
    each of them. So no band of rows could go before the next one, and the tensor would be kept as
    a whole. It need not exist: one pass makes it for the pool, band by band, a second one for the
    multiplication.

    graph: a Graph with the copies in it. first: place of the first operator that is copied;
    reader: of the first one that reads what the copies make, both in the Graph without them.
    copies: these copies, the nodes that run once more, right before the reader.
    """

    dropped = ()  # nodes of the Graph that it is without

    def __init__(self, graph, first, reader, nodes):
        self.first, self.reader = first, reader
        late, last = graph.running()[0].nodes[reader:], nodes[-1].outputs[0]
        tensors, self.copies = {}, []
        for node in nodes:
            target = node.outputs[0]
            made = Tensor(graph.next_tensor(), target.name, target.dtype, target.shape)
            if target.is_quantized:
                copy_quantization(target, made)
            self.copies.append(_with(node, tensors, [made]))
            tensors[target] = made
        self._tensors = list(tensors.values())
        self._late = {
            id(node): _with(node, {last: tensors[last]}, node.outputs)
            for node in late
            if any(tensor is last for tensor in node.inputs)
        }
        self.graph = graph.sharing()
        self.apply(self.graph.running()[0])

    def apply(self, subgraph):
        """Put the copies into a GraphSubgraph: the graph's own, or one with other ones already."""
        at = next(i for i, node in enumerate(subgraph.nodes) if id(node) in self._late)
        nodes = [self._late.get(id(node), node) for node in subgraph.nodes]
        subgraph.nodes = nodes[:at] + self.copies + nodes[at:]
        for tensor in self._tensors:
            subgraph.add_tensor(tensor)


# The same operator with other inputs, of {tensor: the one in its place}, and outputs.
def _with(node, tensors, outputs):
    other = copy.copy(node)
    other.inputs = [tensors.get(tensor, tensor) for tensor in node.inputs]
    other.outputs = outputs
    return other


def second_passes(graph):
    """The SecondPasses of a Graph that may pay: they begin with something smaller, or kept."""
    places = _Places(graph.running()[0])
    found = []
    for place in range(len(places.nodes)):
        reader = places.late_reader(place)
        if reader is not None:
            again = places.again(place, reader)
            found += [SecondPass(graph, first, reader, nodes) for first, nodes in again]
    return found


# Where the tensors of a GraphSubgraph are written and read.
class _Places:
    def __init__(self, subgraph):
        self.nodes = subgraph.nodes
        self._ways = [by_rows(node) for node in subgraph.nodes]
        self._kept = {root_of(tensor)[0] for tensor in subgraph.output_tensors()}
        self._viewed = {t.view_of[0] for t in subgraph.tensors.values() if t.view_of is not None}
        self._readers, self._writers = {}, {}  # of each root: places
        for place, node in enumerate(subgraph.nodes):
            for root in _roots(node.inputs):
                self._readers.setdefault(root, []).append(place)
            for root in _roots(node.outputs):
                self._writers[root] = place

    # The place of what reads the output of an operator together with something that all of its
    # rows are needed for, where all that read it do so by rows.
    def late_reader(self, place):
        if self._ways[place] is None:
            return None
        tensor = self.nodes[place].outputs[0]
        readers = self._readers.get(tensor, ())
        if not self._is_own(tensor) or len(readers) < 2:
            return None
        if any(self._ways[at] is None for at in readers):
            return None
        rows, whole = {tensor}, set()  # what depends on it, by rows and otherwise
        for at in range(place + 1, readers[-1] + 1):
            read, way = _roots(self.nodes[at].inputs), self._ways[at]
            if read & whole:
                if tensor in read:
                    return at
            elif not read & rows:
                continue
            by_row = way is not None and not way.gathers and not read & whole
            (rows if by_row else whole).update(_roots(self.nodes[at].outputs))
        return readers[-1] if readers[-1] - place >= _FAR else None

    # True for a tensor with bytes of its own, which nobody sees but the operators that read it.
    def _is_own(self, tensor):
        return tensor.view_of is None and tensor not in self._viewed and tensor not in self._kept

    # [(place, operators from there on)] that make the output of the one at `place`, of one tensor.
    def again(self, place, reader):
        found, nodes, least = [], [], self.nodes[place].outputs[0].nbytes()
        while len(nodes) < _MOST:
            node, way = self.nodes[place], self._ways[place]
            sources = [t for t in node.inputs if t is not None and not t.is_constant()]
            if way is None or way.gathers or len(way.inputs) != 1 or len(sources) != 1:
                break
            nodes.insert(0, node)
            source, (root, _) = sources[0], root_of(sources[0])
            stays = root in self._kept or self._readers[root][-1] >= reader
            if stays or root.nbytes() < least:
                found.append((place, list(nodes)))
                least = root.nbytes()
            if stays or root not in self._writers or not self._is_own(source):
                break
            place = self._writers[root]
        return found


# The tensors whose bytes operators touch in the arena.
def _roots(tensors):
    return {root_of(t)[0] for t in tensors if t is not None and not t.is_constant()}
