# tflm: UnsignedSubgraph: view a model of quantized uint8, as old converters wrote, as int8.
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .graph import Node, Tensor

_ADD = const(0)
_AVERAGE_POOL_2D = const(1)
_CONCATENATION = const(2)
_CONV_2D = const(3)
_DEPTHWISE_CONV_2D = const(4)
_DEQUANTIZE = const(6)
_FULLY_CONNECTED = const(9)
_LOGISTIC = const(14)
_MAX_POOL_2D = const(17)
_MUL = const(18)
_RELU = const(19)
_RESHAPE = const(22)
_SOFTMAX = const(25)
_PAD = const(34)
_TRANSPOSE = const(39)
_SUB = const(41)
_SQUEEZE = const(43)
_STRIDED_SLICE = const(45)
_SPLIT = const(49)
_SLICE = const(65)
_EXPAND_DIMS = const(70)
_PACK = const(83)
_UNPACK = const(88)
_RESIZE_NEAREST_NEIGHBOR = const(97)
_QUANTIZE = const(114)

_WITH_WEIGHTS = (_CONV_2D, _DEPTHWISE_CONV_2D, _FULLY_CONNECTED)
_SHIFT = 128

# Operators with the same results for both types; tests/kernels/test_unsigned.py compares each with
# LiteRT.
_SAME_RESULTS = _WITH_WEIGHTS + (
    _ADD, _AVERAGE_POOL_2D, _CONCATENATION, _DEQUANTIZE, _LOGISTIC, _MAX_POOL_2D, _MUL, _RELU,
    _RESHAPE, _SOFTMAX, _PAD, _TRANSPOSE, _SUB, _SQUEEZE, _STRIDED_SLICE, _SPLIT, _SLICE,
    _EXPAND_DIMS, _PACK, _UNPACK, _RESIZE_NEAREST_NEIGHBOR, _QUANTIZE,
)  # fmt: skip


# Return True for an old model: TFLM no longer has these operators with weights of uint8.
def is_unsigned(model):
    if len(model.subgraphs) != 1:
        return False
    subgraph = model.subgraphs[0]
    for i in range(subgraph.nodes_length()):
        if subgraph.node_code(i) in _WITH_WEIGHTS:
            inputs = subgraph.node_indices(i)[0]
            if len(inputs) > 1 and inputs[1] != -1:
                tensor = subgraph.tensor(inputs[1])
                if tensor.dtype == dtypes.UINT8 and tensor.is_quantized:
                    return True
    return False


# A vector of zero points, less 128.
class _Shifted:
    def __init__(self, vector):
        self._vector = vector

    def __len__(self):
        return len(self._vector)

    def number(self, i, kind):
        return self._vector.number(i, kind) - _SHIFT


# A uint8 value q with zero point z is the int8 value q - 128 with zero point z - 128: the top bit
# of each byte is flipped. The inputs and outputs of the model remain uint8: a QUANTIZE follows
# each input and precedes each output. Weights remain uint8, too: only kernels of conv_unsigned.py
# read them, as they are in the file.
#
# This class has the interface of reader.Subgraph. Tensors and operators keep their numbers of the
# file; added ones follow after all others.
class UnsignedSubgraph:
    def __init__(self, source):
        self._source = source
        self.model = source.model
        self.number = source.number
        self.first_tensor = source.first_tensor
        self.first_node = source.first_node
        self.name = source.name
        self.inputs = source.inputs
        self.outputs = source.outputs
        self._weights = set()
        for i in range(source.nodes_length()):
            inputs = source.node_indices(i)[0]
            if source.node_code(i) in _WITH_WEIGHTS and len(inputs) > 1:
                self._weights.add(inputs[1])
        # Added tensors: {tensor of the file: number of its int8 tensor}.
        self._inner = {}
        count = source.tensors_length()
        for i in source.inputs + source.outputs:
            if i not in self._inner and self._is_unsigned(source.tensor(i)):
                self._inner[i] = count + len(self._inner)
        self._outer = {self._inner[i]: i for i in self._inner}
        first = set([i for i in source.inputs if i in self._inner])
        last = set([i for i in source.outputs if i in self._inner and i not in first])
        self._before = [(i, self._inner[i]) for i in sorted(first)]
        self._after = [(self._inner[i], i) for i in sorted(last)]

    def _is_unsigned(self, tensor):
        return tensor.dtype == dtypes.UINT8 and tensor.is_quantized

    def tensors_length(self):
        return self._source.tensors_length() + len(self._inner)

    def nodes_length(self):
        return self._source.nodes_length() + len(self._before) + len(self._after)

    def open_dimensions(self):
        return self._source.open_dimensions()

    def signature(self, i):
        return self._source.signature(self._outer.get(i, i))

    def tensor(self, i):
        tensor = self._source.tensor(self._outer.get(i, i))
        if i in self._inner or i in self._weights or not self._is_unsigned(tensor):
            return tensor
        inner = Tensor(self.first_tensor + i, tensor.name, dtypes.INT8, tensor.shape)
        if tensor.data is not None:
            inner.data = bytes([byte ^ 0x80 for byte in tensor.data])
        inner.is_variable = tensor.is_variable
        inner.was_unsigned = True
        scales, zero_points, dimension = tensor.quantization()
        inner.set_quantization(scales, _Shifted(zero_points), dimension)
        return inner

    # Return (position in the file, None) of an operator; (None, tensors) of an added QUANTIZE.
    def _find(self, i):
        if i < len(self._before):
            return None, self._before[i]
        at = i - len(self._before)
        added = at - self._source.nodes_length()
        return (at, None) if added < 0 else (None, self._after[added])

    def node_code(self, i):
        at, added = self._find(i)
        return _QUANTIZE if added else self._source.node_code(at)

    def node_number(self, i):
        at, added = self._find(i)
        if not added:
            return self._source.node_number(at)
        count = len(self._before)
        last = self._source.nodes_length()
        last = self._source.node_number(last - 1) + 1 if last else self.first_node
        return last + (i if i < count else i - self._source.nodes_length())

    def node_indices(self, i):
        at, added = self._find(i)
        if added:
            return added[:1], added[1:]
        inputs, outputs = self._source.node_indices(at)
        return (
            tuple([self._inner.get(t, t) for t in inputs]),
            tuple([self._inner.get(t, t) for t in outputs]),
        )

    def node(self, i):
        at, added = self._find(i)
        lists = self.node_indices(i)
        inputs, outputs = [[None if t == -1 else self.tensor(t) for t in each] for each in lists]
        if added:
            return Node(self.node_number(i), _QUANTIZE, 1, "", inputs, outputs)
        node = self._source.node(at)
        node.inputs, node.outputs = inputs, outputs
        # The kernels of int8 convolutions ignore the zero point of weights.
        is_conv = node.builtin_code in (_CONV_2D, _DEPTHWISE_CONV_2D)
        is_computed = (
            is_conv and len(inputs) > 1 and inputs[1] is not None and not inputs[1].is_constant()
        )
        changed = [t for t in inputs + outputs if t is not None and t.was_unsigned]
        is_same = node.builtin_code in _SAME_RESULTS and not is_computed
        if changed and not is_same and not node.refused:
            node.refused = (
                "%s: uint8 quantization is not supported; convert the model again with int8" % node
            )
        return node
