# tflm: Custom operators of a flat model: read their records, and give them the planned buffers.
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


# A vector of numbers in a record's table, with the interface that graph.Tensor uses.
class _Numbers:
    def __init__(self, raw, size):
        self._raw = raw
        self._size = size

    def __len__(self):
        return len(self._raw) // self._size

    # Return number `i` in struct's format `kind`.
    def number(self, i, kind):
        return struct.unpack_from("<" + kind, self._raw, i * self._size)[0]


# One custom operator, read from its record.
#
# On the host, flatten has run init and prepare and has planned the buffers that they requested.
# On the board they run again, because invoke needs their Python objects. Their requests must come
# in the same order; each gets the buffer that the record names.
class _Operator:
    def __init__(self, model, name, index, record, operands):
        self.name = name
        words = struct.unpack_from("<%dI" % operands, record, 4)
        table = TableReader(record[4 + 4 * operands :], "the table of op %d" % index)
        inputs, outputs, buffers, options = table.unpack(layout.CUSTOM)
        if inputs + outputs + buffers != operands or bytes(record[:4]) != b"\1\0\0\0":
            raise damaged("the record of op %d is not a custom operator's" % index)
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
                    raise damaged("a buffer of op %d is outside" % index)
            self._buffers.append([word, size, requests[i] & 1])
        self._next = 0
        self._words = words

    # Use the words of a copy of the record: Interpreters share the arena.
    def use_copy(self, record):
        self._words = struct.unpack_from("<%dI" % len(self._words), record, 4)
        first = len(self._words) - len(self._buffers)
        for i in range(len(self._buffers)):
            self._buffers[i][0] = self._words[first + i]

    # Return the operand word of tensor `i`; the inputs come first.
    def word(self, i):
        return self._words[i]

    # Return the arena offset of the next buffer.
    def next_buffer(self, size, persistent):
        if self._next == len(self._buffers):
            self._raise_other_request(size, persistent, "no more")
        word, planned, kind = self._buffers[self._next]
        if (planned, kind) != (size, persistent):
            self._raise_other_request(size, persistent, _in_words(planned, kind))
        self._next += 1
        return word >> 2

    # Raise ModelError unless all planned buffers were requested.
    def check_requests(self):
        if self._next != len(self._buffers):
            _, planned, kind = self._buffers[self._next]
            raise ModelError(
                "%s did not request %s, which flatten planned; flatten the model again with this "
                "registration" % (self.node, _in_words(planned, kind))
            )

    def _raise_other_request(self, size, persistent, planned):
        raise ModelError(
            "%s requests %s, flatten planned %s; flatten the model again with this registration"
            % (self.node, _in_words(size, persistent), planned)
        )


# Return a request in words.
def _in_words(size, persistent):
    return "%s buffer of %d bytes" % ("a persistent" if persistent else "a scratch", size)


# Return tensor `i` of an operator, None if it is absent. Its index is its position in the record.
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
        raise damaged("tensor %d of op %d is invalid" % (i, index))
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


# The sections of an arena, whose temporary buffers come from the heap here.
class _Temporary:
    def allocate_temp(self, size):
        return -1


# All custom operators of a flat model, and the storage (storage.pyi) of their MicroContext. The
# file already has what their prepare emits.
class FlatCustom:
    """Run init, prepare and invoke of a flat model's custom operators; raises ModelError."""

    def __init__(self, model, arena, options):
        self.nodes = []  # a CustomNode for each; Program.custom
        self.sections = _Temporary()
        self.states = []
        # The lists of steps that prepare makes are not used: the file has them.
        self.step_list = self.step_lists = 0
        self._model = model
        self._arena = arena.buffer
        self._resolver = options.resolver
        self._operators = []
        self._operator = None  # the operator that may request buffers now
        self._context = MicroContext(self, options.external_context)

    # Run init of an operator; return its function for a Program. `own`: its record, or the copy
    # of its record in a shared arena.
    def add(self, kernel, index, record, operands, own):
        name = kernel[len(KERNEL) :]
        registration = self._resolver.custom(name)
        self._operator = operator = _Operator(self._model, name, index, record, operands)
        if own is not record:
            operator.use_copy(own)
        self._operators.append(operator)
        self._context.node = operator.node
        self.nodes.append(CustomNode(self._context, operator.node, registration))
        self.nodes[-1].init()
        return self.nodes[-1].evaluate

    # Run prepare of all operators, then make the tensors that invoke gets.
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

    # Return the tflm.Tensor of a graph tensor.
    def _view(self, tensor):
        raw = tensor.data
        if raw is None:
            at = self._operator.word(tensor.index) >> 2 if tensor.nbytes() else 0
            raw = self._arena[at : at + tensor.nbytes()]
        return View(
            tensor.name, tensor.dtype, tensor.shape, tensor.scale_bits(), tensor.zero_point(), raw
        )

    # MicroContext: the model; a .tflm has no graph any more.
    @property
    def model(self):
        raise UnsupportedError(
            "%s needs sub-graphs or resource variables, which a .tflm does not have; load the "
            ".tflite" % self._operator.node
        )

    # MicroContext: return the planned offset of a scratch buffer.
    def scratch(self, size, node):
        return self._operator.next_buffer(size, 0)

    # MicroContext: return the planned offset of persistent bytes.
    def persistent(self, size):
        return self._operator.next_buffer(size, 1)

    # MicroContext: return the memory of an operand.
    def memory_of(self, operand):
        at = operand.word >> 2
        if at < 0:
            return memoryview(bytearray(operand.size))
        return self._arena[at : at + operand.size]

    # MicroContext: the file already has the constants and records of prepare.
    def constant(self, data, alignment):
        return NO_OPERAND

    def constant_tensor(self, tensor):
        return NO_OPERAND

    def record(self, node, kernel, words, operands, slice_units, table):
        pass
