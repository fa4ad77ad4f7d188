# The assembler kernels for the DSP extension: what each file is for, and the functions in it
# MIT license; Copyright (c) 2026 the tflm authors

from . import depthwise, elementwise, gather, multiply, products, sums

FOR = "the DSP extension"
FILES = {
    "conv_asm.py": ("CONV_2D, int8", (gather.gather, multiply.multiply)),
    "depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, int8",
        (
            depthwise.depthwise_3x3,
            depthwise.depthwise_3x3_stride_2,
            depthwise.depthwise,
            depthwise.depthwise_stride_2,
        ),
    ),
    "add_asm.py": ("ADD, int8", (elementwise.add,)),
    "mul_asm.py": ("MUL, int8", (products.products, products.outputs, products.fours)),
    "reduce_asm.py": ("MEAN and SUM, int8", (sums.sums,)),
    "fully_connected_asm.py": ("FULLY_CONNECTED, int8", (multiply.connect,)),
}
