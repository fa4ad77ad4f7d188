# The measuring bench: what emulated cores take more than an ESP32 in the kernels for MAC16
# MIT license; Copyright (c) 2026 the tflm authors

# No core of qemu has MULSH and CLAMPS: there MULL, MIN and MAX do their work
# (asm/xtensawin/mac16.py), in more instructions, and a loop is too long for a near branch. Each
# output has one MULSH, and each of a channel that is folded one CLAMPS. test_xtensa_core.py
# counts both kinds of code.

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from asm.xtensawin.mac16 import WITHOUT
from tflm import format as layout
from tflm.model import FlatModel
from tflm.prepare.conv_lanes import CONV, FULLY_CONNECTED
from tflm.prepare.depthwise_lanes import DEPTHWISE

_LAYOUTS = {
    "conv_mac16": CONV,
    "fully_connected_mac16": FULLY_CONNECTED,
    "depthwise_conv_mac16": DEPTHWISE,
}
_KIND = 8  # byte of a channel's numbers; behind them lies the next one's stream
_NUMBERS = 16


# Whether each channel of a stream is folded.
def _folded(constants, stream, channels, channel_bytes):
    at = (stream >> 2) + channel_bytes - _NUMBERS + _KIND
    return [
        struct.unpack_from("<i", constants, at + i * channel_bytes)[0] < 0 for i in range(channels)
    ]


# (outputs of each channel, channels, bytes of a channel's stream, branches for each output: those
# at the ends of rows are not worth counting).
def _shape(kernel, r):
    if kernel.startswith("depthwise"):
        outputs = r["batches"] * r["output_height"] * r["output_width"]
        return outputs, r["units"], 4 * r["channel_words"], 0
    if kernel.startswith("conv"):
        size = r["weight_bytes"] * r["column_lanes"] * r["window_columns"]
        outputs = r["units"] * (1 if "pixels" in kernel else r["output_width"])
        return outputs, -(-r["output_channels"] // 4) * 4, size + _NUMBERS, 1
    size = r["weight_bytes"] * r["depth_lanes"]
    return r["batches"], 4 * r["units"], size + _NUMBERS, 0


def surplus_of(kernel, words, constants):
    """The instructions that a kernel with a record of these words takes more than on an ESP32.

    constants: the bytes that the word of its stream counts from.
    """
    names = _LAYOUTS.get(kernel.partition(".")[0])
    if names is None:
        return 0
    r = dict(zip(("units", *names), words, strict=False))
    outputs, channels, channel_bytes, branches = _shape(kernel, r)
    folded = sum(_folded(constants, r["stream"], channels, channel_bytes))
    more = channels * (WITHOUT["mulsh"] - 1 + branches) + folded * (WITHOUT["clamps"] - 1)
    return outputs * more


def surplus(flat):
    """The same for each op of a flat model of which nothing runs in bands."""
    model = FlatModel(flat)
    for i in range(model._section(layout.OPS)[1]):
        kernel, _, _, record, _, _ = model.op(i)
        yield surplus_of(kernel, struct.unpack(f"<{len(record) // 4}I", record), model.buffer)
