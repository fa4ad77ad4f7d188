# Generator of the assembler kernels of DEPTHWISE_CONV_2D for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import DEPTHWISE, at
from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, SP
from ..common.thumb_plane import channels
from .depthwise_sums import begin_3x3, begin_window, sums_3x3, sums_of_window
from .requantize import clamp_four, fold, requantize
from .thumb_dsp import ThumbDsp

# Words of the stream of one channel with a 3x3 filter: how sums become outputs (0 or 1), the bias,
# the weights, and two words for the outputs. The weights of a column are two words, (w0, w1) and
# (w1, w2). With other filters the words for the outputs precede the weights
# (prepare/depthwise_dsp.py).
STREAM_WORDS = 10

# Words of the parameter block: the words that describe the plane, then these.
PARAMETERS = DEPTHWISE[: DEPTHWISE.index("rows") + 1] + (
    "multiplier",  # output channels for each input channel
    "uses",  # of the first input channel
    "pairs",  # bytes of the plane under windows that have a partner in their row
    "odd",  # 1: the last window of a row has no partner
    "zero_point",  # of the output
    "clamped",  # 0: the output has the full range of its type
    "minimum",  # four times in one word
    "maximum",
)
# Words of the parameter block for filters of other sizes.
WINDOW = PARAMETERS + (
    "pair_count",  # rows of the plane under a window
    "jump",  # bytes of code for the columns that the filter lacks
    "row_skip",  # bytes from the last column under a window to the first one in the next row
    "stream_bytes",  # bytes of a channel's stream
)

# Slots besides the parameters. Neighbours in a row are loaded with one instruction.
_SLOTS = "next_out", "step", "multiplier_word", "shift_word", "folded_word", "zero_point"
_SLOTS += "bias", "bias_again", "kind", "first_weight", "channel_stream", "pair_end"
_SLOTS += "row", "row_step", "zero", "beside", "plane_stop", "out", "rows_left"

# Bytes of code that requantizes two or four sums as TFLM does.
TWICE_BYTES = {2: 94, 4: 134}


# Make outputs of sums, rounded twice as in TFLM or with one multiplication. R4 and R5 are free, R7
# until its value is needed.
def _outputs(t, sums):
    done = t.new_label("outputs")
    t.load(R4, "kind")
    t.jump_forward(R4)
    begin = t.position()
    t.ldrd(R4, R5, SP, t.slot("multiplier_word"))
    t.load(R7, "zero_point")
    for acc in sums:
        requantize(t, acc, R4, R5, R7)
    t.load(R7, "first_weight")
    clamp_four(t, (R0, R1, R2, R3), R4, R5)
    t.b(done)
    assert t.position() - begin == TWICE_BYTES[len(sums)], t.position() - begin
    t.ldrd(R4, R5, SP, t.slot("folded_word"))
    for acc in sums:
        fold(t, acc, R4, R5)
    t.label(done)


# Compute all rows of a channel, two columns at a time. If only one column or row is left, the
# outputs beside it go to the same bytes and are overwritten by the valid outputs. r0..r3: sums;
# r4, r5: words of the plane; r6, lr: two rows of the plane; r7..r12: weights.
def _rows(t, both, side_3):
    sums = (R0, R1, R2, R3) if both else (R0, R1)
    names = "row", "pixel", "next", "row_end", "two_rows", "twice", "rows_done"
    row, pixel, next_pixel, row_end, two_rows, twice, done = map(t.new_label, names)
    t.store(R8, "channel_stream")
    t.ldm_wide(R8, R1, R2)
    t.cmp(R1, 0)
    t.branch("eq", twice)
    t.mov(R1, TWICE_BYTES[len(sums)])
    t.label(twice)
    t.store(R1, "kind")
    t.store(R2, "bias")
    t.store(R2, "bias_again")
    begin_3x3(t) if side_3 else begin_window(t)
    t.store(R1, "multiplier_word")
    t.store(R1, "folded_word")
    t.store(R2, "shift_word")
    t.load(R1, "output_row")
    t.store(R1, "row_step")
    t.load(R1, "output")
    t.store(R1, "out")
    t.load(R1, "rows")
    t.store(R1, "rows_left")
    t.load(R6, "plane")
    t.label(row)
    t.store(R6, "row")
    if both:
        t.load(R1, "rows_left")
        t.cmp(R1, 1)
        t.branch("ne", two_rows)
        t.mov(R1, 0)
        t.store(R1, "row_step")
        t.label(two_rows)
    if side_3:
        t.load(LR, "plane_row")
        t.add(LR, R6)
    t.load(R1, "pairs")
    t.add(R1, R6)
    t.store(R1, "pair_end")
    t.load(R1, "output_step")
    t.store(R1, "step")
    t.load(R1, "out")
    t.store(R1, "next_out")
    t.b(next_pixel)
    t.label(pixel)
    for i in range(0, len(sums), 2):
        t.ldrd(sums[i], sums[i + 1], SP, t.slot("bias"))
    (sums_3x3 if side_3 else sums_of_window)(t, both)
    t.add(R6, 8 if both else 16)
    _outputs(t, sums)
    t.ldrd(R4, R5, SP, t.slot("next_out"))
    if both:
        # Positions (row, column): (1, 1), (0, 1), (1, 0), (0, 0).
        t.add(R4, R5)
        t.load(R5, "row_step")
        t.strb_at(R3, R4, R5)
        t.strb(R2, R4)
        t.load(R3, "next_out")
        t.strb_at(R1, R3, R5)
        t.strb(R0, R3)
        t.load(R5, "step")
        t.add(R4, R5)
    else:
        t.strb_at(R1, R4, R5)
        t.strb(R0, R4)
        t.add_wide(R4, R4, R5, "lsl", 1)
    t.store(R4, "next_out")
    t.label(next_pixel)
    t.load(R5, "pair_end")
    t.cmp(R6, R5)
    t.branch_far("cc", pixel)
    t.branch("hi", row_end)
    t.load(R5, "odd")
    t.cmp(R5, 0)
    t.branch("eq", row_end)
    t.mov(R5, 0)
    t.store(R5, "step")
    t.b(pixel)
    t.label(row_end)
    t.load(R1, "rows_left")
    t.sub(R1, 2 if both else 1)
    t.store(R1, "rows_left")
    t.branch("le", done)
    t.load(R1, "output_row")
    t.load(R2, "out")
    t.add(R2, R1)
    if both:
        t.add(R2, R1)
    t.store(R2, "out")
    t.load(R6, "row")
    t.load(R1, "plane_row")
    t.add(R6, R1)
    t.b(row)
    t.label(done)
    t.load(R7, "channel_stream")
    if side_3:
        t.add(R7, 4 * STREAM_WORDS)
    else:
        t.load(R1, "stream_bytes")
        t.add(R7, R1)


_ABOUT = """
Channels of a depthwise convolution with {} and a stride of {}. `r0` is the
address of a block of parameters ({} in tools/asm/armv7em/depthwise.py).
"""


def _function(name, stride, side_3):
    words = PARAMETERS if side_3 else WINDOW
    slots = _SLOTS + tuple(word for word in words if word not in _SLOTS)
    filters = "3x3 filters" if side_3 else "filters of any size"
    about = _ABOUT.format(filters, stride, "PARAMETERS" if side_3 else "WINDOW")
    t = ThumbDsp(name, about, slots=slots)
    for word in words:
        t.ldr(R1, R0, at(words, word))
        t.store(R1, word)
    t.load(R8, "stream")
    t.add(R0, at(words, "fill"))
    t.store(R0, "zero")  # a byte of the input's zero point
    channels(t, lambda t: _rows(t, stride == 1, side_3))
    return t.text()


def depthwise_3x3():
    return _function("depthwise_3x3", 1, True)


def depthwise_3x3_stride_2():
    return _function("depthwise_3x3_stride_2", 2, True)


def depthwise():
    return _function("depthwise", 1, False)


def depthwise_stride_2():
    return _function("depthwise_stride_2", 2, False)
