# Generator of SOFTMAX for Cortex-M0+: the portable kernel with an exponential in assembler
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.softmax import SOFTMAX

from ..common.derived import Derived, passage
from ..common.thumb import R0, R1, R2, R3, R5, R6, R7, R8, R9, R10, Thumb
from .requantize import product

_ABOUT = """
Stores exp(-`r2`) in the word at `r1`: gemmlowp's exp_on_negative_values, which
prepare/fixed_point.py explains. `r0` is the address of a record of SOFTMAX.
"""
_TABLE = 1 + len(SOFTMAX)
_EXP_MINUS_EIGHTH, _ONE_THIRD, _EXP_POWERS = (4 * (_TABLE + i) for i in range(3))
_POWERS_BIT, _POWERS = 24, 7  # bits of the scaled difference that each choose one power


# Offset of a word of the record in bytes.
def _word(name):
    return 4 + 4 * SOFTMAX.index(name)


# r5: record, then powers; r6: x, then the bits that choose powers; r7: x ** 2; r8: the difference
# without the argument of the series; r9: target; r10: x ** 3.
def exp():
    t = Thumb("exp", _ABOUT, arguments=3)
    times, begin, series, power, without, done = map(
        t.new_label, ("times", "begin", "series", "power", "without", "done")
    )
    t.b(begin)
    t.label(times)
    product(t)
    t.ret()
    t.label(begin)
    t.mov(R5, R0)
    t.mov(R9, R1)
    t.ldr(R1, R5, _word("shift"))
    t.lsl(R2, R2, R1)
    t.two("neg", R0, R2)
    t.ldr(R2, R5, _word("multiplier"))
    t.bl(times)
    t.cmp(R0, 0)
    t.branch("ne", series)
    t.mov(R0, 1)
    t.lsl(R0, R0, 31)
    t.sub(R0, 1)
    t.b(done)
    t.note("the fraction below 1/4, less 1/4, plus 1/8: the argument of the series")
    t.label(series)
    t.lsl(R1, R0, 8)
    t.lsr(R1, R1, 8)
    t.mov(R2, 1)
    t.lsl(R2, R2, _POWERS_BIT)
    t.sub(R1, R2)
    t.sub(R3, R1, R0)
    t.mov(R8, R3)
    t.lsl(R6, R1, 5)
    t.lsl(R2, R2, 4)
    t.add(R6, R2)
    t.mov(R0, R6)
    t.mov(R2, R6)
    t.bl(times)
    t.mov(R7, R0)
    t.mov(R2, R6)
    t.bl(times)
    t.mov(R10, R0)
    t.mov(R0, R7)
    t.mov(R2, R7)
    t.bl(times)
    t.note("a quarter of x ** 4, rounded by the carry, and x ** 3")
    t.mov(R1, R10)
    t.lsr(R0, R0, 2)
    t.adc(R0, R1)
    t.ldr(R2, R5, _ONE_THIRD)
    t.bl(times)
    t.note("half of that and x ** 2, rounded, and x")
    t.add(R0, R7)
    t.asr(R1, R0, 31)
    t.add(R0, R1)
    t.asr(R0, R0, 1)
    t.adc(R0, R6)
    t.ldr(R2, R5, _EXP_MINUS_EIGHTH)
    t.bl(times)
    t.ldr(R2, R5, _EXP_MINUS_EIGHTH)
    t.add(R0, R2)
    t.mov(R6, R8)
    t.lsl(R6, R6, 32 - _POWERS_BIT - _POWERS)
    t.lsr(R6, R6, 32 - _POWERS)
    t.branch("eq", done)
    t.add(R5, _EXP_POWERS)
    t.label(power)
    t.lsr(R6, R6, 1)
    t.branch("cc", without)
    t.ldr(R2, R5)
    t.bl(times)
    t.label(without)
    t.add(R5, 4)
    t.cmp(R6, 0)
    t.branch("ne", power)
    t.label(done)
    t.mov(R1, R9)
    t.str(R0, R1)
    return t.text()


# The exponential is in the derived file itself: a separate file would take 200 bytes of heap.
_SOURCE = "softmax.py"
DERIVED = Derived(
    about="SOFTMAX, int8",
    source=_SOURCE,
    replacements={
        passage(_SOURCE, "# Kernel:", "_INPUT"): "",
        passage(_SOURCE, "# The products that", "# Units are rows"): f"\n{exp().rstrip()}\n\n\n",
        "_fill(op, arena, n, difference)": "exp(int(r), int(scratch) + 4 * n, difference)",
        passage(_SOURCE, "# Store exp(-difference)", "# Replace word 0"): "",
    },
)
