# The files of kernels/xtensawin for the ESP32-S3: what each computes, and its generators
# MIT license; Copyright (c) 2026 the tflm authors

from . import pie_depthwise, pie_gather, pie_multiply

FILES = {
    "pie_asm.py": (
        "CONV_2D and FULLY_CONNECTED, int8, by the vector unit of the ESP32-S3",
        (pie_gather.gather, pie_gather.gather_bytes, pie_multiply.multiply),
    ),
    "pie_depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, int8, 3x3, by the vector unit of the ESP32-S3",
        (pie_depthwise.load_row, pie_depthwise.multiply_row),
    ),
}
