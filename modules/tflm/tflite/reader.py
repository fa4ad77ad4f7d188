# tflm: TfliteModel: read a .tflite; every offset and index is checked before use.
# MIT license; Copyright (c) 2026 the tflm authors

import sys

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
_STABLEHLO_COMPOSITE = const(206)
_CONTROL_FLOW = (_IF, _WHILE, _CALL_ONCE, _STABLEHLO_COMPOSITE)
_COMPUTES_SHAPES = (_SHAPE, _RANK)
_NEWEST_OP_VERSION = 20  # above the version of any builtin operator of the schema
_INT2 = const(19)  # a type of the schema
_BLOCKWISE = const(2)  # QuantizationDetails of the schema
_MAX_SUBGRAPHS = 256
_MAX_ITEMS = 1 << 12  # tensors, or operators; the planner's time grows with the square


# Return True if the buffer starts like a .tflite file.
def is_tflite(buffer):
    return len(buffer) >= 8 and bytes(buffer[4:8]) == b"TFL3"


# Return the TfliteModel of a buffer for load(); None if the buffer is no .tflite. On a board the
# first one prints what `tflm flatten` would bring.
def load(buffer, signature):
    if not is_tflite(buffer):
        return None
    model = TfliteModel(buffer, None, signature)
    package = sys.modules["tflm"]
    if sys.platform not in ("linux", "darwin") and getattr(package, "hints", True):
        package.hints = False
        print(
            "tflm: flatten or deploy the .tflite: on a Pico it starts 10 times sooner and runs 3 "
            "times faster (silence: tflm.hints = False)"
        )
    return model


# One sub-graph. Tensors and nodes are made when asked for, so a board holds only a few at a time.
class Subgraph:
    def __init__(self, model, table, number, first_tensor, first_node):
        self.model = model
        self.number = number
        self.first_tensor = first_tensor  # number of its tensor 0 over all sub-graphs
        self.first_node = first_node
        self.name = table.string(4)
        self._tensors = table.vector(0)
        self._operators = table.vector(3)
        # Set by shapes.py: positions of the operators that remain; {position: (code, inputs)} of
        # operators that it replaced.
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

    # Return the number of tensors.
    def tensors_length(self):
        return len(self._tensors) if self._tensors else 0

    # Return the number of operators.
    def nodes_length(self):
        if self.kept is not None:
            return len(self.kept)
        return len(self._operators) if self._operators else 0

    # Return the table of operator `i`, and its position in the file.
    def _operator(self, i):
        at = i if self.kept is None else self.kept[i]
        return self._operators.table(at), at

    # Return the largest number of open dimensions of a tensor.
    def open_dimensions(self):
        most = 0
        for i in range(self.tensors_length()):
            most = max(most, self.signature(i).count(-1))
        return most

    # Return the shape of tensor `i` with -1 for open dimensions; () if the file does not give one.
    def signature(self, i):
        return self._tensors.table(i).numbers(7, "i")

    # Return True if the file does not say how many dimensions tensor `i` has: it has neither
    # `shape` nor `has_rank`. Older files describe scalars so, too.
    def lacks_rank(self, i):
        table = self._tensors.table(i)
        return not table.length(0) and not table.get(8, "B")

    # Return the type of tensor `i` in the file.
    def tensor_type(self, i):
        return self._tensors.table(i).get(1, "b")

        # Return tensor numbers after checking them; `what` names them in errors.

    def _indices(self, numbers, what):
        for i in numbers:
            if not 0 <= i < self.tensors_length():
                raise ModelError(
                    "sub-graph %d names tensor %d as %s but has %d tensors; the model is damaged"
                    % (self.number, i, what, self.tensors_length())
                )
        return numbers

    # Return tensor `i` of this sub-graph. A tensor of scales has no blocks itself.
    def tensor(self, i, has_blocks=True):
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
        # The data of a variable is ignored, as in TFLM: all variables start alike.
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
        elif quantization and has_blocks and quantization.get(4, "B") == _BLOCKWISE:
            details = quantization.table(5)
            number = details.get(0, "i") if details else -1
            if 0 <= number < self.tensors_length():
                tensor.blocks = self.tensor(number, False), details.get(2, "i")
        return tensor

    # Return operator `i` of this sub-graph with its tensors.
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
        else:
            options = table.table(12)  # builtin_options_2; its types count from 256
            if options:
                node.set_options(256 + table.get(11, "B"), options)
        start, length = table.bytes_at(5)
        if code != _CUSTOM and table.vector(5, 1) is not None:
            raise ModelError(
                "%s has custom options, which only custom operators have; the model is damaged"
                % node
            )
        node.custom_options = self.model.buffer[start : start + length]
        return node

    # Return the tensor numbers of an operator; -1 for an absent tensor.
    def _operands(self, table, field, i):
        numbers = table.numbers(field, "i")
        for t in numbers:
            if t != -1:
                self._indices((t,), "%s of op %d" % ("input" if field == 1 else "output", i))
        return numbers

    def _node_tensors(self, table, field, i):
        return [None if t == -1 else self.tensor(t) for t in self._operands(table, field, i)]

    # Return the number of operator `i` over all sub-graphs.
    def node_number(self, i):
        return self.first_node + self._operator(i)[1]

    # Return the builtin code of operator `i`.
    def node_code(self, i):
        table, at = self._operator(i)
        if at in self.replaced:
            return self.replaced[at][0]
        return self.model.operator_code(table.get(0, "I"))[0]

    # Return the tensor numbers of operator `i`: (inputs, outputs); -1 for an absent tensor.
    def node_indices(self, i):
        table, at = self._operator(i)
        inputs, outputs = self._operands(table, 1, i), self._operands(table, 2, i)
        return self.replaced[at][1] if at in self.replaced else inputs, outputs


# Raise an error for an unknown type, or for dimensions whose product is too large to compute with.
def _check_type_and_shape(tensor):
    if tensor.dtype == _INT2:
        raise UnsupportedError("%s has int2 weights; quantize them to int4 or int8" % tensor)
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
            "%s is larger than %d addressable bytes; the model is damaged" % (tensor, MAX_BYTES)
        )


# A .tflite in memory; weights are read in place. `input_shapes`: {input: shape} to use in place of
# the shapes in the file. `signature`: the name of the signature whose sub-graph runs as sub-graph
# 0, which it replaces; the model then has only this signature.
class TfliteModel:
    is_planned = False  # the arena size is known only after Prepare
    incomplete = False  # operators are missing, so nothing may write some tensors
    views = None  # on the host: tensors that are parts of others
    _measured = None  # what measure() prepared, until make_program() uses it

    def __init__(self, buffer, input_shapes=None, signature=None):
        self.buffer = memoryview(buffer)
        self.input_shapes = input_shapes or {}
        self.lists = None  # the TensorLists of a model with lists of tensors
        self.known = {}  # tensor: (shape, bytes or None) in place of what the file says
        self.added = {}  # number of a tensor that is not in the file: its sub-graph (in_place.py)
        self._dense = {}  # tensor: all bytes of a sparse constant
        self.refused = {}  # operator: why it cannot run with the shapes of its inputs
        if not is_tflite(self.buffer):
            raise ModelError("this is no .tflite: it lacks the identifier TFL3; check the file")
        if len(self.buffer) > MAX_BYTES:
            raise UnsupportedError(
                "the model has %d bytes, at most %d are addressable; use a smaller one"
                % (len(self.buffer), MAX_BYTES)
            )
        root = Table(self.buffer, scalar(self.buffer, 0, "I"))
        if root.get(0, "I") != _SCHEMA_VERSION:
            raise UnsupportedError(
                "the model has schema version %d, tflm reads version %d; convert it again"
                % (root.get(0, "I"), _SCHEMA_VERSION)
            )
        self.description = root.string(3)
        self._operator_codes = root.vector(1)
        self._buffers = root.vector(4)
        self._metadata = root.vector(6)
        self._signatures = root.vector(7)
        self.chosen_signature = None
        main = 0
        if signature is not None:
            from ..introspection.signature import entry_in

            main = entry_in(self.signatures(), signature)[0]
            self.chosen_signature = signature
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
        if main >= len(tables):
            raise ModelError("the signature '%s' is damaged; convert the model again" % signature)
        for number in range(len(tables)):
            table = tables.table(number or main)
            subgraph = Subgraph(self, table, number, first_tensor, first_node)
            self.subgraphs.append(subgraph)
            first_tensor += subgraph.tensors_length()
            first_node += subgraph.nodes_length()
        self.tensors_length = self.file_tensors = first_tensor
        self._find_shapes()
        self._make_signed()

    # Return the bytes of (head, tail) that the model needs in an arena; it is prepared without
    # writing. `ops` gets an Op for each step, for delegates. FlatModel has the same functions.
    def measure(self, options, ops=None):
        from .program import measured, sizes_of

        prepared = measured(self, options, ops)
        sizes = sizes_of(prepared.allocator)
        self._measured = None
        if not options.is_shared:
            try:
                bytearray(sum(sizes))
                self._measured = prepared
            except MemoryError:  # what is prepared splits the free heap, so prepare it again
                pass
        return sizes

    # Return the Program in an arena.
    def make_program(self, arena, options):
        from .program import make_program

        before, self._measured = self._measured, None
        return make_program(self, arena, options, before)

    def __repr__(self):
        return "<TfliteModel of %d bytes>" % len(self.buffer)

    # Infer shapes if needed. Converters know all shapes if the batch is the only open dimension
    # and no shape is computed.
    def _find_shapes(self):
        known = 0 if self.has_code(_COMPUTES_SHAPES) else 1
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

    # Return True if the result of an operator may have more dimensions than the file says.
    def _lacks_ranks(self):
        for subgraph in self.subgraphs:
            for i in range(subgraph.nodes_length()):
                if any([t != -1 and subgraph.lacks_rank(t) for t in subgraph.node_indices(i)[1]]):
                    return True
        return False

    # View an old model of uint8, which TFLM no longer runs, as a model of int8.
    def _make_signed(self):
        subgraph = self.subgraphs[0]
        for i in range(subgraph.tensors_length()):
            if subgraph.tensor_type(i) == dtypes.UINT8:
                from .unsigned import UnsignedSubgraph, is_unsigned

                if is_unsigned(self):
                    self.subgraphs[0] = UnsignedSubgraph(subgraph)
                    self.tensors_length = self.subgraphs[0].tensors_length()
                return

    # Count items of lists; raise ModelError if there are too many. In an intact file each item has
    # 4 bytes. In a damaged one lists may overlap and have far more items than the file has bytes,
    # and reading them would need too much memory and time.
    def count_items(self, count):
        self._items_left -= count
        if self._items_left < 0:
            raise ModelError("the model is damaged: its lists overlap; get an intact copy")

    # Return a tensor by its number over all sub-graphs.
    def tensor(self, index):
        if index in self.added:
            return self.added[index].tensor(index - self.added[index].first_tensor)
        for subgraph in reversed(self.subgraphs):
            if subgraph.first_tensor <= index < self.tensors_length:
                return subgraph.tensor(index - subgraph.first_tensor)
        raise ModelError("the model has no tensor %d; convert it again" % index)

    # Return all bytes of a sparse constant, which are computed once.
    def dense(self, tensor, sparsity):
        if tensor.index not in self._dense:
            from .sparsity import dense_bytes

            taken = sum([len(data) for data in self._dense.values()])
            data = dense_bytes(tensor, sparsity, taken, len(self.buffer))
            self._dense[tensor.index] = data
        return self._dense[tensor.index]

    # Return True if the model has an operator with one of these builtin codes.
    def has_code(self, wanted):
        codes = range(len(self._operator_codes) if self._operator_codes else 0)
        return any([self.operator_code(i)[0] in wanted for i in codes])

    # Return True if the model has operators on lists of tensors.
    def _has_lists(self):
        codes = range(len(self._operator_codes) if self._operator_codes else 0)
        return any([self.operator_code(i)[2][:14] == "FlexTensorList" for i in codes])

    # Return the CallGraph: which sub-graphs run, and when.
    def call_graph(self):
        if self._call_graph is None:
            if self.has_code(_CONTROL_FLOW):
                from .call_graph import CallGraph

                self._call_graph = CallGraph(self)
            else:
                self._call_graph = SingleGraph(self.subgraphs[0].nodes_length())
        return self._call_graph

    # Return (builtin code, version, custom name) of operator code `i`.
    def operator_code(self, i):
        if not self._operator_codes or i >= len(self._operator_codes):
            raise ModelError(
                "the model is damaged: an operator uses the missing operator code %d; "
                "get an intact copy" % i
            )
        table = self._operator_codes.table(i)
        # Codes above 127 are in the new field only; older files have only the deprecated field.
        code = max(table.get(0, "b"), table.get(3, "i"))
        return code, table.get(2, "i", 1), table.string(1) if code == _CUSTOM else ""

    # Return the bytes of buffer `i` and their position; (None, -1) for an empty buffer.
    def buffer_data(self, i):
        if not self._buffers or i >= len(self._buffers):
            raise ModelError(
                "the model is damaged: a tensor uses the missing buffer %d; get an intact copy" % i
            )
        table = self._buffers.table(i)
        start, length = table.bytes_at(0)
        if length == 0:  # large models have the data after the FlatBuffer
            start, length = table.get(1, "Q"), table.get(2, "Q")
            if start <= 1 or length == 0:
                return None, -1
            if start + length > len(self.buffer):
                raise ModelError(
                    "the model is damaged: buffer %d is outside the file; get an intact copy" % i
                )
        return self.buffer[start : start + length], start

    def labels(self):
        """Return the lines of the label file in the metadata; [] if there is none."""
        from ..introspection.labels import labels_of

        return labels_of(self.metadata())

    def metadata(self):
        """Return the metadata of the model: {name: memoryview of its bytes}."""
        found = {}
        for i in range(len(self._metadata) if self._metadata else 0):
            table = self._metadata.table(i)
            data, _ = self.buffer_data(table.get(1, "I"))
            found[table.string(0)] = data if data is not None else b""
        return found

    # Return the signatures: {key: (sub-graph, {input name: tensor}, {output name: tensor})}.
    def signatures(self):
        found = {}
        for i in range(len(self._signatures) if self._signatures else 0):
            table = self._signatures.table(i)
            key, number = table.string(2), table.get(4, "I")
            if self.chosen_signature is not None:
                if key != self.chosen_signature:
                    continue
                number = 0
            found[key] = number, _tensor_map(table.vector(0)), _tensor_map(table.vector(1))
        return found


# Return a vector of TensorMap as {name: tensor number}.
def _tensor_map(vector):
    names = {}
    for i in range(len(vector) if vector else 0):
        table = vector.table(i)
        names[table.string(0)] = table.get(1, "I")
    return names
