# The files of kernels/rv32imc that are generated: what each computes, and its generators
# MIT license; Copyright (c) 2026 the tflm authors

from . import add, add_table, depthwise, depthwise_plane, lanes_gather, lanes_multiply

CORE = "RV32"
FILES = {
    "lanes_asm.py": (
        "CONV_2D and FULLY_CONNECTED, int8, in lanes",
        (lanes_gather.gather, lanes_gather.gather_bytes, lanes_multiply.multiply),
    ),
    "depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, int8, in lanes",
        (
            depthwise_plane.build_plane,
            depthwise.rows_3x3,
            depthwise.rows_3x3_stride_2,
            depthwise.rows_any,
        ),
    ),
    "add_asm.py": ("ADD, int8", (add.add,)),
}
DERIVED = {"add_table.py": ("add_table.py", add_table.DERIVED)}
