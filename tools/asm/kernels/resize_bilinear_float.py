# Pixels of RESIZE_BILINEAR, float32, for an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.fpu import Fpu
from ..language.kernel import Kernel
from ..language.macros import Record

# Words that the caller stores for pixels of one row of the output.
PARAMETERS = (
    "output",  # address of the first pixel
    "top",  # address of the upper row of the input
    "bottom",  # address of the lower row of the input
    "position",  # address of the first weight of the first pixel's column
    "positions",  # bytes from one list of the columns' positions to the next
    "pixels",
    "depth",
    "top_weight",
    "bottom_weight",
)

_BLEND = """
Pixels of a row of RESIZE_BILINEAR. `parameters`: offset in the arena of the words PARAMETERS of
tools/asm/kernels/resize_bilinear_float.py.
"""
# Registers of the FPU: weights of the rows and columns, 0.0, inputs, the sum.
_TOP, _BOTTOM, _LEFT, _RIGHT, _ZERO, _SUM = 0, 1, 2, 3, 4, 9
_INPUTS = 5


def blend_kernel(machine):
    k = Kernel("blend", _BLEND, ("op", "arena", "rom", "parameters"), machine)
    _, arena, _, at = k.arguments
    fpu, words = Fpu(k), Record(k, k.var("words", arena + at), PARAMETERS, first=0)
    output, position, positions = words.output, words.position, words.positions
    rows, left = (words.top, words.bottom), words.pixels
    depth = words.depth
    size = k.var("pixel_bytes", depth << 2)
    for register, name in ((_TOP, "top_weight"), (_BOTTOM, "bottom_weight")):
        fpu.set_bits(register, getattr(words, name))
    fpu.clear([_ZERO])
    with k.loop("pixel", times=16) as pixel:
        fpu.load(_LEFT, position)
        column = k.var("column", position + positions)
        fpu.load(_RIGHT, column)
        inputs = []
        for side in ("left", "right"):
            column += positions
            distance = column[0] * size
            inputs += [k.var(f"{name}_{side}", row + distance)
                       for name, row in zip(("top", "bottom"), rows, strict=True)]  # fmt: skip
        position += 4
        channels = k.var("channels", depth)
        with k.loop("channel", times=4) as channel:
            for i, x in enumerate(inputs):
                fpu.load_next([_INPUTS + i], x)
                fpu.mul(_INPUTS + i, _INPUTS + i, (_TOP, _BOTTOM)[i & 1])
            for i in range(4):
                fpu.mul(_INPUTS + i, _INPUTS + i, _LEFT if i < 2 else _RIGHT)
            fpu.add(_SUM, _ZERO, _INPUTS)
            for i in range(1, 4):
                fpu.add(_SUM, _SUM, _INPUTS + i)
            fpu.store_next([_SUM], output)
            channels -= 1
            channel.repeat_if(channels != 0)
        left -= 1
        pixel.repeat_if(left != 0)
    return k.finish()
