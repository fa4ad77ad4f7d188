# tflm: CONV_2D with one output pixel, or FULLY_CONNECTED, whose weights are used once: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from ..dtypes import const
from . import lanes

# The stream has for each group of four channels their biases, for each input one byte per channel
# (the weight + 128), their multipliers, and one byte per channel for the right shift.
DENSE = (
    "input",
    "stream",
    "output",
    "scratch",
    "depth",
    "output_channels",
    "output_zero_point",
    "activation_min",
    "activation_max",
)

_PARAMETER_BYTES = 64
_MAX_CHANNELS = const(65532)  # kernels count groups with 14 bits
_LIMITS = DENSE[6:]


# Emit a node whose outputs are the sums of `depth` weights of each channel times all of its input.
# Return False if it is not supported.
def emit_dense(context, node, fields, table, depth):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    count = fields["output_channels"]
    if (
        count > _MAX_CHANNELS
        or depth % lanes.QUAD
        or target.elements() != count
        or source.elements() != depth
    ):
        return False
    values = lanes.int8_values(weights)
    rows = [values[depth * i : depth * i + depth] for i in range(count)]
    zero_point = source.zero_point()
    channels = lanes.Channels(rows, node.optional_input(2), zero_point, fields, table)
    if not channels.fits:
        return False
    context.emit(
        "dense.eval_bytes",
        DENSE,
        (count + lanes.GROUP - 1) // lanes.GROUP,
        count * depth // 2,
        input=source,
        stream=context.constant(_stream(rows, channels)),
        output=target,
        scratch=context.request_scratch_buffer(_PARAMETER_BYTES),
        depth=depth,
        **{name: fields[name] for name in ("output_channels",) + _LIMITS},
    )
    return True


def _stream(rows, channels):
    chunks = []
    zeros = (0,) * len(rows[0])
    for first in range(0, len(rows), lanes.GROUP):
        group = rows[first : first + lanes.GROUP]
        empty = lanes.GROUP - len(group)
        biases = channels.biases[first : first + lanes.GROUP] + [0] * empty
        chunks.append(struct.pack("<4i", *biases))
        chunks.append(bytes([w + 128 for each in zip(*group, *[zeros] * empty) for w in each]))
        numbers = channels.multipliers[first : first + lanes.GROUP] + [(0, 0, 1)] * empty
        chunks.append(struct.pack("<4I", *[low | high << 16 for low, high, _ in numbers]))
        chunks.append(bytes([shift for _, _, shift in numbers]))
    return b"".join(chunks)
