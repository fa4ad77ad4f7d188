# Generator of the assembler kernel of MAX_POOL_2D, float32, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.pooling_float import LAYOUT

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R12, Thumb
from ..common.thumb_record import address, at, division, in_image, next_pixel
from .float_record import clamp, key, limits

_ABOUT = """
Pixels of MAX_POOL_2D, float32. `r0` is the address of the record (LAYOUT in
prepare/pooling_float.py), `r1` of the arena, `r2` of the model. `r3` is the first pixel * 1024 +
the number of pixels.
"""

_SLOTS = (
    "record",
    "input",
    "output",  # of the next output
    "left",  # pixels
    "channels_left",
    "x",  # of the output
    "y",
    "batch",
    "window",  # address of the first input of the channel
    "rows",
    "low",
    "high",
    "low_key",
    "high_key",
)


# Find the window of the output pixel. r8: bytes of a pixel, r9: bytes of a row of the window, r10:
# bytes from its end to the next row.
def _window(t):
    t.load(R7, "record")
    t.load(R0, "x")
    in_image(t, LAYOUT, "width")
    t.store(R0, "window")
    t.mov(R1, R8)
    t.mul(R4, R1)
    t.mov(R9, R4)
    t.load(R0, "y")
    in_image(t, LAYOUT, "height")
    t.store(R4, "rows")
    t.load(R2, "batch")
    t.mul(R2, R6)
    t.add(R2, R0)
    t.ldr(R5, R7, at(LAYOUT, "input_width"))
    t.mul(R2, R5)
    t.load(R0, "window")
    t.add(R2, R0)
    t.mov(R1, R8)
    t.mul(R2, R1)
    t.load(R0, "input")
    t.add(R2, R0)
    t.store(R2, "window")
    t.mul(R5, R1)
    t.mov(R0, R9)
    t.sub(R5, R0)
    t.mov(R10, R5)
    t.ldr(R0, R7, at(LAYOUT, "channels"))
    t.store(R0, "channels_left")


# r0: input; r1: key of the largest one; r2: its bits; r6: end of a row; r7: rows; r12: 0xFF000000.
def maximum():
    t = Thumb("maximum", _ABOUT, arguments=4, slots=_SLOTS)
    names = ("divide", "window", "channel", "cell", "smaller", "done")
    divide, window, channel, cell, smaller, done = map(t.new_label, names)
    t.store(R0, "record")
    t.ldr(R4, R0, at(LAYOUT, "input"))
    address(t)
    t.store(R5, "input")
    t.ldr(R4, R0, at(LAYOUT, "output"))
    address(t)
    t.lsr(R4, R3, 10)
    t.lsl(R3, R3, 22)
    t.lsr(R3, R3, 22)
    t.store(R3, "left")
    t.ldr(R6, R0, at(LAYOUT, "channels"))
    t.lsl(R6, R6, 2)
    t.mov(R8, R6)
    t.mul(R6, R4)
    t.add(R6, R5)
    t.store(R6, "output")
    t.mov(R5, R0)
    t.mov(R0, R4)
    for size, name in (("output_width", "x"), ("output_height", "y")):
        t.ldr(R1, R5, at(LAYOUT, size))
        t.bl(divide)
        t.store(R0, name)
        t.mov(R0, R2)
    t.store(R0, "batch")
    t.mov(R0, R5)
    t.add(R0, at(LAYOUT, "activation_min"))
    limits(t)
    t.mov(R0, 0xFF)
    t.lsl(R0, R0, 24)
    t.mov(R12, R0)
    t.label(window)
    _window(t)
    t.label(channel)
    t.load(R7, "record")
    t.ldr(R2, R7, at(LAYOUT, "initial"))
    key(t, R1, R2, R3)
    t.load(R7, "rows")
    t.load(R0, "window")
    t.mov(R6, R0)
    t.add(R6, R9)
    t.label(cell)
    t.ldr(R3, R0)
    t.add(R0, R8)
    t.lsl(R4, R3, 1)
    t.cmp(R4, R12)
    t.branch("hi", smaller)  # a NaN
    key(t, R4, R3, R5)
    t.cmp(R4, R1)
    t.branch("le", smaller)
    t.mov(R1, R4)
    t.mov(R2, R3)
    t.label(smaller)
    t.cmp(R0, R6)
    t.branch("ne", cell)
    t.add(R0, R10)
    t.mov(R6, R0)
    t.add(R6, R9)
    t.sub(R7, 1)
    t.branch("ne", cell)
    clamp(t)
    t.load(R4, "output")
    t.stm(R4, R2)
    t.store(R4, "output")
    t.load(R4, "window")
    t.add(R4, 4)
    t.store(R4, "window")
    t.load(R4, "channels_left")
    t.sub(R4, 1)
    t.store(R4, "channels_left")
    t.branch("ne", channel)
    t.load(R4, "left")
    t.sub(R4, 1)
    t.store(R4, "left")
    t.branch("eq", done)
    next_pixel(t, LAYOUT, window)
    division(t, divide)
    t.label(done)
    return t.text()
