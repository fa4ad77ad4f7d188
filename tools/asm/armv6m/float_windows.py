# Generator of the assembler kernel of CONV_2D and FULLY_CONNECTED, float32, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import CONV
from tflm.prepare.fully_connected_float import LAYOUT

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R9, Thumb
from ..common.thumb_record import at, division, in_image, next_pixel, operands
from .float_products import INPUT_HIGH, INPUT_LOW, Products
from .float_record import clamp, limits

_ABOUT = """
Outputs of CONV_2D or FULLY_CONNECTED: products of a window and a filter, in order. `r0` is the
address of the record (CONV in prepare/conv_float.py), `r1` of the arena, `r2` of the model. `r3`
is the first output * 1024 + the number of outputs; its complement if the record is LAYOUT in
prepare/fully_connected_float.py. Returns the number of outputs that are done; the next one has
numbers that this function does not multiply, such as infinite ones.
"""

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
    "x",  # of the output
    "y",
    "batch",
    "window",  # address of the first input in the image
    "first_filter",  # address of the weight of the first channel for this input
    "filter",
    "filter_step",  # bytes from one channel to the next
    "run",  # bytes of the window in one row of the image
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


# Find the window of the output pixel. At most one run of the window is in a row of the image,
# because its cells touch each other.
def _window(t):
    padded, inside, some = map(t.new_label, ("padded", "inside", "some"))
    t.load(R7, "record")
    t.load(R0, "y")
    in_image(t, CONV, "height")
    t.store(R4, "rows")
    t.ldr(R6, R7, at(CONV, "input_height"))
    t.load(R2, "batch")
    t.mul(R2, R6)
    t.add(R2, R0)
    t.ldr(R5, R7, at(CONV, "input_width"))
    t.mul(R2, R5)  # the pixel where the row begins
    t.ldr(R3, R7, at(CONV, "filter_width"))
    t.mul(R1, R3)  # the cell of the filter
    t.load(R0, "x")
    t.ldr(R6, R7, at(CONV, "stride_width"))
    t.mul(R0, R6)
    t.ldr(R6, R7, at(CONV, "padding_width"))
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
    t.ldr(R6, R7, at(CONV, "input_channels"))
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
    t.ldr(R0, R7, at(CONV, "dilation_height"))
    t.ldr(R1, R7, at(CONV, "input_width"))
    t.mul(R0, R1)
    t.mul(R0, R6)
    t.sub(R0, R5)
    t.store(R0, "input_gap")
    t.ldr(R0, R7, at(CONV, "filter_width"))
    t.mul(R0, R6)
    t.sub(R1, R0, R5)
    t.store(R1, "weights_gap")
    t.ldr(R1, R7, at(CONV, "filter_height"))
    t.mul(R0, R1)
    t.store(R0, "filter_step")
    t.cmp(R4, 0)
    t.branch("ne", some)
    t.mov(R5, 0)
    t.mov(R4, 1)
    t.store(R4, "rows")
    t.label(some)
    t.store(R5, "run")


# Leave to `bad` where an input of the window is not between the bounds of float_products.py.
def _check_window(t, bad):
    row, value, run_end = map(t.new_label, ("row", "value", "run_end"))
    t.load(R0, "window")
    t.load(R1, "rows")
    t.load(R4, "run")
    t.load(R5, "input_gap")
    t.label(row)
    t.add(R2, R0, R4)
    t.label(value)
    t.cmp(R0, R2)
    t.branch("eq", run_end)
    t.ldm(R0, R3)
    t.lsl(R3, R3, 1)
    t.branch("eq", value)
    t.lsr(R3, R3, 24)
    t.sub(R3, INPUT_LOW)
    t.cmp(R3, INPUT_HIGH - INPUT_LOW)
    t.branch("ls", value)
    t.b(bad)
    t.label(run_end)
    t.add(R0, R5)
    t.sub(R1, 1)
    t.branch("ne", row)


# Begin with the channel and the batch of the first output of FULLY_CONNECTED.
def _begin_connected(t, divide):
    t.ldr(R1, R5, at(LAYOUT, "channels"))
    t.store(R1, "channels")
    t.bl(divide)
    t.store(R0, "channel")
    t.ldr(R4, R5, at(LAYOUT, "depth"))
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
    t.add(R0, at(LAYOUT, "activation_min"))


def _begin_conv(t, divide):
    for size, name in (
        ("output_channels", "channel"),
        ("output_width", "x"),
        ("output_height", "y"),
    ):
        t.ldr(R1, R5, at(CONV, size))
        if name == "channel":
            t.store(R1, "channels")
        t.bl(divide)
        t.store(R0, name)
        t.mov(R0, R2)
    t.store(R0, "batch")
    t.mov(R0, R5)
    t.add(R0, at(CONV, "activation_min"))


def windows():
    t = Thumb("windows", _ABOUT, arguments=4, slots=_SLOTS)
    names = ("divide", "connected", "begin", "window", "pixel", "output", "run_end", "bias")
    divide, connected, begin, window, pixel, output, run_end, bias = map(t.new_label, names)
    finish, bail, advance = map(t.new_label, ("finish", "bail", "advance"))
    products = Products(
        t,
        lambda t: t.ldm(R0, R3),
        lambda t: t.ldm(R1, R5),
        _reload_weight,
        checked=True,
        run_end=run_end,
        bail=bail,
    )
    t.store(R0, "record")
    t.asr(R7, R3, 31)
    t.store(R7, "is_connected")
    t.two("eor", R3, R7)
    operands(t, CONV)
    t.lsr(R4, R3, 10)
    t.lsl(R3, R3, 22)
    t.lsr(R3, R3, 22)
    t.store(R3, "count")
    t.store(R3, "left")
    t.lsl(R6, R4, 2)
    t.add(R6, R5)
    t.store(R6, "output")
    t.mov(R5, R0)
    t.mov(R0, R4)
    products.begin_function()
    t.load(R7, "is_connected")
    t.cmp(R7, 0)
    t.branch("ne", connected)
    _begin_conv(t, divide)
    t.b(begin)
    t.label(connected)
    _begin_connected(t, divide)
    t.label(begin)
    limits(t)
    t.load(R7, "is_connected")
    t.cmp(R7, 0)
    t.branch_far("ne", pixel)
    t.label(window)
    _window(t)
    t.label(pixel)
    _check_window(t, bail)
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
    t.load(R4, "left")
    t.sub(R4, 1)
    t.store(R4, "left")
    t.branch("eq", bail)
    t.load(R4, "filter")
    t.load(R5, "filter_step")
    t.add(R4, R5)
    t.store(R4, "filter")
    t.load(R4, "channels_left")
    t.sub(R4, 1)
    t.store(R4, "channels_left")
    t.branch_far("ne", output)
    t.load(R4, "is_connected")
    t.cmp(R4, 0)
    t.branch("eq", advance)
    t.load(R4, "window")
    t.load(R5, "run")
    t.add(R4, R5)
    t.store(R4, "window")
    t.b(pixel)
    t.label(advance)
    next_pixel(t, CONV, window)
    division(t, divide)
    t.label(bail)
    t.load(R0, "count")
    t.load(R1, "left")
    t.sub(R0, R1)
    return t.text(returns=True)


def _reload_weight(t):
    t.sub(R5, R1, 4)
    t.ldr(R5, R5)
