# Generator of the assembler kernel of CONV_2D and FULLY_CONNECTED, float32, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import CONV
from tflm.prepare.fully_connected_float import LAYOUT

from ..common.record import word_of
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, Thumb
from ..common.thumb_record import (
    division,
    first_and_count,
    in_image,
    next_pixel,
    number_done,
    operands,
)
from .list_float import Builder, ListProducts, bias_list, find_infinite, list_bytes
from .record_float import clamp, limits

_ABOUT = """
Outputs of CONV_2D or FULLY_CONNECTED: products of a window and a filter, in order. `r0` is the
address of the record (CONV in prepare/conv_float.py), `r1` of the arena, `r2` of the model. `r3`
is the first output * 1024 + the number of outputs; its complement if the record is LAYOUT in
prepare/fully_connected_float.py. Returns the number of outputs that are done; the next one has
numbers that this function does not multiply, such as infinite ones.
"""

# 1. Find the window of the output pixel.
# 2. For some channels of the pixel: unpack the window to a list of at most ENTRIES inputs.
# 3. The sum of the products of the list and each channel's filter.
# 4. If the window has more inputs, keep the sums of up to _SUMS channels, and go on with step 2.
# 5. Add the bias, clamp and store the outputs.
_SUMS = 16
_SUMS_BYTES = 8 * _SUMS

_SLOTS = (
    "record",
    "input",
    "weights",
    "bias",  # address, 0 without
    "output",  # of the next output
    "count",  # of outputs
    "left",  # of them
    "is_connected",  # -1: FULLY_CONNECTED
    "channels",
    "channels_left",  # of the pixel
    "channel",  # the first one of the pixel
    "block",  # channels that are summed up together
    "x",  # of the output
    "y",
    "batch",
    "window",  # address of the first input in the image
    "first_filter",  # address of the weight of the first channel for this input
    "filter",  # of the first channel of the block
    "row",  # filter of the channel
    "filter_step",  # bytes from one channel to the next
    "run",  # bytes of the window in one row of the image
    "rows",
    *Builder.SLOTS,
    "is_special",  # 0: the list has entries, and sums begin with it
    "is_later",  # 1: sums have begun
    "is_finite",  # 1: the weights of all outputs are finite
    "checks_row",  # 1: the weights of the list are checked for each output
    "input_gap",  # bytes from the end of a run to the next one
    "weights_gap",
    "next_bias",
    "low",
    "high",
    "low_key",  # bits as integers in the order of the numbers
    "high_key",
)


# Find the window of the output pixel. At most one run of the window is in a row of the image,
# because its cells touch each other.
def _window(t):
    padded, inside, some = map(t.new_label, ("padded", "inside", "some"))
    t.load(R7, "record")
    t.load(R0, "y")
    in_image(t, CONV, "height")
    t.store(R4, "rows")
    t.ldr(R6, R7, word_of(CONV, "input_height"))
    t.load(R2, "batch")
    t.mul(R2, R6)
    t.add(R2, R0)
    t.ldr(R5, R7, word_of(CONV, "input_width"))
    t.mul(R2, R5)  # the pixel where the row begins
    t.ldr(R3, R7, word_of(CONV, "filter_width"))
    t.mul(R1, R3)  # the cell of the filter
    t.load(R0, "x")
    t.ldr(R6, R7, word_of(CONV, "stride_width"))
    t.mul(R0, R6)
    t.ldr(R6, R7, word_of(CONV, "padding_width"))
    t.sub(R0, R6)
    t.branch("ge", padded)
    t.add(R3, R0)
    t.sub(R1, R1, R0)
    t.mov(R0, 0)
    t.label(padded)
    t.add(R2, R0)
    t.sub(R5, R5, R0)
    t.cmp(R5, R3)
    t.branch("le", inside)
    t.mov(R5, R3)
    t.label(inside)  # r5: cells of a run
    t.ldr(R6, R7, word_of(CONV, "input_channels"))
    t.lsl(R6, R6, 2)
    t.mul(R2, R6)
    t.load(R0, "input")
    t.add(R2, R0)
    t.store(R2, "window")
    t.mul(R1, R6)
    t.load(R0, "weights")
    t.add(R1, R0)
    t.store(R1, "first_filter")
    t.mul(R5, R6)
    t.ldr(R0, R7, word_of(CONV, "dilation_height"))
    t.ldr(R1, R7, word_of(CONV, "input_width"))
    t.mul(R0, R1)
    t.mul(R0, R6)
    t.sub(R0, R5)
    t.store(R0, "input_gap")
    t.ldr(R0, R7, word_of(CONV, "filter_width"))
    t.mul(R0, R6)
    t.sub(R1, R0, R5)
    t.store(R1, "weights_gap")
    t.ldr(R1, R7, word_of(CONV, "filter_height"))
    t.mul(R0, R1)
    t.store(R0, "filter_step")
    t.cmp(R4, 0)
    t.branch("ne", some)
    t.mov(R5, 0)
    t.mov(R4, 1)
    t.store(R4, "rows")
    t.label(some)
    t.store(R5, "run")


# Begin with the channel and the batch of the first output of FULLY_CONNECTED.
def _begin_connected(t, divide):
    t.ldr(R1, R5, word_of(LAYOUT, "channels"))
    t.store(R1, "channels")
    t.bl(divide)
    t.store(R0, "channel")
    t.ldr(R4, R5, word_of(LAYOUT, "depth"))
    t.lsl(R4, R4, 2)
    for name in ("run", "filter_step"):
        t.store(R4, name)
    t.mul(R2, R4)
    t.load(R1, "input")
    t.add(R1, R2)
    t.store(R1, "window")
    t.load(R1, "weights")
    t.store(R1, "first_filter")
    t.mov(R1, 1)
    t.store(R1, "rows")
    t.mov(R0, R5)
    t.add(R0, word_of(LAYOUT, "activation_min"))


def _begin_conv(t, divide):
    for size, name in (
        ("output_channels", "channel"),
        ("output_width", "x"),
        ("output_height", "y"),
    ):
        t.ldr(R1, R5, word_of(CONV, size))
        if name == "channel":
            t.store(R1, "channels")
        t.bl(divide)
        t.store(R0, name)
        t.mov(R0, R2)
    t.store(R0, "batch")
    t.mov(R0, R5)
    t.add(R0, word_of(CONV, "activation_min"))


# Begin with the next channels of the pixel.
def _begin_block(t):
    t.mov(R0, 0)
    t.store(R0, "is_later")
    t.load(R4, "window")
    t.load(R5, "run")
    t.load(R6, "rows")
    t.load(R7, "channels_left")
    all_left = t.new_label("all_left")
    t.load(R1, "left")
    t.cmp(R7, R1)
    t.branch("ls", all_left)
    t.mov(R7, R1)
    t.label(all_left)
    t.store(R7, "block")


# End the function at `bail` if the window has inputs that are 0, and a weight of an output that is
# left is not finite: their product is NaN. If few outputs share a weight, each output checks its
# weights just before their use, so that they are fetched only once from flash.
def _check_weights(t, builder, bail):
    checked, each = map(t.new_label, ("checked", "each"))
    t.mov(R0, 0)
    t.store(R0, "checks_row")
    builder.if_no_zeros(checked)
    t.load(R0, "is_finite")
    t.cmp(R0, 0)
    t.branch_far("ne", checked)
    t.load(R2, "left")
    t.load(R1, "channels")
    t.lsl(R0, R1, 1)
    t.cmp(R2, R0)
    t.branch_far("cc", each)
    t.load(R0, "filter_step")
    t.mul(R1, R0)
    t.load(R0, "weights")
    t.add(R1, R0)
    find_infinite(t, bail)
    t.mov(R0, 1)
    t.store(R0, "is_finite")
    t.b(checked)
    t.label(each)
    t.mov(R0, 1)
    t.store(R0, "checks_row")
    t.label(checked)


# r9: 0 before the bias is added; r10: channels of the block that are left; r11: next sum.
def windows():
    t = Thumb("windows", _ABOUT, arguments=4, slots=_SLOTS, spare=list_bytes(_SUMS_BYTES))
    names = ("divide", "connected", "begin", "window", "pixel", "block", "inputs", "channel")
    divide, connected, begin, window, pixel, block, inputs, channel = map(t.new_label, names)
    names = ("end", "finish", "bail", "advance", "special", "keep", "next_channel")
    end, finish, bail, advance, special, keep, next_channel = map(t.new_label, names)
    # Jumps reach 2 KB.
    to_bail, to_window, to_pixel = map(t.new_label, ("to_bail", "to_window", "to_pixel"))
    products = ListProducts(t, end, to_bail)
    builder = Builder(t, _SUMS_BYTES)
    t.store(R0, "record")
    t.asr(R7, R3, 31)
    t.store(R7, "is_connected")
    t.two("eor", R3, R7)
    operands(t, CONV)
    first_and_count(t, "count", "left")
    t.lsl(R6, R4, 2)
    t.add(R6, R5)
    t.store(R6, "output")
    t.mov(R5, R0)
    t.mov(R0, R4)
    t.load(R7, "is_connected")
    t.cmp(R7, 0)
    t.branch("ne", connected)
    _begin_conv(t, divide)
    t.b(begin)
    t.label(connected)
    _begin_connected(t, divide)
    t.label(begin)
    limits(t)
    bias_list(t, _SUMS_BYTES)
    t.mov(R0, 0)
    t.store(R0, "is_finite")
    t.load(R7, "is_connected")
    t.cmp(R7, 0)
    t.branch_far("ne", pixel)
    t.label(window)
    _window(t)
    t.label(pixel)
    t.load(R0, "channel")
    t.load(R1, "channels")
    t.sub(R1, R1, R0)
    t.store(R1, "channels_left")
    t.load(R1, "filter_step")
    t.mul(R1, R0)
    t.load(R2, "first_filter")
    t.add(R1, R2)
    t.store(R1, "filter")
    no_bias = t.new_label("no_bias")
    t.load(R1, "bias")
    t.cmp(R1, 0)
    t.branch("eq", no_bias)
    t.lsl(R0, R0, 2)
    t.add(R1, R0)
    t.label(no_bias)
    t.store(R1, "next_bias")
    t.mov(R0, 0)
    t.store(R0, "channel")
    t.label(block)
    _begin_block(t)
    builder.begin()
    t.label(inputs)
    builder.build(to_bail)
    _check_weights(t, builder, to_bail)
    _begin_list(t)
    t.label(channel)
    t.load(R1, "row")
    t.mov(R7, 0)
    t.mov(R9, R7)
    t.address(R0, builder.offset)
    t.load(R7, "is_special")
    t.cmp(R7, 0)
    t.branch("ne", special)
    t.b(products.first)
    t.label(special)
    _begin_special(t, products, builder, end, to_bail)
    products.loop()
    for label, target in ((to_bail, bail), (to_window, window), (to_pixel, pixel)):
        t.label(label)
        t.b(target)
    t.label(end)
    t.mov(R7, R9)
    t.cmp(R7, 0)
    t.branch("ne", finish)
    t.load(R7, "has_more")
    t.cmp(R7, 0)
    t.branch("ne", keep)
    t.load(R1, "next_bias")
    t.cmp(R1, 0)
    t.branch("eq", finish)
    t.mov(R9, R1)
    t.add(R7, R1, 4)
    t.store(R7, "next_bias")
    t.address(R0, _SUMS_BYTES)
    t.b(products.next)
    t.label(keep)
    _keep_sum(t)
    t.b(next_channel)
    t.label(finish)
    products.result()
    clamp(t)
    t.load(R4, "output")
    t.stm(R4, R2)
    t.store(R4, "output")
    t.load(R4, "left")
    t.sub(R4, 1)
    t.store(R4, "left")
    t.label(next_channel)
    t.load(R4, "row")
    t.load(R5, "filter_step")
    t.add(R4, R5)
    t.store(R4, "row")
    t.mov(R5, 8)
    t.add(R11, R5)
    t.mov(R5, R10)
    t.sub(R5, 1)
    t.mov(R10, R5)
    t.branch_far("ne", channel)
    t.mov(R5, 1)
    t.store(R5, "is_later")
    t.load(R5, "has_more")
    t.cmp(R5, 0)
    t.branch_far("ne", inputs)
    t.store(R4, "filter")
    t.load(R5, "left")
    t.cmp(R5, 0)
    t.branch_far("eq", bail)
    t.load(R4, "channels_left")
    t.load(R5, "block")
    t.sub(R4, R4, R5)
    t.store(R4, "channels_left")
    t.branch_far("ne", block)
    t.load(R4, "is_connected")
    t.cmp(R4, 0)
    t.branch("eq", advance)
    t.load(R4, "window")
    t.load(R5, "run")
    t.add(R4, R5)
    t.store(R4, "window")
    t.b(to_pixel)
    t.label(advance)
    next_pixel(t, CONV, to_window)
    division(t, divide)
    t.label(bail)
    number_done(t)
    return t.text(returns=True)


# Begin with the first channel of the block for a list. At most _SUMS sums can be kept.
def _begin_list(t):
    fits = t.new_label("fits")
    t.load(R0, "block")
    t.load(R1, "has_more")
    t.cmp(R1, 0)
    t.branch("eq", fits)
    t.cmp(R0, _SUMS)
    t.branch("ls", fits)
    t.mov(R0, _SUMS)
    t.store(R0, "block")
    t.label(fits)
    t.mov(R10, R0)
    t.load(R0, "filter")
    t.store(R0, "row")
    t.address(R0)
    t.mov(R11, R0)
    t.load(R0, "is_empty")
    t.load(R1, "is_later")
    t.two("orr", R0, R1)
    t.load(R1, "checks_row")
    t.two("orr", R0, R1)
    t.store(R0, "is_special")


# Begin a sum: check the weights of the list, R1, if required. Continue the sum that was kept if it
# is a later list; go to `end` for an empty list.
def _begin_special(t, products, builder, end, bail):
    first, some, checked = map(t.new_label, ("first", "some", "checked"))
    t.load(R3, "checks_row")
    t.cmp(R3, 0)
    t.branch("eq", checked)
    t.load(R0, "first_weight")
    t.add(R0, R0, R1)
    t.load(R3, "weight")
    t.add(R1, R1, R3)
    find_infinite(t, bail)
    t.load(R1, "row")
    t.address(R0, builder.offset)
    t.label(checked)
    products.begin_sum()
    t.load(R3, "is_later")
    t.cmp(R3, 0)
    t.branch("eq", first)
    t.mov(R7, R11)
    t.ldm(R7, R2, R3)
    t.mov(R8, R3)
    t.label(first)
    t.load(R3, "is_empty")
    t.cmp(R3, 0)
    t.branch("eq", some)
    t.b(end)
    t.label(some)
    t.b(products.next)


# Keep the sum for the next list. Uses R3 and R7.
def _keep_sum(t):
    t.mov(R3, R8)
    t.mov(R7, R11)
    t.stm(R7, R2, R3)
