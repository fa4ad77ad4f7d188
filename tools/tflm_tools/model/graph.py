# tflm_tools: Graph: a model that passes may change, with the interface of TfliteModel
# MIT license; Copyright (c) 2026 the tflm authors

import copy

from tflm import dtypes
from tflm.tflite.call_graph import CALL_ONCE, IF, WHILE, CallGraph
from tflm.tflite.graph import SingleGraph, Tensor

_CONTROL_FLOW = (IF, WHILE, CALL_ONCE)
_PLAN = "OfflineMemoryAllocation"


class Numbers(list):
    """Scales or zero points made here: what flatbuffer.Vector is for those of a file."""

    def number(self, i, kind):
        return self[i]


class GraphSubgraph:
    """A sub-graph as lists: `nodes` in the order of execution, `tensors` by their number in it.

    Each tensor is one object, whoever refers to it: nodes hold the same ones. What passes add
    has numbers behind those of the whole model, so that every number means one tensor.
    `inputs` and `outputs` are numbers of tensors, as in a file.
    """

    def __init__(self, model, source):
        self.model = model
        self.number = source.number
        self.first_tensor = source.first_tensor
        self.first_node = source.first_node
        self.name = source.name
        self.inputs = tuple(source.inputs)
        self.outputs = tuple(source.outputs)
        self.tensors = {i: source.tensor(i) for i in range(source.tensors_length())}
        self._length = source.tensors_length()
        self.nodes = [self._own(source, i) for i in range(source.nodes_length())]

    # A node whose tensors are those of this sub-graph.
    def _own(self, source, i):
        node = source.node(i)
        lists = [
            [None if k == -1 else self.tensors[k] for k in numbers]
            for numbers in source.node_indices(i)
        ]
        node.inputs, node.outputs = lists
        return node

    # The interface of tflite.Subgraph.

    def tensors_length(self):
        return self._length

    def nodes_length(self):
        return len(self.nodes)

    def tensor(self, i):
        found = self.tensors.get(i)
        if found is None:  # a number that is another sub-graph's, or was given up
            found = Tensor(self.first_tensor + i, "", dtypes.INT8, (0,))
        return found

    def node(self, i):
        return self.nodes[i]

    def node_number(self, i):
        return self.nodes[i].index

    def node_code(self, i):
        return self.nodes[i].builtin_code

    def node_indices(self, i):
        node = self.nodes[i]
        return tuple(
            tuple(-1 if t is None else t.index - self.first_tensor for t in tensors)
            for tensors in (node.inputs, node.outputs)
        )

    # What passes ask.

    def input_tensors(self):
        return [self.tensors[i] for i in self.inputs]

    def output_tensors(self):
        return [self.tensors[i] for i in self.outputs]

    def is_input(self, tensor):
        return tensor.index - self.first_tensor in self.inputs

    def is_output(self, tensor):
        return tensor.index - self.first_tensor in self.outputs

    def producer(self, tensor):
        """The node that writes a tensor, or None."""
        for node in self.nodes:
            if any(t is tensor for t in node.outputs):
                return node
        return None

    def consumers(self, tensor):
        """The nodes that read a tensor, each once, in order of execution."""
        return [node for node in self.nodes if any(t is tensor for t in node.inputs)]

    # What passes change.

    def remove(self, node):
        """Take a node out; its tensors stay until Graph.drop_unused()."""
        self.nodes = [other for other in self.nodes if other is not node]

    def insert(self, position, node):
        self.nodes.insert(position, node)

    def replace_input(self, node, old, new):
        """Let a node read another tensor wherever it reads `old`."""
        node.inputs = [new if t is old else t for t in node.inputs]

    def new_tensor(self, name, dtype, shape, data=None, like=None):
        """A tensor with a number of its own; `like`: another one, whose quantization it gets."""
        tensor = Tensor(self.model.next_tensor(), name, dtype, tuple(shape), data)
        if like is not None and like.is_quantized:
            copy_quantization(like, tensor)
        self.add_tensor(tensor)
        return tensor

    def add_tensor(self, tensor):
        """Let a tensor with a number of its own be one of this sub-graph."""
        at = tensor.index - self.first_tensor
        self.tensors[at] = tensor
        self._length = max(self._length, at + 1)


class Graph:
    """A mutable model for the host: same methods as TfliteModel, on tflm.tflite.graph's objects.

    Numbers of nodes and tensors that a .tflm reports stay those of the .tflite. Sub-graphs that
    never run are left as they are in the file.

    `tensor.view_of = (base, byte offset)` makes a tensor part of another one: it has no bytes of
    its own, and its base lives as long as all its views. `node.padding = (top, left, bottom,
    right)` stands for the padding of a convolution's or pool's options; one that makes some rows
    of an operator has `node.part_of = (height of the most that one of these makes, padding of
    all)`, as they share the kernel. `node.origins` is a tuple of the numbers of all operators of
    the file that a node stands for, its own included.
    """

    incomplete = False
    _views = None

    def __init__(self, source):
        self.source = source
        self.buffer = source.buffer
        self.description = source.description
        self.features = getattr(source, "features", 0)  # that many outputs are (flat/features.py)
        self.tensors_length = source.tensors_length
        self.file_tensors = source.file_tensors
        self._next_tensor = source.tensors_length
        running = set(source.call_graph().numbers())
        self.subgraphs = [
            GraphSubgraph(self, s) if s.number in running else s for s in source.subgraphs
        ]
        for subgraph in self.running():
            for node in subgraph.nodes:
                node.origins = (node.index,)

    def running(self):
        """The sub-graphs that run: those that passes may change."""
        return [s for s in self.subgraphs if isinstance(s, GraphSubgraph)]

    def copy(self):
        """A model of its own to try changes on; constants and the file's bytes are shared."""
        memo = {id(self.source): self.source, id(self.buffer): self.buffer}
        for subgraph in self.subgraphs:
            if not isinstance(subgraph, GraphSubgraph):
                memo[id(subgraph)] = subgraph
                continue
            for tensor in subgraph.tensors.values():
                for shared in (tensor.data, tensor._scales, tensor._zero_points):
                    memo[id(shared)] = shared
            for node in subgraph.nodes:
                memo[id(node._options)] = node._options
                memo[id(node.custom_options)] = node.custom_options
        return copy.deepcopy(self, memo)

    def sharing(self):
        """A Graph of the same nodes and tensors; the lists of the first that runs are its own."""
        result, own = copy.copy(self), copy.copy(self.running()[0])
        result.subgraphs = [own if s is self.running()[0] else s for s in self.subgraphs]
        own.model, own.nodes, own.tensors = result, list(own.nodes), dict(own.tensors)
        return result

    # The number of the next tensor that a pass makes.
    def next_tensor(self):
        self._next_tensor += 1
        return self._next_tensor - 1

    def has_offline_plan(self):
        """True when the model brings offsets for its tensors: then these are to stay."""
        return _PLAN in self.source.metadata()

    def has_control_flow(self):
        return any(node.builtin_code in _CONTROL_FLOW for s in self.running() for node in s.nodes)

    def settle(self):
        """Keep what all tensors say together: nothing of them changes any more."""
        self._views = None
        self._views = self.views

    @property
    def views(self):
        """{tensor number: (number of the tensor that has the bytes, byte offset)}."""
        if self._views is not None:
            return self._views
        found = {}
        for subgraph in self.running():
            for tensor in subgraph.tensors.values():
                if tensor.view_of is not None:
                    base, offset = root_of(tensor)
                    found[tensor.index] = base.index, offset
        return found

    def drop_unused(self):
        """Take out tensors that nothing refers to any more, except those the file has unused."""
        for subgraph in self.running():
            used = set(subgraph.input_tensors() + subgraph.output_tensors())
            for node in subgraph.nodes:
                used.update(t for t in node.inputs + node.outputs if t is not None)
            for tensor in list(used):
                while tensor.view_of is not None:
                    tensor = tensor.view_of[0]
                    used.add(tensor)
            for i, tensor in list(subgraph.tensors.items()):
                if tensor not in used and not tensor.is_variable:
                    del subgraph.tensors[i]

    # The interface of TfliteModel.

    def tensor(self, index):
        for subgraph in self.running():
            found = subgraph.tensors.get(index - subgraph.first_tensor)
            if found is not None and found.index == index:
                return found
        return self.source.tensor(index)

    def call_graph(self):
        if self.has_control_flow():
            return CallGraph(self)
        return SingleGraph(self.subgraphs[0].nodes_length())

    def labels(self):
        return self.source.labels()

    def metadata(self):
        return self.source.metadata()

    def signatures(self):
        return self.source.signatures()


def is_in_order(model):
    """True when each tensor of a model is written once at most, before anything reads it.

    That is so in what converters write, and passes rely on it: operators in a circle would lead
    them in one. Any other model is left as it is.
    """
    for number in model.call_graph().numbers():
        subgraph = model.subgraphs[number]
        seen = set(subgraph.inputs)
        for i in range(subgraph.nodes_length()):
            inputs, outputs = subgraph.node_indices(i)
            seen.update(inputs)
            for tensor in outputs:
                if tensor in seen and tensor != -1:
                    return False
                seen.add(tensor)
    return True


def root_of(tensor):
    """The tensor that has the bytes of a view, and where in it they begin."""
    offset = 0
    while tensor.view_of is not None:
        tensor, more = tensor.view_of
        offset += more
    return tensor, offset


def copy_quantization(source, target):
    """Give a tensor the scales and zero points of another one."""
    target.set_quantization(source._scales, source._zero_points, source.quantized_dimension)


def set_channels(tensor, scales, zero_points, dimension):
    """Quantize a tensor by channel: bits of float32 scales, and zero points."""
    tensor.set_quantization(Numbers(scales), Numbers(zero_points), dimension)
