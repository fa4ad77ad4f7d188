# Generator of the assembler kernels of SignalRfft and SignalIrfft, int16, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.signal_fft import STAGE

from ..common.record import word_of
from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb

_STAGE = """
`r3` butterflies of {} values of a stage of an FFT, in place. `r0` is the address of the record
(STAGE in prepare/signal_fft.py), `r1` of the first value, `r2` of the twiddles of the first
butterfly. The butterflies belong to one block, or the first of them begins a block.
"""
_SPLIT = """
`r3` pairs of bins of a spectrum, from the transform of even and odd values. `r0` is the address
of the first pair's lower bin, `r1` of its upper bin, `r2` of its twiddle.
"""

_R, _I, _WR, _WI, _T = R0, R1, R2, R3, R4
_DIVISOR, _TWIDDLES, _VALUE = R5, R6, R7
_HALF = R8  # 1 << 14, which rounds a shift by 15 bits
_STEP = R9  # bytes between two values of a butterfly


# Load 0x4000 into _HALF.
def _half(t, spare):
    t.mov(spare, 1)
    t.lsl(spare, spare, 14)
    t.mov(_HALF, spare)


# Load the complex number at `base` into two registers. Its address need not be a multiple of 4.
def _complex(t, real, imaginary, base, offset=0):
    for register, at in ((real, offset), (imaginary, offset + 2)):
        t.ldrh(register, base, at)
        t.sxth(register, register)


# Shift registers right by 15 bits, rounded.
def _rounded(t, *registers):
    for register in registers:
        t.add(register, _HALF)
        t.asr(register, register, 15)


# Load the complex number at `base`, divided as all values are before a stage.
def _divided(t, real, imaginary, base=_VALUE, divisor=_DIVISOR):
    _complex(t, real, imaginary, base)
    t.mul(real, divisor)
    t.mul(imaginary, divisor)
    _rounded(t, real, imaginary)


# Multiply (_R, _I) by (_WR, _WI). Uses both and _T.
def _times(t):
    t.mov(_T, _R)
    t.mul(_T, _WI)
    t.mul(_R, _WR)
    t.mul(_WI, _I)
    t.mul(_I, _WR)
    t.sub(_R, _WI)
    t.add(_I, _T)
    _rounded(t, _R, _I)


# Load the next value of a butterfly, times its twiddle, into (_R, _I).
def _twiddled(t, index):
    t.add(_VALUE, _STEP)
    _divided(t, _R, _I)
    _complex(t, _WR, _WI, _TWIDDLES, 4 * index)
    _times(t)


# A stage. `butterfly(t)` computes one butterfly, whose address is in _VALUE and in the slot
# "value". It may use all registers but _HALF and _STEP, advances _TWIDDLES, and keeps _DIVISOR.
def _stage(name, radix, butterfly, begin=None, slots=()):
    own = ("left", "end", "value", "more")
    t = Thumb(name, _STAGE.format(radix), arguments=4, slots=(*own, *slots))
    block, cut, one, done = map(t.new_label, ("block", "cut", "butterfly", "done"))
    t.mov(_VALUE, R1)
    t.mov(_TWIDDLES, R2)
    _half(t, R1)
    t.ldr(_DIVISOR, R0, word_of(STAGE, "divisor"))
    t.ldr(R1, R0, word_of(STAGE, "span"))
    t.lsl(R1, R1, 2)
    t.mov(_STEP, R1)
    t.lsl(R3, R3, 2)
    if begin:
        begin(t)
    t.note("from block to block, and of twiddles: all values of a butterfly but the first")
    t.mov(R4, radix - 1)
    t.mul(R4, R1)
    t.store(R4, "more")
    t.label(block)
    t.cmp(R1, R3)
    t.branch("ls", cut)
    t.mov(R1, R3)
    t.label(cut)
    t.sub(R3, R1)
    t.store(R3, "left")
    t.add(R1, _VALUE)
    t.store(R1, "end")
    t.label(one)
    t.store(_VALUE, "value")
    butterfly(t)
    t.load(_VALUE, "value")
    t.add(_VALUE, 4)
    t.load(R1, "end")
    t.cmp(_VALUE, R1)
    t.branch_far("ne", one)
    t.load(R3, "left")
    t.cmp(R3, 0)
    t.branch("eq", done)
    t.load(R1, "more")
    t.add(_VALUE, R1)
    t.sub(_TWIDDLES, R1)
    t.mov(R1, _STEP)
    t.b(block)
    t.label(done)
    return t.text()


def _two(t):
    _twiddled(t, 0)
    t.add(_TWIDDLES, 4)
    t.load(R4, "value")
    _divided(t, R2, R3, R4)
    for a, b, at in ((R2, R0, 0), (R3, R1, 2)):
        t.sub(b, a, b)
        t.lsl(a, a, 1)
        t.sub(a, b)  # a + b
        t.strh(a, R4, at)
        t.strh(b, _VALUE, at)


def stage_2():
    return _stage("stage_2", 2, _two)


# Store where the second and the last value of a butterfly go; inverse transforms exchange them.
def _begin_four(t):
    forward = t.new_label("forward")
    t.mov(R2, R1)
    t.mov(R4, 3)
    t.mul(R4, R1)
    t.ldr(R0, R0, word_of(STAGE, "inverse"))
    t.cmp(R0, 0)
    t.branch("eq", forward)
    t.mov(R2, R4)
    t.mov(R4, R1)
    t.label(forward)
    t.store(R2, "second")
    t.store(R4, "last")


# The values a, b, c and d become a + c + (b + d), a + c - (b + d), and a - c plus and minus b - d
# turned by a quarter.
def _four(t):
    _twiddled(t, 0)
    t.mov(R10, _R)
    t.mov(R11, _I)
    _twiddled(t, 1)
    t.mov(R12, _R)
    t.mov(LR, _I)
    _twiddled(t, 2)
    t.add(_TWIDDLES, 12)
    t.store(_TWIDDLES, "twiddles")
    t.note("b + d in r4, r0, b - d in r10, r11")
    t.mov(R2, R10)
    t.mov(R3, R11)
    t.add(R4, R2, R0)
    t.sub(R2, R0)
    t.add(R0, R3, R1)
    t.sub(R3, R1)
    t.mov(R10, R2)
    t.mov(R11, R3)
    t.load(_VALUE, "value")
    _divided(t, R1, R2)
    t.store(_DIVISOR, "divisor")
    t.mov(R5, _STEP)
    t.lsl(R5, R5, 1)
    t.add(R5, _VALUE)
    for a, c, b_and_d, at in ((R1, R12, R4, 0), (R2, LR, R0, 2)):
        t.mov(R3, c)
        t.add(R6, a, R3)
        t.sub(a, R3)
        t.add(R3, R6, b_and_d)
        t.strh(R3, _VALUE, at)
        t.sub(R6, b_and_d)
        t.strh(R6, R5, at)
    t.load(R3, "second")
    t.load(R4, "last")
    t.add(R5, _VALUE, R4)
    t.add(_VALUE, R3)
    t.mov(R3, R10)
    t.mov(R4, R11)
    t.add(R6, R1, R4)
    t.strh(R6, _VALUE, 0)
    t.sub(R1, R4)
    t.strh(R1, R5, 0)
    t.sub(R6, R2, R3)
    t.strh(R6, _VALUE, 2)
    t.add(R2, R3)
    t.strh(R2, R5, 2)
    t.load(_TWIDDLES, "twiddles")
    t.load(_DIVISOR, "divisor")


def stage_4():
    slots = ("second", "last", "twiddles", "divisor")
    return _stage("stage_4", 4, _four, _begin_four, slots)


# r9, r10: bins; r11: twiddle; r12: pairs left. The upper bin is conjugated, where -32768 stays
# -32768. In the middle of the spectrum both bins are the same one.
def split():
    t = Thumb("split", _SPLIT, arguments=4)
    pair = t.new_label("pair")
    for register, argument in zip((R9, R10, R11, R12), (R0, R1, R2, R3), strict=True):
        t.mov(register, argument)
    _half(t, _DIVISOR)
    t.sub(_DIVISOR, 1)
    t.label(pair)
    t.mov(R7, R9)
    _divided(t, R6, R4)
    t.mov(R7, R10)
    _complex(t, _R, _I, R7)
    t.two("neg", _I, _I)
    t.sxth(_I, _I)
    t.mul(_R, _DIVISOR)
    t.mul(_I, _DIVISOR)
    _rounded(t, _R, _I)
    t.sub(R2, R6, _R)
    t.add(R6, _R)
    t.mov(_R, R2)
    t.sub(R2, R4, _I)
    t.add(R4, _I)
    t.mov(LR, R4)
    t.mov(_I, R2)
    t.mov(R7, R11)
    _complex(t, _WR, _WI, R7)
    t.add(R7, 4)
    t.mov(R11, R7)
    _times(t)
    t.sxth(_R, _R)
    t.sxth(_I, _I)
    t.mov(R4, LR)
    t.mov(R7, R9)
    for a, b, at in ((R6, _R, 0), (R4, _I, 2)):
        t.add(R2, a, b)
        t.asr(R2, R2, 1)
        t.strh(R2, R7, at)
    t.add(R7, 4)
    t.mov(R9, R7)
    t.mov(R7, R10)
    for a, b, at in ((R6, _R, 0), (_I, R4, 2)):
        t.sub(R2, a, b)
        t.asr(R2, R2, 1)
        t.strh(R2, R7, at)
    t.sub(R7, 4)
    t.mov(R10, R7)
    t.mov(R1, R12)
    t.sub(R1, 1)
    t.mov(R12, R1)
    t.branch("ne", pair)
    return t.text()
