# bench: counts the instructions that emulated cores need more than an ESP32 for MAC16 kernels
# MIT license; Copyright (c) 2026 the tflm authors

# No core of qemu has MULSH and CLAMPS. There MULL, MIN and MAX replace them
# (asm/xtensawin/mac16.py) with more instructions, and some loops are too long for a near branch.
# Each output has one MULSH, and each output of a folded channel has one CLAMPS.
# test_xtensa_core.py counts both kinds of code.

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from asm.encoders.xtensa import WITHOUT
from tflm import format as layout
from tflm.model import FlatModel
from tflm.prepare.conv_lanes import CONV, FULLY_CONNECTED
from tflm.prepare.depthwise_lanes import DEPTHWISE

_LAYOUTS = {
    "conv_mac16": CONV,
    "fully_connected_mac16": FULLY_CONNECTED,
    "depthwise_conv_mac16": DEPTHWISE,
}
_KIND = 8  # byte of a channel's numbers; the stream of the next channel follows them
_NUMBERS = 16


# Return for each channel of a stream whether it is folded.
def _folded(constants, stream, channels, channel_bytes):
    at = (stream >> 2) + channel_bytes - _NUMBERS + _KIND
    return [
        struct.unpack_from("<i", constants, at + i * channel_bytes)[0] < 0 for i in range(channels)
    ]


# Return (outputs of each channel, channels, bytes of a channel's stream, branches for each
# output). CONV_2D has none for folded channels. Branches at the ends of rows are too few to count.
def _shape(kernel, r):
    if kernel.startswith("depthwise"):
        outputs = r["batches"] * r["output_height"] * r["output_width"]
        return outputs, r["units"], 4 * r["channel_words"], 1 if "stride_2" in kernel else 0
    if kernel.startswith("conv"):
        size = r["weight_bytes"] * r["column_lanes"] * r["window_columns"]
        outputs = r["units"] * (1 if "pixels" in kernel else r["output_width"])
        return outputs, -(-r["output_channels"] // 4) * 4, size + _NUMBERS, 1
    size = r["weight_bytes"] * r["depth_lanes"]
    return r["batches"], 4 * r["units"], size + _NUMBERS, 0


def surplus_of(kernel, words, constants):
    """Return the instructions that a kernel with this record needs more than on an ESP32.

    words: the words of the record. constants: the bytes that hold the stream.
    """
    names = _LAYOUTS.get(kernel.partition(".")[0])
    if names is None:
        return 0
    r = dict(zip(("units", *names), words, strict=False))
    outputs, channels, channel_bytes, branches = _shape(kernel, r)
    folded = sum(_folded(constants, r["stream"], channels, channel_bytes))
    more = channels * (WITHOUT["mulsh"] - 1) + folded * (WITHOUT["clamps"] - 1)
    branching = channels - folded if kernel.startswith("conv") else channels
    return outputs * (more + branches * branching)


def surplus(flat):
    """Yield surplus_of() each operator of a flat model without bands."""
    model = FlatModel(flat)
    for i in range(model._section(layout.OPS)[1]):
        kernel, _, _, record, _, _ = model.op(i)
        yield surplus_of(kernel, struct.unpack(f"<{len(record) // 4}I", record), model.buffer)
