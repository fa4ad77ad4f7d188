# tflm: custom operators of a flat model: their records, and the storage behind their context
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .. import format as layout
from ..errors import ModelError, UnsupportedError, checked_name, damaged
from ..table_reader import TableReader
from ..tensor import Tensor as View
from .context import CUSTOM, INVOKE, MEMORY_PLANNING, NO_OPERAND, PREPARE, MicroContext
from .custom_op import KERNEL, CustomNode
from .graph import Node, Tensor


# Numbers of a record's table, as graph.Tensor wants its scales and zero points.
class _Numbers:
    def __init__(self, raw, size):
        self._raw = raw
        self._size = size

    def __len__(self):
        return len(self._raw) // self._size

    # Number `i` as struct's `kind`.
    def number(self, i, kind):
        return struct.unpack_from("<" + kind, self._raw, i * self._size)[0]


# One custom operator as its record tells it.
#
# On the host, flatten has run init and prepare and planned what they asked for. Here they run
# again, so that whatever Python objects they make are there for invoke; the buffers that they
# request come from the record, in the order in which the host was asked for them.
class _Operator:
    def __init__(self, model, name, index, record, operands):
        self.name = name
        words = struct.unpack_from("<%dI" % operands, record, 4)
        table = TableReader(record[4 + 4 * operands :], "the table of op %d" % index)
        inputs, outputs, buffers, options = table.unpack(layout.CUSTOM)
        if inputs + outputs + buffers != operands or bytes(record[:4]) != b"\1\0\0\0":
            raise damaged("the record of op %d is none of a custom operator" % index)
        requests = table.unpack("<%dI" % buffers)
        tensors = []
        for i in range(inputs + outputs):
            tensors.append(_read_tensor(table, model, index, i, words[i], i >= inputs))
        self.node = Node(index, CUSTOM, 1, name, tensors[:inputs], tensors[inputs:])
        self.node.custom_options = table.take(options)
        self._buffers = []  # [word, bytes, is persistent]
        for i in range(buffers):
            word, size = words[inputs + outputs + i], requests[i] >> 1
            if size:
                model.check_range(word, size, "a buffer of op %d" % index)
                if word & 1 or (word & 3 == layout.IN_TAIL) != (requests[i] & 1 == 1):
                    raise damaged("a buffer of op %d lies outside" % index)
            self._buffers.append([word, size, requests[i] & 1])
        self._next = 0
        self._places = words

    # Take the words of a copy of the record: interpreters share the arena.
    def move(self, record):
        self._places = struct.unpack_from("<%dI" % len(self._places), record, 4)
        first = len(self._places) - len(self._buffers)
        for i in range(len(self._buffers)):
            self._buffers[i][0] = self._places[first + i]

    # The word of tensor `i`, inputs before outputs.
    def place(self, i):
        return self._places[i]

    # The arena offset of the buffer that is requested now.
    def next_buffer(self, size, persistent):
        if self._next == len(self._buffers):
            self._disagree(size, persistent, "none is left")
        word, planned, kind = self._buffers[self._next]
        if (planned, kind) != (size, persistent):
            self._disagree(size, persistent, _spell(planned, kind))
        self._next += 1
        return word >> 2

    # All that was planned must have been asked for.
    def check_requests(self):
        if self._next != len(self._buffers):
            _, planned, kind = self._buffers[self._next]
            raise ModelError(
                "%s did not request %s, as it did when the model was flattened; flatten the "
                "model again with the code that the board has" % (self.node, _spell(planned, kind))
            )

    def _disagree(self, size, persistent, planned):
        raise ModelError(
            "%s requests %s where flatten planned: %s; flatten the model again with the code "
            "that the board has" % (self.node, _spell(size, persistent), planned)
        )


# A request in words.
def _spell(size, persistent):
    return "%s buffer of %d bytes" % ("a persistent" if persistent else "a scratch", size)


# One tensor of an operator, None where it is left out; its number is its place in the record.
def _read_tensor(table, model, index, i, word, is_output):
    dtype, rank, flags, scales, zero_points, name, dimension = table.unpack(layout.CUSTOM_TENSOR)
    if not flags & layout.CUSTOM_PRESENT:
        return None
    shape = table.unpack("<%dI" % rank)
    count = 1
    for size in shape:
        count *= size
    scales = _Numbers(table.take(4 * scales), 4)
    zero_points = _Numbers(table.take(8 * zero_points), 8)
    name = checked_name(bytes(table.take(name)))
    if rank > layout.MAX_RANK or not dtypes.is_known(dtype):
        raise damaged("tensor %d of op %d is none" % (i, index))
    nbytes = dtypes.nbytes(dtype, count)
    data = None
    if nbytes:
        model.check_range(word, nbytes, "tensor %d of op %d" % (i, index))
        if word & 1:
            if is_output:
                raise damaged("op %d writes a constant" % index)
            data = model.buffer[word >> 2 : (word >> 2) + nbytes]
    tensor = Tensor(i, name, dtype, shape, data)
    tensor.is_variable = flags & layout.CUSTOM_VARIABLE != 0
    if len(scales):
        tensor.set_quantization(scales, zero_points, dimension)
    return tensor


# What stands for the sections of an arena: temporary buffers come from the heap.
class _Temporary:
    def allocate_temp(self, size):
        return -1


# All custom operators of a flat model, and the storage (storage.pyi) of their MicroContext. What a
# prepare emits besides is in the file already.
class FlatCustom:
    """Runs init, prepare and invoke of a flat model's custom operators; raises ModelError."""

    def __init__(self, model, arena, resolver, external_context=None):
        self.nodes = []  # a CustomNode for each, for Program.custom
        self.sections = _Temporary()
        self.states = []
        # Prepare runs for its Python objects alone: its lists of steps are in the file already.
        self.step_list = self.step_lists = 0
        self._model = model
        self._arena = arena.buffer
        self._resolver = resolver
        self._operators = []
        self._operator = None  # the one that may request buffers now
        self._context = MicroContext(self, external_context)

    # Init of one operator; its function for a Program. `moved` is where its record lies now.
    def add(self, kernel, index, record, operands, moved):
        name = kernel[len(KERNEL) :]
        registration = self._resolver.custom(name)
        self._operator = operator = _Operator(self._model, name, index, record, operands)
        if moved is not record:
            operator.move(moved)
        self._operators.append(operator)
        self._context.node = operator.node
        self.nodes.append(CustomNode(self._context, operator.node, registration))
        return self.nodes[-1].evaluate

    # Prepare of all of them, once every init has run, and the tensors that invoke gets.
    def finish(self):
        context = self._context
        context.enter(PREPARE)
        for i in range(len(self.nodes)):
            self._operator = self._operators[i]
            context.node = self._operator.node
            self.nodes[i].prepare(context)
            self._operator.check_requests()
        context.enter(MEMORY_PLANNING)
        context.enter(INVOKE)
        context.bind_scratch_buffers()
        for i in range(len(self.nodes)):
            self._operator = self._operators[i]
            self.nodes[i].bind(self._view)

    # What a program sees of a tensor of the graph.
    def _view(self, tensor):
        raw = tensor.data
        if raw is None:
            at = self._operator.place(tensor.index) >> 2 if tensor.nbytes() else 0
            raw = self._arena[at : at + tensor.nbytes()]
        return View(
            tensor.name, tensor.dtype, tensor.shape, tensor.scale_bits(), tensor.zero_point(), raw
        )

    # MicroContext: the graph that was flattened.
    @property
    def model(self):
        raise UnsupportedError(
            "%s asks for sub-graphs or resource variables, which a .tflm does not have; load the "
            ".tflite" % self._operator.node
        )

    # MicroContext: a scratch request: where it was planned.
    def scratch(self, size, node):
        return self._operator.next_buffer(size, 0)

    # MicroContext: bytes that last: where they were planned.
    def persistent(self, size):
        return self._operator.next_buffer(size, 1)

    # MicroContext: the memory behind an operand.
    def memory_of(self, operand):
        at = operand.word >> 2
        if at < 0:
            return memoryview(bytearray(operand.size))
        return self._arena[at : at + operand.size]

    # MicroContext: constants and records of prepare are in the file.
    def constant(self, data, alignment):
        return NO_OPERAND

    def constant_tensor(self, tensor):
        return NO_OPERAND

    def record(self, node, kernel, words, operands, slice_units, table):
        pass
