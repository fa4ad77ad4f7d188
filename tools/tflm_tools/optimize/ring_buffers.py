# tflm_tools: ring_buffers: keeps the window of a streaming layer in the arena between invokes
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
_REASON = "the window stays in place instead of being assembled again"


def apply(graph):
    """Make the windows of streaming layers variable tensors; returns a list of Saving.

    Converters write a streaming layer as READ_VARIABLE, CONCATENATION of the old rows with the new
    rows to a window, and STRIDED_SLICE and ASSIGN_VARIABLE of the window without its oldest rows.
    Some store the whole window, and remove the oldest rows before CONCATENATION.
    Here the window itself becomes the variable: the rows that stay move to its start, then the new
    rows are written after them.
    """
    from .passes import Saving

    found = [Saving("ring_buffers", n.origins, 0, 0, _REASON) for n in _without_once(graph)]
    main = graph.running()[0]
    if graph.has_control_flow() or any(node.builtin_code == CUSTOM for node in main.nodes):
        return found  # other operators may read the variable, or end the run before the assignment
    for read in [node for node in main.nodes if node.builtin_code == _READ]:
        window = _Window.of(graph, main, read)
        if window is not None:
            window.keep()
            found.append(Saving("ring_buffers", window.origins, 0, window.moved, _REASON))
    for node in list(main.nodes):
        if node.builtin_code == _VAR_HANDLE and not main.consumers(node.outputs[0]):
            main.remove(node)
    return found


# Remove each CALL_ONCE that only assigns the initial values of variables. Returns the removed
# nodes.
def _without_once(graph):
    main, removed = graph.running()[0], []
    for node in list(main.nodes):
        if node.builtin_code == _VAR_HANDLE:
            continue
        if node.builtin_code != CALL_ONCE:
            break
        number = callees(main, main.nodes.index(node))[0]
        if _sets_defaults(graph, graph.subgraphs[number]):
            main.remove(node)
            removed.append(node)
    running = graph.call_graph().numbers()
    graph.subgraphs = [
        s if s.number in running else graph.source.subgraphs[s.number] for s in graph.subgraphs
    ]
    return removed


# True for a sub-graph that only assigns to variables the values that they have initially.
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
    """A window over the latest rows of a stream, and the four operators that maintain it.

    read: READ_VARIABLE. join: CONCATENATION of old and new rows. cut: STRIDED_SLICE that removes
    the oldest rows. assign: ASSIGN_VARIABLE. moved: bytes that these operators move per invoke.
    """

    def __init__(self, main, read, join, cut, assign):
        self._main = main
        self._old, self._new = join.inputs
        self._tensor = join.outputs[0]
        self._nodes = read, join, cut, assign
        self.origins = tuple(i for node in self._nodes for i in node.origins)
        self.moved = 2 * self._old.nbytes() + self._tensor.nbytes()

    @classmethod
    def of(cls, graph, main, read):
        """Return the window that a READ_VARIABLE belongs to, or None."""
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
        if cut.builtin_code == BuiltinOperator.CONCATENATION:  # the variable is the whole window
            join, cut = cut, join
            reader = join
        if len(cut.outputs) != 1 or _only(main, cut.outputs[0]) is not reader:
            return None
        if join.builtin_code != BuiltinOperator.CONCATENATION or len(join.inputs) != 2:
            return None
        found = cls(main, read, join, cut, assign)
        return found if found._is_in_order() and found._starts_as(variable) else None

    # True when the window is the old rows followed by the new rows, and the variable keeps the end
    # of the window. The oldest rows may be cut before or after the rows are joined.
    def _is_in_order(self):
        read, join, cut, assign = self._nodes
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

    # True when reset() sets a variable tensor and this variable to the same bytes.
    def _starts_as(self, variable):
        tensor = self._tensor
        zero_point = tensor.zero_point() & 0xFF if tensor.dtype == dtypes.INT8 else 0
        return variable.default == zero_point

    def keep(self):
        """Make the window a variable tensor; if possible, let new rows be written in place."""
        main, window, size = self._main, self._tensor, self._old.nbytes()
        writer = main.producer(self._new)
        first = self._nodes[1]
        in_place = Users(main).may_be_written_in_place(self._new, window) and size % 4 == 0
        if in_place and Users(main).is_plain(self._new) and not main.is_output(self._new):
            first = writer
        at = next(i for i, node in enumerate(main.nodes) if node is first)
        window.is_variable = True
        moved = self._rows(self._old, 0), self._rows(self._old, self._new.nbytes())
        self._insert(at, *moved)
        if first is writer:
            self._new.view_of = window, size
        else:
            self._insert(at + 1, self._rows(self._new, size), self._new)
        for node in self._nodes:
            main.remove(node)
        for node in main.consumers(window):
            self._look_through(node)

    # Replace a node that copies the whole window, such as RESHAPE, by a view of the window.
    def _look_through(self, node):
        main, copies = self._main, copies_of(node)
        if not copies or len(copies) > 1 or copies[0].size != self._tensor.nbytes():
            return
        target = copies[0].target
        whole = target.nbytes() == copies[0].size and copies[0].source is self._tensor
        if whole and Users(main).is_plain(target) and not main.is_output(target):
            main.remove(node)
            target.view_of = self._tensor, 0

    # A view of the window at a byte offset, with the type and shape of a tensor.
    def _rows(self, tensor, offset):
        view = self._main.new_tensor(tensor.name, tensor.dtype, tensor.shape, like=tensor)
        view.view_of = self._tensor, offset
        return view

    # Insert an operator that copies `source` to `target`, a view of the window.
    def _insert(self, at, target, source):
        node = Node(self._nodes[3].index, _ASSIGN, 1, "", [target, source], [])
        node.origins = self.origins
        self._main.insert(at, node)


# The only operator that reads a tensor; None if others do, or if it is an output of the model.
def _only(main, tensor):
    readers = main.consumers(tensor)
    return readers[0] if len(readers) == 1 and not main.is_output(tensor) else None
