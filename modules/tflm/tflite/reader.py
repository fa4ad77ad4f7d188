# tflm: reader of .tflite files; every offset and index is verified before it is used
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..arena import MAX_BYTES
from ..dtypes import const
from ..errors import ModelError, UnsupportedError
from ..format import MAX_RANK
from .flatbuffer import Table, scalar
from .graph import Node, SingleGraph, Tensor

_SCHEMA_VERSION = 3
_CUSTOM = const(32)
_SHAPE = const(77)
_RANK = const(110)
_IF = const(118)
_WHILE = const(119)
_CALL_ONCE = const(129)
_CONTROL_FLOW = (_IF, _WHILE, _CALL_ONCE)
_COMPUTES_SHAPES = (_SHAPE, _RANK)
_NEWEST_OP_VERSION = 20  # no builtin operator of the schema has reached it
_MAX_SUBGRAPHS = 256
_MAX_ITEMS = 1 << 12  # tensors or operators; the planner's time grows with the square


# True when the buffer starts like a .tflite file.
def is_tflite(buffer):
    return len(buffer) >= 8 and bytes(buffer[4:8]) == b"TFL3"


# One sub-graph: tensors and nodes are made when asked for, so that a board holds few at a time.
class Subgraph:
    def __init__(self, model, table, number, first_tensor, first_node):
        self.model = model
        self.number = number
        self.first_tensor = first_tensor  # number of its tensor 0 over all sub-graphs
        self.first_node = first_node
        self.name = table.string(4)
        self._tensors = table.vector(0)
        self._operators = table.vector(3)
        # Of shapes.py: positions of the operators that stay, {position: (code, inputs)} of others.
        self.kept = None
        self.replaced = {}
        io = table.length(1) + table.length(2)
        tensors, nodes = self.tensors_length(), self.nodes_length()
        if max(first_tensor + tensors, first_node + nodes, io) > _MAX_ITEMS:
            raise UnsupportedError(
                "the model has more than %d tensors or operators; use a smaller one" % _MAX_ITEMS
            )
        model.count_items(tensors + nodes + io)
        for i in range(self.nodes_length()):
            operator = self._operators.table(i)
            model.count_items(operator.length(1) + operator.length(2))
        self.inputs = self._indices(table.numbers(1, "i"), "input")
        self.outputs = self._indices(table.numbers(2, "i"), "output")

    # How many tensors there are.
    def tensors_length(self):
        return len(self._tensors) if self._tensors else 0

    # How many operators there are.
    def nodes_length(self):
        if self.kept is not None:
            return len(self.kept)
        return len(self._operators) if self._operators else 0

    # The table of operator `i`, and where it stands in the file.
    def _operator(self, i):
        at = i if self.kept is None else self.kept[i]
        return self._operators.table(at), at

    # How many dimensions of a tensor the file leaves open, at most.
    def open_dimensions(self):
        most = 0
        for i in range(self.tensors_length()):
            most = max(most, self.signature(i).count(-1))
        return most

    # The shape of tensor `i` with -1 for dimensions that the file leaves open; () without any.
    def signature(self, i):
        return self._tensors.table(i).numbers(7, "i")

    # True where the file does not say how many dimensions tensor `i` has: `shape` and `has_rank`
    # are left out. Of a scalar older files say no more.
    def lacks_rank(self, i):
        table = self._tensors.table(i)
        return not table.length(0) and not table.get(8, "B")

    # The type of tensor `i`, as the file has it.
    def tensor_type(self, i):
        return self._tensors.table(i).get(1, "b")

    def _indices(self, numbers, what):
        for i in numbers:
            if not 0 <= i < self.tensors_length():
                raise ModelError(
                    "sub-graph %d names tensor %d as %s but has %d tensors; the model is damaged"
                    % (self.number, i, what, self.tensors_length())
                )
        return numbers

    # Tensor `i` of this sub-graph.
    def tensor(self, i):
        table = self._tensors.table(i)
        model = self.model
        dtype = table.get(1, "b")
        name = table.string(3)
        index = self.first_tensor + i
        rank = table.length(0)
        if rank > MAX_RANK:
            raise UnsupportedError(
                "tensor %d '%s' has %d dimensions, at most %d are supported; reshape the model"
                % (index, name, rank, MAX_RANK)
            )
        # Data of a variable is for nobody: it begins as all variables do, as in TFLM.
        is_variable = table.get(5, "B") != 0
        data, offset = (None, -1) if is_variable else model.buffer_data(table.get(2, "I"))
        shape = table.numbers(0, "i")
        if dtype == dtypes.VARIANT and model.lists is not None:
            shape, dtype = model.lists.type_of(index) or (shape, dtype)
        elif index in model.known:
            shape, value = model.known[index]
            if value is not None:
                data, offset = value, -1
        tensor = Tensor(index, name, dtype, shape, data, offset)
        tensor.is_variable = is_variable
        _check_type_and_shape(tensor)
        sparsity = table.table(6)
        if sparsity is not None:
            tensor.data = data = model.dense(tensor, sparsity)
            tensor.offset = -1
        if data is not None and dtype != dtypes.STRING and len(data) != tensor.nbytes():
            raise ModelError(
                "%s needs %d bytes of data but its buffer holds %d; the model is damaged"
                % (tensor, tensor.nbytes(), len(data))
            )
        quantization = table.table(4)
        scales = quantization.vector(2, 4) if quantization else None
        if scales:
            zero_points = quantization.vector(3, 8)
            if not zero_points:
                raise ModelError("%s has a scale but no zero point; the model is damaged" % tensor)
            tensor.set_quantization(scales, zero_points, quantization.get(6, "i"))
            if not -(1 << 31) <= tensor.zero_point() < 1 << 31:
                raise ModelError(
                    "%s has the zero point %d; the model is damaged"
                    % (tensor, tensor.zero_point())
                )
        return tensor

    # Operator `i` of this sub-graph with its tensors.
    def node(self, i):
        table, at = self._operator(i)
        code, version, custom_name = self.model.operator_code(table.get(0, "I"))
        inputs, outputs = self._node_tensors(table, 1, i), self._node_tensors(table, 2, i)
        if at in self.replaced:
            code, numbers = self.replaced[at]
            inputs = [self.tensor(t) for t in numbers]
        node = Node(self.first_node + at, code, version, custom_name, inputs, outputs)
        if version > _NEWEST_OP_VERSION:
            raise UnsupportedError(
                "%s has version %d, newer than any known; convert with an older LiteRT"
                % (node, version)
            )
        node.refused = self.model.refused.get(node.index)
        options = table.table(4)
        if options:
            node.set_options(table.get(3, "B"), options)
        start, length = table.bytes_at(5)
        if code != _CUSTOM and table.vector(5, 1) is not None:
            raise ModelError(
                "%s has custom options, which only custom operators have; the model is damaged"
                % node
            )
        node.custom_options = self.model.buffer[start : start + length]
        return node

    # Tensor numbers of an operator; -1 where one is left out.
    def _operands(self, table, field, i):
        numbers = table.numbers(field, "i")
        for t in numbers:
            if t != -1:
                self._indices((t,), "%s of op %d" % ("input" if field == 1 else "output", i))
        return numbers

    def _node_tensors(self, table, field, i):
        return [None if t == -1 else self.tensor(t) for t in self._operands(table, field, i)]

    # The number of operator `i` over all sub-graphs.
    def node_number(self, i):
        return self.first_node + self._operator(i)[1]

    # The builtin code of operator `i`.
    def node_code(self, i):
        table, at = self._operator(i)
        if at in self.replaced:
            return self.replaced[at][0]
        return self.model.operator_code(table.get(0, "I"))[0]

    # Tensor numbers of operator `i`, as (inputs, outputs); -1 where one is left out.
    def node_indices(self, i):
        table, at = self._operator(i)
        inputs, outputs = self._operands(table, 1, i), self._operands(table, 2, i)
        return self.replaced[at][1] if at in self.replaced else inputs, outputs


# The type must be known, and dimensions sane before any product of them is used.
def _check_type_and_shape(tensor):
    if not dtypes.is_known(tensor.dtype):
        raise UnsupportedError(
            "%s has an unknown type; convert the model with an older LiteRT" % tensor
        )
    count = 1
    for dimension in tensor.shape:
        if dimension < 0:
            raise ModelError("%s has a negative dimension; set a fixed shape" % tensor)
        count *= dimension
        if count > MAX_BYTES:
            break
    if count > MAX_BYTES or tensor.nbytes() > MAX_BYTES:
        raise ModelError(
            "%s is larger than the %d bytes that can be addressed; the model is damaged"
            % (tensor, MAX_BYTES)
        )


# A .tflite file in memory; weights are read in place. `input_shapes`: {number of an input: shape}
# for other ones than those of the file.
class TfliteModel:
    is_planned = False  # what it takes of an arena is known once it is prepared
    incomplete = False  # operators are missing: tensors may be theirs that nothing writes
    views = None  # tensors that are part of others; only models of the host have them

    def __init__(self, buffer, input_shapes=None):
        self.buffer = memoryview(buffer)
        self.input_shapes = input_shapes or {}
        self.lists = None  # TensorLists, where there are some
        self.known = {}  # tensor: (shape, bytes or None) where the file has none, or another one
        self.added = {}  # number of a tensor that is not in the file: its sub-graph (in_place.py)
        self._dense = {}  # tensor: its bytes, where the file lists only some of them
        self.refused = {}  # operator: why it cannot run with the shapes of its inputs
        if not is_tflite(self.buffer):
            raise ModelError(
                "this is no .tflite file: it lacks the identifier TFL3; check the file"
            )
        if len(self.buffer) > MAX_BYTES:
            raise UnsupportedError(
                "the model has %d bytes, at most %d can be addressed; use a smaller one"
                % (len(self.buffer), MAX_BYTES)
            )
        root = Table(self.buffer, scalar(self.buffer, 0, "I"))
        if root.get(0, "I") != _SCHEMA_VERSION:
            raise UnsupportedError(
                "the model has schema version %d, only version %d can be read; convert it again"
                % (root.get(0, "I"), _SCHEMA_VERSION)
            )
        self.description = root.string(3)
        self._operator_codes = root.vector(1)
        self._buffers = root.vector(4)
        self._metadata = root.vector(6)
        self._signatures = root.vector(7)
        self.subgraphs = []
        self._call_graph = None
        self._items_left = len(self.buffer) // 4
        first_tensor = first_node = 0
        tables = root.vector(2)
        if not tables:
            raise ModelError("the model has no sub-graph; convert it again")
        if len(tables) > _MAX_SUBGRAPHS:
            raise UnsupportedError(
                "the model has %d sub-graphs, at most %d are supported; use a smaller one"
                % (len(tables), _MAX_SUBGRAPHS)
            )
        for number in range(len(tables)):
            subgraph = Subgraph(self, tables.table(number), number, first_tensor, first_node)
            self.subgraphs.append(subgraph)
            first_tensor += subgraph.tensors_length()
            first_node += subgraph.nodes_length()
        self.tensors_length = self.file_tensors = first_tensor
        self._find_shapes()
        self._make_signed()

    # Bytes of (head, tail) that the model takes of an arena; it is prepared without writing. `ops`
    # gets what delegates are shown of it. FlatModel has the same two functions.
    def measure(self, resolver, context, _shared, keep_tensors, guards, ops=None):
        from .program import measure

        return measure(self, resolver, context, keep_tensors, guards, ops)

    # A Program in an arena. `describe`: delegates are told more of the ops.
    def make_program(self, arena, resolver, context, _shared, describe, keep_tensors, guards):
        from .program import make_program

        return make_program(self, arena, resolver, context, keep_tensors, guards, describe)

    def __repr__(self):
        return "<TfliteModel of %d bytes>" % len(self.buffer)

    # With one open dimension, the batch, and none computed, converters know all shapes.
    def _find_shapes(self):
        known = 0 if self._has_code(_COMPUTES_SHAPES) else 1
        is_open = max([s.open_dimensions() for s in self.subgraphs]) > known
        if self._has_lists():
            from .tensor_lists import TensorLists

            self.lists = TensorLists(self)
        if not is_open and not self.input_shapes and self._lacks_ranks():
            from .shapes import lacks_shapes

            is_open = lacks_shapes(self)
        if self.input_shapes or is_open or self.lists:
            from .shapes import Inference

            Inference(self)

    # True where a result may have more dimensions than none.
    def _lacks_ranks(self):
        for subgraph in self.subgraphs:
            for i in range(subgraph.nodes_length()):
                if any([t != -1 and subgraph.lacks_rank(t) for t in subgraph.node_indices(i)[1]]):
                    return True
        return False

    # Models of uint8, which TFLM does not run any more, are seen as models of int8.
    def _make_signed(self):
        subgraph = self.subgraphs[0]
        for i in range(subgraph.tensors_length()):
            if subgraph.tensor_type(i) == dtypes.UINT8:
                from .unsigned import UnsignedSubgraph, is_unsigned

                if is_unsigned(self):
                    self.subgraphs[0] = UnsignedSubgraph(subgraph)
                    self.tensors_length = self.subgraphs[0].tensors_length()
                return

    # The lists of a damaged file may overlap, and then hold far more in all than the file has
    # bytes: that would take all memory and time. In a sound one each item has 4 bytes of its own.
    def count_items(self, count):
        self._items_left -= count
        if self._items_left < 0:
            raise ModelError("the model is damaged: its lists overlap; get an intact copy")

    # Tensor by its number over all sub-graphs.
    def tensor(self, index):
        if index in self.added:
            return self.added[index].tensor(index - self.added[index].first_tensor)
        for subgraph in reversed(self.subgraphs):
            if subgraph.first_tensor <= index < self.tensors_length:
                return subgraph.tensor(index - subgraph.first_tensor)
        raise ModelError("the model has no tensor %d" % index)

    # All bytes of a sparse constant; they are made once.
    def dense(self, tensor, sparsity):
        if tensor.index not in self._dense:
            from .sparsity import dense_bytes

            taken = sum([len(data) for data in self._dense.values()])
            data = dense_bytes(tensor, sparsity, taken, len(self.buffer))
            self._dense[tensor.index] = data
        return self._dense[tensor.index]

    # True when the model has operators of one of these builtin codes.
    def _has_code(self, wanted):
        codes = range(len(self._operator_codes) if self._operator_codes else 0)
        return any([self.operator_code(i)[0] in wanted for i in codes])

    # True when there are operators on lists of tensors.
    def _has_lists(self):
        codes = range(len(self._operator_codes) if self._operator_codes else 0)
        return any([self.operator_code(i)[2][:14] == "FlexTensorList" for i in codes])

    # Which sub-graphs run, and when.
    def call_graph(self):
        if self._call_graph is None:
            if self._has_code(_CONTROL_FLOW):
                from .call_graph import CallGraph

                self._call_graph = CallGraph(self)
            else:
                self._call_graph = SingleGraph(self.subgraphs[0].nodes_length())
        return self._call_graph

    # Operator code `i`: (builtin code, version, custom name).
    def operator_code(self, i):
        if not self._operator_codes or i >= len(self._operator_codes):
            raise ModelError(
                "the model is damaged: an operator names operator code %d, which is not there; "
                "get an intact copy" % i
            )
        table = self._operator_codes.table(i)
        # Codes past 127 stand in the newer field only; older files have the deprecated one only.
        code = max(table.get(0, "b"), table.get(3, "i"))
        return code, table.get(2, "i", 1), table.string(1) if code == _CUSTOM else ""

    # The bytes of buffer `i` and where they lie; (None, -1) for an empty one.
    def buffer_data(self, i):
        if not self._buffers or i >= len(self._buffers):
            raise ModelError(
                "the model is damaged: a tensor names buffer %d, which is not there; "
                "get an intact copy" % i
            )
        table = self._buffers.table(i)
        start, length = table.bytes_at(0)
        if length == 0:  # large models keep the data behind the FlatBuffer
            start, length = table.get(1, "Q"), table.get(2, "Q")
            if start <= 1 or length == 0:
                return None, -1
            if start + length > len(self.buffer):
                raise ModelError(
                    "the model is damaged: buffer %d lies outside the file; get an intact copy" % i
                )
        return self.buffer[start : start + length], start

    def labels(self):
        """The lines of the text file of labels in the metadata; [] when there is none."""
        from ..introspection.labels import labels_of

        return labels_of(self.metadata())

    def metadata(self):
        """Metadata of the model as a dict of name to bytes (memoryview)."""
        found = {}
        for i in range(len(self._metadata) if self._metadata else 0):
            table = self._metadata.table(i)
            data, _ = self.buffer_data(table.get(1, "I"))
            found[table.string(0)] = data if data is not None else b""
        return found

    # Signatures as a dict of key to (sub-graph, {input name: tensor}, {output name: tensor}).
    def signatures(self):
        found = {}
        for i in range(len(self._signatures) if self._signatures else 0):
            table = self._signatures.table(i)
            found[table.string(2)] = (
                table.get(4, "I"),
                _tensor_map(table.vector(0)),
                _tensor_map(table.vector(1)),
            )
        return found


# A vector of TensorMap as a dict of name to tensor number.
def _tensor_map(vector):
    names = {}
    for i in range(len(vector) if vector else 0):
        table = vector.table(i)
        names[table.string(0)] = table.get(1, "I")
    return names
