# Writes the assembler kernels of modules/tflm/kernels/armv7em: python tools/asm/make_dsp.py
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import depthwise_dsp
import elementwise_dsp
import gather_dsp
import matrix_dsp

KERNELS = Path(__file__).resolve().parents[2] / "modules/tflm/kernels/armv7em"

_HEAD = """\
# tflm: {about}: assembler for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make_dsp.py` from tools/asm/{source}:
# change that, not this.

import micropython

"""


def files():
    """Each generated file: its name and text."""
    about = "CONV_2D, int8"
    functions = gather_dsp.gather(), matrix_dsp.multiply()
    yield "conv_asm.py", _text(about, "gather_dsp.py, matrix_dsp.py", *functions)
    about = "DEPTHWISE_CONV_2D, int8"
    functions = depthwise_dsp.depthwise_3x3(), depthwise_dsp.depthwise_3x3_stride_2()
    yield "depthwise_asm.py", _text(about, "depthwise_dsp.py", *functions)
    about = "ADD, int8"
    yield "add_asm.py", _text(about, "elementwise_dsp.py", elementwise_dsp.add())
    about = "FULLY_CONNECTED, int8"
    yield "fully_connected_asm.py", _text(about, "matrix_dsp.py", matrix_dsp.connect())


def _text(about, source, *functions):
    return _HEAD.format(about=about, source=source) + "\n" + "\n\n".join(functions)


if __name__ == "__main__":
    KERNELS.mkdir(exist_ok=True)
    for name, text in files():
        (KERNELS / name).write_text(text)
