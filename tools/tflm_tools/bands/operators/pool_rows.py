# tflm_tools: pools and sums over a whole picture of which some rows exist at a time
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from math import prod

from tflm.errors import TflmError
from tflm.prepare.common import REQUANTIZE
from tflm.prepare.pooling_float import MAXIMUM, MEAN
from tflm.prepare.scale import from_int, to_bits
from tflm.tflite.graph import Tensor

from ...model.schema import BuiltinOperator
from .recording_context import emission_of

CODES = (
    BuiltinOperator.AVERAGE_POOL_2D,
    BuiltinOperator.MAX_POOL_2D,
    BuiltinOperator.MEAN,
    BuiltinOperator.SUM,
)

_ROWS = ("input", "output", "width", "depth", "initial", "maximum", "begins")
_LIMITS = ("activation_min", "activation_max")

# Words of the records of kernels/pooling_rows.py and pooling_rows_float.py, by kernel.
LAYOUTS = {
    "pooling_rows.eval_int8": _ROWS,
    "pooling_rows.eval_average_int8": ("input", "output", "cells", *_LIMITS, "maximum"),
    "pooling_rows.eval_mean_int8": ("input", "output", *REQUANTIZE),
    "pooling_rows_float.eval_float32": _ROWS,
    "pooling_rows_float.eval_end_float32": ("input", "output", "divisor", *_LIMITS),
}
_NO_LIMITS = {"activation_min": 0xFF800000, "activation_max": 0x7F800000}  # infinities of float32
_OUTPUT_WORK = 8  # of one output, in multiply-accumulates


@dataclass
class PoolReduction:
    """A pool or sum over a picture, with one sum (or maximum) for each channel.

    source: the picture; axis: of its rows, of which the first `rows` are pooled. initial: what
    each sum begins at; maximum: 1 for the maximum, 0 for a sum. kernel: adds rows to the sums.
    output_kernel, output_fields, table: of the record that computes the output from the sums.
    """

    source: Tensor
    axis: int
    rows: int
    initial: int
    maximum: int
    kernel: str
    output_kernel: str
    output_fields: dict
    table: bytes = b""

    @property
    def sums(self):
        """The number of sums."""
        return self.source.shape[-1]

    def emit_rows(self, context, source, sums, first):
        """Write the record that adds some rows, from row `first` on, to the sums."""
        units, channels = source.shape[self.axis], self.sums
        fields = {"maximum": self.maximum, "width": prod(source.shape) // units // channels}
        fields.update(depth=channels, initial=self.initial, begins=int(not first))
        layout, work = LAYOUTS[self.kernel], source.elements()
        context.emit(self.kernel, layout, units, work, input=source, output=sums, **fields)

    def emit_output(self, context, sums, target):
        """Write the record that computes the output from the sums."""
        units, operands = target.elements(), {"input": sums, "output": target}
        kernel, fields, work = self.output_kernel, self.output_fields, _OUTPUT_WORK * units
        context.emit(kernel, LAYOUTS[kernel], units, work, self.table, **operands, **fields)


def pool_reduction_of(node):
    """Return the PoolReduction of an operator of CODES; None if channels have several sums."""
    source = node.inputs[0]
    axis = next((i for i, size in enumerate(source.shape) if size > 1), None)
    if axis is None or axis >= len(source.shape) - 1 or not source.elements():
        return None
    try:
        emission = emission_of(node)
    except TflmError:
        return None  # Prepare of the model reports it
    output_of, channels = _OUTPUTS.get(emission.kernel), source.shape[-1]
    rows = _pooled_rows(emission.fields, source.shape, axis)
    if output_of is None or not rows or node.outputs[0].elements() != channels:
        return None
    cells = rows * prod(source.shape[axis + 1 : -1])
    output = output_of(emission, cells, channels)
    if output is None:
        return None
    kernel = "pooling_rows_float.eval_float32" if "float" in emission.kernel else None
    initial, maximum, *output = output
    kernel = kernel or "pooling_rows.eval_int8"
    return PoolReduction(source, axis, rows, initial, maximum, kernel, *output)


# Each returns (initial, maximum, output_kernel, output_fields[, table]) of a PoolReduction, or
# None. cells: elements of a channel that are pooled.
def _pool_int8(emission, cells, channels):
    maximum = emission.fields["maximum"]
    fields = {name: emission.fields[name] for name in _LIMITS}
    fields.update(maximum=maximum, cells=cells)
    return 0 if maximum else -cells << 7, maximum, "pooling_rows.eval_average_int8", fields


def _pool_float(emission, cells, channels):
    whole = emission.fields
    if whole["kind"] not in (MEAN, MAXIMUM):
        return None
    maximum = int(whole["kind"] == MAXIMUM)
    fields = {name: whole[name] for name in _LIMITS}
    fields["divisor"] = to_bits(from_int(1 if maximum else cells))
    return whole["initial"], maximum, "pooling_rows_float.eval_end_float32", fields


def _reduce_int8(emission, cells, channels):
    if not _sums_by_channel(emission.fields, cells, channels, 1):
        return None
    fields = {name: emission.fields[name] for name in REQUANTIZE}
    initial = -emission.fields["offset"]
    return initial, 0, "pooling_rows.eval_mean_int8", fields, emission.table


def _reduce_float(emission, cells, channels):
    if not _sums_by_channel(emission.fields, cells, channels, 4):
        return None
    fields = {"divisor": emission.fields["divisor"], **_NO_LIMITS}
    return 0, 0, "pooling_rows_float.eval_end_float32", fields


_OUTPUTS = {
    "pooling.eval_int8": _pool_int8,
    "pooling_float.eval_float32": _pool_float,
    "reduce.eval_int8": _reduce_int8,
    "reduce_float.eval_float32": _reduce_float,
}


# True if MEAN or SUM adds all cells of each channel; item_bytes: of an element.
def _sums_by_channel(fields, cells, channels, item_bytes):
    geometry = tuple(fields[name] for name in ("kept0", "kept_step0", "reduced0"))
    return geometry == (channels, item_bytes, cells)


# How many rows along an axis the only window of a pool covers, from the first on; 0 if it does not
# cover these rows as a whole. All rows for operators without windows.
def _pooled_rows(fields, shape, axis):
    sides = list(shape)
    for i, side in enumerate(("height", "width"), 1):
        if "filter_" + side in fields:
            sides[i] = min(fields["filter_" + side] - fields["padding_" + side], shape[i])
    return sides[axis] if sides[axis + 1 :] == list(shape[axis + 1 :]) else 0
