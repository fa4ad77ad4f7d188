# Parts of the float32 kernels: operands of records, sums of four channels, the fused activation
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.record import word_of
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12

# Registers of the FPU in a tile of one pixel: none that a function must save.
_SUMS = 0  # four channels
_INPUTS = 4  # four taps
_WEIGHTS = 8  # four taps of two channels


def operand(t, layout, name, record, arena, rom, to, spare):
    """Store the address of an operand in the slot `name`; R6 is used. An absent one gives 0."""
    t.ldr_wide(spare, record, word_of(layout, name))
    t.shift_right(to, spare, 2)
    t.and_number(R6, spare, 1)
    t.move(R6, arena)
    t.move_if("ne", R6, rom)
    t.add_wide(to, to, R6)
    t.cmp_number(spare, 1)
    t.it("eq")
    t.number(to, 0)
    t.store(to, name)


def four_rows(t, left, step):
    """Set R2 to R4 to the rows after R1, `step` bytes apart; the last of `left` rows repeats."""
    for i, (before, register) in enumerate(((R1, R2), (R2, R3), (R3, R4)), 2):
        t.move(register, before)
        t.cmp_number(left, i)
        t.add_if("ge", register, before, step)


def multiply_pixel(t):
    """Add the products of R5 taps to the sums of four channels.

    R0: address of the inputs. R1 to R4: addresses of the channels' weights. All advance.
    Each sum adds its products in the order of the taps.
    """
    quads, singles, single, done = map(t.new_label, ("quads", "singles", "single", "done"))
    t.shift_right(R6, R5, 2)
    t.branch("eq", singles)
    t.label(quads)
    t.vldm(R0, _INPUTS, 4)
    for sums, weights in ((_SUMS, (R1, R2)), (_SUMS + 2, (R3, R4))):
        for i, register in enumerate(weights):
            t.vldm(register, _WEIGHTS + 4 * i, 4)
        for i in range(8):
            t.vmul(_WEIGHTS + i, _WEIGHTS + i, _INPUTS + i % 4)
        for tap in range(4):
            for i in range(2):
                t.vadd(sums + i, sums + i, _WEIGHTS + 4 * i + tap)
    t.sub(R6, 1)
    t.branch("ne", quads)
    t.label(singles)
    t.and_number(R6, R5, 3)
    t.branch("eq", done)
    t.label(single)
    t.vldm(R0, _INPUTS)
    for i, register in enumerate((R1, R2, R3, R4)):
        t.vldm(register, _WEIGHTS + i)
    for i in range(4):
        t.vmul(_WEIGHTS + i, _WEIGHTS + i, _INPUTS)
    for i in range(4):
        t.vadd(_SUMS + i, _SUMS + i, _WEIGHTS + i)
    t.sub(R6, 1)
    t.branch("ne", single)
    t.label(done)


def clamp_outputs(t, layout, record, first, end):
    """Limit the outputs between two addresses to the range of the activation; a NaN stays.

    R0 is `record`; `first` and `end` are R1 and R2.
    """
    again, done = t.new_label("clamp"), t.new_label("clamped")
    t.vldr(4, record, word_of(layout, "activation_min"))
    t.vldr(5, record, word_of(layout, "activation_max"))
    t.cmp(first, end)
    t.branch("cs", done)
    t.label(again)
    t.vldr(0, first)
    t.vcmp(0, 4)
    t.vmov_if("mi", 0, 4)
    t.vcmp(0, 5)
    t.vmov_if("gt", 0, 5)
    t.vstm(first, 0)
    t.cmp(first, end)
    t.branch("cc", again)
    t.label(done)


# Slots of the frame that begin() and the functions after it write.
FRAME = (
    "record",
    "input",
    "weights",
    "bias",
    "output",
    "start",  # the next unit
    "stop",
    "first",  # address of the first output
    "separate",  # 1 if the output does not overlap the input
    "column",  # of the tile's first pixel in the output
    "pixels",  # of the tile: 1, 3 or 4
)


def begin(t, layout, has_channels):
    """Store the operands, `start`, `stop`, `first` and `separate`.

    R0: record, R1: arena, R2: model, R3: the first unit, whose first word contains the unit to
    stop at. has_channels: a unit is a channel of a pixel; otherwise it is a pixel.
    """
    t.store(R0, "record")
    t.store(R3, "start")
    t.move(R12, R0)
    t.move(R11, R1)
    t.move(R10, R2)
    for name in ("input", "weights", "bias", "output"):
        operand(t, layout, name, R12, R11, R10, R4, R5)
    # Outputs: of all units in R5, before the first unit in R3, of an image in R6.
    t.ldr_wide(R5, R12)
    t.ldr_wide(R2, R12, word_of(layout, "output_channels"))
    if not has_channels:
        t.mul_wide(R5, R5, R2)
        t.mul_wide(R3, R3, R2)
    t.add_wide(R3, R4, R3, "lsl", 2)
    t.store(R3, "first")
    t.ldr_wide(R3, R3)
    t.store(R3, "stop")
    t.ldr_wide(R6, R12, word_of(layout, "output_height"))
    t.mul_wide(R6, R6, R2)
    t.ldr_wide(R2, R12, word_of(layout, "output_width"))
    t.mul_wide(R6, R6, R2)
    t.sdiv(R6, R5, R6)
    for name in ("input_height", "input_width", "input_channels"):
        t.ldr_wide(R2, R12, word_of(layout, name))
        t.mul_wide(R6, R6, R2)
    t.load(R2, "input")
    t.add_wide(R6, R2, R6, "lsl", 2)
    t.add_wide(R5, R4, R5, "lsl", 2)
    separate = t.new_label("separate")
    t.number(R7, 1)
    t.cmp(R4, R6)
    t.branch("cs", separate)
    t.cmp(R2, R5)
    t.branch("cs", separate)
    t.number(R7, 0)
    t.label(separate)
    t.store(R7, "separate")


def clip_subroutine(t, label):
    """Write a subroutine that clips one side of a window to the image.

    R1: position of the window, R2: size of the image, R3: size of the filter, R5: dilation.
    Returns the position in R1, the first tap in R6 and the number of taps in R2. Uses R3.
    """
    inside = t.new_label("inside")
    t.label(label)
    t.number(R6, 0)
    t.cmp(R1, 0)
    t.branch("ge", inside)
    t.sub_wide(R6, R5, R1)
    t.subs_number(R6, 1)
    t.sdiv(R6, R6, R5)
    t.mla(R1, R6, R5, R1)
    t.label(inside)
    t.sub_wide(R2, R2, R1)
    t.add_wide(R2, R2, R5)
    t.subs_number(R2, 1)
    t.sdiv(R2, R2, R5)
    t.sub_wide(R3, R3, R6)
    t.cmp(R2, R3)
    t.move_if("gt", R2, R3)
    t.cmp(R2, 0)
    t.it("lt")
    t.number(R2, 0)
    t.ret()


def clip_window(t, layout, label):
    """Clip the window of pixel R4 to the image. R0 is the record.

    Returns the first row and column of the filter in R8 and R9, its rows and columns in R10 and
    R11, the position in the image in R3 (row) and R4 (column), and the image in R7.
    """
    t.ldr_wide(R5, R0, word_of(layout, "output_width"))
    t.sdiv(R6, R4, R5)
    t.mls(R4, R6, R5, R4)
    t.store(R4, "column")
    t.ldr_wide(R5, R0, word_of(layout, "output_height"))
    t.sdiv(R7, R6, R5)
    t.mls(R6, R7, R5, R6)
    for side, value in (("height", R6), ("width", R4)):
        t.ldr_wide(R5, R0, word_of(layout, "stride_" + side))
        t.mul_wide(R1, value, R5)
        t.ldr_wide(R5, R0, word_of(layout, "padding_" + side))
        t.sub_wide(R1, R1, R5)
        t.ldr_wide(R2, R0, word_of(layout, "input_" + side))
        t.ldr_wide(R3, R0, word_of(layout, "filter_" + side))
        t.ldr_wide(R5, R0, word_of(layout, "dilation_" + side))
        t.bl(label)
        if side == "height":
            t.move(R8, R6)
            t.move(R10, R2)
            t.move(R11, R1)
    t.move(R9, R6)
    t.move(R3, R11)
    t.move(R4, R1)
    t.move(R11, R2)


def count_inside(t, layout, has_channels, done):
    """Count pixels from this one on whose windows have all columns inside of the image, in R2.

    They are in this call and in this row of the output. Goes to `done`, with 1 in R1, if this
    pixel is not one of them. The registers are those that clip_window() returns. Uses R5, R6 and
    R12.
    """
    t.number(R1, 1)
    if has_channels:
        t.load(R2, "channel")
        t.cmp(R2, 0)
        t.branch("ne", done)
    t.cmp_number(R9, 0)
    t.branch("ne", done)
    t.ldr_wide(R5, R0, word_of(layout, "filter_width"))
    t.cmp(R11, R5)
    t.branch("ne", done)
    # Pixels of this call, then of this row of the output, then with windows inside of the image
    t.load(R2, "stop")
    t.load(R6, "start")
    t.sub_wide(R2, R2, R6)
    if has_channels:
        t.ldr_wide(R6, R0, word_of(layout, "output_channels"))
        t.sdiv(R2, R2, R6)
    t.ldr_wide(R12, R0, word_of(layout, "output_width"))
    t.load(R6, "column")
    t.sub_wide(R6, R12, R6)
    t.cmp(R2, R6)
    t.move_if("gt", R2, R6)
    t.subs_number(R5, 1)
    t.ldr_wide(R6, R0, word_of(layout, "dilation_width"))
    t.mla(R5, R5, R6, R4)
    t.ldr_wide(R6, R0, word_of(layout, "input_width"))
    t.sub_wide(R6, R6, R5)
    t.subs_number(R6, 1)
    t.ldr_wide(R5, R0, word_of(layout, "stride_width"))
    t.sdiv(R6, R6, R5)
    t.add(R6, 1)
    t.cmp(R2, R6)
    t.move_if("gt", R2, R6)


def count_pixels(t, layout):
    """Store in `pixels` how many pixels of a row have the columns of this window: 1, 3 or 4.

    A unit is a pixel. The registers are those that clip_window() returns. Uses R1, R2, R5, R6 and
    R12.
    """
    done = t.new_label("counted")
    t.number(R1, 1)
    t.load(R2, "separate")
    t.cmp(R2, 0)
    t.branch("eq", done)
    count_inside(t, layout, False, done)
    t.number(R6, 4)
    t.cmp(R2, R6)
    t.move_if("gt", R2, R6)
    t.cmp(R2, 3)
    t.move_if("ge", R1, R2)
    t.label(done)
    t.store(R1, "pixels")
