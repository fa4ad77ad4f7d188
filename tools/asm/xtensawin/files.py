# The files of kernels/xtensawin for the ESP32-S3: what each computes, and its generators
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from ..kernels import pie_gather, pie_plane
from ..language.machines.xtensa import XtensaMachine
from . import pie_depthwise, pie_multiply


def _compiled(kernel):
    machine = XtensaMachine()
    return machine.compile(kernel(machine))


FILES = {
    "pie_asm.py": (
        "CONV_2D and FULLY_CONNECTED, int8, by the vector unit of the ESP32-S3",
        (
            partial(_compiled, pie_gather.gather_kernel),
            partial(_compiled, pie_gather.gather_bytes_kernel),
            pie_multiply.multiply,
        ),
    ),
    "pie_depthwise_asm.py": (
        "DEPTHWISE_CONV_2D, int8, 3x3, by the vector unit of the ESP32-S3",
        (partial(_compiled, pie_plane.load_row_kernel), pie_depthwise.multiply_row),
    ),
}
