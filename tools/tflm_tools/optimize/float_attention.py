# tflm_tools: float_attention: finds attention in float32, whose mask says which positions count
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass

from tflm import dtypes
from tflm.prepare.common import FLOAT_WORK
from tflm.tflite.graph import Tensor

from ..bands.operators.partial_operator import PartialOperator
from ..model.schema import BuiltinOperator
from .emissions import emissions

# Words of the records of kernels/attention_float.py.
KERNEL = "attention_float.eval_float32"
LAYOUT = (
    "query", "keys", "values", "mask", "output", "scores", "positions", "size", "group",
    "key_head_stride", "value_head_stride", "key_stride", "key_depth_stride", "value_stride",
    "value_depth_stride", "selects", "scale", "beta", "masked", "lowest", "largest", "key_scale",
)  # fmt: skip

_PRODUCT = BuiltinOperator.BATCH_MATMUL
_SOFTMAX_STEPS = 6  # work of a weight, in multiply-accumulates
_LOWEST, _LARGEST = 0xFF7FFFFF, 0x7F7FFFFF
_ONE = 0x3F800000
_LARGEST_MASKED = -(2.0**26)  # the kernel relies on it, and on a beta that is not tiny
_SMALLEST_BETA = 1e-3
_LARGEST_STRIDE = 1 << 20
_BATCH_MATMUL_OPTIONS, _ADJ_X, _ADJ_Y = 101, 0, 1


@dataclass
class FloatAttention:
    """An attention in float32, whose operators one step replaces.

    nodes: the operators from the first product on, last the second one. inputs: queries, keys,
    values, mask. fields: the numbers of the record. bytes: of the tensors between the operators.
    """

    nodes: list
    inputs: list
    fields: dict

    @property
    def last(self):
        return self.nodes[-1]

    @property
    def bytes(self):
        return sum(node.outputs[0].nbytes() for node in self.nodes[:-1])

    @classmethod
    def of(cls, main, softmax):
        """Return the FloatAttention around a SOFTMAX, or None.

        The pattern: BATCH_MATMUL of queries and keys, optionally MUL by a number, then ADD of a
        mask, or SELECT_V2 of the scores and of a very low number, SOFTMAX, BATCH_MATMUL with the
        values. RESHAPE may be between them. Keys and values may be read through operators that
        only move elements, as of exporters that repeat heads or transpose caches. MUL by a number
        may scale the keys.
        """
        if softmax.inputs[0].dtype != dtypes.FLOAT32:
            return None
        chain = _Chain(main, softmax)
        masked = chain.before("ADD") or chain.before("SELECT_V2")
        if masked is None:
            return None
        mask = _mask(masked, chain.tensor, softmax.inputs[0].shape[-1])
        scale = chain.before("MUL")
        scale = _ONE if scale is None else _scale(scale, chain.tensor)
        first, last = chain.before("BATCH_MATMUL"), chain.after(softmax)
        if None in (mask, scale, first, last):
            return None
        geometry = _geometry(main, first, last)
        found = emissions(softmax)
        if geometry is None or len(found) != 1:
            return None
        beta = found[0].fields["beta"]
        if struct.unpack("<f", struct.pack("<I", beta))[0] < _SMALLEST_BETA:
            return None
        tensors, fields = geometry
        fields.update(mask.fields, scale=scale, beta=beta, lowest=_LOWEST, largest=_LARGEST)
        return cls([*chain.nodes, last], [*tensors, mask.tensor], fields)

    def step(self):
        """Return the node that replaces the operators."""
        step = _Step(self.last, self.inputs, self.last.outputs, self.fields)
        step.origins = tuple(sorted(i for node in self.nodes for i in node.origins))
        return step


class _Step(PartialOperator):
    """Attention of one token. fields: the numbers of the record."""

    def __init__(self, whole, inputs, outputs, fields):
        super().__init__(whole, inputs, outputs)
        self._fields = fields

    def prepare(self, context):
        """Write the record."""
        positions, size = self._fields["positions"], self._fields["size"]
        heads = self.outputs[0].elements() // size
        names = ("query", "keys", "values", "mask")
        context.emit(
            KERNEL,
            LAYOUT,
            heads,
            heads * positions * (2 * size + _SOFTMAX_STEPS) * FLOAT_WORK,
            output=self.outputs[0],
            scores=context.request_scratch_buffer(4 * (positions + 1 + size)),
            **dict(zip(names, self.inputs, strict=True)),
            **self._fields,
        )


class _Chain:
    """The operators before a SOFTMAX, from its input backwards.

    nodes: those that were found, in the order of execution. tensor: what the first of them reads.
    """

    def __init__(self, main, softmax):
        self._main, self.nodes, self.tensor = main, [softmax], softmax.inputs[0]
        self._positions = self.tensor.shape[-1]

    # The operator `name` that writes `tensor`, maybe through RESHAPE. Its data input is then
    # `tensor`, except for a product.
    def before(self, name):
        node = self._writer()
        while node is not None and node.builtin_code == BuiltinOperator.RESHAPE:
            if node.inputs[0].shape[-1] != self._positions:
                return None
            self._take(node, node.inputs[0])
            node = self._writer()
        if node is None or node.builtin_code != getattr(BuiltinOperator, name):
            return None
        if node.builtin_code == _PRODUCT:
            self.nodes.insert(0, node)
            return node
        count = node.outputs[0].elements()
        data = [t for t in node.inputs if t.elements() == count and _is_float(t)]
        data = [t for t in data if not t.is_constant() and t.shape[-1] == self._positions]
        if len(data) > 1:  # a mask may be as large, but no product computes it
            data = [t for t in data if self._is_score(t)]
        if len(data) != 1:
            return None
        self._take(node, data[0])
        return node

    def after(self, softmax):
        """Return the product that reads the weights, or None."""
        tensor, node = softmax.outputs[0], None
        while node is None or node.builtin_code == BuiltinOperator.RESHAPE:
            if node is not None:
                self.nodes.append(node)
                tensor = node.outputs[0]
            readers = self._main.consumers(tensor)
            if len(readers) != 1 or self._main.is_output(tensor):
                return None
            if tensor.shape[-1] != self._positions:
                return None
            node = readers[0]
        is_left = node.builtin_code == _PRODUCT and node.inputs[0] is tensor
        return node if is_left and node.inputs[1] is not tensor else None

    def _take(self, node, tensor):
        self.nodes.insert(0, node)
        self.tensor = tensor

    # The operator that writes `tensor`, if it has one reader.
    def _writer(self):
        if self._main.is_output(self.tensor) or len(self._main.consumers(self.tensor)) != 1:
            return None
        return self._main.producer(self.tensor)

    def _is_score(self, tensor):
        node = self._main.producer(tensor)
        names = ("RESHAPE", "MUL", "BATCH_MATMUL")
        return node is not None and node.builtin_code in [
            getattr(BuiltinOperator, name) for name in names
        ]


@dataclass
class _Mask:
    tensor: Tensor
    fields: dict


# The _Mask of ADD or SELECT_V2; None for another use of these operators.
def _mask(node, scores, positions):
    is_add = node.builtin_code == BuiltinOperator.ADD
    if is_add:
        mask = next((t for t in node.inputs if t is not scores), None)
        if mask is None or not _is_float(mask) or not _is_unclamped(node):
            return None
        masked = 0
    else:
        mask, chosen, other = node.inputs
        if chosen is not scores or not other.is_constant() or other.elements() != 1:
            return None
        masked = int.from_bytes(bytes(other.data[:4]), "little")
        value = struct.unpack("<f", bytes(other.data[:4]))[0]
        if mask.dtype != dtypes.BOOL or not value < _LARGEST_MASKED:
            return None
    if mask.is_constant() or mask.elements() != positions or mask.shape[-1:] != (positions,):
        return None
    return _Mask(mask, {"selects": 0 if is_add else 1, "masked": masked})


# The bits of the number that MUL multiplies scores with, or None.
def _scale(node, scores):
    factor = next((t for t in node.inputs if t is not scores), None)
    if factor is None or not factor.is_constant() or factor.elements() != 1:
        return None
    return int.from_bytes(bytes(factor.data[:4]), "little") if _is_unclamped(node) else None


def _is_float(tensor):
    return tensor.dtype == dtypes.FLOAT32


# True for ADD and MUL without an activation function.
def _is_unclamped(node):
    found = emissions(node)
    return len(found) == 1 and found[0].fields["activation_min"] == _LOWEST


# ([queries, keys, values], fields of the record) of the two products; None if the record cannot
# describe how they read their matrices.
def _geometry(main, first, last):
    import numpy as np  # imported here because few models need it, and it is slow to load

    tensors, options = [*first.inputs, *last.inputs, *last.outputs], []
    for node in (first, last):
        found = node.options(_BATCH_MATMUL_OPTIONS)
        options.append([bool(found.get(i, "b")) for i in (_ADJ_X, _ADJ_Y)])
    if not all(_is_float(t) for t in tensors) or options[0][0] or options[1][0]:
        return None
    query, output, positions = first.inputs[0], last.outputs[0], last.inputs[0].shape[-1]
    size = query.shape[-1]
    heads = query.elements() // size
    same = query.shape[:-1] == first.outputs[0].shape[:-1] and output.elements() == heads * size
    if not same or last.inputs[0].elements() != heads * positions or output.shape[-1] != size:
        return None
    sources, strides, scales = [], [], []
    for node, (_, is_transposed), is_values in ((first, options[0], 0), (last, options[1], 1)):
        root, elements, scale = _scaled_origin(main, node.inputs[1])
        scales.append(scale)
        matrix = elements.reshape(node.inputs[1].shape)
        if is_transposed == is_values:  # now [..., positions, size]
            matrix = matrix.swapaxes(-1, -2)
        batches = node.outputs[0].shape[:-2]
        matrix = np.broadcast_to(matrix, (*batches, *matrix.shape[-2:]))
        matrix = matrix.reshape(-1, *matrix.shape[-2:])
        matrix = np.repeat(matrix, heads // len(matrix), 0)
        if matrix.shape != (heads, positions, size):
            return None
        sources.append(root)
        strides.append(_strides(matrix))
    if None in strides or strides[0][0] != strides[1][0]:
        return None
    if scales[1] != _ONE or (scales[0] != _ONE and strides[0][3] != 1):
        return None
    (group, key_head, *key), (_, value_head, *value) = strides
    names = ("key_stride", "key_depth_stride", "value_stride", "value_depth_stride")
    fields = dict(zip(names, (*key, *value), strict=True))
    fields.update(key_head_stride=key_head, value_head_stride=value_head)
    fields["key_scale"] = scales[0]
    return [query, *sources], {**fields, "positions": positions, "size": size, "group": group}


# (queries per head of the keys, strides of heads, positions and elements) of an array of element
# numbers [heads, positions, size]; None if these are not so regular.
def _strides(matrix):
    import numpy as np

    heads, positions, size = matrix.shape
    starts = matrix[:, 0, 0]
    group = next((i for i in range(heads) if starts[i] != starts[0]), heads)
    head = int(starts[group] - starts[0]) if group < heads else 1
    step = int(matrix[0, 1, 0] - matrix[0, 0, 0]) if positions > 1 else 1
    depth = int(matrix[0, 0, 1] - matrix[0, 0, 0]) if size > 1 else 1
    wanted = (
        np.arange(heads)[:, None, None] // group * head
        + np.arange(positions)[:, None] * step
        + np.arange(size) * depth
    )
    is_regular = np.array_equal(matrix, wanted) and min(head, step, depth) > 0
    if not is_regular or 1 not in (step, depth) or max(head, step, depth) > _LARGEST_STRIDE:
        return None
    return group, head, step, depth


# _origin(), and the bits of the number that multiplies all elements: litert-torch scales keys.
def _scaled_origin(main, tensor):
    root, elements = _origin(main, tensor)
    node = main.producer(root)
    if node is not None and node.builtin_code == BuiltinOperator.MUL:
        data = next((t for t in node.inputs if t.shape == root.shape), None)
        scale = None if data is None or data.is_constant() else _scale(node, data)
        if scale is not None:
            root, inner = _origin(main, data)
            return root, inner[elements], scale
    return root, elements, _ONE


# (the tensor whose elements a tensor copies, the number of each element). Operators that only
# move elements are looked through.
def _origin(main, tensor):
    import numpy as np

    node = main.producer(tensor)
    found = [] if node is None or len(node.outputs) != 1 else emissions(node)
    if len(found) == 1 and _is_float(tensor):
        numbers = _moved(found[0], tensor)
        if numbers is not None:
            root, elements = _origin(main, found[0].fields["input"])
            return root, elements[numbers]
    return tensor, np.arange(tensor.elements())


# The number of the input's element that each element of `tensor` copies; None if a record computes
# anything, or not the whole tensor.
def _moved(emission, tensor):
    import numpy as np

    fields, kernel = emission.fields, emission.kernel
    if kernel == "copy.eval_bytes" and fields["size"] == tensor.nbytes():
        return np.arange(tensor.elements())
    if kernel == "resize_nearest_neighbor.eval":
        table = np.frombuffer(emission.table, "<u2")
        rows, columns = table[: fields["out_height"]], table[fields["columns"] :]
        shape = -1, fields["height"], fields["width"], fields["depth"] // 4
        numbers = np.arange(fields["input"].elements()).reshape(shape)
        return numbers[:, rows][:, :, columns[: fields["out_width"]]].reshape(-1)
    if kernel != "strided_copy.eval":
        return None
    read, written = np.arange(fields["size"]), np.arange(fields["size"])
    for turns, a, b in struct.iter_unpack("<iii", emission.table):
        read = (np.arange(turns)[:, None] * a + read).reshape(-1)
        written = (np.arange(turns)[:, None] * b + written).reshape(-1)
    read, written = read + fields["input_offset"], written + fields["output_offset"]
    is_start = written % 4 == 0
    numbers = np.full(tensor.elements(), -1)
    numbers[written[is_start] // 4] = read[is_start] // 4
    return numbers if numbers.min() >= 0 else None
