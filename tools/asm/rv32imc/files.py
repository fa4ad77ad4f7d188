# The assembler kernels for RV32: what each file is for, and the functions in it
# MIT license; Copyright (c) 2026 the tflm authors

from . import depthwise, elementwise, gather, multiply, plane

FOR = "RV32"
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
# Files that are those of another folder but for some words.
COPIES = {
    "add_table.py": (
        "armv6m",
        {
            "for Cortex-M0+": f"for {FOR}",
            "add_run(int(p))": "add_run(arena, op[_SCRATCH] >> 2)",
        },
    ),
}
