# Generator of the kernel of LOGISTIC and TANH, int16, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.sigmoid_int16 import CURVE, SIGMOID

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb
from ..common.thumb_record import address, at

_ABOUT = """
Elements of LOGISTIC or TANH, int16: TFLM's table of the sigmoid with interpolation. `r0` is the
address of the record (SIGMOID in prepare/sigmoid_int16.py), `r1` of the arena, `r2` of the model.
`r3` is the first element * 1024 + the number of elements.
"""
_LAST = 255  # interval of the table
_SLOTS = ("input", *CURVE[3:])


# r4: end of the inputs, r5: end of the outputs, r6: offset from these ends, r8: multiplier, r9:
# half of the last bit that is dropped, r10: shift, r11: bits of the fraction, r12: table.
def _begin(t):
    no_shift = t.new_label("no_shift")
    t.lsl(R7, R3, 22)
    t.lsr(R7, R7, 21)  # bytes
    t.lsr(R3, R3, 10)
    t.lsl(R3, R3, 1)
    t.add(R3, R7)
    t.ldr(R4, R0, at(SIGMOID, "input"))
    address(t)
    t.add(R5, R3)
    t.store(R5, "input")
    t.ldr(R4, R0, at(SIGMOID, "entries"))
    address(t)
    t.mov(R12, R5)
    for name in _SLOTS[1:]:
        t.ldr(R4, R0, at(SIGMOID, name))
        t.store(R4, name)
    t.ldr(R4, R0, at(SIGMOID, "output"))
    address(t)
    t.add(R5, R3)
    t.ldr(R4, R0, at(SIGMOID, "multiplier"))
    t.mov(R8, R4)
    t.ldr(R4, R0, at(SIGMOID, "fraction_bits"))
    t.mov(R11, R4)
    t.mov(R6, 0)
    t.ldr(R4, R0, at(SIGMOID, "shift"))
    t.mov(R10, R4)
    t.cmp(R4, 0)
    t.branch("eq", no_shift)
    t.sub(R4, 1)
    t.mov(R6, 1)
    t.lsl(R6, R6, R4)
    t.label(no_shift)
    t.mov(R9, R6)
    t.load(R4, "input")
    t.two("neg", R6, R7)


# The interpolated value of the magnitude in R0, in R7. Uses R2 and R3.
def _interpolate(t, saturated):
    t.mov(R2, R11)
    t.mov(R3, R0)
    t.lsr(R3, R3, R2)
    t.cmp(R3, _LAST)
    t.branch("cs", saturated)
    t.mov(R7, R3)
    t.lsl(R7, R7, R2)
    t.sub(R0, R7)
    t.lsl(R3, R3, 1)
    t.add(R3, R12)
    t.ldrh(R7, R3)
    t.ldrh(R3, R3, 2)
    t.sub(R3, R7)
    t.mul(R0, R3)
    t.lsl(R7, R7, R2)
    t.add(R7, R0)


def elements():
    t = Thumb("elements", _ABOUT, 4, _SLOTS)
    names = "element", "known", "negative", "signed", "saturated", "done"
    element, known, negative, signed, saturated, done = map(t.new_label, names)
    _begin(t)
    t.label(element)
    t.ldrsh_at(R0, R4, R6)
    t.mov(R1, R8)
    t.mul(R0, R1)
    t.add(R0, R9)
    t.mov(R1, R10)
    t.asr(R0, R0, R1)
    t.asr(R1, R0, 31)
    t.two("eor", R0, R1)
    t.sub(R0, R1)
    _interpolate(t, saturated)
    t.label(known)
    t.cmp(R1, 0)
    t.branch("ne", negative)
    t.load(R2, "positive_offset")
    t.add(R7, R2)
    t.label(signed)
    t.load(R2, "output_shift")
    t.asr(R7, R7, R2)
    t.strh_at(R7, R5, R6)
    t.add(R6, 2)
    t.branch("ne", element)
    t.b(done)
    t.label(negative)
    t.load(R2, "negative_offset")
    t.sub(R7, R2, R7)
    t.b(signed)
    t.label(saturated)
    t.load(R7, "saturated")
    t.b(known)
    t.label(done)
    return t.text()
