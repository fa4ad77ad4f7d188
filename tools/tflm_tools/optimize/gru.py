# tflm_tools: gru: one step for a WHILE whose body is a GRU
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm import dtypes
from tflm.prepare.arithmetic_float import ADD, MUL, SUB
from tflm.prepare.common import NONE, float_activation_range
from tflm.tflite.call_graph import WHILE, callees

from ..bands.operators.gru_loop import GruLoop
from ..model.schema import BuiltinOperator
from .emissions import emissions

_CONNECTED = "fully_connected_float.eval_float32"
_ARITHMETIC = "arithmetic_float.eval_float32"
_SHAPES = BuiltinOperator.RESHAPE, BuiltinOperator.EXPAND_DIMS, BuiltinOperator.SQUEEZE
_REASON = "the same operations in the same order"


def apply(graph):
    """Replace WHILE loops of Keras's GRU (float32, batch 1) by one step; returns a list of Saving.

    The body is GATHER of a row of the input, FULLY_CONNECTED of the row and of the state, SPLIT of
    both, and the gates (reset_after=True, which is Keras's default). Only the last state may be
    read after the loop.
    """
    from .passes import Saving

    found = []
    for subgraph in graph.running():
        for i, node in enumerate(subgraph.nodes):
            if node.builtin_code != WHILE:
                continue
            condition, body = (graph.subgraphs[number] for number in callees(subgraph, i))
            try:
                step = _Loop(subgraph, node, condition, body).step()
            except _OtherLoopError:
                continue
            size = sum(
                t.nbytes() for loop_graph in (condition, body) for t in loop_graph.tensors.values()
            )
            found.append(Saving("gru", step.origins, 0, size, _REASON))
            subgraph.nodes[i] = step
    return found


# A loop is not the one that is looked for.
class _OtherLoopError(Exception):
    pass


def _need(condition):
    if not condition:
        raise _OtherLoopError


class _Loop:
    """A WHILE of a subgraph, with the sub-graphs of its condition and body."""

    def __init__(self, subgraph, node, condition, body):
        self._subgraph, self._node = subgraph, node
        self._condition, self._body = condition, body
        self._inputs, self._outputs = body.input_tensors(), body.output_tensors()
        self._matched = set()  # numbers of nodes of the body

    def step(self):
        """Return the GruLoop that replaces the WHILE; raises _OtherLoopError."""
        counters = self._counters()
        steps = self._steps(counters)
        last = self._state()
        at = [k for k, tensor in enumerate(self._outputs) if self._reshaped(tensor) is last]
        state, row, connected = self._gates(*self._operands(last, ADD))
        starts = [k for k in at if self._inputs[k] is state]
        _need(len(starts) == 1)
        start = starts[0]
        source = self._row_source(row, counters, steps)
        # No other variable of the loop may be read in the body, or after the loop.
        for k in at:
            _need(k == start or not self._body.consumers(self._inputs[k]))
        used = [t for t in self._node.outputs if self._is_used(t)]
        _need(len(used) == 1 and any(used[0] is self._node.outputs[k] for k in at))
        _need({node.index for node in self._body.nodes} == self._matched)
        return GruLoop(self._node, source, self._node.inputs[start], connected, used[0], steps)

    def _is_used(self, tensor):
        return bool(self._subgraph.consumers(tensor)) or self._subgraph.is_output(tensor)

    # The variables that count from 0: their numbers.
    def _counters(self):
        found = []
        for k, tensor in enumerate(self._outputs):
            node = self._body.producer(tensor)
            if node is None or node.builtin_code != BuiltinOperator.ADD:
                continue
            is_next = self._inputs[k] in node.inputs and self._node.inputs[k].is_constant()
            if is_next and any(_number(t) == 1 for t in node.inputs):
                _need(_number(self._node.inputs[k]) == 0)
                self._matched.add(node.index)
                found.append(k)
        return found

    # How often the body runs: the condition is LESS of a counter and a constant.
    def _steps(self, counters):
        _need(len(self._condition.nodes) == 1)
        (node,) = self._condition.nodes
        _need(node.builtin_code == BuiltinOperator.LESS)
        asked = self._condition.input_tensors()
        _need(any(asked[k] is node.inputs[0] for k in counters))
        steps = _number(node.inputs[1])
        _need(steps is not None and steps > 0)
        return steps

    # The state that the body computes: what is left of a tensor of the loop without RESHAPE.
    def _state(self):
        found = {self._reshaped(tensor) for tensor in self._outputs} - {None}
        found = [t for t in found if t.dtype == dtypes.FLOAT32 and self._body.producer(t)]
        _need(len(found) == 1)
        return found[0]

    # A tensor of the body without the operators that only change its shape.
    def _reshaped(self, tensor):
        node = self._body.producer(tensor)
        while node is not None and node.builtin_code in _SHAPES:
            self._matched.add(node.index)
            tensor = node.inputs[0]
            node = self._body.producer(tensor)
        return tensor

    # Return the operator that writes a tensor of the body, if it is of this kind.
    def _producer(self, tensor, code):
        node = self._body.producer(tensor)
        _need(node is not None and node.builtin_code == code)
        self._matched.add(node.index)
        return node

    # Return the operands of ADD, SUB or MUL of float32 without an activation.
    def _operands(self, tensor, kind):
        node = self._body.producer(tensor)
        records = emissions(node) if node is not None else []
        _need(len(records) == 1 and records[0].kernel == _ARITHMETIC)
        fields = records[0].fields
        _need(fields["kind"] == kind and fields["activation_min"] == _LOWEST)
        self._matched.add(node.index)
        return node.inputs

    # Match update * state and (1 - update) * candidate. Return the state, the row of the input,
    # and (weights, bias) of both.
    def _gates(self, *products):
        kept, added = _ordered(products, self._has_state)
        state, update = _ordered(self._operands(kept, MUL), self._is_variable)
        _, candidate = _ordered(self._operands(added, MUL), lambda t: self._is_rest(t, update))
        candidate = self._producer(candidate, BuiltinOperator.TANH).inputs[0]
        product, from_row = _ordered(self._operands(candidate, ADD), self._is_product)
        reset, from_state = _ordered(self._operands(product, MUL), self._is_logistic)
        of_row = self._producer(from_row, BuiltinOperator.SPLIT)
        of_state = self._producer(from_state, BuiltinOperator.SPLIT)
        for number, gate in enumerate((update, reset)):
            both = self._operands(self._producer(gate, BuiltinOperator.LOGISTIC).inputs[0], ADD)
            _need(set(both) == {of_row.outputs[number], of_state.outputs[number]})
        _need(of_row.outputs[2] is from_row and of_state.outputs[2] is from_state)
        row, first = self._connected(of_row, state)
        source, second = self._connected(of_state, state)
        _need(source is state)
        return state, row, (first, second)

    def _is_variable(self, tensor):
        return tensor in self._inputs

    def _is_logistic(self, tensor):
        node = self._body.producer(tensor)
        return node is not None and node.builtin_code == BuiltinOperator.LOGISTIC

    def _is_product(self, tensor):
        node = self._body.producer(tensor)
        return node is not None and node.builtin_code == BuiltinOperator.MUL

    def _has_state(self, tensor):
        return any(self._is_variable(t) for t in self._operands(tensor, MUL))

    # True for 1 - update.
    def _is_rest(self, tensor, update):
        node = self._body.producer(tensor)
        if node is None or node.builtin_code != BuiltinOperator.SUB:
            return False
        one, other = self._operands(tensor, SUB)
        is_one = one.is_constant() and one.elements() == 1
        return is_one and other is update and bytes(one.data) == struct.pack("<f", 1)

    # Return the vector, and (weights, bias), of the FULLY_CONNECTED before a SPLIT in three gates.
    def _connected(self, split, state):
        size = state.elements()
        _need(len(split.outputs) == 3 and all(t.shape == (1, size) for t in split.outputs))
        node = self._producer(split.inputs[1], BuiltinOperator.FULLY_CONNECTED)
        records = emissions(node)
        _need(len(records) == 1 and records[0].kernel == _CONNECTED)
        _need(records[0].fields["activation_min"] == _LOWEST and node.inputs[1].is_constant())
        bias = node.optional_input(2)
        _need(bias is None or bias.is_constant())
        depth = node.inputs[1].shape[1]
        _need(node.inputs[1].shape[0] == 3 * size and depth and node.inputs[0].elements() == depth)
        return node.inputs[0], (node.inputs[1], bias)

    # Return the tensor outside of the loop whose rows GATHER reads, one in each step.
    def _row_source(self, row, counters, steps):
        node = self._producer(row, BuiltinOperator.GATHER)
        rows, index = node.inputs
        at = [k for k, tensor in enumerate(self._inputs) if tensor is rows]
        _need(
            at and self._outputs[at[0]] is rows and any(self._inputs[k] is index for k in counters)
        )
        _need(rows.shape[:2] == (rows.shape[0], 1) and len(rows.shape) == 3)
        _need(row.shape == rows.shape[1:] and steps <= rows.shape[0])
        return self._node.inputs[at[0]]


_LOWEST = float_activation_range(None, NONE)[0]


# Return the operands of a commutative operator, the one for which `is_first` is true first.
def _ordered(operands, is_first):
    for first, second in (operands, reversed(operands)):
        if is_first(first):
            return first, second
    raise _OtherLoopError


# The number in a constant int32 of one element, or None.
def _number(tensor):
    if not tensor.is_constant() or tensor.dtype != dtypes.INT32 or tensor.elements() != 1:
        return None
    return struct.unpack("<i", bytes(tensor.data))[0]
