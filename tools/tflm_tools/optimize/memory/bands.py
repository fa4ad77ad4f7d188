# tflm_tools: chains of operators run in bands of rows: what lies between them needs a few rows
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from tflm import dtypes
from tflm.tflite.graph import Node

from ...image.rows import CODE as ROWS
from ...model.schema import BuiltinOperator
from ...plan.windows import Rows, rows_of

# Operators on each element by itself; a rule holds them to the checks of their kernels.
ELEMENTWISE = {
    BuiltinOperator.RELU,
    BuiltinOperator.RELU6,
    BuiltinOperator.LOGISTIC,
    BuiltinOperator.TANH,
    BuiltinOperator.QUANTIZE,
    BuiltinOperator.HARD_SWISH,
}


@dataclass
class Chain:
    """A chain in bands: `slots[s][b]` is what runs at place s of band b: a Node, or None.

    nodes: all of them in the order of execution; tensors: what was made for them.
    """

    slots: list = field(default_factory=list)
    nodes: list = field(default_factory=list)
    tensors: list = field(default_factory=list)


def banded_rows(node):
    """The Rows of an operator that can run in bands, or None when it cannot.

    Its rows must be the outermost loop of tensors in the arena: batch 1, and no other inputs.
    """
    if len(node.outputs) != 1 or not node.inputs or node.inputs[0] is None:
        return None
    if node.builtin_code == ROWS:
        height = node.outputs[0].shape[1]
        return Rows(1, height, height, 1, 1, 0, (0, 0, 0, 0))
    source, target = node.inputs[0], node.outputs[0]
    if source.is_constant() or len(source.shape) != 4 or len(target.shape) != 4:
        return None
    if source.is_variable or source.shape[0] != 1 or target.shape[0] != 1:
        return None
    if any(t is not None and not t.is_constant() for t in node.inputs[1:]):
        return None
    if not source.elements() or not target.elements() or _looks_at_all(node):
        return None
    if node.builtin_code in ELEMENTWISE:
        if source.shape != target.shape:
            return None
        height = source.shape[1]
        return Rows(1, height, height, 1, 1, 0, (0, 0, 0, 0))
    return rows_of(node)


# True for hybrid operators: the least and the greatest of all inputs decide how each is rounded,
# so rows alone would give other results.
def _looks_at_all(node):
    if node.builtin_code not in (BuiltinOperator.CONV_2D, BuiltinOperator.DEPTHWISE_CONV_2D):
        return False
    return node.inputs[0].dtype == dtypes.FLOAT32 and node.inputs[1].dtype != dtypes.FLOAT32


# For each tensor of a chain (its input first) and each band the row behind the last one that is
# there once the band has run: what makes `height` more rows of the last output each time.
def _progress(rows, height):
    last = rows[-1].output_rows
    made = [[0] * (len(rows) + 1)]
    for band in range(-(-last // height)):
        now = [0] * len(rows) + [min((band + 1) * height, last)]
        for i in range(len(rows) - 1, -1, -1):
            needed = rows[i].behind(now[i + 1] - 1) if now[i + 1] else 0
            now[i] = max(needed, made[-1][i])
        made.append(now)
    return made


# Rows of tensor i that a later band needs again, from the first of them on.
def _kept(rows, made, i):
    if made[i + 1] >= rows[i].output_rows:
        return made[i]  # nothing is left to do
    return min(rows[i].first(made[i + 1]), made[i])


# Rows of a tensor's bytes as a tensor of their own, or None where kernels could not read it.
def _view(chain, make, tensor, base, row, count):
    row_bytes = tensor.nbytes() // tensor.shape[1]
    if row * row_bytes % 4:
        return None
    view = make(tensor.name, tensor.dtype, (1, count) + tuple(tensor.shape[2:]), tensor)
    view.view_of = (base, row * row_bytes)
    chain.tensors.append(view)
    return view


# The operator for rows first..last-1 of its output. `base` holds its input from row `held` on.
def _part(chain, make, node, rows, span, base, held, target, target_row):
    first, last = span
    low, high = rows.first(first), rows.behind(last - 1)
    if low >= high:
        return None
    source = node.inputs[0]
    if node.builtin_code == ROWS:
        output = _view(chain, make, node.outputs[0], target, target_row, last - first)
        return copied(node, [source], [output]) if output is not None else None
    view = _view(chain, make, source, base, low - held, high - low)
    output = _view(chain, make, node.outputs[0], target, target_row, last - first)
    if view is None or output is None:
        return None
    part = copied(node, [view] + list(node.inputs[1:]), [output])
    if node.builtin_code not in ELEMENTWISE:
        top = low - (first * rows.stride - rows.top)
        bottom = (last - 1) * rows.stride - rows.top + rows.reach - high
        if not 0 <= top < rows.reach or bottom < 0:
            return None
        _, left, _, right = rows.padding
        part.padding = (top, left, bottom, right)
    return part


def copied(node, inputs, outputs):
    """A node that does the same with other tensors."""
    code, version = node.builtin_code, node.version
    part = Node(node.index, code, version, node.custom_name, inputs, outputs)
    part.set_options(node._options_type, node._options)
    part.origins = getattr(node, "origins", (node.index,))
    return part


def in_bands(chain_nodes, height, make):
    """The Chain that makes `height` rows of its output in each band, or None.

    chain_nodes: each reads what the one before it writes, and nothing else does.
    make(name, dtype, shape, like): a new tensor.
    """
    rows = [banded_rows(node) for node in chain_nodes]
    if any(r is None for r in rows):
        return None
    made = _progress(rows, height)
    count = len(rows)
    if len(made) < 3:
        return None
    chain = Chain()
    tensors = [chain_nodes[0].inputs[0]] + [node.outputs[0] for node in chain_nodes]
    # Of each tensor in between, a buffer with the rows that a band adds and those kept.
    held = [[0] * len(made) for _ in tensors]
    bases = [tensors[0]] + [None] * (count - 1) + [tensors[-1]]
    for i in range(1, count):
        most = 0
        for band in range(1, len(made)):
            held[i][band] = _kept(rows, made[band], i)
            most = max(most, made[band][i] - held[i][band - 1])
        shape = (1, most) + tuple(tensors[i].shape[2:])
        bases[i] = make(tensors[i].name, tensors[i].dtype, shape, tensors[i])
        chain.tensors.append(bases[i])
    chain.slots = [[None] * (len(made) - 1) for _ in range(2 * count - 1)]
    for band in range(1, len(made)):
        before, now = made[band - 1], made[band]
        for i, node in enumerate(chain_nodes):
            if now[i + 1] > before[i + 1]:
                target_row = before[i + 1] - held[i + 1][band - 1]
                part = _part(
                    chain, make, node, rows[i], (before[i + 1], now[i + 1]),
                    bases[i], held[i][band - 1], bases[i + 1], target_row,
                )  # fmt: skip
                if part is None:
                    return None
                chain.slots[max(0, 2 * i - 1)][band - 1] = part
                chain.nodes.append(part)
            if i > 0 and band < len(made) - 1:
                copy = _keep(chain, make, chain_nodes[i - 1], bases[i], held[i], now[i], band)
                if copy is False:
                    return None
                if copy is not None:
                    chain.slots[2 * i][band - 1] = copy
                    chain.nodes.append(copy)
    chain.slots = [slot for slot in chain.slots if any(slot)]
    return chain


# The copy of the rows that the next band needs again to the front of their buffer; None where
# there is nothing to copy, False where it cannot be done.
def _keep(chain, make, node, base, held, made, band):
    moved = held[band] - held[band - 1]
    if held[band] >= made or not moved:
        return None
    count = made - held[band]
    source = _view(chain, make, base, base, moved, count)
    target = _view(chain, make, base, base, 0, count)
    if source is None:
        return False
    copy = Node(node.index, BuiltinOperator.RESHAPE, 1, "", [source], [target])
    copy.origins = (node.index,)
    copy.keeps_for = node.builtin_code
    return copy
