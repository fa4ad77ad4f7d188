# Writes the assembler kernels of modules/tflm/kernels/armv6m: python tools/asm/make.py
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import depthwise
import elementwise
import gather
import multiply

KERNELS = Path(__file__).resolve().parents[2] / "modules/tflm/kernels/armv6m"

_HEAD = """\
# tflm: {about}
# MIT license; Copyright (c) 2026 the tflm authors

# Made by `python tools/asm/make.py` from tools/asm/{source}: change that, not this.

import micropython

"""


def files():
    """Each generated file: its name and text."""
    about = "CONV_2D and FULLY_CONNECTED, int8, in lanes: assembler for Cortex-M0+"
    functions = gather.gather(), gather.gather_bytes(), multiply.multiply()
    yield "lanes_asm.py", _text(about, "gather.py, multiply.py", *functions)
    about = "DEPTHWISE_CONV_2D, int8, in lanes: assembler for Cortex-M0+"
    functions = depthwise.depthwise_3x3, depthwise.depthwise_3x3_stride_2, depthwise.depthwise_any
    yield "depthwise_asm.py", _text(about, "depthwise.py", *[make() for make in functions])
    about = "ADD, int8: assembler for Cortex-M0+"
    yield "add_asm.py", _text(about, "elementwise.py", elementwise.add())
    about = "AVERAGE_POOL_2D and MAX_POOL_2D, int8: assembler for Cortex-M0+"
    yield (
        "pooling_asm.py",
        _text(about, "elementwise.py", elementwise.average(), elementwise.maximum()),
    )


def _text(about, source, *functions):
    return _HEAD.format(about=about, source=source) + "\n" + "\n\n".join(functions)


if __name__ == "__main__":
    KERNELS.mkdir(exist_ok=True)
    for name, text in files():
        (KERNELS / name).write_text(text)
