# Assembler kernels of CONV_2D and FULLY_CONNECTED: inputs to lanes, and dot products of lanes
# MIT license; Copyright (c) 2026 the tflm authors

from requantize import requantize
from thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb

# Words of the two parameter blocks.
GATHER = (
    "source",  # address of the first column in its first row that is in the image
    "lanes",  # where the words go
    "columns",
    "column_step",  # bytes
    "run_lanes",  # bytes of a column in one row, whole quads
    "row_step",  # bytes from one row of the filter to the next
    "rows_above",  # rows of the filter that lie above the image,
    "rows",  # in it,
    "rows_below",  # and below it
    "at",  # byte of the image's row where the first column begins; may be negative
    "row_bytes",  # of the image
    "fill",  # lanes of the input's zero point
    "zero_point",  # the same as a byte
    "spare",  # memory for one run
)
MULTIPLY = (
    "stream",  # address of the first group of channels
    "lanes",  # of the first pixel
    "output",  # of the first pixel and group
    "lanes_end",  # behind the first words of the last pixel: lanes + pixels * lanes_step
    "groups",
    "lanes_step",  # bytes from one pixel to the next
    "output_step",
    "window",  # bytes of lanes of one pixel
    "output_zero_point",
    "activation_min",
    "activation_max",
)

_UNROLLED = 8  # words of lanes in one pass of the inner loop
_WORD_SHIFT = 3  # code for one word of lanes, 4 bytes, has 4 << 3 bytes


# Offset of a parameter.
def _at(layout, name):
    return 4 * layout.index(name)


# Four int8 of a word in `a` become two words of lanes, (0, 2) in `a` and (1, 3) in `b`: with the
# sign bits flipped the bytes are positive and can be masked out, then 128 is taken off.
def _quad(t, a, b):
    t.two("eor", a, R6)
    t.lsr(b, a, 8)
    t.two("and_", a, R7)
    t.two("and_", b, R7)
    t.sub(a, R5)
    t.sub(b, R5)


# Fill `rows` (a parameter) rows of a column with zero points. Uses R2..R4.
def _fill_rows(t, rows):
    done, loop = t.new_label("filled"), t.new_label("fill")
    t.mov(R3, R8)
    t.ldr(R4, R3, _at(GATHER, rows))
    t.ldr(R2, R3, _at(GATHER, "run_lanes"))
    t.mul(R4, R2)
    t.branch("eq", done)
    t.lsl(R4, R4, 1)
    t.add(R4, R1)
    t.ldr(R2, R3, _at(GATHER, "fill"))
    t.mov(R3, R2)
    t.label(loop)
    t.stm(R1, R2, R3)
    t.cmp(R1, R4)
    t.branch("cc", loop)
    t.label(done)


# Copy one run byte by byte to the spare memory, with zero points for what lies beside the image.
# In: the run's address in R12, its place in the row in R10. Out: the copy's address in R0.
def _copy_run(t):
    byte, outside = t.new_label("byte"), t.new_label("outside")
    t.mov(R3, R8)
    t.ldr(R0, R3, _at(GATHER, "spare"))
    t.ldr(R2, R3, _at(GATHER, "run_lanes"))
    t.ldr(R5, R3, _at(GATHER, "row_bytes"))
    t.ldr(R6, R3, _at(GATHER, "zero_point"))
    t.mov(R7, R12)
    t.mov(R4, R10)
    t.label(byte)
    t.mov(R3, R6)
    t.cmp(R4, R5)  # unsigned: what lies left of the image is large
    t.branch("cs", outside)
    t.ldrb(R3, R7)
    t.label(outside)
    t.strb(R3, R0)
    t.add(R7, 1)
    t.add(R4, 1)
    t.add(R0, 1)
    t.sub(R2, 1)
    t.branch("ne", byte)
    t.mov(R3, R8)
    t.ldr(R0, R3, _at(GATHER, "spare"))
    _constants(t)


# R5 = 0x00800080, R6 = 0x80808080, R7 = 0x00ff00ff.
def _constants(t):
    t.mov(R5, 0x80)
    t.lsl(R6, R5, 16)
    t.add(R5, R6)
    t.lsl(R6, R5, 8)
    t.add(R6, R5)
    t.mov(R7, 0xFF)
    t.lsl(R4, R7, 16)
    t.add(R7, R4)


_GATHER = """
Unpack columns of int8 to lanes. `r0` is the address of a block of parameters (GATHER in
tools/asm/lanes.py). A column is a run of bytes in each row of the filter; columns may lie beside
the image, wholly or in part.
"""


# r0: run, r1: lanes, r2: the run's end; r8: parameters, r9: column, r10: its place in the row,
# r11: columns left, r12: row, lr: rows left.
def gather():
    t = Thumb("gather", _GATHER, slots=("partial",))
    t.mov(R8, R0)
    for register, name in ((R1, "lanes"), (R2, "source"), (R3, "at"), (R4, "columns")):
        t.ldr(register, R0, _at(GATHER, name))
    t.mov(R9, R2)
    t.mov(R10, R3)
    t.mov(R11, R4)
    _constants(t)
    column, rows, row, beside, inside, next_column = map(
        t.new_label, ("column", "rows", "row", "beside", "inside", "next_column")
    )
    t.label(column)
    _fill_rows(t, "rows_above")
    t.mov(R3, R8)
    t.ldr(R4, R3, _at(GATHER, "rows"))
    t.mov(LR, R4)
    t.cmp(R4, 0)
    t.branch("eq", next_column)
    t.note("is the column inside of the image, in part or not at all?")
    t.ldr(R2, R3, _at(GATHER, "row_bytes"))
    t.ldr(R4, R3, _at(GATHER, "run_lanes"))
    t.mov(R3, R10)
    t.cmp(R3, R2)
    t.branch("ge", beside)
    t.add(R4, R3)
    t.branch("le", beside)
    t.mov(R0, 1)
    t.cmp(R3, 0)
    t.branch("lt", rows)
    t.cmp(R4, R2)
    t.branch("gt", rows)
    t.mov(R0, 0)
    t.b(rows)
    t.label(beside)
    _fill_rows(t, "rows")
    t.label(next_column)
    _fill_rows(t, "rows_below")
    t.mov(R3, R8)
    t.ldr(R2, R3, _at(GATHER, "column_step"))
    t.add(R9, R2)
    t.add(R10, R2)
    t.mov(R2, R11)
    t.sub(R2, 1)
    t.mov(R11, R2)
    t.branch("ne", column)
    end = t.new_label("end")
    t.b(end)

    t.label(rows)
    t.store(R0, "partial")
    t.mov(R12, R9)
    t.label(row)
    t.mov(R0, R12)
    t.load(R3, "partial")
    t.cmp(R3, 0)
    t.branch("eq", inside)
    _copy_run(t)
    t.label(inside)
    t.mov(R3, R8)
    t.ldr(R2, R3, _at(GATHER, "run_lanes"))
    unaligned, pairs, words, next_row = map(
        t.new_label, ("unaligned", "pairs", "words", "next_row")
    )
    t.lsl(R4, R0, 30)
    t.branch("ne", unaligned)
    t.note("whole words: first a single one where their number is odd")
    t.lsl(R4, R2, 29)
    t.add(R2, R0)
    t.cmp(R4, 0)
    t.branch("eq", pairs)
    t.ldm(R0, R3)
    _quad(t, R3, R4)
    t.stm(R1, R3, R4)
    t.cmp(R0, R2)
    t.branch("cs", next_row)
    t.label(pairs)
    for _ in range(2):
        t.ldm(R0, R3)
        _quad(t, R3, R4)
        t.stm(R1, R3, R4)
    t.cmp(R0, R2)
    t.branch("cc", pairs)
    t.label(next_row)
    t.mov(R3, R8)
    t.ldr(R2, R3, _at(GATHER, "row_step"))
    t.add(R12, R2)
    t.mov(R2, LR)
    t.sub(R2, 1)
    t.mov(LR, R2)
    t.branch("ne", row)
    t.b(next_column)

    t.note("bytes, where the run does not begin at a word")
    t.label(unaligned)
    t.add(R2, R0)
    t.label(words)
    for first in range(2):
        t.ldrb(R3, R0, first)
        t.ldrb(R4, R0, first + 2)
        t.lsl(R4, R4, 16)
        t.two("orr", R3, R4)
        t.two("eor", R3, R5)
        t.sub(R3, R5)
        t.stm(R1, R3)
    t.add(R0, 4)
    t.cmp(R0, R2)
    t.branch("cc", words)
    t.b(next_row)
    t.label(end)
    return t.text()


_MULTIPLY = """
Outputs of groups of four channels for pixels in lanes. `r0` is the address of a block of
parameters (MULTIPLY in tools/asm/lanes.py).
"""


# One word of lanes times the words of four channels: eight products in 21 cycles. ASR leaves the
# highest of the dropped bits in the carry, so ADC adds the rounded upper half.
def _word(t, index):
    t.mov(R4, R8)
    t.ldr(R4, R4, 4 * index)
    for one, other in ((R0, R1), (R2, R3)):
        t.ldm(R7, R5, R6)
        for weight, acc in ((R5, one), (R6, other)):
            t.mul(weight, R4)
            t.asr(weight, weight, 16)
            t.adc(acc, weight)


# r0..r3: sums, r4: a word of inputs, r5, r6: of weights, r7: stream; r8: inputs, lr: their end,
# r9, r10: lowest and highest output, r11: output, r12: bytes of inputs in a pass.
# The loop is entered so far on that its last pass is a whole one: `skipped` bytes of code, and
# the inputs begin as many words before their first.
def multiply():
    slots = ["stream", "inputs", "output", "output_step", "lanes_step", "lanes_end", "groups"]
    slots += ["first", "skipped", "window", "zero_point", "third"]
    t = Thumb("multiply", _MULTIPLY, slots=slots)
    low, high, output = R9, R10, R11
    for name, register in (("activation_min", low), ("activation_max", high)):
        t.ldr(R1, R0, _at(MULTIPLY, name))
        t.mov(register, R1)
    for name, slot in (
        ("output_zero_point", "zero_point"),
        ("output", "output"),
        ("output_step", "output_step"),
        ("lanes_step", "lanes_step"),
        ("groups", "groups"),
        ("stream", "stream"),
    ):
        t.ldr(R1, R0, _at(MULTIPLY, name))
        t.store(R1, slot)
    t.note("skipped = (-words % 8) words")
    t.ldr(R1, R0, _at(MULTIPLY, "window"))
    t.two("neg", R2, R1)
    t.mov(R3, 4 * (_UNROLLED - 1))
    t.two("and_", R2, R3)
    t.add(R1, R2)
    t.store(R1, "window")
    t.ldr(R1, R0, _at(MULTIPLY, "lanes"))
    t.sub(R1, R2)
    t.store(R1, "first")
    t.ldr(R1, R0, _at(MULTIPLY, "lanes_end"))
    t.sub(R1, R2)
    t.store(R1, "lanes_end")
    t.lsl(R2, R2, _WORD_SHIFT)
    t.store(R2, "skipped")
    t.mov(R1, 4 * _UNROLLED)
    t.mov(R12, R1)

    group, pixel, words, requantized = map(
        t.new_label, ("group", "pixel", "words", "requantized")
    )
    t.label(group)
    t.load(R5, "first")
    t.store(R5, "inputs")
    t.load(R1, "output")
    t.mov(output, R1)
    t.label(pixel)
    t.load(R7, "stream")
    t.ldm(R7, R0, R1, R2, R3)
    t.mov(R8, R5)
    t.load(R6, "window")
    t.add(R6, R5)
    t.mov(LR, R6)
    t.load(R6, "skipped")
    t.jump_forward(R6)
    t.label(words)
    begin = t.position()
    for index in range(_UNROLLED):
        _word(t, index)
    assert t.position() - begin == _UNROLLED * (4 << _WORD_SHIFT)
    t.add(R8, R12)
    t.cmp(R8, LR)
    t.branch("cs", requantized)
    t.b(words)
    t.label(requantized)
    t.mov(R8, R1)
    t.mov(LR, R2)
    t.store(R3, "third")
    t.load(R6, "zero_point")
    for channel in range(4):
        if channel == 1:
            t.mov(R0, R8)
        elif channel == 2:
            t.mov(R0, LR)
        elif channel == 3:
            t.load(R0, "third")
        requantize(t, R7, low, high)
        t.mov(R1, output)
        t.strb(R0, R1, channel)
    t.note("next pixel")
    t.load(R1, "output_step")
    t.add(output, R1)
    t.load(R5, "inputs")
    t.load(R1, "lanes_step")
    t.add(R5, R1)
    t.store(R5, "inputs")
    t.load(R1, "lanes_end")
    t.cmp(R5, R1)
    row_done = t.new_label("row_done")
    t.branch("cs", row_done)
    t.b(pixel)
    t.label(row_done)
    t.note("next group of channels: its stream lies behind this one's")
    t.store(R7, "stream")
    t.load(R1, "output")
    t.add(R1, 4)
    t.store(R1, "output")
    t.load(R1, "groups")
    t.sub(R1, 1)
    t.store(R1, "groups")
    done = t.new_label("done")
    t.branch("eq", done)
    t.b(group)
    t.label(done)
    return t.text()
