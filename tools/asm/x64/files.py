# The machine code for x86-64: what each file is for, and the functions in it
# MIT license; Copyright (c) 2026 the tflm authors

from . import cpu, windows_float

CORE = "x86-64"
FILES = {
    "cpu_asm.mpy": ("what the processor has", (cpu.level,)),
    "windows_float_asm.mpy": (
        "CONV_2D and FULLY_CONNECTED, float32",
        (windows_float.windows_sse, windows_float.windows_avx),
    ),
}
