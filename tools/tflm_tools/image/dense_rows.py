# tflm_tools: image: FULLY_CONNECTED on a picture that comes some rows at a time: parts of its node
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm import dtypes
from tflm.errors import TflmError
from tflm.prepare.common import FLOAT_WORK, REQUANTIZE

from ..model.graph import root_of
from ..model.schema import BuiltinOperator
from .parts import Noted, Part, noted_of

CODE = BuiltinOperator.FULLY_CONNECTED

_ADDING = ("input", "output", "bias", "weights", "depth", "first", "count")

# Words of the records of kernels/dense_rows.py, by function.
LAYOUTS = {
    "eval_int8": (*_ADDING, "input_offset", "weights_offset", "flip"),
    "eval_end_int8": ("input", "output", *REQUANTIZE),
    "eval_float32": _ADDING,
    "eval_end_float32": ("input", "output", "bias", "activation_min", "activation_max"),
}
_KERNEL = "dense_rows."
_UNSIGNED = "conv_unsigned.eval_int8"  # weights of uint8
_TYPES = {
    "fully_connected.eval_int8": "int8",
    "fully_connected_float.eval_float32": "float32",
    _UNSIGNED: "int8",
}


@dataclass
class Dense:
    """A FULLY_CONNECTED of one row of outputs, whose sums are made of a picture's rows.

    axis: of these rows, of `shape`; dtype: of its sums, one for each channel; noted: what Prepare
    of the whole emits.
    """

    axis: int
    shape: tuple
    channels: int
    noted: Noted

    @property
    def kind(self):
        """Its type, as functions are named."""
        return _TYPES[self.noted.kernel]

    @property
    def dtype(self):
        return dtypes.INT32 if self.kind == "int8" else dtypes.FLOAT32

    def adding(self, node, rows, sums, view, first):
        """The part that adds `rows`, the first of which is row `first`, to `sums` (view: all)."""
        at = first * (self.noted.fields["depth"] // self.shape[self.axis])
        return DensePart(node, self, [rows, *node.inputs[1:], sums], [view], at)

    def ending(self, node, sums, target):
        """The part that makes the output, of which `target` is a view, of the sums."""
        return DensePart(node, self, [sums, *node.inputs[1:]], [target])


def dense_of(node):
    """The Dense of a FULLY_CONNECTED, or None where it is no such one."""
    source, weights = node.inputs[:2]
    if weights is None or not weights.is_constant() or not source.elements():
        return None
    if source.elements() != weights.shape[-1] or weights.dtype not in (source.dtype, dtypes.UINT8):
        return None
    root, offset = root_of(source)
    shape = source.shape if offset or root.nbytes() != source.nbytes() else root.shape
    axis = next((i for i, size in enumerate(shape) if size > 1), None)
    if axis is None or axis >= len(shape) - 1:
        return None
    try:
        noted = noted_of(node)
    except TflmError:
        return None  # which the model's own Prepare tells
    if noted.kernel not in _TYPES:
        return None
    return Dense(axis, shape, node.outputs[0].elements(), noted)


class DensePart(Part):
    """A part of a FULLY_CONNECTED: sums of some more elements, or the output made of all of them.

    dense: the Dense of the whole node. first: which elements these are, counted from the first,
    None where this is the output.
    """

    def __init__(self, whole, dense, inputs, outputs, first=None):
        super().__init__(whole, inputs, outputs)
        self.dense = dense
        self.first = first

    def prepare(self, context):
        """Write the record of this part."""
        dense, noted = self.dense, self.dense.noted
        fields = dict(noted.fields, input=self.inputs[0], output=self.outputs[0])
        if self.first is None and noted.kernel == _UNSIGNED:
            self._end_unsigned(context, fields)
            return
        function, table, work = f"eval_{dense.kind}", b"", 8
        if self.first is None:
            function, table = f"eval_end_{dense.kind}", noted.table
        else:
            fields.update(first=self.first, count=self.inputs[0].elements())
            fields["flip"] = 0 if noted.kernel == _UNSIGNED else 0x80
            work = fields["count"] * (1 if dense.kind == "int8" else FLOAT_WORK)
        layout = LAYOUTS[function]
        fields = {name: fields[name] for name in layout}
        context.emit(
            _KERNEL + function, layout, dense.channels, dense.channels * work, table, **fields
        )

    # Its kernel rounds in another way: it is given nothing, and the sums as its bias.
    def _end_unsigned(self, context, fields):
        noted = self.dense.noted
        fields.update(dict.fromkeys(("input_channels", "depth", "channel_step", "cell_step"), 0))
        fields.update(input=None, weights=None, bias=self.inputs[0])
        fields["accumulators"] = context.request_scratch_buffer(fields["accumulators"])
        channels = self.dense.channels
        context.emit(_UNSIGNED, noted.layout, channels, 8 * channels, noted.table, **fields)
