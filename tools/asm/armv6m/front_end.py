# Generator of the assembler kernels of an audio front end before and after the FFT
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.signal_window import LAYOUT as WINDOW

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, Thumb

_SCATTER = """
Stores `r3` pairs of int16 from `r0` at the indices in the table at `r1`, in the buffer at `r2`.
"""
_LARGEST = """
The largest magnitude of the `r1` samples at `r0`, to the word at `r3`. Negative samples equal to
`r2` are ignored. As in TFLM the magnitude is an int16, so that -32768 stays negative.
"""
_SCALE = """
Shifts the `r2` samples at `r0` left by `r3`, to `r1`.
"""
_ENERGY = """
Energies of the `r2` bins at `r0`, which are pairs of int16, to words at `r1`.
"""
_WINDOW = """
Samples at `r0` times weights at `r1`, shifted right and saturated to int16, to `r2`. `r3` is the
address of the record (LAYOUT in prepare/signal_window.py).
"""


def scatter():
    t = Thumb("scatter", _SCATTER, arguments=4)
    pair = t.new_label("pair")
    t.label(pair)
    t.ldrh(R4, R1)
    t.lsl(R4, R4, 2)
    t.add(R4, R2)
    for at in (0, 2):
        t.ldrh(R5, R0, at)
        t.strh(R5, R4, at)
    t.add(R0, 4)
    t.add(R1, 2)
    t.sub(R3, 1)
    t.branch("ne", pair)
    return t.text()


def largest():
    t = Thumb("largest", _LARGEST, arguments=4)
    sample, positive, done = map(t.new_label, ("sample", "positive", "done"))
    t.mov(R4, 0)
    t.label(sample)
    t.ldrh(R5, R0)
    t.add(R0, 2)
    t.sxth(R6, R5)
    t.cmp(R6, R4)
    t.branch("gt", positive)
    t.two("neg", R6, R6)
    t.cmp(R6, R4)
    t.branch("le", done)
    t.cmp(R5, R2)
    t.branch("eq", done)
    t.label(positive)
    t.sxth(R4, R6)
    t.label(done)
    t.sub(R1, 1)
    t.branch("ne", sample)
    t.str(R4, R3)
    return t.text()


def scale():
    t = Thumb("scale", _SCALE, arguments=4)
    sample = t.new_label("sample")
    t.label(sample)
    t.ldrh(R4, R0)
    t.lsl(R4, R4, R3)
    t.strh(R4, R1)
    t.add(R0, 2)
    t.add(R1, 2)
    t.sub(R2, 1)
    t.branch("ne", sample)
    return t.text()


def energy():
    t = Thumb("energy", _ENERGY, arguments=3)
    pair = t.new_label("pair")
    t.label(pair)
    for to, at in ((R4, 0), (R5, 2)):
        t.ldrh(to, R0, at)
        t.sxth(to, to)
        t.mul(to, to)
    t.add(R4, R5)
    t.stm(R1, R4)
    t.add(R0, 4)
    t.sub(R2, 1)
    t.branch("ne", pair)
    return t.text()


# A product whose lower half is not the whole number saturates to 0x7FFF or, if negative, 0x8000.
def window():
    t = Thumb("window", _WINDOW, arguments=4)
    sample, fits = t.new_label("sample"), t.new_label("fits")
    t.ldr(R4, R3, 4 + 4 * WINDOW.index("length"))
    t.ldr(R3, R3, 4 + 4 * WINDOW.index("shift"))
    t.mov(R7, 1)
    t.lsl(R7, R7, 15)
    t.sub(R7, 1)
    t.label(sample)
    t.ldrh(R5, R0)
    t.sxth(R5, R5)
    t.ldrh(R6, R1)
    t.sxth(R6, R6)
    t.mul(R5, R6)
    t.asr(R5, R5, R3)
    t.sxth(R6, R5)
    t.cmp(R6, R5)
    t.branch("eq", fits)
    t.asr(R5, R5, 31)
    t.two("eor", R5, R7)
    t.label(fits)
    t.strh(R5, R2)
    for pointer in (R0, R1, R2):
        t.add(pointer, 2)
    t.sub(R4, 1)
    t.branch("ne", sample)
    return t.text()
