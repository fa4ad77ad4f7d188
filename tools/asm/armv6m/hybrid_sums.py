# Generator of the sums of float32 operators with int8 weights, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R12, Thumb
from ..common.thumb_record import address, at, division
from ..common.thumb_window import (
    GEOMETRY_SLOTS,
    ROWS,
    SUMS,
    begin_block,
    find_line,
    find_window,
    sum_up,
)

_ABOUT = """
Sums of products of quantized inputs, less their zero points, and weights of int8, stored as int32
in the place of the outputs. `r0` is the address of the record (HYBRID in prepare/hybrid.py), `r1`
of the arena, `r2` of the model. `r3` is the first output * 1024 + the number of outputs.
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


def operands(t, layout, names):
    """Store the addresses of operands in slots. r0: record, r1: arena, r2: model, r3 stays."""
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


def begin(t, divide):
    """Begin with the output in the upper bits of R3. r0: record."""
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


def begin_pixel(t):
    """Begin with the channels of a pixel that are wanted. Leaves minus the zero point in R12."""
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


def store_block(t):
    """Store the sums of a block and advance to the next one.

    Leaves the number of channels left in R1 and in the flags, and the channels of the block in R0.
    """
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


def next_pixel(t, window, line):
    """Advance to the next pixel, and go to `window` or, in another row, to `line`."""
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
    t = thumb("sums", _ABOUT, 4, _SLOTS + slots)
    names = "divide", "line", "window", "block", "store", "done"
    divide, line, window, block, store, done = map(t.new_label, names)
    t.store(R0, "record")
    operands(t, HYBRID, {"quantized": "input", "offsets": "offsets", "weights": "weights",
                          "output": "output"})  # fmt: skip
    begin(t, divide)
    t.label(line)
    find_line(t, HYBRID)
    t.label(window)
    find_window(t, HYBRID)
    begin_pixel(t)
    if begin_taps:
        begin_taps(t)
    t.label(block)
    begin_block(t, _begin_sums)
    sum_up(t, taps, store)
    t.label(store)
    store_block(t)
    t.branch_far("ne", block)
    t.load(R0, "left")
    t.cmp(R0, 0)
    t.branch_far("eq", done)
    next_pixel(t, window, line)
    division(t, divide)
    t.label(done)
    return t.text()
