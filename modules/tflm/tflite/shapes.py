# tflm: shapes: those of all tensors, from the inputs on, where a .tflite leaves dimensions open
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import InputError, ModelError, StateError, UnsupportedError
from ..format import MAX_DEPTH, MAX_RANK
from .list_updates import ListUpdates
from .shape_rules import rule_of
from .shape_values import value_of

_IF = 118
_WHILE = 119
_CALL_ONCE = 129
_CUSTOM = 32
_DYNAMIC_UPDATE_SLICE = 151
_FIRST_BRANCH = {_IF: (92, 1), _WHILE: (93, 0)}  # type of options, input of the first argument

# What a model of TFLM's own operators computes shapes with, and who may read them: such a model
# is left as it is when its shapes are right, and its arena is the one that TFLM needs.
_PLAIN = (45, 77, 83)  # STRIDED_SLICE, SHAPE, PACK
_READERS = (22, 67)  # RESHAPE, TRANSPOSE_CONV: they do not read the shape, but have it

# A rule that meets a node which contradicts itself fails in one of these; Prepare says why.
_FAULTS = (
    IndexError, ValueError, TypeError, AttributeError, ArithmeticError, ModelError,
)  # fmt: skip


# An input that can have a shape.
def _input(subgraph, i, shape):
    if not 0 <= i < len(subgraph.inputs):
        raise InputError("there is no input %s; the model has %d" % (i, len(subgraph.inputs)))
    tensor = subgraph.tensor(subgraph.inputs[i])
    if len(shape) != len(tensor.shape) or min(shape, default=0) < 0:
        raise InputError(
            "%s cannot have the shape %s; give %d dimensions of 0 or more"
            % (tensor, list(shape), len(tensor.shape))
        )
    return tensor


# Converters write 1 for a dimension that they do not know, also where it is not 1 once the batch
# is; TFLM believes them and computes nonsense. Here shapes follow from those of the inputs,
# operator by operator, and what is computed from shapes alone (SHAPE, STRIDED_SLICE, PACK ...) is
# a constant: its operators are taken out of the model.
#
# The result is written to the model: `known` {tensor: (shape, bytes or None)} and `refused`
# {operator: why}.
class Inference:
    def __init__(self, model):
        self.model = model
        input_shapes = model.input_shapes
        self._lost = set()  # tensors whose shape nobody knows
        self._changed = set()  # tensors whose shape is not that of the file
        self._called = {}  # sub-graph: shapes that it was run with
        self._folded = {}  # sub-graph: its operators that are constants now
        self._plain = not input_shapes and model.lists is None
        self._depth = 0  # of sub-graphs
        main = model.subgraphs[0]
        for i in input_shapes:
            self._set(_input(main, i, input_shapes[i]), input_shapes[i])
        self._walk(0)
        if self._plain and not self._changed and not self._lost:
            model.known.clear()
            return
        for number in self._folded:
            subgraph, gone = model.subgraphs[number], self._folded[number]
            subgraph.kept = [i for i in range(subgraph.nodes_length()) if i not in gone]

    # Note the shape of a tensor, and its bytes when it is a constant now.
    def _set(self, tensor, shape, data=None):
        shape = tuple(shape)
        if len(shape) > MAX_RANK or min(shape, default=0) < 0:
            raise ModelError("%s cannot have the shape %s" % (tensor, list(shape)))
        if shape != tensor.shape:
            self._changed.add(tensor.index)
        if shape != tensor.shape or data is not None:
            self.model.known[tensor.index] = shape, data

    # All operators of a sub-graph, in order.
    def _walk(self, number):
        subgraph = self.model.subgraphs[number]
        folded = self._folded[number] = self._update_lists(subgraph)
        for i in range(subgraph.nodes_length()):
            if i in folded:
                continue
            node = subgraph.node(i)
            inputs = [t for t in node.inputs if t is not None]
            outputs = [t for t in node.outputs if t is not None]
            lost = [t for t in inputs if t.index in self._lost]
            if lost:
                self._refuse(node, outputs, "the shape of %s is not known" % lost[0].name)
                continue
            try:
                if self._fold(node, inputs, outputs):
                    folded.add(i)
                    continue
                self._shape(node, inputs, outputs)
            except _FAULTS as error:
                if [t for t in inputs if t.index in self._changed]:
                    self._refuse(node, outputs, "it does not fit the shapes (%s)" % error)
            except UnsupportedError as error:
                self._refuse(node, outputs, str(error))

    # Make writes to lists one operator each; the positions of those that are superfluous then.
    def _update_lists(self, subgraph):
        if not self._depth:
            return set()
        updates = ListUpdates(subgraph)
        for i, tensors in updates.found.items():
            subgraph.replaced[i] = _DYNAMIC_UPDATE_SLICE, tensors
            self._plain = False
        return updates.unused

    # Replace a node by the value of its output; False when that is not known.
    def _fold(self, node, inputs, outputs):
        found = value_of(node, rule_of)
        if found is None:
            return False
        shape, data = found
        self._set(outputs[0], shape, data)
        if node.builtin_code not in _PLAIN:
            self._plain = False
        return True

    # Give the outputs of a node their shapes.
    def _shape(self, node, inputs, outputs):
        is_new = [t for t in inputs if t.index in self._changed]
        computed = [t for t in inputs if t.index in self.model.known and t.is_constant()]
        if computed and node.builtin_code not in _READERS:
            self._plain = False
        if node.builtin_code in _FIRST_BRANCH:
            self._call(node)
            return
        if node.builtin_code == _CALL_ONCE:
            self._walk_once(node, node.options(103).get(0, "i"), ())
            return
        lists = self.model.lists
        if node.builtin_code == _CUSTOM and lists is not None and node.custom_name in lists.NAMES:
            shapes = lists.shapes(node)
        elif is_new or computed or [t for t in outputs if self._is_open(t)]:
            rule = rule_of(node.builtin_code)
            shapes = rule(node) if rule else None
        else:
            return
        if shapes is None:
            if is_new:
                raise UnsupportedError(
                    "its output cannot be given another shape; convert the model with fixed shapes"
                )
            return
        for tensor, shape in zip(node.outputs, shapes):
            if tensor is not None and shape is not None:
                self._set(tensor, shape)

    # True when the file leaves a dimension of a tensor open.
    def _is_open(self, tensor):
        for subgraph in self.model.subgraphs:
            i = tensor.index - subgraph.first_tensor
            if i < subgraph.tensors_length():
                return -1 in subgraph.signature(i)

    # IF and WHILE: the sub-graphs get the shapes of the node's inputs, its outputs get theirs.
    def _call(self, node):
        options_type, first = _FIRST_BRANCH[node.builtin_code]
        numbers = [node.options(options_type).get(k, "i") for k in (0, 1)]
        shapes = tuple([t.shape for t in node.inputs[first:]])
        results = [self._walk_once(node, number, shapes) for number in numbers]
        if node.builtin_code == _WHILE:  # the body may have told the shapes of lists
            results[0] = tuple([self.model.tensor(t.index).shape for t in node.inputs])
        if results[0] != results[1]:
            raise UnsupportedError("its sub-graphs give other shapes than they get")
        for tensor, shape in zip(node.outputs, results[0]):
            self._set(tensor, shape)

    # Shapes of a sub-graph's outputs for those of its inputs; what runs twice has one set of them.
    def _walk_once(self, node, number, shapes):
        if not 0 <= number < len(self.model.subgraphs) or self._depth == MAX_DEPTH:
            return ()
        subgraph = self.model.subgraphs[number]
        if number not in self._called:
            self._called[number] = shapes
            for i, shape in zip(subgraph.inputs, shapes):
                self._set(subgraph.tensor(i), shape)
            self._depth += 1
            self._walk(number)
            self._depth -= 1
            self._called[number] = tuple([subgraph.tensor(i).shape for i in subgraph.inputs])
        elif self._called[number] != shapes:
            raise UnsupportedError(
                "sub-graph %d runs with other shapes elsewhere; convert the model with fixed "
                "shapes" % number
            )
        return tuple([subgraph.tensor(i).shape for i in subgraph.outputs])

    # Note why a node cannot run; Prepare says it, with all others of the model before it prepared.
    def _refuse(self, node, outputs, text):
        prefix = "%s: " % node
        self.model.refused[node.index] = text if text.startswith(prefix) else prefix + text
        for tensor in outputs:
            self._lost.add(tensor.index)


# Interpreter.resize_input(): the model with another shape of input `i`; `program` is None as long
# as tensors have no place yet.
def resized(model, program, i, shape):
    if program is not None:
        raise StateError("resize_input() comes too late; call it before allocate_tensors()")
    if not hasattr(model, "input_shapes"):
        raise InputError(
            "a .tflm has fixed shapes; flatten the model with --input-shape for others"
        )
    shapes = dict(model.input_shapes)
    shapes[i] = tuple(shape)
    return type(model)(model.buffer, shapes)
