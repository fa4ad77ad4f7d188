# Generator of the assembler kernel of SignalFilterBankSquareRoot for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, Thumb

_ABOUT = """
Square roots of `r2` numbers of 64 bits at `r0`, rounded to nearest and then shifted right by
`r3`, to words at `r1`.
"""
_STEPS = 16  # bits of the root for a word of the number

_LEFT = R0  # steps left for this word
_DIGITS, _REST, _ROOT, _ONE = R4, R5, R6, R7


# Digit-by-digit square root: two bits of the number, from the top, give one bit of the root. The
# trial 4 * root + 1 is subtracted from the remainder with two more digits. The remainder and the
# digits left are one number of 64 bits. The trial is root and _ONE, so that 4 * root does not need
# 34 bits. The carry of the subtraction is the new bit of the root.
def _bits(t):
    step, taken = t.new_label("step"), t.new_label("taken")
    t.label(step)
    t.mov(R1, _DIGITS)
    t.mov(R2, _REST)
    t.sub(_DIGITS, _ONE)
    t.two("sbc", _REST, _ROOT)
    t.branch("cs", taken)
    t.mov(_DIGITS, R1)
    t.mov(_REST, R2)
    t.label(taken)
    t.adc(_ROOT, _ROOT)
    for _ in range(2):
        t.lsl(_DIGITS, _DIGITS, 1)
        t.adc(_REST, _REST)
    t.two("sbc", R3, R3)  # 0 if the remainder has grown to 33 bits, as it may in the last step
    t.sub(_LEFT, 1)
    t.branch("ne", step)


# Skip eight bits of the number that are 0: they give four bits of the root that are 0.
def _skip_zeros(t):
    skip, begin = t.new_label("skip"), t.new_label("begin")
    t.label(skip)
    t.lsr(R1, _DIGITS, 24)
    t.branch("ne", begin)
    t.lsl(_DIGITS, _DIGITS, 8)
    t.sub(_LEFT, 4)
    t.b(skip)
    t.label(begin)


# A root of all ones is not rounded up, as in TFLM: neither one of 32 bits nor, for numbers below
# 2**32, one of 16.
def _round(t):
    up, done = t.new_label("up"), t.new_label("rounded")
    t.cmp(R3, 0)
    t.branch("eq", up)
    t.cmp(_REST, _ROOT)
    t.branch("ls", done)
    t.label(up)
    t.load(R1, "full")
    t.cmp(_ROOT, R1)
    t.branch("eq", done)
    t.add(_ROOT, 1)
    t.label(done)


# Numbers below 2**32 begin with their lower word, as if it were the upper word, and have no other.
# r8: numbers; r9: roots; r10: numbers left; r11: shift.
def square_root():
    t = Thumb("square_root", _ABOUT, arguments=4, slots=("words", "low", "full"))
    number, wide, word, rounded = map(t.new_label, ("number", "wide", "word", "rounded"))
    root = t.new_label("root")
    for register, argument in zip((R8, R9, R10, R11), (R0, R1, R2, R3), strict=True):
        t.mov(register, argument)
    t.mov(_ONE, 1)
    t.lsl(_ONE, _ONE, 30)
    t.label(number)
    t.mov(_REST, 0)
    t.mov(_ROOT, 0)
    t.mov(_LEFT, 2)
    t.two("mvn", R3, _REST)
    t.mov(R1, R8)
    t.ldm(R1, R2, _DIGITS)
    t.mov(R8, R1)
    t.cmp(_DIGITS, 0)
    t.branch("ne", wide)
    t.lsr(R3, R3, 16)
    t.mov(_LEFT, 1)
    t.mov(_DIGITS, R2)
    t.cmp(_DIGITS, 0)
    t.branch("eq", rounded)
    t.label(wide)
    t.store(R2, "low")
    t.store(R3, "full")
    t.store(_LEFT, "words")
    t.mov(_LEFT, _STEPS)
    _skip_zeros(t)
    t.label(word)
    _bits(t)
    t.load(R1, "words")
    t.sub(R1, 1)
    t.branch("eq", root)
    t.store(R1, "words")
    t.load(_DIGITS, "low")
    t.mov(_LEFT, _STEPS)
    t.b(word)
    t.label(root)
    _round(t)
    t.label(rounded)
    t.mov(R2, R11)
    t.lsr(_ROOT, _ROOT, R2)
    t.mov(R1, R9)
    t.stm(R1, _ROOT)
    t.mov(R9, R1)
    t.mov(R1, R10)
    t.sub(R1, 1)
    t.mov(R10, R1)
    t.branch_far("ne", number)
    return t.text()
