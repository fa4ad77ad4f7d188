# tflm: shapes: those of all tensors, from the inputs on, where a .tflite leaves dimensions open
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..arena import MAX_BYTES
from ..dtypes import const
from ..errors import InputError, ModelError, StateError, UnsupportedError
from ..format import MAX_DEPTH, MAX_RANK
from ..prepare.common import product
from ..prepare.table import CUSTOM, OPS
from .list_updates import ListUpdates
from .shape_values import value_of

_RESHAPE = const(22)
_CUSTOM = const(32)
_STRIDED_SLICE = const(45)
_TRANSPOSE_CONV = const(67)
_SHAPE = const(77)
_PACK = const(83)
_IF = const(118)
_WHILE = const(119)
_CALL_ONCE = const(129)
_DYNAMIC_UPDATE_SLICE = const(151)

_IF_OPTIONS = const(92)  # IfOptions
_THEN_SUBGRAPH_INDEX = const(0)
_ELSE_SUBGRAPH_INDEX = const(1)
_WHILE_OPTIONS = const(93)  # WhileOptions
_COND_SUBGRAPH_INDEX = const(0)
_BODY_SUBGRAPH_INDEX = const(1)
_CALL_ONCE_OPTIONS = const(103)  # CallOnceOptions
_INIT_SUBGRAPH_INDEX = const(0)

# What a model of TFLM's own operators computes shapes with, and who may read them: such a model
# is left as it is when its shapes are right, and its arena is the one that TFLM needs.
_PLAIN = (_STRIDED_SLICE, _SHAPE, _PACK)
_READERS = (_RESHAPE, _TRANSPOSE_CONV)  # they do not read the shape, but have it

# A rule that meets a node which contradicts itself fails in one of these; Prepare says why.
_FAULTS = (
    IndexError, ValueError, TypeError, AttributeError, ArithmeticError, ModelError,
)  # fmt: skip
_BRANCHES = (_THEN_SUBGRAPH_INDEX, _ELSE_SUBGRAPH_INDEX)
_LOOP = (_COND_SUBGRAPH_INDEX, _BODY_SUBGRAPH_INDEX)


# An input that can have a shape.
def _input(subgraph, i, shape):
    count = len(subgraph.inputs)
    if not isinstance(i, int) or not 0 <= i < count:
        raise InputError("there is no input %s; the model has %d" % (i, count))
    tensor = subgraph.tensor(subgraph.inputs[i])
    sizes = [d for d in shape if isinstance(d, int) and d >= 0]
    if len(shape) != len(tensor.shape) or len(sizes) != len(shape):
        raise InputError(
            "%s cannot have the shape %s; give %d dimensions, integers of 0 or more"
            % (tensor, list(shape), len(tensor.shape))
        )
    if max(product(sizes), dtypes.nbytes(tensor.dtype, product(sizes))) > MAX_BYTES:
        raise InputError(
            "%s cannot have the shape %s; that is more than the %d bytes that can be addressed"
            % (tensor, sizes, MAX_BYTES)
        )
    return tensor


# The rule of an operator: output_shapes(node) of the file that prepares it, which gives a shape
# for each output. None for operators without one.
def _rule_of(node):
    if node.builtin_code == _CUSTOM:
        file = CUSTOM.get(node.custom_name)
    else:
        file = OPS.get(node.builtin_code)
    try:
        module = __import__("tflm.prepare.%s" % file, None, None, ("",))
    except ImportError:  # there is none, or not on this board; Prepare says so
        return None
    return getattr(module, "output_shapes", None)


# True for a model that says nothing of the shape of a result which is no scalar, and which it goes
# on with: an output alone that is a scalar there contradicts its operator.
def lacks_shapes(model):
    for subgraph in model.subgraphs:
        outputs = list(subgraph.outputs)
        for i in range(subgraph.nodes_length()):
            made = [t for t in subgraph.node_indices(i)[1] if t != -1 and t not in outputs]
            if any([subgraph.lacks_rank(t) for t in made]) and _is_larger(subgraph.node(i)):
                return True
    return False


# True when the rule of an operator gives an output more elements than the one that it has.
def _is_larger(node):
    rule = _rule_of(node)
    try:
        shapes = rule(node) if rule else []
    except (UnsupportedError,) + _FAULTS:  # the shape of an input is missing, too
        return False
    for tensor, shape in zip(node.outputs, shapes):
        if tensor is not None and not tensor.shape and product(shape) != 1:
            return True
    return False


# Why an operator has no rule that tells its shapes.
def _reason(error):
    tensor = getattr(error, "tensor", None)
    if tensor is None:
        return str(error)
    return (
        "the shape of its output depends on %s, which is known at run time only; convert the "
        "model with fixed shapes" % tensor.name
    )


# A text without what it may begin with.
def _without(prefix, text):
    return text[len(prefix) :] if text.startswith(prefix) else text


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
                    why = _without("%s: " % node, str(error).split("; ")[0])
                    self._refuse(node, outputs, "it does not fit the shapes (%s)" % why)
            except UnsupportedError as error:
                self._refuse(node, outputs, _reason(error))

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
        found = value_of(node, _rule_of)
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
        if node.builtin_code in (_IF, _WHILE):
            self._call(node)
            return
        if node.builtin_code == _CALL_ONCE:
            number = node.options(_CALL_ONCE_OPTIONS).get(_INIT_SUBGRAPH_INDEX, "i")
            self._walk_once(node, number, ())
            return
        lists = self.model.lists
        if node.builtin_code == _CUSTOM and lists is not None and node.custom_name in lists.NAMES:
            shapes = lists.shapes(node)
        elif outputs and (is_new or computed or [t for t in outputs if self._is_open(t)]):
            rule = _rule_of(node)
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
                return -1 in subgraph.signature(i) or subgraph.lacks_rank(i)

    # IF and WHILE: the sub-graphs get the shapes of the node's inputs, its outputs get theirs.
    def _call(self, node):
        if node.builtin_code == _IF:
            options, fields = node.options(_IF_OPTIONS), _BRANCHES
            shapes = tuple([t.shape for t in node.inputs[1:]])
        else:
            options, fields = node.options(_WHILE_OPTIONS), _LOOP
            shapes = tuple([t.shape for t in node.inputs])
        numbers = [options.get(field, "i") for field in fields]
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
        self.model.refused[node.index] = prefix + _without(prefix, text)
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
    if not isinstance(shape, (tuple, list)):
        raise InputError(
            "input %s: a shape is a list of integers, not %r; pass one as [1, 28, 28]" % (i, shape)
        )
    if not isinstance(i, int):  # and may be none that a dict can have
        raise InputError("there is no input %s; give its number" % (i,))
    shapes = dict(model.input_shapes)
    shapes[i] = tuple(shape)
    return type(model)(model.buffer, shapes)
