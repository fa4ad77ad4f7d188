# tflm_tools: graph: Graph, a model that passes can change, with the interface of TfliteModel
# MIT license; Copyright (c) 2026 the tflm authors

import copy
from types import MappingProxyType

from tflm import dtypes
from tflm.tflite.call_graph import CALL_ONCE, IF, STABLEHLO_COMPOSITE, WHILE, CallGraph
from tflm.tflite.graph import SingleGraph, Tensor

_CONTROL_FLOW = (IF, WHILE, CALL_ONCE, STABLEHLO_COMPOSITE)
_PLAN = "OfflineMemoryAllocation"


class Numbers(list):
    """Scales or zero points that a pass computed, with the interface of flatbuffer.Vector."""

    def number(self, i, kind):
        return self[i]


class GraphSubgraph:
    """A sub-graph as lists.

    nodes: in the order of execution. tensors: by their number in the sub-graph. inputs, outputs:
    numbers of tensors, as in a file.
    All nodes that use a tensor hold the same Tensor object. Tensors that passes add get numbers
    after the last number of the whole model, so a number never stands for two tensors.
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
        self.nodes = [self._node_of(source, i) for i in range(source.nodes_length())]

    # Node `i` of the source, with the Tensor objects of this sub-graph.
    def _node_of(self, source, i):
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
        if found is None:  # the number belongs to another sub-graph, or its tensor was removed
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

    # Queries of passes.

    def input_tensors(self):
        return [self.tensors[i] for i in self.inputs]

    def output_tensors(self):
        return [self.tensors[i] for i in self.outputs]

    def is_input(self, tensor):
        return tensor.index - self.first_tensor in self.inputs

    def is_output(self, tensor):
        return tensor.index - self.first_tensor in self.outputs

    def producer(self, tensor):
        """Return the node that writes a tensor, or None."""
        for node in self.nodes:
            if any(t is tensor for t in node.outputs):
                return node
        return None

    def consumers(self, tensor):
        """Return the nodes that read a tensor, each once, in order of execution."""
        return [node for node in self.nodes if any(t is tensor for t in node.inputs)]

    # Changes by passes.

    def remove(self, node):
        """Remove a node; its tensors stay until Graph.drop_unused()."""
        self.nodes = [other for other in self.nodes if other is not node]

    def insert(self, position, node):
        self.nodes.insert(position, node)

    def replace_input(self, node, old, new):
        """Replace the tensor `old` by `new` in all inputs of a node."""
        node.inputs = [new if t is old else t for t in node.inputs]

    def new_tensor(self, name, dtype, shape, data=None, like=None):
        """Add a tensor with a new number and return it.

        data: the bytes of a constant, or None. like: a tensor whose quantization is copied.
        """
        tensor = Tensor(self.model.next_tensor(), name, dtype, tuple(shape), data)
        if like is not None and like.is_quantized:
            copy_quantization(like, tensor)
        self.add_tensor(tensor)
        return tensor

    def add_tensor(self, tensor):
        """Add a tensor, whose number no other tensor has, to this sub-graph."""
        at = tensor.index - self.first_tensor
        self.tensors[at] = tensor
        self._length = max(self._length, at + 1)


class Graph:
    """A model that passes can change, with the methods of TfliteModel.

    Nodes and tensors keep the numbers of the .tflite, which a .tflm reports. Sub-graphs that
    never run stay as they are in the file.

    Passes set these attributes:
    tensor.view_of = (base, byte offset): the tensor is a part of the tensor `base` and shares its
    memory; `base` stays allocated as long as one of its views is in use.
    node.padding = (top, left, bottom, right): replaces the padding in the options of a
    convolution or pool.
    node.part_of = (height, padding): the node computes some rows of an operator; `height` is the
    largest number of rows of these nodes, `padding` the padding of the whole operator. The nodes
    share one kernel.
    node.origins: the numbers of all operators of the file that the node replaces, including its
    own number.
    """

    incomplete = False
    _views = None

    # Set by the memory planner (optimize/memory), and shared by sharing() and copy.copy().
    overlap = False  # outputs may overlap inputs in the arena
    chains = None  # the BandedChains, a list; None for a graph that was not cut into bands
    grouped = ()  # lists of nodes that run in channel groups outside of chains
    layouts = MappingProxyType({})  # {operator's number: (constant of prepare.lanes, lane bytes)}
    is_draft = False  # the plan is compared with other plans and written to no file
    buffer_order = ()  # keys of buffers in the order in which a similar plan placed them
    enough_bytes = 0  # a draft's plan of this size need not become smaller

    def __init__(self, source):
        self.source = source
        self.buffer = source.buffer
        self.description = source.description
        self.features, self.kept_inputs = feature_count(source), kept_input_count(source)
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
        """Return the sub-graphs that run, which are those that passes may change."""
        return [s for s in self.subgraphs if isinstance(s, GraphSubgraph)]

    def copy(self):
        """Return an independent copy; only constants and the bytes of the file are shared."""
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
        """Return a Graph with the same Node and Tensor objects, but with new lists of them.

        Only the lists of the first sub-graph that runs are copied.
        """
        result, main = copy.copy(self), copy.copy(self.running()[0])
        result.subgraphs = [main if s is self.running()[0] else s for s in self.subgraphs]
        main.model, main.nodes, main.tensors = result, list(main.nodes), dict(main.tensors)
        return result

    def next_tensor(self):
        """Return an unused tensor number, and count it as used."""
        self._next_tensor += 1
        return self._next_tensor - 1

    def has_offline_plan(self):
        """True when the model's metadata fixes arena offsets of its tensors."""
        return _PLAN in self.source.metadata()

    def has_control_flow(self):
        return any(node.builtin_code in _CONTROL_FLOW for s in self.running() for node in s.nodes)

    def settle(self):
        """Cache `views`; afterwards no tensor may change its `view_of`."""
        self._views = None
        self._views = self.views

    @property
    def views(self):
        """{number of a view: (number of the tensor whose memory it shares, byte offset)}."""
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
        """Remove the tensors that no node, input, output or view uses, except variables."""
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
        """Return the signatures of the source, without inputs and outputs that passes removed."""
        found = {}
        for key, (number, *ends) in self.source.signatures().items():
            subgraph = self.subgraphs[number] if number < len(self.subgraphs) else None
            if isinstance(subgraph, GraphSubgraph):
                source = self.source.subgraphs[number]
                tensors = (subgraph.inputs, subgraph.outputs)
                written = (tuple(source.inputs), tuple(source.outputs))
                ends = [
                    {name: i for name, i in names.items() if i in kept or i not in before}
                    for names, kept, before in zip(ends, tensors, written, strict=True)
                ]
            found[key] = (number, *ends)
        return found


def feature_count(model):
    """Return how many of a model's last outputs are features (flat/features.py)."""
    return getattr(model, "features", 0)  # set on a TfliteModel only if there are some


def kept_input_count(model):
    """Return how many of a model's last outputs are its inputs, after the features."""
    return getattr(model, "kept_inputs", 0)  # set on a TfliteModel only if they are kept


def is_in_order(model):
    """True when every tensor of a model is written at most once, and before it is read.

    Converters write such models. Passes require it: a cycle of operators would be an endless loop
    for them. They leave any other model unchanged.
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
    """Return (the tensor whose memory a view shares, the byte offset in it)."""
    offset = 0
    while tensor.view_of is not None:
        tensor, more = tensor.view_of
        offset += more
    return tensor, offset


def copy_quantization(source, target):
    """Copy scales and zero points from one tensor to another."""
    target.set_quantization(source._scales, source._zero_points, source.quantized_dimension)


def set_channels(tensor, scales, zero_points, dimension):
    """Quantize a tensor per channel.

    scales: the bits of float32 scales. zero_points: integers. dimension: the quantized dimension.
    """
    tensor.set_quantization(Numbers(scales), Numbers(zero_points), dimension)
