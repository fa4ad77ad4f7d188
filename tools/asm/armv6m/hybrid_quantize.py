# Generator of the kernel that quantizes inputs of hybrid operators, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import QUANTIZE

from ..common.derived import Derived, passage
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R12, Thumb
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


# r0: next output; r1: next input; r2: mantissa of the scale; r4: of the input; r5: quotient; r6:
# exponent of the quotient; r7: bits below the quotient's last; r8: exponent of the scale; r9: zero
# point; r10: end of the inputs; r12: sign.
def quantize():
    t = Thumb("quantize", QUANTIZE_ABOUT, 4)
    names = "value", "special", "bit", "smaller", "leading", "done_bits", "apply", "low", "high"
    value, special, bit, smaller, leading, done_bits, apply, low, high = map(t.new_label, names)
    number, finite, large, done = map(t.new_label, ("number", "finite", "large", "done"))
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
    t.mov(R8, R6)
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
    t.mov(R3, R8)
    t.sub(R6, R6, R3)
    t.cmp(R6, _MAX_BITS)
    t.branch("gt", large)
    t.mov(R7, 24)
    t.cmp(R6, 0)
    t.branch("ge", bit)
    t.add(R3, R6, 1)
    t.branch("eq", done_bits)
    t.b(apply)
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
    t.branch("ge", bit)
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
    t.cmp(R5, 127)
    t.branch("le", high)
    t.mov(R5, 127)
    t.label(high)
    t.mov(R3, 127)
    t.two("mvn", R3, R3)
    t.cmp(R5, R3)
    t.branch("ge", low)
    t.mov(R5, R3)
    t.label(low)
    t.strb(R5, R0)
    t.add(R0, 1)
    t.b(value)
    t.label(special)
    t.lsl(R3, R4, 9)
    t.branch("ne", apply)  # a NaN
    t.label(large)
    t.mov(R5, 1)
    t.lsl(R5, R5, _MAX_BITS + 1)
    t.b(apply)
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
        "from .hybrid_quantize_asm import extremes as find_extremes\n"
        "from .hybrid_quantize_asm import quantize as quantize_batch\n",
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
