# tflm_tools: kernel_costs: estimates the cycles of an operator from the kernels that run it
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import re
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path

from tflm import dtypes

from ..kernel_files import KERNELS
from ..model.macs import macs
from ..model.schema import op_name, option
from ..targets import override_folders
from .node_facts import FLOAT32, HYBRID, dtype_of, macs_inside

# `make -C bench costs` counts the kernels on emulated cores and writes this file. Its columns are
# machine, op (with its form), dtype and kernels (a key), the fields of Work, and the largest error
# of the fit.
TABLE = Path(__file__).with_name("kernel_costs.csv")
KEYS = ("machine", "op", "dtype", "kernels")
INVOKE = "invoke"  # the op of the row for an invoke without its operators
OVERLAP = "overlap"  # stands beside kernels whose output overlaps their input in the arena
ANY = "*"  # an op or kernels of the row that stands for all that were not counted

_CONVOLUTIONS = "CONV_2D", "DEPTHWISE_CONV_2D"
_TILE = 4
_POOLS = "AVERAGE_POOL_2D", "MAX_POOL_2D"
_REDUCTIONS = "MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"
_MIN_CHANNELS = 4  # of a DEPTHWISE_CONV_2D of float32 that kernels compute by rows of channels
_RESHAPES = "RESHAPE", "SQUEEZE", "EXPAND_DIMS"  # their output is the memory of their input


@dataclass(frozen=True)
class Work:
    """What a kernel does for one operator; also the cycles of each of these, as a Cost.

    mac: multiply-accumulates with an input inside of the image, of the usual form: not the next
    two. rectified: those whose input a RELU wrote, which is 0 in half of the cases. window:
    multiply-accumulates of whole windows of CONV_2D, in pairs of positions of a row. tile:
    multiply-accumulates of CONV_2D in tiles of four positions of a row and four channels, also of
    tiles that are not full. cell: products of vectors that are contiguous in memory: cells of a
    filter, rows of a matrix. row: rows of windows, for each element; of an int8 CONV_2D for each
    pixel; of the input of a reduction. element: of the output. pixel: positions of the output,
    with all channels. channel: of the output of a convolution. source: elements of the input;
    windows of pools and of int8 CONV_2D may overlap. call: calls of a kernel after its first one,
    in layers that Prepare splits. whole: 1.
    """

    mac: float = 0
    rectified: float = 0
    window: float = 0
    tile: float = 0
    cell: float = 0
    row: float = 0
    element: float = 0
    pixel: float = 0
    channel: float = 0
    source: float = 0
    call: float = 0
    whole: float = 0

    def values(self):
        """Return the fields as a tuple."""
        return tuple(getattr(self, name) for name in FIELDS)


FIELDS = tuple(Work.__dataclass_fields__)


def _outputs(node):
    return [t for t in node.outputs if t is not None and dtypes.itemsize(t.dtype)]


# Products of contiguous vectors of one operator.
def _cells(node):
    name, work = op_name(node), macs(node) or 0
    if name == "DEPTHWISE_CONV_2D":
        return work // node.outputs[0].shape[-1]
    if name == "BATCH_MATMUL":
        return 0 if option(node, "ADJ_Y", "b") else work
    if name == "UNIDIRECTIONAL_SEQUENCE_LSTM":
        return prod(node.input(0).shape[:-1])  # steps
    if work:
        return work // node.inputs[1].shape[-1]
    # Binary operators with inputs of two shapes.
    shapes = {tuple(t.shape) for t in node.inputs[:2] if t is not None and t.elements() > 1}
    return sum(t.elements() for t in _outputs(node)) if len(shapes) > 1 else 0


# Elements of the input that a kernel reads: in all windows for an int8 CONV_2D.
def _sources(node, elements, name):
    if name == "CONV_2D" and node.outputs[0].dtype == dtypes.INT8:
        return macs(node) // node.outputs[0].shape[-1]
    if name in _POOLS:
        return elements * prod(option(node, f"FILTER_{side}", "i") for side in ("HEIGHT", "WIDTH"))
    source = node.optional_input(0)
    if source is None or name in ("ASSIGN_VARIABLE", "READ_VARIABLE"):
        return 0
    return source.elements()


# Multiply-accumulates of a CONV_2D that multiplies padding, too, and two positions at a time. Its
# kernels also compute a FULLY_CONNECTED of several rows.
def _window_macs(node, name):
    if name == "FULLY_CONNECTED":
        return macs(node)
    if name != "CONV_2D":
        return 0
    width = node.outputs[0].shape[2]
    return macs(node) // width * (width + width % 2)


# Multiply-accumulates of a CONV_2D with the outputs rounded up to whole tiles. A tile has two to
# four positions of one row whose windows are inside of the image on both sides; other positions
# are computed one by one.
def _tile_macs(node):
    source, weights, target = node.inputs[0], node.inputs[1], node.outputs[0]
    width, channels = target.shape[2:]
    stride, dilation = (option(node, name, "i", 1) for name in ("STRIDE_W", "DILATION_W_FACTOR"))
    reach = dilation * (weights.shape[2] - 1) + 1
    inside = min(width, max(0, (source.shape[2] - reach) // stride + 1))
    positions = width - inside + inside // _TILE * _TILE
    rest = inside % _TILE
    positions += _TILE if rest > 1 else rest
    groups = max(1, source.shape[3] // max(1, weights.shape[3]))
    group = channels // groups
    padded = groups * -(-group // _TILE) * _TILE
    return macs_inside(node) * positions / width * padded / channels


# The name of the operator that kernels compute: some compute a DEPTHWISE_CONV_2D as a CONV_2D.
def _computed_op(node, kernels):
    name = op_name(node)
    is_conv = any(kernel.startswith(("conv.", "conv_")) for kernel in kernels)
    return "CONV_2D" if name == "DEPTHWISE_CONV_2D" and is_conv else name


def work_of(node, kernels=(), is_rectified=False):
    """Return the Work of a node.

    kernels: the names of its records. is_rectified: a RELU wrote its input, of float32.
    """
    outputs = _outputs(node)
    if not outputs and kernels:  # ASSIGN_VARIABLE copies its last input
        outputs = [node.inputs[-1]]
    elements = sum(tensor.elements() for tensor in outputs)
    name = _computed_op(node, kernels)
    if not elements or name in _RESHAPES:
        return Work()
    shape = outputs[0].shape
    if name == "UNIDIRECTIONAL_SEQUENCE_LSTM":  # the output of a GRU is its last state only
        elements = _cells(node) * shape[-1]
    pixels = elements // max(1, shape[-1] if shape else 1)
    # Kernels for int8 weights gather each window once for all channels.
    is_gathered = name == "CONV_2D" and outputs[0].dtype == dtypes.INT8
    windows = pixels if is_gathered else elements
    rows = windows * node.inputs[1].shape[1] if name in _CONVOLUTIONS else 0
    if name in _REDUCTIONS and node.inputs[0].shape:
        rows = node.inputs[0].elements() // max(1, node.inputs[0].shape[-1])
    inside = macs_inside(node)
    is_rectified = is_rectified and dtype_of(node) == FLOAT32
    return Work(
        mac=0 if is_rectified else inside,
        rectified=inside if is_rectified else 0,
        window=_window_macs(node, name),
        tile=_tile_macs(node) if name == "CONV_2D" else 0,
        cell=_cells(node),
        row=rows,
        element=elements,
        pixel=pixels,
        channel=shape[-1] if name in _CONVOLUTIONS else 0,
        source=_sources(node, elements, name),
        call=len(kernels) - len(set(kernels)),
        whole=1,
    )


def form_of(node, kernels=()):
    """Return the name of an operator and of its form, if kernels treat that form differently."""
    name = op_name(node)
    if name not in _CONVOLUTIONS:
        return name
    if name != _computed_op(node, kernels):
        return "CONV_2D"
    if max(option(node, f"DILATION_{side}_FACTOR", "i", 1) for side in "WH") > 1:
        return f"{name} dilated"
    channels = node.inputs[0].shape[3]
    if name == "CONV_2D" and node.inputs[1].shape[3] != channels:
        return f"{name} grouped"
    if name == "DEPTHWISE_CONV_2D" and node.outputs[0].shape[3] != channels:
        return f"{name} multiplied"
    if channels < _MIN_CHANNELS and name != "CONV_2D" and dtype_of(node) in (FLOAT32, HYBRID):
        return f"{name} narrow"
    return name


def dtype_name(node):
    """Return the type of a node's output as the table names it; "hybrid" for int8 weights."""
    if dtype_of(node) == HYBRID:
        return HYBRID
    outputs = _outputs(node)
    return dtypes.name(outputs[0].dtype) if outputs else ""


@cache
def _rows():
    with TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        tuple(row[key] for key in KEYS): Work(*(float(row[name]) for name in FIELDS))
        for row in rows
    }


# The rows of a machine by kernels, of any op.
@cache
def _by_kernels(machine):
    found = {}
    for (each, _, dtype, kernels), cost in _rows().items():
        if each == machine:
            found.setdefault((kernels, dtype), cost)
            found.setdefault(kernels, cost)
    return found


def machines():
    """Return the machines of the table: targets of `tflm flatten`."""
    return {key[0] for key in _rows()}


def cost_of(machine, op, dtype, kernels):
    """Return the Cost (as Work) of an operator of this name, type of output and kernels.

    kernels: the names of its records. An operator that was not counted costs as much as others
    with the same kernels, or as much as the average operator of its type.
    """
    key = "+".join(sorted(set(kernels)))
    exact = _rows().get((machine, op, dtype, key))
    if exact is not None:
        return exact
    found = _by_kernels(machine)
    return found.get((key, dtype)) or found.get(key) or found.get((ANY, dtype)) or found[ANY]


def cycles_as_int8(node, machine):
    """Return the estimated cycles of a node of another type if it were made int8."""
    key = machine, form_of(node), "int8"
    costs = [cost for row, cost in _rows().items() if row[:3] == key]
    work = work_of(node)
    return min(_product(cost, work) for cost in costs or [cost_of(*key, [ANY])])


def _product(cost, work):
    return sum(a * b for a, b in zip(cost.values(), work.values(), strict=True))


def invoke_cycles(machine):
    """Return the estimated cycles of an invoke on a machine, without its operators."""
    return next(cost.whole for key, cost in _rows().items() if key[:2] == (machine, INVOKE))


def kernel_cycles(node, machine, kernels, is_rectified=False, has_overlap=False):
    """Return the estimated cycles of a node, without waits for flash.

    machine: one of machines(). has_overlap: whether the output overlaps an input in the arena.
    Cycles of Cortex-M; instructions of other cores.
    """
    if not kernels:
        return 0
    key = machine, form_of(node, kernels), dtype_name(node)
    cost = cost_of(*key, kernels)
    if has_overlap:  # which slows some kernels down
        overlapping = "+".join(sorted({*kernels, OVERLAP}))
        cost = _rows().get((*key, overlapping), cost)
    return _product(cost, work_of(node, kernels, is_rectified))


# The functions eval... that a file defines or imports; none if there is no file.
@cache
def _functions_of(path):
    if not path.exists():
        return frozenset()
    source = path.read_text()
    names = re.findall(r"^def (eval\w*)|^(eval\w*) = ", source, re.M)
    imported = re.findall(r"^from \S+ import ([^(\n]*|\([^)]*\))", source, re.M)
    return frozenset((*map("".join, names), *re.findall(r"\beval\w*", " ".join(imported))))


def is_portable(kernel, arch):
    """Return whether an arch runs the portable code of a kernel ("file.function")."""
    file, _, function = kernel.partition(".")
    folders = [KERNELS / each for each in override_folders(arch)]
    paths = [folder / f"{file}.py" for each in folders for folder in (each, each / "gen")]
    return all(function not in _functions_of(path) for path in paths)
