# Generator of the assembler kernels of float32 operators with int8 weights, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID, QUANTIZE

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R12, Thumb
from ..common.thumb_int16 import (
    GEOMETRY_SLOTS,
    ROWS,
    SUMS,
    begin_block,
    find_line,
    find_window,
    sum_up,
)
from ..common.thumb_record import address, at, division

_RECORD = """
`r0` is the address of the record ({} in prepare/hybrid.py), `r1` of the arena, `r2` of the model.
"""
_SUMS = """
Sums of products of quantized inputs, less their zero points, and weights of int8, stored as int32
in the place of the outputs.
"""
_OUTPUTS = "`r3` is the first output * 1024 + the number of outputs."
_FLOATS = "Converts int32 in the place of outputs to float32, rounded to nearest even."
_EXTREMES = "The largest input of a batch, or 0, and its smallest input, or 0; `r3` is the batch."
_QUANTIZE = """
Inputs of a batch to int8, as quantize() in kernels/quantize.py does it; `r3` is the batch.
"""

_SLOTS = (
    *GEOMETRY_SLOTS,
    "record",
    "input",
    "weights",
    "output",  # address of the next output
    "offsets",  # address of the zero points
    "channel",  # the first one of the pixel
)

_UNROLLED = 4
_MAX_BITS = 17  # of the integer part of a quotient that does not saturate


# Store the addresses of operands in slots. r0: record, r1: arena, r2: model, r3 stays.
def _operands(t, layout, names):
    for name, slot in names.items():
        t.ldr(R4, R0, at(layout, name))
        address(t)
        t.store(R5, slot)


# Set the sums to 0. Uses R5.
def _begin_sums(t, _):
    t.mov(R5, 0)
    for register in SUMS:
        t.mov(register, R5)


# Add the products of R4 inputs from R7 on. The rows of weights and the inputs are addressed from
# their ends, which these registers become. r4: minus the number of inputs left, r5: a weight, r6:
# an input, r12: minus the zero point. The first pass leaves out the taps that make the number a
# multiple of _UNROLLED.
def _taps(t, rows):
    taps = t.new_label("taps")
    tap_bytes = 2 * (3 + 3 * rows)
    for register in (*ROWS[:rows], R7):
        t.add(register, R4)
    t.two("neg", R4, R4)
    t.mov(R6, _UNROLLED - 1)
    t.two("and_", R6, R4)
    t.mov(R5, tap_bytes)
    t.mul(R5, R6)
    t.jump_forward(R5)
    t.label(taps)
    for _ in range(_UNROLLED):
        begin = t.position()
        t.ldrsb_at(R6, R7, R4)
        t.add(R6, R12)
        for row, total in zip(ROWS[:rows], SUMS, strict=False):
            t.ldrsb_at(R5, row, R4)
            t.mul(R5, R6)
            t.add(total, R5)
        t.add(R4, 1)
        assert t.position() - begin == tap_bytes
    t.branch("ne", taps)


# Begin with the output in the upper bits of R3. r0: record.
def _begin(t, divide):
    t.lsr(R4, R3, 10)
    t.lsl(R3, R3, 22)
    t.lsr(R3, R3, 22)
    t.store(R3, "left")
    t.lsl(R6, R4, 2)
    t.load(R5, "output")
    t.add(R6, R5)
    t.store(R6, "output")
    t.mov(R5, R0)
    t.mov(R0, R4)
    for size, name in (
        ("output_channels", "channel"),
        ("output_width", "x"),
        ("output_height", "y"),
    ):
        t.ldr(R1, R5, at(HYBRID, size))
        if name == "channel":
            t.store(R1, "channels")
        t.bl(divide)
        t.store(R0, name)
        t.mov(R0, R2)
    t.store(R0, "batch")


# Begin with the channels of a pixel that are wanted.
def _begin_pixel(t):
    some = t.new_label("some")
    t.load(R7, "record")
    t.ldr(R5, R7, at(HYBRID, "channel_step"))
    t.store(R5, "filter_step")
    t.load(R6, "channel")
    t.mul(R5, R6)
    t.load(R4, "filter")
    t.add(R4, R5)
    t.store(R4, "filter")
    t.load(R4, "channels")
    t.sub(R4, R4, R6)
    t.mov(R6, 0)
    t.store(R6, "channel")
    t.load(R5, "left")
    t.cmp(R4, R5)
    t.branch("le", some)
    t.mov(R4, R5)
    t.label(some)
    t.store(R4, "channels_left")
    t.sub(R5, R5, R4)
    t.store(R5, "left")
    t.load(R5, "batch")
    t.lsl(R5, R5, 2)
    t.load(R6, "offsets")
    t.ldr_at(R5, R6, R5)
    t.two("neg", R5, R5)
    t.mov(R12, R5)


# Store the sums of a block and advance to the next one. Leaves the number of channels left in the
# flags.
def _store_block(t):
    stored = t.new_label("stored")
    t.load(R0, "block")
    t.load(R4, "output")
    for i, register in enumerate(SUMS):
        t.mov(R5, register)
        t.stm(R4, R5)
        if i in (0, 1):
            t.cmp(R0, i + 1)
            t.branch("eq", stored)
    t.label(stored)
    t.store(R4, "output")
    t.load(R1, "filter_step")
    t.mul(R1, R0)
    t.load(R2, "filter")
    t.add(R2, R1)
    t.store(R2, "filter")
    t.load(R1, "channels_left")
    t.sub(R1, R1, R0)
    t.store(R1, "channels_left")


def _next_pixel(t, window, line):
    t.load(R7, "record")
    t.mov(R3, 0)
    for name, size, label in (("x", "output_width", window), ("y", "output_height", line)):
        t.load(R0, name)
        t.add(R0, 1)
        t.store(R0, name)
        t.ldr(R1, R7, at(HYBRID, size))
        t.cmp(R0, R1)
        t.branch_far("ne", label)
        t.store(R3, name)
    t.load(R0, "batch")
    t.add(R0, 1)
    t.store(R0, "batch")
    t.b(line)


def sums(thumb=Thumb, taps=_taps, begin_taps=None, slots=()):
    """Return the function sums. thumb: the class of its text. taps: see sum_up.

    begin_taps: macro that prepares a pixel for `taps`, with minus its zero point in R12. slots: of
    these macros.
    """
    about = _SUMS + _RECORD.format("HYBRID") + _OUTPUTS
    t = thumb("sums", about, 4, _SLOTS + slots)
    names = "divide", "line", "window", "block", "store", "done"
    divide, line, window, block, store, done = map(t.new_label, names)
    t.store(R0, "record")
    _operands(t, HYBRID, {"quantized": "input", "offsets": "offsets", "weights": "weights",
                          "output": "output"})  # fmt: skip
    _begin(t, divide)
    t.label(line)
    find_line(t, HYBRID, 1)
    t.label(window)
    find_window(t, HYBRID, 1)
    _begin_pixel(t)
    if begin_taps:
        begin_taps(t)
    t.label(block)
    begin_block(t, _begin_sums)
    sum_up(t, taps, store, is_short=True)
    t.label(store)
    _store_block(t)
    t.branch_far("ne", block)
    t.load(R0, "left")
    t.cmp(R0, 0)
    t.branch_far("eq", done)
    _next_pixel(t, window, line)
    division(t, divide)
    t.label(done)
    return t.text()


# r0: next output; r1: the one after the last; r2: magnitude; r3: sign; r4: exponent less 1.
def floats():
    t = Thumb("floats", _FLOATS + _RECORD.format("HYBRID") + _OUTPUTS, 4)
    number, rounded, up, store, done = map(
        t.new_label, ("number", "rounded", "up", "store", "done")
    )
    t.ldr(R4, R0, at(HYBRID, "output"))
    address(t)
    t.lsr(R4, R3, 10)
    t.lsl(R4, R4, 2)
    t.add(R0, R4, R5)
    t.lsl(R3, R3, 22)
    t.lsr(R3, R3, 20)
    t.add(R1, R0, R3)
    t.label(number)
    t.cmp(R0, R1)
    t.branch("eq", done)
    t.ldr(R2, R0)
    t.cmp(R2, 0)
    t.branch("eq", store)
    t.asr(R3, R2, 31)
    t.two("eor", R2, R3)
    t.sub(R2, R3)
    t.mov(R4, 157)
    for bits in (16, 8, 4, 2, 1):
        large = t.new_label("large")
        t.lsr(R5, R2, 32 - bits)
        t.branch("ne", large)
        t.lsl(R2, R2, bits)
        t.sub(R4, bits)
        t.label(large)
    t.lsl(R4, R4, 23)
    t.lsl(R5, R2, 24)  # the bits that are dropped
    t.lsr(R2, R2, 8)
    t.lsl(R6, R2, 31)
    t.lsr(R6, R6, 31)
    t.add(R4, R2)
    t.mov(R2, 1)
    t.lsl(R2, R2, 31)
    t.cmp(R5, R2)
    t.branch("cc", rounded)
    t.branch("ne", up)
    t.add(R4, R6)
    t.b(rounded)
    t.label(up)
    t.add(R4, 1)
    t.label(rounded)
    t.lsl(R3, R3, 31)
    t.add(R2, R4, R3)
    t.label(store)
    t.stm(R0, R2)
    t.b(number)
    t.label(done)
    return t.text()


# Find the input of a batch. r0: record, r1: arena, r2: model, r3: batch. R5 becomes the address of
# its first input, R6 the one after its last, R7 the number of inputs. Uses R4.
def _batch(t):
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
    t = Thumb("extremes", _EXTREMES + _RECORD.format("QUANTIZE"), 4)
    value, negative, done, zero = map(t.new_label, ("value", "negative", "done", "zero"))
    t.ldr(R4, R0, at(QUANTIZE, "extremes"))
    address(t)
    t.mov(R8, R5)
    _batch(t)
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
    t = Thumb("quantize", _QUANTIZE + _RECORD.format("QUANTIZE"), 4)
    names = "value", "special", "bit", "smaller", "leading", "done_bits", "apply", "low", "high"
    value, special, bit, smaller, leading, done_bits, apply, low, high = map(t.new_label, names)
    number, finite, large, done = map(t.new_label, ("number", "finite", "large", "done"))
    for name, register in (("scales", R8), ("offsets", R9)):
        t.ldr(R4, R0, at(QUANTIZE, name))
        address(t)
        t.lsl(R4, R3, 2)
        t.ldr_at(R5, R5, R4)
        t.mov(register, R5)
    _batch(t)
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
