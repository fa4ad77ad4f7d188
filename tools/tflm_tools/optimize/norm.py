# tflm_tools: norm: one step for an RMS norm of int8, and for norms of float32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes
from tflm.prepare.common import REQUANTIZE

from ..bands.operators.partial_operator import PartialOperator
from ..model.schema import BuiltinOperator
from . import float_norm
from .emissions import emissions, multipliers
from .evaluation import evaluate

CODE = BuiltinOperator.L2_NORMALIZATION  # the name that users see
_KERNEL = "norm.eval_int8"
# REQUANTIZE, its multiplier and shift; before it the zero points of both factors of a MUL.
_BLOCK = (
    "zero_point", "activation_min", "activation_max", "per_channel", "channels", "multiplier",
    "shift",
)  # fmt: skip
_OFFSETS = "offset1", "offset2"

# Words of the records of kernels/norm.py and kernels/norm_float.py.
LAYOUTS = {
    _KERNEL: (
        "input", "output", "squares", "roots", "weights", "sums", "depth",
        *(f"mean_{name}" for name in _BLOCK),
        *(f"product_{name}" for name in (*_OFFSETS, *_BLOCK)),
        *(f"output_{name}" for name in (*_OFFSETS, *_BLOCK)),
    ),
    float_norm.KERNEL: float_norm.LAYOUT,
}  # fmt: skip

_WORK = 24  # of an element of int8, in multiply-accumulates
_REASON = "the same operations in the same order"


def apply(graph):
    """Replace the operators of a norm by one step; returns a list of Saving.

    The pattern in int8: MUL of a tensor with itself, MEAN of each row, ADD of a number, RSQRT, MUL
    with the tensor, and maybe MUL with weights. For float32 see float_norm.FloatNorm.
    """
    from .passes import Saving

    found = []
    for subgraph in graph.running():
        for root in [node for node in subgraph.nodes if node.builtin_code in float_norm.ROOTS]:
            if root.outputs[0].dtype == dtypes.FLOAT32:
                norm = float_norm.FloatNorm.of(subgraph, root)
            else:
                norm = _Int8Norm.of(graph, subgraph, root)
            if norm is None:
                continue
            step = NormStep(norm)
            size = sum(node.outputs[0].nbytes() for node in norm.nodes[:-1])
            found.append(Saving("norm", step.origins, 0, size, _REASON))
            subgraph.insert(subgraph.nodes.index(norm.nodes[-1]), step)
            for node in norm.nodes:
                subgraph.remove(node)
    return found


class NormStep(PartialOperator):
    """The step for a norm.

    norm: its `nodes` in the order of execution, its `inputs`, of which the first one is the tensor
    that it normalizes, and emit(context, step).
    """

    is_whole = True  # it cannot run in bands

    def __init__(self, norm):
        super().__init__(norm.nodes[-1], norm.inputs, norm.nodes[-1].outputs)
        self.builtin_code = CODE
        self.origins = tuple(sorted(i for node in norm.nodes for i in node.origins))
        self._norm = norm

    def prepare(self, context):
        """Write the record."""
        self._norm.emit(context, self)


class _Int8Norm:
    """An RMS norm of int8. nodes: five operators, or six with weights, in order of execution."""

    def __init__(self, graph, subgraph, nodes):
        self.nodes = nodes
        squares, _, added, root = nodes[:4]
        weights = [t for t in nodes[-1].inputs if t.is_constant()]
        self.inputs = [squares.inputs[0], *weights]
        self._records = [emissions(node) for node in nodes]
        # A square is at least the zero point of squares.
        zero, table = squares.outputs[0].zero_point(), _table(graph, subgraph, [squares])
        self._squares = table and bytes(value - zero & 0xFF for value in table)
        self._roots = _table(graph, subgraph, [added, root])

    @classmethod
    def of(cls, graph, subgraph, root):
        """Return the _Int8Norm with this RSQRT, or None."""
        added = _writer(subgraph, root, "ADD")
        mean = added and _writer(subgraph, added, "MEAN")
        squares = mean and _writer(subgraph, mean, "MUL")
        product = squares and _reader(subgraph, root)
        if not product or root.builtin_code != BuiltinOperator.RSQRT:
            return None
        source, other = squares.inputs
        epsilon = [t for t in added.inputs if t is not mean.outputs[0]]
        if {*map(id, product.inputs)} != {id(source), id(root.outputs[0])} or source is not other:
            return None
        if len(epsilon) != 1 or not epsilon[0].is_constant() or epsilon[0].elements() != 1:
            return None
        nodes = [squares, mean, added, root, product]
        scaled = _reader(subgraph, product)
        if scaled and _is_product_with_weights(scaled, product.outputs[0]):
            nodes.append(scaled)
        tensors = [t for node in nodes for t in node.inputs + node.outputs]
        if any(t.dtype != dtypes.INT8 for t in tensors if t is not mean.inputs[1]):
            return None
        found = cls(graph, subgraph, nodes)
        return found if found._is_regular() else None

    # True if the record can describe the shapes and numbers.
    def _is_regular(self):
        shape = self.inputs[0].shape
        shapes = [node.outputs[0].shape for node in self.nodes]
        single = (*shape[:-1], 1)
        if shapes != [shape, *[single] * 3, *[shape] * (len(shapes) - 4)] or shape[-1] < 2:
            return False
        if self.inputs[0].is_constant():
            return False
        is_whole = all(len(found) == 1 for found in self._records)
        return is_whole and None not in (self._squares, self._roots)

    def emit(self, context, step):
        """Write the record."""
        source, depth = self.inputs[0], self.inputs[0].shape[-1]
        fields = {}
        for name, i, factors in (
            ("mean", 1, ()),
            ("product", 4, (source, self.nodes[3].outputs[0])),
            ("output", -1, (self.nodes[4].outputs[0], self.inputs[-1])),
        ):
            [record] = self._records[i]
            [(multiplier, shift)] = multipliers(record)
            block = [record.fields[each] for each in REQUANTIZE] + [multiplier, shift + 32]
            values = [tensor.zero_point() + 0x80 for tensor in factors] + block
            names = [each for each in LAYOUTS[_KERNEL] if each.startswith(name + "_")]
            fields.update(zip(names, values, strict=True))
        rows = source.elements() // depth
        context.emit(
            _KERNEL,
            LAYOUTS[_KERNEL],
            rows,
            rows * depth * _WORK,
            input=source,
            output=step.outputs[0],
            squares=context.constant(self._squares, 1),
            roots=context.constant(self._roots, 1),
            weights=self.inputs[1] if len(self.inputs) > 1 else None,
            sums=context.request_scratch_buffer(8),
            depth=depth,
            **fields,
        )


# The operator `name` that writes an input of a node, if nothing else reads it.
def _writer(subgraph, node, name):
    for tensor in node.inputs:
        found = subgraph.producer(tensor)
        if found is not None and found.builtin_code == getattr(BuiltinOperator, name):
            return found if _reader(subgraph, found) is node else None
    return None


# The operator that reads the output of a node, if it is the only one.
def _reader(subgraph, node):
    readers = subgraph.consumers(node.outputs[0])
    return readers[0] if len(readers) == 1 and not subgraph.is_output(node.outputs[0]) else None


# True for a MUL of a tensor and of constant weights for each row.
def _is_product_with_weights(node, tensor):
    others = [t for t in node.inputs if t is not tensor]
    is_product = node.builtin_code == BuiltinOperator.MUL and len(others) == 1
    if not is_product or not others[0].is_constant():
        return False
    return others[0].shape[-1:] == tensor.shape[-1:] == (others[0].elements(),)


# The outputs of operators of one tensor of int8 and of numbers, for the bytes 0 to 255; None if
# they have none for one of these bytes.
def _table(graph, subgraph, nodes):
    model = graph.copy()
    copy = model.subgraphs[subgraph.number]
    numbers = [node.index for node in nodes]
    nodes = [node for node in copy.nodes if node.index in numbers]
    for tensor in nodes[0].inputs:
        if not tensor.is_constant():
            tensor.shape, tensor.data = (256,), bytes(range(256))
    for node in nodes:
        node.outputs[0].shape = (256,)
    values = evaluate(model, copy, nodes)
    return None if values is None else values[nodes[-1].outputs[0].index]
