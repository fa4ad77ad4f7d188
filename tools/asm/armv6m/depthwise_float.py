# Generator of the assembler kernel of DEPTHWISE_CONV_2D, float32, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import DEPTHWISE

from ..common.record import word_of
from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R9, R10, Thumb
from ..common.thumb_record import (
    coordinates,
    depthwise_window,
    division,
    first_and_count,
    next_pixel,
    number_done,
    operands,
)
from .products_float import Products
from .record_float import clamp, limits

_ABOUT = """
Pixels of DEPTHWISE_CONV_2D: for each channel the products of its window and its filter, in order.
`r0` is the address of the record (DEPTHWISE in prepare/conv_float.py), `r1` of the arena, `r2` of
the model. `r3` is the first pixel * 1024 + the number of pixels. Returns the number of pixels that
are done; the next one has numbers that this function does not multiply, such as infinite ones.
"""

_SLOTS = (
    "record",
    "input",
    "weights",
    "bias",  # address, 0 without
    "output",  # of the next output
    "count",  # of pixels
    "left",  # of them
    "multiplier",  # output channels of an input channel
    "uses_left",  # of the input channel
    "channels_left",
    "x",  # of the output
    "y",
    "batch",
    "window",  # address of the first input of the channel in the image
    "filter",  # address of its weight
    "run",  # bytes from the first cell of a row to the end of the last one
    "rows",
    "rows_left",
    "input_gap",  # bytes from the end of a run to the next one
    "weights_gap",
    "next_bias",
    "low",
    "high",
    "low_key",  # bits as integers in the order of the numbers
    "high_key",
)


# Find the window of the first channel of the output pixel. r10: bytes from one cell of a row to
# the next, lr: bytes from one cell of the filter to the next.
def _window(t):
    some = t.new_label("some")
    depthwise_window(t, DEPTHWISE, 2, "run", lambda t: t.mov(R2, R10), lambda t: t.mov(R2, LR))
    t.mul(R0, R4)
    t.branch("ne", some)
    t.mov(R2, 0)
    t.mov(R4, 1)
    t.label(some)
    t.store(R2, "run")
    t.store(R4, "rows")


# Begin with the pixel whose number is in R0. r5: record.
def _begin(t, divide):
    coordinates(t, DEPTHWISE, divide)
    t.ldr(R0, R5, word_of(DEPTHWISE, "output_channels"))
    t.ldr(R1, R5, word_of(DEPTHWISE, "input_channels"))
    t.bl(divide)
    t.store(R2, "multiplier")
    t.ldr(R0, R5, word_of(DEPTHWISE, "output_channels"))
    t.lsl(R0, R0, 2)
    t.mov(LR, R0)
    t.ldr(R0, R5, word_of(DEPTHWISE, "input_channels"))
    t.ldr(R1, R5, word_of(DEPTHWISE, "dilation_width"))
    t.mul(R0, R1)
    t.lsl(R0, R0, 2)
    t.mov(R10, R0)
    t.mov(R0, R5)
    t.add(R0, word_of(DEPTHWISE, "activation_min"))
    limits(t)


def _load_input(t):
    t.ldr(R3, R0)
    t.add(R0, R10)


def _load_weight(t):
    t.ldr(R5, R1)
    t.add(R1, LR)


def _reload_weight(t):
    t.mov(R5, LR)
    t.sub(R5, R1, R5)
    t.ldr(R5, R5)


def depthwise():
    t = Thumb("depthwise", _ABOUT, arguments=4, slots=_SLOTS)
    names = ("divide", "window", "output", "run_end", "bias", "finish", "bail", "same_input")
    divide, window, output, run_end, bias, finish, bail, same = map(t.new_label, names)
    products = Products(
        t, _load_input, _load_weight, _reload_weight, checked=False, run_end=run_end, bail=bail
    )
    t.store(R0, "record")
    operands(t, DEPTHWISE)
    first_and_count(t, "count", "left")
    t.ldr(R6, R0, word_of(DEPTHWISE, "output_channels"))
    t.mul(R6, R4)
    t.lsl(R6, R6, 2)
    t.add(R6, R5)
    t.store(R6, "output")
    t.mov(R5, R0)
    t.mov(R0, R4)
    products.begin_function()
    _begin(t, divide)
    t.label(window)
    _window(t)
    t.ldr(R1, R7, word_of(DEPTHWISE, "output_channels"))
    t.store(R1, "channels_left")
    t.load(R1, "bias")
    t.store(R1, "next_bias")
    t.load(R1, "multiplier")
    t.store(R1, "uses_left")
    t.label(output)
    t.load(R0, "window")
    t.load(R1, "filter")
    t.load(R2, "run")
    t.add(R2, R0)
    t.mov(R9, R2)
    t.load(R2, "rows")
    t.store(R2, "rows_left")
    products.begin_sum()
    t.b(products.next)
    products.loop()
    t.label(run_end)
    t.load(R7, "rows_left")
    t.sub(R7, 1)
    t.store(R7, "rows_left")
    t.branch("mi", finish)
    t.branch("eq", bias)
    t.load(R7, "input_gap")
    t.add(R0, R7)
    t.load(R7, "weights_gap")
    t.add(R1, R7)
    t.load(R7, "run")
    t.add(R7, R0)
    t.mov(R9, R7)
    t.b(products.next)
    t.label(bias)
    t.load(R1, "next_bias")
    t.cmp(R1, 0)
    t.branch("eq", finish)
    t.ldm(R1, R5)
    t.store(R1, "next_bias")
    t.sub(R1, 4)
    t.add(R1, LR)  # so that the bias can be loaded again
    t.mov(R3, 127)
    t.lsl(R3, R3, 23)
    t.lsl(R4, R3, 1)
    t.b(products.multiply)
    t.label(finish)
    products.result()
    clamp(t)
    t.load(R4, "output")
    t.stm(R4, R2)
    t.store(R4, "output")
    t.load(R4, "filter")
    t.add(R4, 4)
    t.store(R4, "filter")
    t.load(R4, "uses_left")
    t.sub(R4, 1)
    t.branch("ne", same)
    t.load(R4, "window")
    t.add(R4, 4)
    t.store(R4, "window")
    t.load(R4, "multiplier")
    t.label(same)
    t.store(R4, "uses_left")
    t.load(R4, "channels_left")
    t.sub(R4, 1)
    t.store(R4, "channels_left")
    t.branch_far("ne", output)
    t.load(R4, "left")
    t.sub(R4, 1)
    t.store(R4, "left")
    t.branch("eq", bail)
    next_pixel(t, DEPTHWISE, window)
    t.label(bail)
    number_done(t)
    ends = t.new_label("ends")
    t.b(ends)
    division(t, divide)
    t.label(ends)
    return t.text(returns=True)
