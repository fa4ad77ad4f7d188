# tflm: SignalRfft: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .signal_fft import Transform, emit_load, emit_split, emit_stages
from .signal_twiddles import Rounding


# Rows of values, padded with zeros to fft_length -> rows of fft_length / 2 + 1 pairs (real,
# imaginary); int16, int32 or float32.
def prepare(context, node):
    transform = Transform(context, node, False)
    rounding = Rounding(transform.dtype)
    emit_load(transform)
    emit_stages(transform, rounding)
    emit_split(transform, rounding, "eval_split", transform.target, None)
