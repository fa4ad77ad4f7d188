# tflm_tools: image: Prepare of layers whose weights are indices of four bits
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass

from tflm.prepare.lanes import QUAD

from ..model.schema import BuiltinOperator

DENSE_LUT = (
    "input",
    "stream",
    "output",
    "scratch",
    "depth",
    "batches",
    "output_channels",
    "own_values",  # 1: each channel's stream begins with its values, 0: those of all come first
    "output_zero_point",
    "activation_min",
    "activation_max",
)

INDEXED = "dense_lut.eval_int8"
CODES = (BuiltinOperator.CONV_2D, BuiltinOperator.FULLY_CONNECTED)

VALUES = 16  # that an index of four bits can name
_EIGHT = 2 * QUAD  # elements of a word of indices
SCRATCH = 64 + 4 * VALUES**2  # bytes before the lanes: parameters, and a table of all pairs


@dataclass(frozen=True)
class Indexed:
    """Weights as indices of values, in a stream; what the record has besides: `numbers`.

    values: the most that a channel, or all of them together, have.
    """

    stream: bytes
    values: int
    numbers: dict


def stream_of(rows, channels):
    """(stream, own_values, values) of weights with at most 16 values; None for others.

    rows: int8 of each channel; channels: their biases and multipliers, a prepare.lanes.Channels.
    For each channel: its bias, the values where each has its own, a byte for each pair of lanes
    (the upper index is that of the first element), and the multiplier as lanes.stream() has it.
    """
    found = [sorted(set(row)) for row in rows]
    every = sorted(set().union(*found))
    own = len(every) > VALUES
    most = max(map(len, found)) if own else len(every)
    if most > VALUES:
        return None
    parts = [] if own else [_values(every)]
    for row, values, bias, multiplier in zip(
        rows, found, channels.biases, channels.multipliers, strict=True
    ):
        places = {value: i for i, value in enumerate(values if own else every)}
        indices = [places[value] for value in row] + [0] * (-len(row) % _EIGHT)
        parts += [_values(values)] if own else []
        parts.append(struct.pack("<i", bias))
        parts.append(
            bytes(
                indices[at + i] << 4 | indices[at + i + 2]
                for at in range(0, len(indices), QUAD)
                for i in (0, 1)
            )
        )
        parts.append(struct.pack("<3I", *multiplier))
    return b"".join(parts), int(own), most


def _values(values):
    return struct.pack("<16b", *values, *[0] * (VALUES - len(values)))


class WithIndexed:
    """Prepare of an operator, which takes nodes with an `indexed`, of type Indexed, too."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)

    def prepare(self, context, node):
        indexed = getattr(node, "indexed", None)
        if indexed is None:
            self._module.prepare(context, node)
            return
        depth, count = indexed.numbers["depth"], indexed.numbers["output_channels"]
        lanes = 2 * (depth + -depth % _EIGHT)
        context.emit(
            INDEXED,
            DENSE_LUT,
            count,
            count * depth * indexed.numbers["batches"],
            input=node.input(0),
            stream=context.constant(indexed.stream),
            output=node.output(0),
            scratch=context.request_scratch_buffer(SCRATCH + lanes),
            **indexed.numbers,
        )
