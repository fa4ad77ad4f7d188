# The assembler kernels for Cortex-M0+: what each file is for, and the functions in it
# MIT license; Copyright (c) 2026 the tflm authors

from . import (
    column,
    dense,
    depthwise,
    elementwise,
    fft,
    filter_bank,
    front_end,
    gather,
    lut,
    multiply,
    softmax,
)
from . import square_root as root
from .matrix import dot, gate, products, remember_8, remember_16, rescale
from .transpose_conv import store_sums, sums_of_cells

FOR = "Cortex-M0+"
FILES = {
    "lanes_asm.py": (
        "CONV_2D and FULLY_CONNECTED, int8, in lanes",
        (gather.gather, gather.gather_bytes, multiply.multiply),
    ),
    "depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, int8, in lanes",
        (depthwise.depthwise_3x3, depthwise.depthwise_3x3_stride_2, depthwise.depthwise_any),
    ),
    "depthwise_column_asm.py": (
        "DEPTHWISE_CONV_2D, int8, of lines of pixels",
        (column.depthwise_column,),
    ),
    "dense_asm.py": ("CONV_2D and FULLY_CONNECTED, int8, weights used once", (dense.dense,)),
    "lut_asm.py": (
        "CONV_2D and FULLY_CONNECTED, int8, weights of four bits used once",
        (lut.dense_lut,),
    ),
    "add_asm.py": ("ADD, int8", (elementwise.add,)),
    "pooling_asm.py": (
        "AVERAGE_POOL_2D and MAX_POOL_2D, int8",
        (elementwise.average, elementwise.maximum),
    ),
    "pooling_rows_asm.py": (
        "pools over a whole picture that comes some rows at a time, int8",
        (elementwise.add_cells, elementwise.largest_of_cells),
    ),
    "fft_asm.py": ("SignalRfft and SignalIrfft, int16", (fft.stage_2, fft.stage_4, fft.split)),
    "filter_bank_asm.py": (
        "SignalFilterBank and SignalFilterBankSpectralSubtraction",
        (filter_bank.filter_bank, filter_bank.subtract_noise),
    ),
    "front_end_asm.py": (
        "what comes before and after the FFT of an audio front end",
        (
            front_end.scatter,
            front_end.largest,
            front_end.scale,
            front_end.window,
            front_end.energy,
        ),
    ),
    "matrix_asm.py": ("rows of int8 weights, as they are in the model", (dot,)),
    "transpose_conv_asm.py": ("TRANSPOSE_CONV, int8", (sums_of_cells, store_sums)),
    "recurrent_asm.py": (
        "SVDF and LSTM, int8",
        (rescale, gate, products, remember_8, remember_16),
    ),
    "square_root_asm.py": ("SignalFilterBankSquareRoot", (root.square_root,)),
}

COPIES = {"softmax.py": ("", softmax.WORDS)}
