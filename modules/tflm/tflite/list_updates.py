# tflm: writes to a TensorList, as converters spell them in loops of Keras: for shapes.py
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .shape_values import integers

_ADD = const(0)
_CONCATENATION = const(2)
_RESHAPE = const(22)
_SLICE = const(65)
_EXPAND_DIMS = const(70)
_PACK = const(83)

_CONCATENATION_OPTIONS = const(10)  # ConcatenationOptions
_AXIS = const(0)

_JOINS = (_CONCATENATION, _PACK)
_SAME_NUMBER = (_RESHAPE, _EXPAND_DIMS)
_MOST_COPIES = 4  # of a number, one of the other; in a damaged model they may run in a circle


# An RNN that returns all its states keeps them in a list, one tensor [steps, batch, units]. To set
# step i the converter takes list[:i] and list[i + 1:] and joins them with the new state between:
# tensors whose shapes change from step to step. The whole is one DYNAMIC_UPDATE_SLICE.
class ListUpdates:
    """found: {operator: tensors of its list, the new item, where it begins}, by positions.

    unused: positions of the operators that only made the parts.
    """

    def __init__(self, subgraph):
        self._subgraph = subgraph
        self._writers = {}
        self.found = {}
        self.unused = set()
        for i in range(subgraph.nodes_length()):
            for t in subgraph.node_indices(i)[1]:
                self._writers[t] = i
        for i in range(subgraph.nodes_length()):
            if subgraph.node_code(i) == _CONCATENATION:
                self._look_at(i)

    # The position and the input tensors of who writes a tensor, if it is one of these operators.
    def _writer(self, tensor, codes):
        at = self._writers.get(tensor)
        if at is None or self._subgraph.node_code(at) not in codes:
            return None, ()
        return at, self._subgraph.node_indices(at)[0]

    # The numbers of a tensor that are all `value`.
    def _all(self, tensor, value):
        numbers = integers(self._subgraph.tensor(tensor)) if tensor >= 0 else None
        return numbers is not None and set(numbers) <= {value}

    # The tensor of the first number of a list that goes on with constants of `value`.
    def _first(self, tensor, value):
        _, parts = self._writer(tensor, _JOINS)
        if not parts or not all([self._all(part, value) for part in parts[1:]]):
            return None
        first = parts[0]
        for _ in range(_MOST_COPIES):
            _, inputs = self._writer(first, _SAME_NUMBER)
            if not inputs:
                return first
            first = inputs[0]
        return None

    # Is operator `i` the end of such a write?
    def _look_at(self, i):
        subgraph = self._subgraph
        inputs, outputs = subgraph.node_indices(i)
        options = subgraph.node(i).options(_CONCATENATION_OPTIONS)
        if len(inputs) != 3 or len(outputs) != 1 or options.get(_AXIS, "i"):
            return
        before, item, after = inputs
        head, head_inputs = self._writer(before, (_SLICE,))
        tail, tail_inputs = self._writer(after, (_SLICE,))
        if len(head_inputs) != 3 or len(tail_inputs) != 3 or head_inputs[0] != tail_inputs[0]:
            return
        source, begin, size = head_inputs
        if not self._all(begin, 0) or not self._all(tail_inputs[2], -1):
            return
        number, following = self._first(size, -1), self._first(tail_inputs[1], 0)
        _, sum_inputs = self._writer(following, (_ADD,))
        if len(sum_inputs) != 2 or number not in sum_inputs:
            return
        one = sum_inputs[1] if sum_inputs[0] == number else sum_inputs[0]
        # What the file says of the joined list is a guess where steps are open: it is 1. One item
        # in the place of one keeps the shape.
        shape = subgraph.tensor(item).shape
        if (
            self._all(one, 1)
            and shape[:1] == (1,)
            and len(shape) == len(subgraph.tensor(source).shape)
        ):
            # The sizes [i, -1, -1] do as a begin: what lies outside is moved to 0.
            self.found[i] = source, item, size
            for part, tensor in ((head, before), (tail, after)):
                if self._readers(tensor) == 1:
                    self.unused.add(part)

    # How many operators read a tensor.
    def _readers(self, tensor):
        nodes = range(self._subgraph.nodes_length())
        count = sum([tensor in self._subgraph.node_indices(i)[0] for i in nodes])
        return count + (1 if tensor in self._subgraph.outputs else 0)
