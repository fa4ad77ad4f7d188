# tflm: ListUpdates: find writes to a list of tensors, as converters write them in loops of Keras.
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
_MAX_COPIES = 4  # of a number, one of the other; in a damaged model they may be a cycle


# An RNN that returns all its states keeps them in a list, a tensor [steps, batch, units]. To set
# step i, the converter slices list[:i] and list[i + 1:] and concatenates them with the new state
# between. The shapes of these slices change from step to step. The three operators together are
# one DYNAMIC_UPDATE_SLICE.
class ListUpdates:
    """The updates of a sub-graph.

    found: {position of an operator: (list, new item, tensor of its begin)}
    unused: positions of the operators that only computed the slices
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
                self._find_update(i)

    # Return (position, input tensors) of the operator that writes a tensor, if it has such a code.
    def _writer(self, tensor, codes):
        at = self._writers.get(tensor)
        if at is None or self._subgraph.node_code(at) not in codes:
            return None, ()
        return at, self._subgraph.node_indices(at)[0]

    # Return True if a constant tensor's numbers all are `value`.
    def _all(self, tensor, value):
        numbers = integers(self._subgraph.tensor(tensor)) if tensor >= 0 else None
        return numbers is not None and set(numbers) <= {value}

    # Return the tensor of a list's first number if the rest are constants of `value`, else None.
    def _first(self, tensor, value):
        _, numbers = self._writer(tensor, _JOINS)
        if not numbers or not all([self._all(number, value) for number in numbers[1:]]):
            return None
        first = numbers[0]
        for _ in range(_MAX_COPIES):
            _, inputs = self._writer(first, _SAME_NUMBER)
            if not inputs:
                return first
            first = inputs[0]
        return None

    # Add operator `i` to `found` if it is the last one of an update.
    def _find_update(self, i):
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
        # The file gives a shape for the joined list, but where the steps are open it guesses 1.
        # Replacing one item by one item keeps the shape.
        shape = subgraph.tensor(item).shape
        if (
            self._all(one, 1)
            and shape[:1] == (1,)
            and len(shape) == len(subgraph.tensor(source).shape)
        ):
            # The sizes [i, -1, -1] serve as begin: what would be outside is moved to 0.
            self.found[i] = source, item, size
            for slice_at, tensor in ((head, before), (tail, after)):
                if self._readers(tensor) == 1:
                    self.unused.add(slice_at)

    # Return the number of operators that read a tensor.
    def _readers(self, tensor):
        nodes = range(self._subgraph.nodes_length())
        count = sum([tensor in self._subgraph.node_indices(i)[0] for i in nodes])
        return count + (1 if tensor in self._subgraph.outputs else 0)
