# tflm_tools: ring_buffers: what a streaming layer keeps of the past stays in place between invokes
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes
from tflm.tflite.call_graph import CALL_ONCE, callees
from tflm.tflite.context import CUSTOM
from tflm.tflite.graph import Node
from tflm.tflite.resources import ResourceVariables

from ..model.schema import BuiltinOperator
from .aliases import Users, copies_of

_VAR_HANDLE = BuiltinOperator.VAR_HANDLE
_READ = BuiltinOperator.READ_VARIABLE
_ASSIGN = BuiltinOperator.ASSIGN_VARIABLE
_REASON = "the window is kept, not put together again"


# Converters write the past of a stream as READ_VARIABLE, CONCATENATION with what is new, and
# STRIDED_SLICE and ASSIGN_VARIABLE of all but the oldest; or they keep all and cut the oldest off
# before CONCATENATION. Here the window that CONCATENATION makes
# is the variable: before the new part is computed the rest moves to its beginning, and the new
# part is written behind it.
def apply(graph):
    from .passes import Saving

    found = [Saving("ring_buffers", n.origins, 0, 0, _REASON) for n in _without_once(graph)]
    main = graph.running()[0]
    if graph.has_control_flow() or any(node.builtin_code == CUSTOM for node in main.nodes):
        return found  # others may see the variable, or end the run before it is assigned
    for read in [node for node in main.nodes if node.builtin_code == _READ]:
        window = _Window.of(graph, main, read)
        if window is not None:
            window.keep()
            found.append(Saving("ring_buffers", window.origins, 0, window.moved, _REASON))
    for node in list(main.nodes):
        if node.builtin_code == _VAR_HANDLE and not main.consumers(node.outputs[0]):
            main.remove(node)
    return found


# Take out each CALL_ONCE that gives variables the bytes which they have before the first invoke.
def _without_once(graph):
    main, gone = graph.running()[0], []
    for node in list(main.nodes):
        if node.builtin_code == _VAR_HANDLE:
            continue
        if node.builtin_code != CALL_ONCE:
            break
        number = callees(main, main.nodes.index(node))[0]
        if _sets_defaults(graph, graph.subgraphs[number]):
            main.remove(node)
            gone.append(node)
    running = graph.call_graph().numbers()
    graph.subgraphs = [
        s if s.number in running else graph.source.subgraphs[s.number] for s in graph.subgraphs
    ]
    return gone


# True for a sub-graph that assigns to variables what they are anyway, and does nothing else.
def _sets_defaults(graph, subgraph):
    resources = ResourceVariables(graph)
    for node in subgraph.nodes:
        if node.builtin_code == _VAR_HANDLE:
            continue
        if node.builtin_code != _ASSIGN or not node.inputs[1].is_constant():
            return False
        if set(bytes(node.inputs[1].data)) - {resources.find(node.inputs[0]).default}:
            return False
    return True


class _Window:
    """A window over the past: the operators that put it together, take it apart and keep it."""

    def __init__(self, main, read, join, cut, assign):
        self._main = main
        self._old, self._new = join.inputs
        self._tensor = join.outputs[0]
        self._parts = read, join, cut, assign
        self.origins = tuple(i for node in self._parts for i in node.origins)
        self.moved = 2 * self._old.nbytes() + self._tensor.nbytes()

    @classmethod
    def of(cls, graph, main, read):
        """The window that a READ_VARIABLE is for, or None."""
        resources = ResourceVariables(graph)
        variable = resources.find(read.inputs[0])
        users = [
            node
            for node in main.nodes
            if node.inputs and node.inputs[0] and resources.find(node.inputs[0]) is variable
        ]
        if [node.builtin_code for node in users] != [_READ, _ASSIGN]:
            return None
        assign = users[1]
        join = _only(main, read.outputs[0])
        cut = main.producer(assign.inputs[1])
        if join is None or cut is None:
            return None
        reader = assign
        if cut.builtin_code == BuiltinOperator.CONCATENATION:  # all of the window is kept
            join, cut = cut, join
            reader = join
        if len(cut.outputs) != 1 or _only(main, cut.outputs[0]) is not reader:
            return None
        if join.builtin_code != BuiltinOperator.CONCATENATION or len(join.inputs) != 2:
            return None
        found = cls(main, read, join, cut, assign)
        return found if found._is_in_order() and found._starts_as(variable) else None

    # True when the old part comes first, in one piece, and what is kept is the end of it all, cut
    # off before or behind it is joined with the new part.
    def _is_in_order(self):
        read, join, cut, assign = self._parts
        old, window, kept = self._old, self._tensor, read.outputs[0]
        if assign.inputs[1] is window:
            whole, before = kept, cut
        else:
            whole, before = window, read
        if self._main.is_output(window) or old is not before.outputs[0] or old is self._new:
            return False
        joined, taken = copies_of(join), copies_of(cut)
        if joined is None or len(joined) != 2 or taken is None or len(taken) != 1:
            return False
        if [c.target_offset for c in joined] != [0, old.nbytes()]:
            return False
        return (
            taken[0].source is whole
            and whole.nbytes() == window.nbytes()
            and taken[0].source_offset == self._new.nbytes()
            and taken[0].size == old.nbytes() == cut.outputs[0].nbytes()
        )

    # True when reset() gives a variable tensor the bytes that it gives the variable.
    def _starts_as(self, variable):
        tensor = self._tensor
        zero_point = tensor.zero_point() & 0xFF if tensor.dtype == dtypes.INT8 else 0
        return variable.default == zero_point

    def keep(self):
        """Let the window be a variable tensor, and its new part be written in place if it can."""
        main, window, size = self._main, self._tensor, self._old.nbytes()
        writer = main.producer(self._new)
        first = self._parts[1]
        in_place = Users(main).may_be_written_in_place(self._new, window) and size % 4 == 0
        if in_place and Users(main).is_plain(self._new) and not main.is_output(self._new):
            first = writer
        at = next(i for i, node in enumerate(main.nodes) if node is first)
        window.is_variable = True
        older = self._part(self._old, 0), self._part(self._old, self._new.nbytes())
        self._insert(at, *older)
        if first is writer:
            self._new.view_of = window, size
        else:
            self._insert(at + 1, self._part(self._new, size), self._new)
        for node in self._parts:
            main.remove(node)
        for node in main.consumers(window):
            self._look_through(node)

    # What only copies all of the window, a RESHAPE, leaves its output a view of that.
    def _look_through(self, node):
        main, copies = self._main, copies_of(node)
        if not copies or len(copies) > 1 or copies[0].size != self._tensor.nbytes():
            return
        target = copies[0].target
        whole = target.nbytes() == copies[0].size and copies[0].source is self._tensor
        if whole and Users(main).is_plain(target) and not main.is_output(target):
            main.remove(node)
            target.view_of = self._tensor, 0

    # As many bytes of the window as a tensor has.
    def _part(self, tensor, offset):
        part = self._main.new_tensor(tensor.name, tensor.dtype, tensor.shape, like=tensor)
        part.view_of = self._tensor, offset
        return part

    # An operator that copies to a part of the window.
    def _insert(self, at, target, source):
        node = Node(self._parts[3].index, _ASSIGN, 1, "", [target, source], [])
        node.origins = self.origins
        self._main.insert(at, node)


# The one operator that reads a tensor, which is no output of the model.
def _only(main, tensor):
    readers = main.consumers(tensor)
    return readers[0] if len(readers) == 1 and not main.is_output(tensor) else None
