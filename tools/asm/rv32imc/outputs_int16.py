# Assembler macros of int16 outputs for RV32: sums, biases and requantization
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.record import word_of
from .record_float import RECORD

# Products of int16 and int8 are summed up in words. This number of them fits a word.
MAX_PRODUCTS = 511

SUMS = tuple(f"a{i}" for i in range(8))

# Slots that sums and outputs require. The low words of the sums are one array, the high words
# another one.
OUTPUT_SLOTS = (
    *(f"low_{i}" for i in range(8)),
    *(f"high_{i}" for i in range(8)),
    "record",
    "input",
    "weights",
    "bias",  # address of the first channel's, 0 without
    "output",  # of the next output
    "has_words",  # 1: sums have 32 bits and biases are int32
    "has_high",  # 1: the sums have high words, otherwise a word has the whole sum
    "first_multiplier",  # address
    "multiplier",  # of the next output
    "multiplier_step",  # bytes from one channel to the next; 0: all channels have the same
    "next_bias",
    "zero_point",
    "low",
    "high",
)
_HIGH = 32  # bytes from the low word of a sum to the high word
_WORDS_AFTER = 5  # of REQUANTIZE_INT16, before its table


def begin_outputs(t, layout):
    """Load the fields of REQUANTIZE_INT16 of the record. Uses t0."""
    for name, slot in (
        ("output_zero_point", "zero_point"),
        ("activation_min", "low"),
        ("activation_max", "high"),
    ):
        t.lw("t0", RECORD, word_of(layout, name))
        t.store("t0", slot)
    t.lw("t0", RECORD, word_of(layout, "per_channel"))
    t.slli("t0", "t0", 3)
    t.store("t0", "multiplier_step")
    t.lw("t0", RECORD, word_of(layout, "pairs"))
    t.xori("t0", "t0", 1)
    t.store("t0", "has_words")
    t.addi("t0", RECORD, word_of(layout, "output_zero_point") + 4 * _WORDS_AFTER)
    t.store("t0", "first_multiplier")


def first_output(t):
    """Begin with the bias and the multiplier of the first channel. Uses t0."""
    t.load("t0", "bias")
    t.store("t0", "next_bias")
    t.load("t0", "first_multiplier")
    t.store("t0", "multiplier")


def clear_sums(t):
    for total in SUMS:
        t.li(total, 0)


def clear_words(t):
    """Set the words of the sums to 0."""
    for i in range(len(SUMS)):
        t.store("zero", f"low_{i}")
        t.store("zero", f"high_{i}")


def store_sums(t):
    """Store the whole sums of the channels."""
    for i, total in enumerate(SUMS):
        t.store(total, f"low_{i}")


def flush_sums(t):
    """Add SUMS to the words of the sums, and set them to 0. Uses t0 to t2."""
    for i, total in enumerate(SUMS):
        t.load("t0", f"low_{i}")
        t.load("t1", f"high_{i}")
        t.srai("t2", total, 31)
        t.add("t0", "t0", total)
        t.add("t1", "t1", "t2")
        t.sltu("t2", "t0", total)
        t.add("t1", "t1", "t2")
        t.store("t0", f"low_{i}")
        t.store("t1", f"high_{i}")
        t.li(total, 0)


_LOW, _HIGH_WORD, _SHIFT, _FACTOR, _TEMPORARY = "t0", "t1", "t2", "t3", "t4"
_FROM, _BIAS, _PAIR, _STEP, _TO = "a0", "a1", "a2", "a3", "a4"
_ZERO_POINT, _MIN, _MAX, _LEFT = "a5", "a6", "a7", "t5"
_ONE, _WORD_BITS, _HAS_WORDS, _HAS_HIGH = "s0", "s1", "s2", "s3"


def write_outputs(t, count):
    """Make outputs of `count` (a slot, not 0) sums and store them. Uses s0 to s3, the a and t."""
    names = "output", "narrow", "unbiased", "words", "beyond", "ready", "above", "below"
    output, narrow, unbiased, words, beyond, ready, above, below = map(t.new_label, names)
    t.slot_address(_FROM, "low_0")
    for register, slot in (
        (_BIAS, "next_bias"),
        (_PAIR, "multiplier"),
        (_STEP, "multiplier_step"),
        (_TO, "output"),
        (_ZERO_POINT, "zero_point"),
        (_MIN, "low"),
        (_MAX, "high"),
        (_HAS_WORDS, "has_words"),
        (_HAS_HIGH, "has_high"),
        (_LEFT, count),
    ):
        t.load(register, slot)
    t.li(_ONE, 1)
    t.li(_WORD_BITS, 32)
    t.label(output)
    t.lw(_LOW, _FROM)
    t.lw(_FACTOR, _PAIR)
    t.lw(_SHIFT, _PAIR, 4)
    t.add(_PAIR, _PAIR, _STEP)
    t.branch("bne", _HAS_WORDS, "zero", words)
    t.srai(_HIGH_WORD, _LOW, 31)
    t.branch("beq", _HAS_HIGH, "zero", narrow)
    t.lw(_HIGH_WORD, _FROM, _HIGH)
    t.label(narrow)
    t.branch("beq", _BIAS, "zero", unbiased)
    t.lw("s4", _BIAS)
    t.lw(_TEMPORARY, _BIAS, 4)
    t.addi(_BIAS, _BIAS, 8)
    t.add(_LOW, _LOW, "s4")
    t.add(_HIGH_WORD, _HIGH_WORD, _TEMPORARY)
    t.sltu(_TEMPORARY, _LOW, "s4")
    t.add(_HIGH_WORD, _HIGH_WORD, _TEMPORARY)
    t.label(unbiased)
    _multiply_wide(t, beyond)
    t.label(ready)
    t.add(_LOW, _LOW, _ZERO_POINT)
    t.branch("bge", _LOW, _MIN, above)
    t.mv(_LOW, _MIN)
    t.label(above)
    t.branch("bge", _MAX, _LOW, below)
    t.mv(_LOW, _MAX)
    t.label(below)
    t.sh(_LOW, _TO)
    t.addi(_TO, _TO, 2)
    t.addi(_FROM, _FROM, 4)
    t.addi(_LEFT, _LEFT, -1)
    t.branch("bne", _LEFT, "zero", output)
    done = t.new_label("written")
    t.jump(done)
    _shift_beyond(t, beyond, ready)
    t.label(words)
    _multiply_words(t, ready)
    t.label(done)
    for register, slot in ((_BIAS, "next_bias"), (_PAIR, "multiplier"), (_TO, "output")):
        t.store(register, slot)


# _LOW = the sum of 64 bits * the factor of 15 bits, shifted right by 1 to 31 bits and rounded:
# MultiplyByQuantizedMultiplier for int64 (TFLM common.cc). Go to `beyond` for a larger shift.
def _multiply_wide(t, beyond):
    t.mulhu(_TEMPORARY, _LOW, _FACTOR)
    t.mul(_HIGH_WORD, _HIGH_WORD, _FACTOR)
    t.mul(_LOW, _LOW, _FACTOR)
    t.add(_HIGH_WORD, _HIGH_WORD, _TEMPORARY)
    t.addi(_TEMPORARY, _SHIFT, -1)
    t.sll(_TEMPORARY, _ONE, _TEMPORARY)  # a half, or of the higher word
    t.branch("bge", _SHIFT, _WORD_BITS, beyond)
    t.add(_LOW, _LOW, _TEMPORARY)
    t.sltu(_TEMPORARY, _LOW, _TEMPORARY)
    t.add(_HIGH_WORD, _HIGH_WORD, _TEMPORARY)
    t.srl(_LOW, _LOW, _SHIFT)
    t.sub(_TEMPORARY, "zero", _SHIFT)
    t.sll(_HIGH_WORD, _HIGH_WORD, _TEMPORARY)
    t.or_(_LOW, _LOW, _HIGH_WORD)


# Shift by 32 to 63 bits; then go to `ready`.
def _shift_beyond(t, beyond, ready):
    more = t.new_label("more")
    t.label(beyond)
    t.branch("bne", _SHIFT, _WORD_BITS, more)
    t.srli(_LOW, _LOW, 31)
    t.add(_LOW, _LOW, _HIGH_WORD)
    t.jump(ready)
    t.label(more)
    t.add(_LOW, _HIGH_WORD, _TEMPORARY)
    t.sra(_LOW, _LOW, _SHIFT)  # by the lower 5 bits of the shift
    t.jump(ready)


# _LOW = (the sum of 32 bits + the bias) * the factor of 31 bits, shifted and rounded twice as in
# requantize.py; then go to `ready`. The shift is 32 more than in TFLM.
def _multiply_words(t, ready):
    unbiased, right = t.new_label("unbiased"), t.new_label("right")
    t.branch("beq", _BIAS, "zero", unbiased)
    t.lw(_TEMPORARY, _BIAS)
    t.addi(_BIAS, _BIAS, 4)
    t.add(_LOW, _LOW, _TEMPORARY)
    t.label(unbiased)
    t.sub(_SHIFT, _SHIFT, _WORD_BITS)
    t.branch("blt", _SHIFT, "zero", right)
    t.sll(_LOW, _LOW, _SHIFT)
    t.li(_SHIFT, 0)
    t.label(right)
    t.sub(_SHIFT, "zero", _SHIFT)
    t.mulh(_HIGH_WORD, _LOW, _FACTOR)
    t.mul(_LOW, _LOW, _FACTOR)
    t.slli(_TEMPORARY, _ONE, 30)
    t.add(_LOW, _LOW, _TEMPORARY)
    t.sltu(_TEMPORARY, _LOW, _TEMPORARY)
    t.add(_HIGH_WORD, _HIGH_WORD, _TEMPORARY)
    t.slli(_HIGH_WORD, _HIGH_WORD, 1)
    t.srli(_LOW, _LOW, 31)
    t.or_(_LOW, _LOW, _HIGH_WORD)
    t.branch("beq", _SHIFT, "zero", ready)
    t.srai(_TEMPORARY, _LOW, 31)
    t.add(_LOW, _LOW, _TEMPORARY)
    t.addi(_SHIFT, _SHIFT, -1)
    t.sra(_LOW, _LOW, _SHIFT)
    t.addi(_LOW, _LOW, 1)
    t.srai(_LOW, _LOW, 1)
    t.jump(ready)
