# Generator of the kernel that quantizes inputs of hybrid operators, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import QUANTIZE

from ..common.derived import Derived, passage
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb
from ..common.thumb_record import address, at

_RECORD = """
`r0` is the address of the record (QUANTIZE in prepare/hybrid.py), `r1` of the arena, `r2` of the
model; `r3` is the batch.
"""
_EXTREMES = "The largest input of a batch, or 0, and its smallest input, or 0." + _RECORD
QUANTIZE_ABOUT = (
    "Inputs of a batch to int8, as quantize() in kernels/quantize.py does it." + _RECORD
)

_MAX_BITS = 17  # of the integer part of a quotient that does not saturate


# Find the input of a batch. r0: record, r1: arena, r2: model, r3: batch. R5 becomes the address of
# its first input, R6 the one after its last, R7 the number of inputs. Uses R4.
def batch_inputs(t):
    t.ldr(R7, R0, at(QUANTIZE, "depth"))
    t.ldr(R4, R0, at(QUANTIZE, "input"))
    address(t)
    t.mov(R4, R7)
    t.mul(R4, R3)
    t.lsl(R4, R4, 2)
    t.add(R5, R4)
    t.lsl(R6, R7, 2)
    t.add(R6, R5)


# r0: bits of the largest input; r1: bits of the smallest one less their sign; r2: infinity; r5:
# next input; r6: end.
def extremes():
    t = Thumb("extremes", _EXTREMES, 4)
    value, negative, done, zero = map(t.new_label, ("value", "negative", "done", "zero"))
    t.ldr(R4, R0, at(QUANTIZE, "extremes"))
    address(t)
    t.mov(R8, R5)
    batch_inputs(t)
    t.mov(R0, 0)
    t.mov(R1, 0)
    t.mov(R2, 0xFF)
    t.lsl(R2, R2, 23)
    t.label(value)
    t.cmp(R5, R6)
    t.branch("eq", done)
    t.ldm(R5, R3)
    t.cmp(R3, 0)
    t.branch("lt", negative)
    t.cmp(R3, R0)
    t.branch("le", value)
    t.cmp(R3, R2)
    t.branch("gt", value)  # a NaN
    t.mov(R0, R3)
    t.b(value)
    t.label(negative)
    t.lsl(R3, R3, 1)
    t.lsr(R3, R3, 1)
    t.cmp(R3, R1)
    t.branch("le", value)
    t.cmp(R3, R2)
    t.branch("gt", value)
    t.mov(R1, R3)
    t.b(value)
    t.label(done)
    t.cmp(R1, 0)
    t.branch("eq", zero)
    t.mov(R3, 1)
    t.lsl(R3, R3, 31)
    t.add(R1, R3)
    t.label(zero)
    t.mov(R5, R8)
    t.stm(R5, R0, R1)
    return t.text()


# Shift R4, the mantissa of a number, until bit 23 is set, and count down R6, its exponent. Uses
# R3.
def _normalize(t):
    normal, shift = t.new_label("normal"), t.new_label("shift")
    t.cmp(R4, 0)
    t.branch("eq", normal)
    t.label(shift)
    t.lsr(R3, R4, 23)
    t.branch("ne", normal)
    t.lsl(R4, R4, 1)
    t.sub(R6, 1)
    t.b(shift)
    t.label(normal)


# Split the float32 in R4 into its mantissa and exponent, R6. Uses R3.
def _split(t):
    subnormal, done = t.new_label("subnormal"), t.new_label("split")
    t.lsl(R6, R4, 1)
    t.lsr(R6, R6, 24)
    t.lsl(R4, R4, 9)
    t.lsr(R4, R4, 9)
    t.cmp(R6, 0)
    t.branch("eq", subnormal)
    t.mov(R3, 1)
    t.lsl(R3, R3, 23)
    t.add(R4, R3)
    t.b(done)
    t.label(subnormal)
    t.mov(R6, 1)
    _normalize(t)
    t.label(done)


# Store 2 ** 39 divided by the mantissa in R2, at most 65535, in R11. Uses R4 to R6.
def _reciprocal(t):
    bit, less, done = map(t.new_label, ("reciprocal_bit", "reciprocal_less", "reciprocal"))
    t.mov(R4, 1)
    t.lsl(R4, R4, 22)
    t.mov(R5, 0)
    t.mov(R6, 17)
    t.label(bit)
    t.lsl(R4, R4, 1)
    t.lsl(R5, R5, 1)
    t.cmp(R4, R2)
    t.branch("cc", less)
    t.sub(R4, R2)
    t.add(R5, 1)
    t.label(less)
    t.sub(R6, 1)
    t.branch("ne", bit)
    t.lsr(R4, R5, 16)
    t.branch("eq", done)
    t.sub(R5, 1)
    t.label(done)
    t.mov(R11, R5)


# Divide the mantissa in R4, shifted left by R6 from 0 to 7, by the one in R2: R5 becomes the
# quotient, at most 255, and R4 twice the remainder. The estimate is at most 1 too small. R7
# becomes 24 less the bits of the quotient. Uses R3 and R6.
def _short_division(t):
    less, divided = t.new_label("less"), t.new_label("divided")
    t.mov(R7, 24)
    t.sub(R7, R7, R6)
    t.cmp(R4, R2)
    t.branch("cc", less)
    t.sub(R7, 1)
    t.label(less)
    t.lsl(R4, R4, R6)
    t.lsr(R5, R4, 15)
    t.mov(R3, R11)
    t.mul(R5, R3)
    t.lsr(R5, R5, 24)
    t.mov(R3, R5)
    t.mul(R3, R2)
    t.sub(R4, R3)
    t.cmp(R4, R2)
    t.branch("cc", divided)
    t.sub(R4, R2)
    t.add(R5, 1)
    t.label(divided)
    t.lsl(R4, R4, 1)


# Divide the mantissa in R4 by the one in R2, bit by bit. R6: bits of the quotient less 1, or -1.
# R5, which is 0, becomes the quotient, R4 twice the remainder, R7 24 less the bits of the
# quotient. Uses R6.
def _long_division(t, done_bits):
    bit, smaller, leading = map(t.new_label, ("bit", "smaller", "leading"))
    t.mov(R7, 24)
    t.add(R6, 1)
    t.branch("eq", done_bits)
    t.label(bit)
    t.lsl(R5, R5, 1)
    t.cmp(R4, R2)
    t.branch("cc", smaller)
    t.sub(R4, R2)
    t.add(R5, 1)
    t.label(smaller)
    t.cmp(R5, 0)
    t.branch("eq", leading)
    t.sub(R7, 1)
    t.label(leading)
    t.lsl(R4, R4, 1)
    t.sub(R6, 1)
    t.branch("ne", bit)


# r0: next output; r1: next input; r2: mantissa of the scale; r4: of the input; r5: quotient; r6:
# exponent of the quotient; r7: bits below the quotient's last; r8: minus the exponent of the
# scale; r9: zero point; r10: end of the inputs; r11: see _reciprocal; r12: sign.
def quantize():
    t = Thumb("quantize", QUANTIZE_ABOUT, 4)
    names = "value", "special", "done_bits", "apply", "saturate", "store", "low", "done"
    value, special, done_bits, apply, saturate, store, low, done = map(t.new_label, names)
    finite, large, rare, number = map(t.new_label, ("finite", "large", "rare", "number"))
    for name, register in (("scales", R8), ("offsets", R9)):
        t.ldr(R4, R0, at(QUANTIZE, name))
        address(t)
        t.lsl(R4, R3, 2)
        t.ldr_at(R5, R5, R4)
        t.mov(register, R5)
    batch_inputs(t)
    t.mov(R10, R6)
    t.mul(R7, R3)
    t.mov(R12, R5)
    t.ldr(R4, R0, at(QUANTIZE, "quantized"))
    address(t)
    t.add(R0, R5, R7)
    t.mov(R1, R12)
    t.mov(R4, R8)
    _split(t)
    t.mov(R2, R4)
    t.two("neg", R6, R6)
    t.mov(R8, R6)
    _reciprocal(t)
    t.b(value)
    # Quotients of more than 8 bits, and those below 1.
    t.label(rare)
    t.cmp(R6, _MAX_BITS)
    t.branch("gt", large)
    t.add(R3, R6, 1)
    t.branch("lt", apply)
    _long_division(t, done_bits)
    t.b(done_bits)
    t.label(special)
    t.lsl(R3, R4, 9)
    t.branch("ne", apply)  # a NaN
    t.label(large)
    t.mov(R5, 1)
    t.lsl(R5, R5, _MAX_BITS + 1)
    t.b(apply)
    t.label(value)
    t.cmp(R1, R10)
    t.branch("ne", number)
    t.b(done)
    t.label(number)
    t.ldm(R1, R4)
    t.asr(R5, R4, 31)
    t.mov(R12, R5)
    t.mov(R5, 0)
    t.lsl(R6, R4, 1)
    t.branch("eq", apply)
    t.lsr(R6, R6, 24)
    t.cmp(R6, 0xFF)
    t.branch("eq", special)
    _split(t)
    t.label(finite)
    t.add(R6, R8)
    t.cmp(R6, 7)
    t.branch("hi", rare)
    _short_division(t)
    t.label(done_bits)
    t.mov(R3, R2)
    t.lsr(R3, R3, R7)
    t.add(R4, R3)
    t.cmp(R4, R2)
    t.branch("cc", apply)
    t.add(R5, 1)
    t.label(apply)
    t.mov(R3, R12)
    t.two("eor", R5, R3)
    t.sub(R5, R3)
    t.add(R5, R9)
    t.sxtb(R3, R5)
    t.cmp(R3, R5)
    t.branch("ne", saturate)
    t.label(store)
    t.strb(R5, R0)
    t.add(R0, 1)
    t.b(value)
    t.label(saturate)
    t.cmp(R5, 0)
    t.branch("lt", low)
    t.mov(R5, 127)
    t.b(store)
    t.label(low)
    t.mov(R5, 128)
    t.b(store)
    t.label(done)
    return t.text()


_FILE = "hybrid_quantize.py"

DERIVED = Derived(
    "float32 to int8 with a scale for each batch",
    _FILE,
    {
        passage(_FILE, "\n# Kernel:", "\nfrom"): "\n",
        "from .float32 import sub": "from ..float32 import sub",
        "from .float32_divide import div": "from ..float32_divide import div",
        "from .float32_select import maximum, minimum\n": "",
        "from .quantize import quantize\n": "from ..quantize import quantize\n"
        "from .gen.hybrid_quantize_asm import extremes as find_extremes\n"
        "from .gen.hybrid_quantize_asm import quantize as quantize_batch\n",
        passage(_FILE, "        p[0] = 0\n", "        if r[_ASYMMETRIC]"): (
            "        find_extremes(op, arena, rom, start)\n"
        ),
        passage(_FILE, "        target = ", "        start += 1"): (
            "        quantize_batch(op, arena, rom, start)\n"
        ),
        "    depth = r[_DEPTH]\n": "",
        passage(_FILE, "        source = ", "        scale = "): "",
    },
)
