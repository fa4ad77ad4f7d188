# Assembler macros of int16 outputs for Thumb: sums, biases and requantization
# MIT license; Copyright (c) 2026 the tflm authors

from .thumb import R0, R1, R2, R3, R4, R5, R6, R8, R9, R10, R11

SUMS = R8, R9, R10, R11

# Words of REQUANTIZE_INT16, and the table after them.
_REQUANTIZE = 5

# Slots that sums and outputs require.
OUTPUT_SLOTS = (
    "record",
    "input",
    "weights",
    "bias",  # address of the first channel's, 0 without
    "output",  # of the next output
    "is_wide",  # 1: sums have 64 bits and biases are int64
    "first_multiplier",  # address
    "multiplier",  # of the next output
    "multiplier_step",  # bytes from one channel to the next; 0: all channels have the same
    "next_bias",
    "zero_point",
    "low",
    "high",
    *(f"{half}_{i}" for i in range(4) for half in ("low", "high")),  # of the four sums
)


def begin_outputs(t, at_zero_point, at_kind=None):
    """Load the fields of REQUANTIZE_INT16, which begin at a byte of the record in R0.

    at_kind: byte of the argument of start_sums; None: sums have 64 bits. Uses R4 and R5.
    """
    t.mov(R5, R0)
    t.add(R5, at_zero_point)
    for i, name in enumerate(("zero_point", "low", "high")):
        t.ldr(R4, R5, 4 * i)
        t.store(R4, name)
    t.ldr(R4, R5, 12)
    t.lsl(R4, R4, 3)
    t.store(R4, "multiplier_step")
    t.add(R5, 4 * _REQUANTIZE)
    t.store(R5, "first_multiplier")
    t.mov(R4, 1)
    if at_kind is not None:
        t.ldr(R4, R0, at_kind)
    t.store(R4, "is_wide")


def first_output(t):
    """Begin with the bias and the multiplier of the first channel. Uses R4."""
    t.load(R4, "bias")
    t.store(R4, "next_bias")
    t.load(R4, "first_multiplier")
    t.store(R4, "multiplier")


def begin_sums(t, count):
    """Set the sums to the biases of the next `count` (a register) channels: 4, 2 or 1.

    Products are summed up in words, SUMS, which become 0. Uses R4 to R7.
    """
    words, none, done = (t.new_label(name) for name in ("words", "no_bias", "biased"))
    t.mov(R5, 0)
    for register in SUMS:
        t.mov(register, R5)
    t.load(R4, "next_bias")
    t.cmp(R4, 0)
    t.branch("eq", none)
    t.load(R5, "is_wide")
    t.cmp(R5, 0)
    t.branch("eq", words)
    for i in range(4):
        t.ldm(R4, R5, R6)
        t.store(R5, f"low_{i}")
        t.store(R6, f"high_{i}")
        if i in (0, 1):
            t.cmp(count, i + 1)
            t.branch("eq", done)
    t.b(done)
    t.label(words)
    for i in range(4):
        t.ldm(R4, R5)
        t.store(R5, f"low_{i}")
        if i in (0, 1):
            t.cmp(count, i + 1)
            t.branch("eq", done)
    t.label(done)
    t.store(R4, "next_bias")
    ready = t.new_label("sums_begun")
    t.b(ready)
    t.label(none)
    for i in range(4):
        t.store(R4, f"low_{i}")
        t.store(R4, f"high_{i}")
    t.label(ready)


def add_words(t):
    """Add the words SUMS to the sums of 64 bits, and set them to 0. Uses R4 to R6."""
    for i, register in enumerate(SUMS):
        t.mov(R5, register)
        t.asr(R6, R5, 31)
        t.load(R4, f"low_{i}")
        t.add(R4, R5)
        t.store(R4, f"low_{i}")
        t.load(R4, f"high_{i}")
        t.adc(R4, R6)
        t.store(R4, f"high_{i}")
    t.mov(R5, 0)
    for register in SUMS:
        t.mov(register, R5)


def write_outputs(t, label, count):
    """Make outputs of `count` (a slot: 4, 2 or 1) sums with the subroutine `label`."""
    done = t.new_label("written")
    for i, register in enumerate(SUMS):
        t.mov(R0, register)
        t.asr(R1, R0, 31)
        t.load(R2, f"low_{i}")
        t.load(R3, f"high_{i}")
        t.add(R0, R2)
        t.adc(R1, R3)
        t.bl(label)
        if i in (0, 1):
            t.load(R0, count)
            t.cmp(R0, i + 1)
            t.branch_far("eq", done)
    t.label(done)


def multiply_wide(t):
    """R4 (low) and R1 = the product of R0 (low) and R1 with R2, of 15 bits. Uses R0 and R5."""
    t.uxth(R4, R0)
    t.lsr(R0, R0, 16)
    t.mul(R4, R2)
    t.mul(R0, R2)
    t.mul(R1, R2)
    t.lsr(R5, R0, 16)
    t.lsl(R0, R0, 16)
    t.add(R4, R0)
    t.adc(R1, R5)


# Make an int16 of the sum in R0 (low) and R1, and store it. `product`: the macro for
# SaturatingRoundingDoublingHighMul of R0 and R2, which uses R1 to R4. `multiply`: multiply_wide()
# or a macro like it. Uses R2 to R6.
#
# With a sum v of 64 bits TFLM multiplies by a factor of 15 bits and shifts right with rounding
# (MultiplyByQuantizedMultiplier for int64). Sums have 48 bits, so the product has 63. The last
# shift leaves the highest bit that it drops in the carry, which is the rounding.
def output_subroutine(t, label, product, multiply=multiply_wide):
    words, beyond, ready, store, above, below, right = (
        t.new_label(name)
        for name in ("words", "beyond", "ready", "store", "above", "below", "right")
    )
    t.label(label)
    t.load(R6, "multiplier")
    t.ldr(R2, R6, 0)
    t.ldr(R3, R6, 4)
    t.load(R5, "multiplier_step")
    t.add(R6, R5)
    t.store(R6, "multiplier")
    t.load(R5, "is_wide")
    t.cmp(R5, 0)
    t.branch("eq", words)
    multiply(t)
    t.mov(R5, 32)
    t.sub(R5, R5, R3)
    t.branch("mi", beyond)
    t.lsl(R1, R1, R5)
    t.lsr(R4, R4, R3)
    t.adc(R1, R4)
    t.b(ready)
    t.label(beyond)
    t.sub(R3, 32)
    t.asr(R1, R1, R3)
    t.mov(R4, 0)
    t.adc(R1, R4)
    t.b(ready)
    t.label(words)
    t.mov(R5, 0)
    t.sub(R3, 32)
    t.branch("mi", right)
    t.lsl(R0, R0, R3)
    t.mov(R3, 0)
    t.label(right)
    t.sub(R5, R5, R3)
    product(t)
    t.asr(R1, R0, 31)
    t.add(R0, R1)
    t.asr(R0, R0, R5)
    t.mov(R1, 0)
    t.adc(R1, R0)
    t.label(ready)
    t.load(R2, "zero_point")
    t.add(R1, R2)
    t.load(R2, "low")
    t.cmp(R1, R2)
    t.branch("ge", above)
    t.mov(R1, R2)
    t.label(above)
    t.load(R2, "high")
    t.cmp(R1, R2)
    t.branch("le", below)
    t.mov(R1, R2)
    t.label(below)
    t.load(R3, "output")
    t.strh(R1, R3)
    t.add(R3, 2)
    t.store(R3, "output")
    t.ret()
