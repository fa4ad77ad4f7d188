# tflm: Infer the shapes of all tensors from the inputs, if a .tflite leaves dimensions open.
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..arena import MAX_BYTES
from ..dtypes import const
from ..errors import InputError, ModelError, StateError, UnsupportedError
from ..format import MAX_DEPTH, MAX_RANK
from ..prepare.common import product
from ..prepare.table import CUSTOM, OPS
from .list_updates import ListUpdates
from .shape_values import values_of

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
_STABLEHLO_COMPOSITE = const(206)

_IF_OPTIONS = const(92)  # IfOptions
_THEN_SUBGRAPH_INDEX = const(0)
_ELSE_SUBGRAPH_INDEX = const(1)
_WHILE_OPTIONS = const(93)  # WhileOptions
_COND_SUBGRAPH_INDEX = const(0)
_BODY_SUBGRAPH_INDEX = const(1)
_CALL_ONCE_OPTIONS = const(103)  # CallOnceOptions
_INIT_SUBGRAPH_INDEX = const(0)
_COMPOSITE_OPTIONS = const(277)  # StableHLOCompositeOptions
_DECOMPOSITION_SUBGRAPH_INDEX = const(1)

# The operators with which models of TFLM's own operators compute shapes, and the operators that
# read the results. If all shapes of such a model are right, it is not changed, so its arena is as
# large as TFLM's.
_SHAPE_OPERATORS = (_STRIDED_SLICE, _SHAPE, _PACK)
_SHAPE_READERS = (_RESHAPE, _TRANSPOSE_CONV)  # their outputs already have the shape in the file

# A rule raises one of these for a node that contradicts itself. Prepare reports the cause.
_FAULTS = (
    IndexError, ValueError, TypeError, AttributeError, ArithmeticError, ModelError,
)  # fmt: skip
_BRANCHES = (_THEN_SUBGRAPH_INDEX, _ELSE_SUBGRAPH_INDEX)
_LOOP = (_COND_SUBGRAPH_INDEX, _BODY_SUBGRAPH_INDEX)


# Return input `i`; raise InputError if it cannot have the shape.
def _input(subgraph, i, shape):
    count = len(subgraph.inputs)
    if not isinstance(i, int) or not 0 <= i < count:
        raise InputError("there is no input %s; the model has %d" % (i, count))
    tensor = subgraph.tensor(subgraph.inputs[i])
    sizes = [d for d in shape if isinstance(d, int) and d >= 0]
    if len(shape) != len(tensor.shape) or len(sizes) != len(shape):
        raise InputError(
            "%s cannot have the shape %s; pass %d integers, 0 or more"
            % (tensor, list(shape), len(tensor.shape))
        )
    if max(product(sizes), dtypes.nbytes(tensor.dtype, product(sizes))) > MAX_BYTES:
        raise InputError(
            "%s cannot have the shape %s; pass one of at most %d bytes"
            % (tensor, sizes, MAX_BYTES)
        )
    return tensor


# Return the rule of an operator: output_shapes(node) of the file that prepares it, which returns a
# shape for each output. None for operators without a rule.
def _rule_of(node):
    if node.builtin_code == _CUSTOM:
        file = CUSTOM.get(node.custom_name)
    else:
        file = OPS.get(node.builtin_code)
    try:
        module = __import__("tflm.prepare.%s" % file, None, None, ("",))
    except ImportError:  # no such file, or not on this board; Prepare reports it
        return None
    return getattr(module, "output_shapes", None)


# Return True if the file gives no shape for a result that is no scalar and that another operator
# reads. If only a model output is a scalar in the file, it contradicts its operator.
def lacks_shapes(model):
    for subgraph in model.subgraphs:
        outputs = list(subgraph.outputs)
        for i in range(subgraph.nodes_length()):
            results = [t for t in subgraph.node_indices(i)[1] if t != -1 and t not in outputs]
            if any([subgraph.lacks_rank(t) for t in results]) and _is_larger(subgraph.node(i)):
                return True
    return False


# Return True if the rule of an operator gives an output more elements than it has.
def _is_larger(node):
    rule = _rule_of(node)
    try:
        shapes = rule(node) if rule else []
    except (UnsupportedError,) + _FAULTS:  # an input has no shape, either
        return False
    for tensor, shape in zip(node.outputs, shapes):
        if tensor is not None and not tensor.shape and product(shape) != 1:
            return True
    return False


# Return why the shapes of an operator are unknown.
def _reason(error):
    tensor = getattr(error, "tensor", None)
    if tensor is None:
        return str(error)
    return (
        "the shape of its output depends on %s, which is known only at run time; convert the "
        "model with fixed shapes" % tensor.name
    )


# Return a text without a prefix.
def _without(prefix, text):
    return text[len(prefix) :] if text.startswith(prefix) else text


# Converters write 1 for an unknown dimension, even where it cannot be 1. TFLM takes the 1 and
# computes wrong results. Here the shapes follow from the shapes of the inputs:
#   1. For each operator in order, compute the value of outputs that depend on shapes alone (SHAPE,
#      STRIDED_SLICE, PACK ...); they become constants, and their operators are removed.
#   2. For other operators, the rule of the operator gives the shapes of the outputs. IF and WHILE
#      pass shapes on to their sub-graphs.
#   3. An operator without a known result, and those that depend on it, are refused.
# The results are attributes of the model: `known`, {tensor: (shape, bytes or None)}; `refused`,
# {operator: why}; and Subgraph.kept, the operators that remain.
class Inference:
    def __init__(self, model):
        self.model = model
        input_shapes = model.input_shapes
        self._lost = set()  # tensors of unknown shape
        self._changed = set()  # tensors with another shape than in the file
        self._called = {}  # sub-graph: the shapes of its inputs
        self._folded = {}  # sub-graph: its operators that became constants
        # All shapes are computed by _SHAPE_OPERATORS for _SHAPE_READERS.
        self._is_plain = not input_shapes and model.lists is None
        self._depth = 0  # of nested sub-graphs
        main = model.subgraphs[0]
        for i in input_shapes:
            self._set(_input(main, i, input_shapes[i]), input_shapes[i])
        self._walk(0)
        if self._is_plain and not self._changed and not self._lost:
            model.known.clear()
            return
        for number in self._folded:
            subgraph, gone = model.subgraphs[number], self._folded[number]
            subgraph.kept = [i for i in range(subgraph.nodes_length()) if i not in gone]

    # Set the shape of a tensor, and its bytes if it became a constant.
    def _set(self, tensor, shape, data=None):
        shape = tuple(shape)
        if len(shape) > MAX_RANK or min(shape, default=0) < 0:
            raise ModelError(
                "%s cannot have the shape %s; convert the model again" % (tensor, list(shape))
            )
        if shape != tensor.shape:
            self._changed.add(tensor.index)
        if shape != tensor.shape or data is not None:
            self.model.known[tensor.index] = shape, data

    # Infer the shapes of all operators of a sub-graph, in order.
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
                    self._refuse(node, outputs, "it does not match the shapes (%s)" % why)
            except UnsupportedError as error:
                self._refuse(node, outputs, _reason(error))

    # Make each update of a list one operator; return the positions of the operators not needed.
    def _update_lists(self, subgraph):
        if not self._depth:
            return set()
        updates = ListUpdates(subgraph)
        for i, tensors in updates.found.items():
            subgraph.replaced[i] = _DYNAMIC_UPDATE_SLICE, tensors
            self._is_plain = False
        return updates.unused

    # Replace a node by the values of its outputs; return False if these are unknown.
    def _fold(self, node, inputs, outputs):
        found = values_of(node, _rule_of)
        if found is None:
            return False
        for tensor, (shape, data) in zip(outputs, found):
            self._set(tensor, shape, data)
        if node.builtin_code not in _SHAPE_OPERATORS:
            self._is_plain = False
        return True

    # Set the shapes of a node's outputs.
    def _shape(self, node, inputs, outputs):
        is_new = [t for t in inputs if t.index in self._changed]
        computed = [t for t in inputs if t.index in self.model.known and t.is_constant()]
        if computed and node.builtin_code not in _SHAPE_READERS:
            self._is_plain = False
        if node.builtin_code in (_IF, _WHILE, _STABLEHLO_COMPOSITE):
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
                    "its output cannot have another shape; convert the model with fixed shapes"
                )
            return
        for tensor, shape in zip(node.outputs, shapes):
            if tensor is not None and shape is not None:
                self._set(tensor, shape)

    # Return True if the file leaves a dimension of a tensor open.
    def _is_open(self, tensor):
        for subgraph in self.model.subgraphs:
            i = tensor.index - subgraph.first_tensor
            if i < subgraph.tensors_length():
                return -1 in subgraph.signature(i) or subgraph.lacks_rank(i)

    # Pass the shapes of the inputs of control flow to the sub-graphs, and back.
    def _call(self, node):
        if node.builtin_code == _IF:
            options, fields = node.options(_IF_OPTIONS), _BRANCHES
            shapes = tuple([t.shape for t in node.inputs[1:]])
        elif node.builtin_code == _STABLEHLO_COMPOSITE:
            options, fields = node.options(_COMPOSITE_OPTIONS), (_DECOMPOSITION_SUBGRAPH_INDEX,)
            shapes = tuple([t.shape for t in node.inputs])
        else:
            options, fields = node.options(_WHILE_OPTIONS), _LOOP
            shapes = tuple([t.shape for t in node.inputs])
        numbers = [options.get(field, "i") for field in fields]
        results = [self._walk_once(node, number, shapes) for number in numbers]
        if node.builtin_code == _WHILE:  # the body may have given lists a shape
            results[0] = tuple([self.model.tensor(t.index).shape for t in node.inputs])
        if results[0] != results[-1]:
            raise UnsupportedError(
                "its sub-graphs return other shapes; convert the model with fixed shapes"
            )
        for tensor, shape in zip(node.outputs, results[0]):
            self._set(tensor, shape)

    # Return the shapes of a sub-graph's outputs for shapes of its inputs. A sub-graph has one set
    # of shapes, however often it runs.
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

    # Note why a node cannot run; Prepare raises it.
    def _refuse(self, node, outputs, text):
        prefix = "%s: " % node
        self.model.refused[node.index] = prefix + _without(prefix, text)
        for tensor in outputs:
            self._lost.add(tensor.index)


# Return the model with another shape of input `i`, for Interpreter.resize_input(). `program`: None
# until tensors are allocated.
def resized(model, program, i, shape):
    if program is not None:
        raise StateError("resize_input() is too late; call it before allocate_tensors()")
    if not hasattr(model, "input_shapes"):
        raise InputError("a .tflm has fixed shapes; use tflm flatten --input-shape")
    if not isinstance(shape, (tuple, list)):
        raise InputError("input %s: %r is no shape; pass a list such as [1, 28, 28]" % (i, shape))
    if not isinstance(i, int):  # it may not even be hashable
        raise InputError("there is no input %s; give its number" % (i,))
    shapes = dict(model.input_shapes)
    shapes[i] = tuple(shape)
    return type(model)(model.buffer, shapes, model.chosen_signature)
