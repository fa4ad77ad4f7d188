# tflm_tools: image: FULLY_CONNECTED of an input that comes some rows at a time
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.errors import TflmError
from tflm.prepare.common import REQUANTIZE
from tflm.tflite.graph import Tensor

from ..model.graph import root_of
from ..model.schema import BuiltinOperator
from .parts import noted_of

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

_KERNELS = {
    "fully_connected.eval_int8": ("fully_connected_bands", "int8"),
    "fully_connected_float.eval_float32": ("fully_connected_bands_float", "float32"),
}
_BLOCK = 64  # taps that the kernel holds at a time


@dataclass
class Connected:
    """A FULLY_CONNECTED of a picture, for image/gathered_rows.py: each output is a sum.

    source: the picture, whose view the operator may see; axis: of its rows. noted: what its
    Prepare writes; file, dtype: of the kernels for it.
    """

    source: Tensor
    axis: int
    noted: object
    file: str
    dtype: str

    @property
    def rows(self):
        """How many rows it takes, from the first on."""
        return self.source.shape[self.axis]

    @property
    def sums(self):
        """How many sums there are."""
        return self.noted.fields["output"].elements()

    def emit_rows(self, context, source, sums, first):
        """Write the record of some more rows, from row `first` on."""
        found, count = self.noted.fields, source.elements()
        row = self.source.elements() // self.rows
        fields = {"depth": found["depth"], "first": first * row, "count": count}
        fields.update(weights=found["weights"], begins=int(not first))
        if self.dtype == "int8":
            fields["taps"] = context.request_scratch_buffer(4 * min(count, _BLOCK))
            fields.update({name: found[name] for name in ("input_offset", "weights_offset")})
            fields["bias"] = found["bias"]
        self._emit(context, "eval_", self.sums, count, source, sums, fields)

    def emit_end(self, context, sums, target):
        """Write the record of the output, made of all rows."""
        found = self.noted.fields
        names = REQUANTIZE if self.dtype == "int8" else ("bias", *_LIMITS)
        fields = {name: found[name] for name in names}
        self._emit(context, "eval_end_", self.sums, 8, sums, target, fields, self.noted.table)

    def _emit(self, context, function, units, work, source, target, fields, table=b""):
        kernel = f"{self.file}.{function}{self.dtype}"
        operands = {"input": source, "output": target}
        work = units * work
        context.emit(kernel, LAYOUTS[kernel], units, work, table, **operands, **fields)


def connected_of(node):
    """The Connected of a FULLY_CONNECTED, or None where rows of its input are no use."""
    source, weights, target = node.inputs[0], node.inputs[1], node.outputs[0]
    picture = root_of(source)[0]
    axis = next((i for i, size in enumerate(picture.shape) if size > 1), None)
    if axis is None or axis == len(picture.shape) - 1 or picture.nbytes() != source.nbytes():
        return None
    if any(t is not None and not t.is_constant() for t in node.inputs[1:]):
        return None  # the parts of a chain would not keep it
    if weights.dtype != source.dtype:
        return None  # hybrid ones look at all of their input
    if target.elements() != target.shape[-1] or getattr(node, "indexed", None):
        return None
    try:
        noted = noted_of(node)
    except TflmError:
        return None  # which the model's own Prepare tells
    made = _KERNELS.get(noted.kernel)
    if made is None or noted.fields["depth"] != source.elements():
        return None
    return Connected(picture, axis, noted, *made)
