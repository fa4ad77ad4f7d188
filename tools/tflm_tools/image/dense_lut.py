# tflm_tools: Prepare of layers whose weights are four-bit indices into tables of values
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
    "own_values",  # 1: each channel's stream begins with its values; 0: one table for all channels
    "output_zero_point",
    "activation_min",
    "activation_max",
)

INDEXED = "dense_lut.eval_int8"
CODES = (BuiltinOperator.CONV_2D, BuiltinOperator.FULLY_CONNECTED)

VALUES = 16  # values that an index of four bits can name
_INDICES_PER_WORD = 2 * QUAD
SCRATCH = 64 + 4 * VALUES**2  # bytes before the lanes: parameters, and a table of all pairs


@dataclass(frozen=True)
class Indexed:
    """Weights as indices of values.

    stream: bytes, see stream_of(). values: the largest number of values of a channel, or of all
    channels if they share a table. numbers: {name of DENSE_LUT: number} of the record.
    """

    stream: bytes
    values: int
    numbers: dict


def stream_of(rows, channels):
    """Return (stream, own_values, values) of weights with at most 16 values; None for others.

    rows: the int8 weights of each channel. channels: their biases and multipliers, a
    prepare.lanes.Channels. The stream has for each channel its bias, its values if each channel
    has a table, a byte for each pair of lanes (the upper four bits are the index of the first
    element), and the multiplier as in lanes.stream(). A common table comes first.
    """
    values_of = [sorted(set(row)) for row in rows]
    all_values = sorted(set().union(*values_of))
    has_tables = len(all_values) > VALUES
    count = max(map(len, values_of)) if has_tables else len(all_values)
    if count > VALUES:
        return None
    stream = [] if has_tables else [_table(all_values)]
    for row, values, bias, multiplier in zip(
        rows, values_of, channels.biases, channels.multipliers, strict=True
    ):
        index_of = {value: i for i, value in enumerate(values if has_tables else all_values)}
        indices = [index_of[value] for value in row] + [0] * (-len(row) % _INDICES_PER_WORD)
        stream += [_table(values)] if has_tables else []
        stream.append(struct.pack("<i", bias))
        stream.append(
            bytes(
                indices[at + i] << 4 | indices[at + i + 2]
                for at in range(0, len(indices), QUAD)
                for i in (0, 1)
            )
        )
        stream.append(struct.pack("<3I", *multiplier))
    return b"".join(stream), int(has_tables), count


def _table(values):
    return struct.pack("<16b", *values, *[0] * (VALUES - len(values)))


class WithIndexed:
    """Prepare of an operator, extended to nodes with an attribute `indexed` of type Indexed.

    module: Prepare of the operator.
    """

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
        lanes = 2 * (depth + -depth % _INDICES_PER_WORD)
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
