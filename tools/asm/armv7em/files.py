# The files of kernels/armv7em that are generated: what each computes, and its generators
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from ..common import broadcast
from . import conv_gather, conv_int16_dsp, conv_multiply, fully_connected, lstm

CORE = "the DSP extension"
FILES = {
    "broadcast_asm.py": ("broadcasts of float32", (partial(broadcast.expand, "armv7em"),)),
    "conv_asm.py": ("CONV_2D, int8", (conv_gather.gather, conv_multiply.multiply)),
    "conv_int16_dsp_asm.py": ("CONV_2D, int16", (conv_int16_dsp.multiply_pixels,)),
    "lstm_asm.py": ("UNIDIRECTIONAL_SEQUENCE_LSTM, int8", (lstm.rows,)),
    "fully_connected_asm.py": ("FULLY_CONNECTED, int8", (fully_connected.connect,)),
}
COPIES = {"float32_broadcast.py": "armv6m/float32_broadcast.py"}
