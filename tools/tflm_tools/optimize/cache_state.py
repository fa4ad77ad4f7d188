# tflm_tools: cache_state: keeps caches of keys and values in the arena, updated in place
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm import dtypes
from tflm.tflite.context import CUSTOM
from tflm.tflite.graph import Node
from tflm.tflite.resources import ResourceVariables

from ..errors import ToolError
from ..model.schema import BuiltinOperator
from .aliases import Users

_READ = BuiltinOperator.READ_VARIABLE
_ASSIGN = BuiltinOperator.ASSIGN_VARIABLE
_VAR_HANDLE = BuiltinOperator.VAR_HANDLE
_UPDATE = BuiltinOperator.DYNAMIC_UPDATE_SLICE
_ADD = BuiltinOperator.ADD
_REASON = "only the new rows are written, into the same bytes"


def apply(graph):
    """Let DYNAMIC_UPDATE_SLICE write into a cache in place; returns a list of Saving.

    A language model keeps the keys and values of earlier tokens in a variable: READ_VARIABLE,
    DYNAMIC_UPDATE_SLICE, ASSIGN_VARIABLE. As written, the whole cache is copied three times, and
    the arena holds it twice. Here the updated cache itself becomes a variable tensor, of which the
    input and the output of DYNAMIC_UPDATE_SLICE are views.
    With the option keep_state of flatten, caches that are inputs and outputs of the model, as
    litert-torch writes them, become variables, too. They are then no longer inputs and outputs.
    The input with the position of the token becomes a variable that each invoke increments; it
    remains an input.
    """
    from .passes import Saving

    main = graph.running()[0]
    if graph.has_control_flow() or any(node.builtin_code == CUSTOM for node in main.nodes):
        return []  # other operators may read the variable, or end the run before the assignment
    found, keeps_state = [], getattr(graph.source, "keeps_state", False)
    kept = []
    for update in [node for node in main.nodes if node.builtin_code == _UPDATE]:
        cache = _Cache.of(graph, main, update)
        if cache is None and keeps_state:
            cache = _Cache.of_ends(graph, main, update)
            kept += [update] if cache is not None else []
        if cache is not None:
            cache.keep()
            found.append(Saving("cache_state", cache.origins, 0, cache.moved, _REASON))
    if keeps_state and not found:
        raise ToolError(
            "the model has no input that DYNAMIC_UPDATE_SLICE updates to an output; leave out "
            "--keep-state"
        )
    _keep_position(main, kept)
    for node in list(main.nodes):
        if node.builtin_code == _VAR_HANDLE and not main.consumers(node.outputs[0]):
            main.remove(node)
    return found


# Let each invoke increment the number that says where DYNAMIC_UPDATE_SLICE operators write, if it
# is one input of the model.
def _keep_position(main, updates):
    found = {tensor for update in updates for tensor in _inputs_of(main, update.inputs[2])}
    if len(found) != 1:
        return
    (position,) = found
    if position.dtype != dtypes.INT32 or position.elements() != 1 or main.is_output(position):
        return
    position.is_variable = True
    one = struct.pack("<i", 1)
    one = main.new_tensor(position.name + "_step", dtypes.INT32, position.shape, one)
    following = main.new_tensor(position.name + "_following", dtypes.INT32, position.shape)
    following.view_of = position, 0
    node = Node(updates[-1].index, _ADD, 1, "", [position, one], [following])
    node.origins = updates[-1].origins
    main.insert(len(main.nodes), node)


# The inputs of the model from which a tensor is computed.
def _inputs_of(main, tensor):
    if tensor is None or tensor.is_constant():
        return set()
    if main.is_input(tensor):
        return {tensor}
    node = main.producer(tensor)
    return set().union(*(_inputs_of(main, each) for each in node.inputs)) if node else set()


class _Cache:
    """A variable that only one DYNAMIC_UPDATE_SLICE changes; moved: bytes copied per invoke."""

    def __init__(self, main, update, removed):
        self._main, self._update = main, update
        self._removed = removed
        self._tensor = update.outputs[0]
        self.origins = tuple(sorted(i for n in (update, *removed) for i in n.origins))
        self.moved = (1 + len(removed)) * self._tensor.nbytes()

    @classmethod
    def of(cls, graph, main, update):
        """Return the cache that a DYNAMIC_UPDATE_SLICE changes, or None."""
        old, new, target = update.inputs[0], update.inputs[1], update.outputs[0]
        read = main.producer(old)
        if read is None or read.builtin_code != _READ or new.shape == old.shape:
            return None
        resources = ResourceVariables(graph)
        variable = resources.find(read.inputs[0])
        users = [
            node
            for node in main.nodes
            if node.inputs and node.inputs[0] and resources.find(node.inputs[0]) is variable
        ]
        if [node.builtin_code for node in users] != [_READ, _ASSIGN]:
            return None
        is_alone = main.consumers(old) == [update] and users[1].inputs[1] is target
        if not is_alone or update.inputs[2] is old or new is old or main.is_output(target):
            return None
        if not Users(main).is_plain(target) or main.is_output(old):
            return None
        # reset() must give a variable tensor the bytes that the variable had.
        zero_point = target.zero_point() & 0xFF if target.dtype == dtypes.INT8 else 0
        return cls(main, update, (read, users[1])) if variable.default == zero_point else None

    @classmethod
    def of_ends(cls, graph, main, update):
        """Return the cache that is an input and an output of the model, which it then hides."""
        old, new, target = update.inputs[0], update.inputs[1], update.outputs[0]
        outputs = [tensor is target for tensor in main.output_tensors()]
        if not main.is_input(old) or outputs.count(True) != 1 or new.shape == old.shape:
            return None
        is_alone = main.consumers(old) == [update] and old not in (new, update.inputs[2])
        if not is_alone or main.is_output(old) or not Users(main).is_plain(target):
            return None
        if graph.kept_inputs or outputs.index(True) >= len(outputs) - graph.features:
            return None
        first = main.first_tensor
        main.inputs = tuple(i for i in main.inputs if i != old.index - first)
        main.outputs = tuple(i for i in main.outputs if i != target.index - first)
        return cls(main, update, ())

    def keep(self):
        """Make the updated cache a variable tensor, which its readers read in place."""
        main, cache = self._main, self._tensor
        cache.is_variable = True
        for node in self._removed:
            main.remove(node)
        before, after = (self._view(name) for name in ("_before", "_after"))
        self._update.inputs = [before, *self._update.inputs[1:]]
        self._update.outputs = [after]

    def _view(self, suffix):
        cache = self._tensor
        view = self._main.new_tensor(cache.name + suffix, cache.dtype, cache.shape, like=cache)
        view.view_of = cache, 0
        return view
