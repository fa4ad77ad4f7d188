# tflm: TensorLists: run TensorFlow's lists of tensors, as in Keras loops, as one tensor each.
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from ..errors import UnsupportedError
from .call_graph import CALL_ONCE, IF, WHILE, callees
from .shape_values import integers

_CUSTOM = const(32)
_RESERVE = "FlexTensorListReserve"
_FROM_TENSOR = "FlexTensorListFromTensor"
_SET_ITEM = "FlexTensorListSetItem"
_GET_ITEM = "FlexTensorListGetItem"
_STACK = "FlexTensorListStack"


# With SELECT_TF_OPS the converter leaves the lists of an RNN to TensorFlow: it reserves a list of
# some items, passes it through a WHILE that sets one item in each iteration, and stacks it. In the
# file a list has the type variant and no shape. If the number of items is constant, a list is one
# tensor [items, shape of an item] of the items' type.
#
# Tensors that pass a list on, also to sub-graphs and back, form a class. The shape of all of them
# is known when the first item is.
class TensorLists:
    NAMES = (_RESERVE, _FROM_TENSOR, _SET_ITEM, _GET_ITEM, _STACK)

    def __init__(self, model):
        self._model = model
        self._parents = {}  # union-find: tensor: another one of its class
        self._items = {}  # class: number of items
        self._types = {}  # class: (shape, dtype)
        for subgraph in model.subgraphs:
            for i in range(subgraph.nodes_length()):
                self._join_operator(subgraph, i)

    # Join the inputs and outputs of an operator that passes lists on: SetItem and control flow.
    def _join_operator(self, subgraph, i):
        inputs, outputs = subgraph.node_indices(i)
        code = subgraph.node_code(i)
        if code == _CUSTOM and subgraph.node(i).custom_name == _SET_ITEM:
            self._join(subgraph, inputs[:1], subgraph, outputs)
        called = callees(subgraph, i)
        if not called or code == CALL_ONCE:
            return
        passed = inputs[1:] if code == IF else inputs
        for number in called:
            callee = self._model.subgraphs[number]
            self._join(subgraph, passed, callee, callee.inputs)
            if code != WHILE or number == called[1]:
                self._join(callee, callee.outputs, subgraph, outputs)
        if code == WHILE:
            self._join(subgraph, inputs, subgraph, outputs)

    def _join(self, source, sources, target, targets):
        for a, b in zip(sources, targets):
            if a >= 0 and b >= 0:
                a, b = self._class(source.first_tensor + a), self._class(target.first_tensor + b)
                if a != b:
                    self._parents[a] = b

    def _class(self, tensor):
        path = []
        while tensor in self._parents:
            path.append(tensor)
            tensor = self._parents[tensor]
        for passed in path:
            self._parents[passed] = tensor
        return tensor

    # Return (shape, dtype) of a list; None for other tensors and lists of unknown type.
    def type_of(self, tensor):
        return self._types.get(self._class(tensor))

    # Note what an operator says about its list; return the shapes of its outputs, None for lists.
    def shapes(self, node):
        name = node.custom_name
        if name == _RESERVE:
            items = integers(node.input(1))
            if items is None or len(items) != 1 or items[0] < 0:
                raise UnsupportedError(
                    "the number of items of its list is known only at run time; convert the model "
                    "with a fixed number of steps"
                )
            self._set(self._items, node.output(0), items[0])
            return [None]
        if name == _FROM_TENSOR:
            source = node.input(0)
            self._set(self._items, node.output(0), source.shape[0])
            self._set(self._types, node.output(0), (source.shape, source.dtype))
            return [None]
        tensor = node.input(0)
        if name == _SET_ITEM:
            item = node.input(2)
            items = self._items.get(self._class(tensor.index))
            if items is None:
                raise UnsupportedError("nothing creates its list; convert the model again")
            self._set(self._types, tensor, ((items,) + item.shape, item.dtype))
            return [None]
        known = self.type_of(tensor.index)
        if known is None:
            raise UnsupportedError("nothing is written to its list; convert the model again")
        return [known[0] if name == _STACK else known[0][1:]]

    # Set a fact of a class; raise UnsupportedError if it contradicts the one before.
    def _set(self, facts, tensor, value):
        if facts.setdefault(self._class(tensor.index), value) != value:
            raise UnsupportedError(
                "its list has items of several shapes, or several numbers of items; convert the "
                "model with fixed shapes"
            )
