# The machine code for x86-64: what each file is for, and the functions in it
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from . import (
    compiled,
    cpu,
    curves,
    depthwise_float,
    depthwise_integer,
    float32,
    helpers,
    hybrid,
    lstm_float,
    quantize,
    windows_float,
    windows_integer,
)

CORE = "x86-64"
FILES = {
    "cpu_asm.mpy": ("what the processor has", (cpu.level,)),
    "float32_asm.mpy": (
        "helpers of float32 kernels",
        (
            *(helper.text for helper in float32.HELPERS),
            *curves.COMPILED,
            partial(compiled.text, "float32", "store_rounded"),
            *(partial(helpers.text, name) for name in ("mac", "mac_each", "add", "sub", "mul")),
        ),
    ),
    "curves_asm.mpy": (
        "curves of float32 with AVX2",
        tuple(helper.text for helper in curves.HELPERS),
    ),
    "depthwise_float_asm.mpy": (
        "DEPTHWISE_CONV_2D, float32",
        (depthwise_float.depthwise_sse, depthwise_float.depthwise_avx),
    ),
    "lstm_float_asm.mpy": (
        "UNIDIRECTIONAL_SEQUENCE_LSTM, float32",
        (lstm_float.lstm_sse, lstm_float.lstm_avx2),
    ),
    "windows_float_asm.mpy": (
        "CONV_2D and FULLY_CONNECTED, float32",
        (windows_float.windows_sse, windows_float.windows_avx),
    ),
    "windows_integer_asm.mpy": (
        "CONV_2D and FULLY_CONNECTED, int8 and int16",
        windows_integer.FUNCTIONS,
    ),
    "depthwise_integer_asm.mpy": (
        "DEPTHWISE_CONV_2D, int8 and int16",
        depthwise_integer.FUNCTIONS,
    ),
    "hybrid_asm.mpy": (
        "CONV_2D, FULLY_CONNECTED and DEPTHWISE_CONV_2D of float32 with weights of int8",
        hybrid.FUNCTIONS,
    ),
    "quantize_asm.mpy": (
        "integers from float32",
        (quantize.quantize, quantize.extremes),
    ),
    "dequantize.mpy": ("DEQUANTIZE, int8, uint8 and int16", (quantize.dequantize,)),
}
