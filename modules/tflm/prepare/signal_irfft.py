# tflm: SignalIrfft: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .signal_fft import Transform, emit_length, emit_split, emit_stages, indices
from .signal_twiddles import Rounding


# Rows of fft_length / 2 + 1 pairs (real, imaginary) -> rows of fft_length values; int16, int32 or
# float32.
def prepare(context, node):
    transform = Transform(context, node, True)
    rounding = Rounding(transform.dtype)
    table = context.constant(indices(transform.factors))
    emit_split(transform, rounding, "eval_join", transform.source, table)
    emit_stages(transform, rounding)
    if transform.dtype == dtypes.FLOAT32:
        emit_length(transform)
