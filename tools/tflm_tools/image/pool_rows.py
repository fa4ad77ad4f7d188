# tflm_tools: image: a pool over a whole picture that comes some rows at a time: parts of its node
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from math import prod

from tflm.errors import TflmError
from tflm.prepare.common import REQUANTIZE
from tflm.prepare.pooling_float import MAXIMUM, MEAN
from tflm.prepare.scale import from_int, to_bits
from tflm.tflite.graph import Tensor

from ..model.schema import BuiltinOperator
from .parts import noted_of

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
_EVERY = {"activation_min": 0xFF800000, "activation_max": 0x7F800000}  # float32: no limits


@dataclass
class Pool:
    """A pool of a picture, for image/gathered_rows.py: what its sums begin at, and what ends it.

    source: the picture; axis: of its rows, of which it takes the first `rows`; kernel: of the
    sums; end, fields, table: of the record that makes the output of them.
    """

    source: Tensor
    axis: int
    rows: int
    initial: int
    maximum: int
    kernel: str
    end: str
    fields: dict
    table: bytes = b""

    @property
    def sums(self):
        """How many sums there are."""
        return self.source.shape[-1]

    def emit_rows(self, context, source, sums, first):
        """Write the record of some more rows, from row `first` on."""
        units, channels = source.shape[self.axis], self.sums
        fields = {"maximum": self.maximum, "width": prod(source.shape) // units // channels}
        fields.update(depth=channels, initial=self.initial, begins=int(not first))
        layout, work = LAYOUTS[self.kernel], source.elements()
        context.emit(self.kernel, layout, units, work, input=source, output=sums, **fields)

    def emit_end(self, context, sums, target):
        """Write the record of the output, made of all rows."""
        units, operands = target.elements(), {"input": sums, "output": target}
        layout, table = LAYOUTS[self.end], self.table
        context.emit(self.end, layout, units, 8 * units, table, **operands, **self.fields)


def pool_of(node):
    """The Pool of an operator of CODES, or None where it makes other than one sum a channel."""
    source = node.inputs[0]
    axis = next((i for i, size in enumerate(source.shape) if size > 1), None)
    if axis is None or axis >= len(source.shape) - 1 or not source.elements():
        return None
    try:
        noted = noted_of(node)
    except TflmError:
        return None  # which the model's own Prepare tells
    make, channels = _MAKERS.get(noted.kernel), source.shape[-1]
    rows = _rows_of(noted.fields, source.shape, axis)
    if make is None or not rows or node.outputs[0].elements() != channels:
        return None
    cells = rows * prod(source.shape[axis + 1 : -1])
    made = make(noted, cells, channels)
    if made is None:
        return None
    kernel = "pooling_rows_float.eval_float32" if "float" in noted.kernel else None
    return Pool(source, axis, rows, *made[:2], kernel or "pooling_rows.eval_int8", *made[2:])


# What a Pool has from `initial` on, but for the kernel of its sums.
def _pool_int8(noted, cells, channels):
    found = noted.fields
    maximum = found["maximum"]
    fields = {name: found[name] for name in _LIMITS}
    fields.update(maximum=maximum, cells=cells)
    return 0 if maximum else -cells << 7, maximum, "pooling_rows.eval_average_int8", fields


def _pool_float(noted, cells, channels):
    found = noted.fields
    if found["kind"] not in (MEAN, MAXIMUM):
        return None
    maximum = int(found["kind"] == MAXIMUM)
    fields = {name: found[name] for name in _LIMITS}
    fields["divisor"] = to_bits(from_int(1 if maximum else cells))
    return found["initial"], maximum, "pooling_rows_float.eval_end_float32", fields


def _reduce_int8(noted, cells, channels):
    if not _adds_channels(noted.fields, cells, channels, 1):
        return None
    fields = {name: noted.fields[name] for name in REQUANTIZE}
    return -noted.fields["offset"], 0, "pooling_rows.eval_mean_int8", fields, noted.table


def _reduce_float(noted, cells, channels):
    if not _adds_channels(noted.fields, cells, channels, 4):
        return None
    fields = {"divisor": noted.fields["divisor"], **_EVERY}
    return 0, 0, "pooling_rows_float.eval_end_float32", fields


_MAKERS = {
    "pooling.eval_int8": _pool_int8,
    "pooling_float.eval_float32": _pool_float,
    "reduce.eval_int8": _reduce_int8,
    "reduce_float.eval_float32": _reduce_float,
}


# True when MEAN or SUM makes one sum of all cells of each channel; `size`: of an element.
def _adds_channels(fields, cells, channels, size):
    geometry = tuple(fields[name] for name in ("kept0", "kept_step0", "reduced0"))
    return geometry == (channels, size, cells)


# How many rows along an axis the only window of a pool has, from the first on: 0 where it does not
# have all of their cells. All, where there are no windows.
def _rows_of(fields, shape, axis):
    found = list(shape)
    for i, side in enumerate(("height", "width"), 1):
        if "filter_" + side in fields:
            found[i] = min(fields["filter_" + side] - fields["padding_" + side], shape[i])
    return found[axis] if found[axis + 1 :] == list(shape[axis + 1 :]) else 0
