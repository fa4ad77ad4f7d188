# The files of kernels/armv7em that are generated: what each computes, and its generators
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from ..common import broadcast
from ..kernels import conv_dsp
from . import lstm

CORE = "the DSP extension"
FILES = {
    "broadcast_asm.py": ("broadcasts of float32", (partial(broadcast.expand, "armv7em"),)),
    "conv_asm.py": ("CONV_2D, int8", (conv_dsp.gather, conv_dsp.multiply)),
    "lstm_asm.py": (
        "UNIDIRECTIONAL_SEQUENCE_LSTM, int8 and int16",
        (lstm.rows, lstm.wide_rows),
    ),
}
COPIES = {"float32_broadcast.py": "armv6m/float32_broadcast.py"}
