# The assembler kernels for Xtensa: what each file is for, and the functions in it
# MIT license; Copyright (c) 2026 the tflm authors

from . import depthwise, elementwise, gather, multiply, plane

FOR = "Xtensa"
FILES = {
    "lanes_asm.py": (
        "CONV_2D and FULLY_CONNECTED, int8, in lanes",
        (gather.gather, gather.gather_bytes, multiply.multiply),
    ),
    "depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, int8, in lanes",
        (plane.build_plane, depthwise.rows_3x3, depthwise.rows_3x3_stride_2, depthwise.rows_any),
    ),
    "add_asm.py": ("ADD, int8", (elementwise.add,)),
}
