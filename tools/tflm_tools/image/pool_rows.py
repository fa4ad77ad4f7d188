# tflm_tools: image: a pool over a whole picture that comes some rows at a time: parts of its node
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from math import prod

from tflm.errors import TflmError
from tflm.prepare.common import REQUANTIZE

from ..model.schema import BuiltinOperator
from .parts import Part, noted_of

CODES = (
    BuiltinOperator.AVERAGE_POOL_2D,
    BuiltinOperator.MAX_POOL_2D,
    BuiltinOperator.MEAN,
    BuiltinOperator.SUM,
)

# Words of the records of kernels/pooling_rows.py, by function.
LAYOUTS = {
    "eval_int8": ("input", "output", "width", "depth", "initial", "maximum", "begins"),
    "eval_average_int8": (
        "input", "output", "cells", "activation_min", "activation_max", "maximum",
    ),
    "eval_mean_int8": ("input", "output", *REQUANTIZE),
}  # fmt: skip
_KERNEL = "pooling_rows."


@dataclass
class Pool:
    """A pool of a picture: what its sums begin at, and the kernel that ends it.

    axis: of its rows; fields, table: of the record that ends it.
    """

    axis: int
    initial: int
    maximum: int
    function: str
    fields: dict
    table: bytes = b""


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
    found, channels = noted.fields, source.shape[-1]
    cells = source.elements() // channels
    if noted.kernel == "pooling.eval_int8":
        if node.outputs[0].elements() != channels or not _covers(found):
            return None
        maximum = found["maximum"]
        fields = {name: found[name] for name in ("activation_min", "activation_max")}
        fields.update(maximum=maximum, cells=cells)
        return Pool(axis, 0 if maximum else -cells << 7, maximum, "eval_average_int8", fields)
    geometry = tuple(found.get(name) for name in ("kept0", "kept_step0", "reduced0"))
    if noted.kernel != "reduce.eval_int8" or geometry != (channels, 1, cells):
        return None
    if node.outputs[0].elements() != channels:
        return None
    fields = {name: found[name] for name in REQUANTIZE}
    return Pool(axis, -found["offset"], 0, "eval_mean_int8", fields, noted.table)


# True when the window of a pool has all cells.
def _covers(fields):
    return all(
        fields["filter_" + side] - fields["padding_" + side] >= fields["input_" + side]
        for side in ("height", "width")
    )


class PoolPart(Part):
    """A part of a pool: `sums` of some more rows, or the output made of all of them.

    pool: the Pool of the whole node. begins: whether these rows are the first ones, None where
    this is the output.
    """

    def __init__(self, whole, pool, inputs, outputs, begins=None):
        super().__init__(whole, inputs, outputs)
        self.pool = pool
        self.begins = begins

    def prepare(self, context):
        """Write the record of this part."""
        source, target, pool = self.inputs[0], self.outputs[0], self.pool
        if self.begins is None:
            function, units, table = pool.function, target.elements(), pool.table
            fields, work = pool.fields, 8 * units
        else:
            function, units, table = "eval_int8", source.shape[pool.axis], b""
            work, channels = source.elements(), source.shape[-1]
            width = prod(source.shape) // units // channels
            fields = {"maximum": pool.maximum, "width": width, "depth": channels}
            fields.update(initial=pool.initial, begins=int(self.begins))
        operands = {"input": source, "output": target}
        layout = LAYOUTS[function]
        context.emit(_KERNEL + function, layout, units, work, table, **operands, **fields)
