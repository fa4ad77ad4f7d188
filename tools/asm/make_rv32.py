# Writes the assembler kernels of modules/tflm/kernels/rv32imc: python tools/asm/make_rv32.py
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import rv32_depthwise
import rv32_elementwise
import rv32_gather
import rv32_multiply
import rv32_plane

KERNELS = Path(__file__).resolve().parents[2] / "modules/tflm/kernels/rv32imc"

_HEAD = """\
# tflm: {about}
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make_rv32.py` from tools/asm/{source}:
# change that, not this.

import micropython

"""


def files():
    """Each generated file: its name and text."""
    about = "CONV_2D and FULLY_CONNECTED, int8, in lanes: assembler for RV32"
    functions = rv32_gather.gather, rv32_gather.gather_bytes, rv32_multiply.multiply
    source = "rv32_gather.py, rv32_multiply.py"
    yield "lanes_asm.py", _text(about, source, *[make() for make in functions])
    about = "DEPTHWISE_CONV_2D, int8, in lanes: assembler for RV32"
    functions = rv32_plane.build_plane, rv32_depthwise.rows_3x3
    functions += rv32_depthwise.rows_3x3_stride_2, rv32_depthwise.rows_any
    source = "rv32_plane.py, rv32_depthwise.py"
    yield "depthwise_asm.py", _text(about, source, *[make() for make in functions])
    about = "ADD, int8: assembler for RV32"
    yield "add_asm.py", _text(about, "rv32_elementwise.py", rv32_elementwise.add())


def _text(about, source, *functions):
    return _HEAD.format(about=about, source=source) + "\n" + "\n\n".join(functions)


if __name__ == "__main__":
    KERNELS.mkdir(exist_ok=True)
    for name, text in files():
        (KERNELS / name).write_text(text)
