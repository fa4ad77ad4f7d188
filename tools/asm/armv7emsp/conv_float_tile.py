# Parts of the kernel of CONV_2D, float32: the products and outputs of a tile
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R12

PIXELS = R0, R1, R2, R3
CHANNELS = R4, R5, R6, R7

# Registers of the FPU in a tile of four pixels and four channels: 16 sums, two taps of four
# pixels, two taps of two channels, four products.
_INPUTS = 16
_WEIGHTS = 24
_PRODUCTS = 28


# Add the products of some channels and all pixels: `taps` pairs (weights, inputs) of registers.
def _products(t, channel, weights, inputs, step):
    for pixel in range(4):
        t.vmul(_PRODUCTS + pixel, weights, inputs + step * pixel)
    for pixel in range(4):
        total = 4 * channel + pixel
        t.vadd(total, total, _PRODUCTS + pixel)


def multiply_tile(t):
    """Add the products of R8 taps to the sums of four pixels and four channels.

    R0 to R3: addresses of the pixels. R4 to R7: of the channels. Sum 4 * channel + pixel.
    """
    pairs, single, done = map(t.new_label, ("pairs", "single", "done"))
    t.shift_right(R9, R8, 1)
    t.branch_far("eq", single)
    t.label(pairs)
    for pixel, register in enumerate(PIXELS):
        t.vldm(register, _INPUTS + 2 * pixel, 2)
    for channel, register in enumerate(CHANNELS):
        weights = _WEIGHTS + 2 * (channel & 1)
        t.vldm(register, weights, 2)
        for tap in range(2):
            _products(t, channel, weights + tap, _INPUTS + tap, 2)
    t.subs_number(R9, 1)
    t.branch_far("ne", pairs)
    t.label(single)
    t.and_number(R9, R8, 1)
    t.branch_far("eq", done)
    for pixel, register in enumerate(PIXELS):
        t.vldm(register, _INPUTS + pixel)
    for channel, register in enumerate(CHANNELS):
        t.vldm(register, _WEIGHTS + channel)
    for channel in range(4):
        _products(t, channel, _WEIGHTS + channel, _INPUTS, 1)
    t.label(done)


def multiply_one_channel(t):
    """Add the products of R8 taps to the sums of four pixels and one channel.

    R0 to R3: addresses of the pixels. R4: of the channel. The sum of a pixel has its number.
    """
    pairs, single, done = map(t.new_label, ("pairs", "single", "done"))
    t.shift_right(R9, R8, 1)
    t.branch("eq", single)
    t.label(pairs)
    for pixel, register in enumerate(PIXELS):
        t.vldm(register, _INPUTS + 2 * pixel, 2)
    t.vldm(R4, _WEIGHTS, 2)
    for tap in range(2):
        _products(t, 0, _WEIGHTS + tap, _INPUTS + tap, 2)
    t.subs_number(R9, 1)
    t.branch("ne", pairs)
    t.label(single)
    t.and_number(R9, R8, 1)
    t.branch("eq", done)
    for pixel, register in enumerate(PIXELS):
        t.vldm(register, _INPUTS + pixel)
    t.vldm(R4, _WEIGHTS)
    _products(t, 0, _WEIGHTS, _INPUTS, 1)
    t.label(done)


def repeat_channel(t):
    """Copy the sums of the first channel to the channels that are missing."""
    for i in range(4, 16):
        t.vmov(i, i % 4)


def filter_rows(t, multiply, pixels, channels, taps):
    """Run `multiply` for all runs of all rows of the filter.

    pixels and channels: registers with addresses, which advance. taps: the register with the
    number of taps.
    """
    row, run, next_row, done = map(t.new_label, ("row", "run", "next_row", "done"))
    t.load(R9, "rows")
    t.store(R9, "rows_left")
    t.cmp_number(R9, 0)
    t.branch_far("eq", done)
    t.label(row)
    t.load(R9, "runs")
    t.store(R9, "runs_left")
    t.label(run)
    t.load(taps, "taps")
    multiply(t)
    t.load(R9, "runs_left")
    t.subs_number(R9, 1)
    t.branch("eq", next_row)
    t.store(R9, "runs_left")
    t.load(R9, "run_gap")
    for register in pixels:
        t.add_wide(register, register, R9)
    t.bl(run)
    t.label(next_row)
    t.load(R9, "row_gap")
    for register in pixels:
        t.add_wide(register, register, R9)
    t.load(R9, "weight_gap")
    for register in channels:
        t.add_wide(register, register, R9)
    t.load(R9, "rows_left")
    t.subs_number(R9, 1)
    t.store(R9, "rows_left")
    t.branch_far("ne", row)
    t.label(done)


def four_channels(t, registers, first, step):
    """Find addresses of four channels from the register `first` on.

    step: register with the bytes from one channel to the next.
    """
    t.move(registers[0], first)
    for register, name in zip(registers[1:], ("second", "third", "fourth"), strict=True):
        t.load(R12, name)
        t.mla(register, R12, step, first)


def store_outputs(t, pixels):
    """Add the bias and store the sums of four channels of `pixels` pixels."""
    t.load(R0, "channel")
    t.load(R1, "bias")
    unbiased = t.new_label("unbiased")
    t.cmp(R1, 0)
    t.branch_far("eq", unbiased)
    t.add_wide(R1, R1, R0, "lsl", 2)
    t.number(R8, 4)
    four_channels(t, (R4, R5, R6, R7), R1, R8)
    bias = _INPUTS if pixels > 1 else 8
    for i, register in enumerate((R4, R5, R6, R7)):
        t.vldr(bias + i, register)
    for i in range(4):
        for pixel in range(pixels):
            t.vadd(pixels * i + pixel, pixels * i + pixel, bias + i)
    t.label(unbiased)
    t.load(R1, "pixel_output")
    t.add_wide(R1, R1, R0, "lsl", 2)
    t.number(R8, 4)
    four_channels(t, (R4, R5, R6, R7), R1, R8)
    for pixel in range(pixels):
        for i, register in enumerate((R4, R5, R6, R7)):
            t.vstr(pixels * i + pixel, register)
        if pixel + 1 < pixels:
            t.load(R2, ("output_step", "third_output_step", "last_output_step")[pixel])
            for register in (R4, R5, R6, R7):
                t.add_wide(register, register, R2)
