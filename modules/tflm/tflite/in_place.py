# tflm: SeparateSubgraph: give operators that overwrite their input a separate output tensor.
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import FLOAT32
from .graph import Tensor


# Whether a kernel may run from a tensor to itself depends on its order of reads and writes, and
# TFLM's kernels have another order. Here the value of a tensor before it is overwritten becomes a
# separate tensor. So each operator sees its input as it was, in a .tflite and in a .tflm, and the
# host's planner overlays both tensors where the kernel allows it.
#
# This class has the interface of reader.Subgraph. A tensor keeps its number for its last value;
# the separate tensors have numbers after all tensors of the model.
class SeparateSubgraph:
    def __init__(self, source):
        self._source = source
        self.model = source.model
        self.number = source.number
        self.first_tensor = source.first_tensor
        self.first_node = source.first_node
        self.name = source.name
        self._length = source.model.tensors_length - source.first_tensor
        self._originals = {}  # number of a separate tensor: its number in the file
        self._lists = [source.node_indices(i) for i in range(source.nodes_length())]
        after = {}  # number in the file: the tensor with its value here, walking backwards
        for i in range(len(self._lists) - 1, -1, -1):
            inputs, outputs = self._lists[i]
            written = tuple([after.get(t, t) for t in outputs])
            for t in outputs:
                if t in inputs and t != -1 and not source.tensor(t).is_variable:
                    after[t] = self._length
                    self._originals[self._length] = t
                    source.model.added[self.first_tensor + self._length] = self
                    self._length += 1
            self._lists[i] = tuple([after.get(t, t) for t in inputs]), written
        self.inputs = tuple([after.get(t, t) for t in source.inputs])
        self.outputs = source.outputs
        self.model.tensors_length = self.first_tensor + self._length

    def tensors_length(self):
        return self._length

    def tensor(self, i):
        if i not in self._originals:
            if i < self._source.tensors_length():
                return self._source.tensor(i)
            return Tensor(-1, "", FLOAT32, (0,))  # the number belongs to another sub-graph
        found = self._source.tensor(self._originals[i])
        added = Tensor(self.first_tensor + i, found.name, found.dtype, found.shape)
        if found.is_quantized:
            added.set_quantization(*found.quantization())
        return added

    def nodes_length(self):
        return self._source.nodes_length()

    def node_code(self, i):
        return self._source.node_code(i)

    def node_number(self, i):
        return self._source.node_number(i)

    def node_indices(self, i):
        return self._lists[i]

    def node(self, i):
        node = self._source.node(i)
        node.inputs, node.outputs = [
            [None if t == -1 else self.tensor(t) for t in each] for each in self._lists[i]
        ]
        return node
