# tflm_tools: FULLY_CONNECTED of an input of which some rows exist at a time
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.errors import TflmError
from tflm.prepare.common import REQUANTIZE
from tflm.tflite.graph import Tensor

from ...model.graph import root_of
from ...model.schema import BuiltinOperator
from .recording_context import Emission, emission_of

CODE = BuiltinOperator.FULLY_CONNECTED

_LIMITS = ("activation_min", "activation_max")
_RANGE = ("depth", "first", "count")

# Words of the records of kernels/fully_connected_bands.py and fully_connected_bands_float.py.
LAYOUTS = {
    "fully_connected_bands.eval_int8": (
        "input", "output", "weights", "bias", "taps",
        *_RANGE, "input_offset", "weights_offset", "begins",
    ),
    "fully_connected_bands.eval_end_int8": ("input", "output", *REQUANTIZE),
    "fully_connected_bands_float.eval_float32": (
        "input", "output", "weights", *_RANGE, "begins",
    ),
    "fully_connected_bands_float.eval_end_float32": ("input", "output", "bias", *_LIMITS),
}  # fmt: skip

# (file, dtype) of the kernels for rows, by the kernel of the whole operator.
_KERNELS = {
    "fully_connected.eval_int8": ("fully_connected_bands", "int8"),
    "fully_connected_float.eval_float32": ("fully_connected_bands_float", "float32"),
}
_MAX_TAPS = 64  # that the kernel holds at a time, four bytes each
_OUTPUT_WORK = 8  # of one output, in multiply-accumulates


@dataclass
class FullyConnectedReduction:
    """A FULLY_CONNECTED of a picture: each output is a sum over all rows.

    source: the picture; the operator may see a view of it. axis: of its rows. emission: what
    Prepare of the whole operator writes. file, dtype: of the kernels for rows.
    """

    source: Tensor
    axis: int
    emission: Emission
    file: str
    dtype: str

    @property
    def rows(self):
        """The number of rows of the input."""
        return self.source.shape[self.axis]

    @property
    def sums(self):
        """The number of sums."""
        return self.emission.fields["output"].elements()

    def emit_rows(self, context, source, sums, first):
        """Write the record that adds some rows, from row `first` on, to the sums."""
        whole, count = self.emission.fields, source.elements()
        row = self.source.elements() // self.rows
        fields = {"depth": whole["depth"], "first": first * row, "count": count}
        fields.update(weights=whole["weights"], begins=int(not first))
        if self.dtype == "int8":
            fields["taps"] = context.request_scratch_buffer(4 * min(count, _MAX_TAPS))
            fields.update({name: whole[name] for name in ("input_offset", "weights_offset")})
            fields["bias"] = whole["bias"]
        self._emit(context, "eval_", self.sums, count, source, sums, fields)

    def emit_output(self, context, sums, target):
        """Write the record that computes the output from the sums."""
        names = REQUANTIZE if self.dtype == "int8" else ("bias", *_LIMITS)
        fields = {name: self.emission.fields[name] for name in names}
        table = self.emission.table
        self._emit(context, "eval_end_", self.sums, _OUTPUT_WORK, sums, target, fields, table)

    def _emit(self, context, function, units, unit_work, source, target, fields, table=b""):
        kernel = f"{self.file}.{function}{self.dtype}"
        operands = {"input": source, "output": target}
        work = units * unit_work
        context.emit(kernel, LAYOUTS[kernel], units, work, table, **operands, **fields)


def fully_connected_reduction_of(node):
    """Return the FullyConnectedReduction of a node, or None if it cannot run on some rows."""
    source, weights, target = node.inputs[0], node.inputs[1], node.outputs[0]
    picture = root_of(source)[0]
    axis = next((i for i, size in enumerate(picture.shape) if size > 1), None)
    if axis is None or axis == len(picture.shape) - 1 or picture.nbytes() != source.nbytes():
        return None
    if any(t is not None and not t.is_constant() for t in node.inputs[1:]):
        return None  # a banded chain would not keep it
    if weights.dtype != source.dtype:
        return None  # hybrid operators derive a scale from all rows
    if target.elements() != target.shape[-1] or getattr(node, "indexed", None):
        return None
    try:
        emission = emission_of(node)
    except TflmError:
        return None  # Prepare of the model reports it
    kernel = _KERNELS.get(emission.kernel)
    if kernel is None or emission.fields["depth"] != source.elements():
        return None
    return FullyConnectedReduction(picture, axis, emission, *kernel)
