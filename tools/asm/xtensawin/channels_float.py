# Parts of the float32 kernels for Xtensa: operands of records, products, outputs of channels
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.record import word_of

ARGUMENTS = "op", "arena", "rom", "start", "stop"

# Registers of the FPU: sums of up to four channels of two pixels or of eight channels of a pixel.
SUMS = tuple(f"f{i}" for i in range(8))
_INPUTS = "f8", "f9"
_WEIGHTS = "f10", "f11", "f12", "f13"
_PRODUCTS = "f14", "f15"
# Without a second pixel: weights of eight channels; a product replaces its weight.
_SINGLE_WEIGHTS = tuple(f"f{i}" for i in range(9, 16))
LOW, HIGH = "f10", "f11"  # limits of the activation
_BIAS = "f12"


def operand(t, layout, name, registers):
    """Store the address of an operand in the slot `name`; 0 for an absent one.

    registers: record, arena, rom, then two registers that are overwritten.
    """
    record, arena, rom, address, base = registers
    t.l32i(base, record, word_of(layout, name))
    t.srli(address, base, 2)
    t.extui(base, base, 0, 1)
    in_arena, known = t.new_label("in_arena"), t.new_label("known")
    t.beqz(base, in_arena)
    # The word 1 is an absent operand; the model begins with other bytes than an operand.
    t.moveqz(base, address, address)
    t.movnez(base, rom, address)
    t.add(address, address, base)
    t.j(known)
    t.label(in_arena)
    t.add(address, address, arena)
    t.label(known)
    t.store(address, name)


def pair_products(t, inputs, weights, index, taps):
    """Add the products of `taps` taps to the sums of two pixels and four channels.

    inputs, weights: addresses; `index` is added to each, and advances. Sum 2 * channel + pixel.
    Products are added a step later, so that they are ready. The last weight and the last product
    of the tap before must be 0.0 or still to be added.
    """
    end = t.new_label("taps_end")
    first, second = _PRODUCTS
    t.loopnez(taps, end)
    t.lsx(_WEIGHTS[0], weights[0], index)
    for x, address in zip(_INPUTS, inputs, strict=True):
        t.lsx(x, address, index)
    for channel, (w, product) in enumerate(zip(_WEIGHTS, (first, second) * 2, strict=True)):
        t.add_s(*[SUMS[2 * channel - 2]] * 2, _PRODUCTS[1 - channel % 2])
        t.add_s(*[SUMS[2 * channel - 1]] * 2, _WEIGHTS[channel - 1])
        if channel < 3:
            t.lsx(_WEIGHTS[channel + 1], weights[channel + 1], index)
        else:
            t.addi(index, index, 4)
        t.mul_s(product, w, _INPUTS[0])
        t.mul_s(w, w, _INPUTS[1])
    t.label(end)


def begin_pair(t, spare):
    """Set the sums of two pixels to 0.0, and the products that pair_products() adds first."""
    t.zero((*SUMS, _WEIGHTS[3], _PRODUCTS[1]), spare)


def end_pair(t):
    """Add the last products of pair_products()."""
    t.add_s(SUMS[6], SUMS[6], _PRODUCTS[1])
    t.add_s(SUMS[7], SUMS[7], _WEIGHTS[3])


def single_products(t, source, weights, index, taps):
    """Add the products of `taps` taps to the sums of one pixel and four or eight channels."""
    end = t.new_label("taps_end")
    count = len(weights)
    registers = [_SINGLE_WEIGHTS[i % len(_SINGLE_WEIGHTS)] for i in range(count)]
    ahead, delay = 3, 2
    x = _INPUTS[0]
    t.loopnez(taps, end)
    t.lsx(x, source, index)
    for i in range(ahead):
        t.lsx(registers[i], weights[i], index)
    for i in range(count + delay):
        if i < count:
            t.mul_s(registers[i], registers[i], x)
        if i >= delay:
            t.add_s(SUMS[i - delay], SUMS[i - delay], registers[i - delay])
        if i + ahead < count:
            t.lsx(registers[i + ahead], weights[i + ahead], index)
        if i == count - 1:
            t.addi(index, index, 4)
    t.label(end)


def channel_addresses(t, registers, step, left):
    """Compute addresses of channels from the first register on; `step` bytes between them.

    The last channel stands for missing ones: `left` channels exist. Overwrites step and left.
    """
    for before, register in zip(registers, registers[1:], strict=False):
        t.addi(left, left, -1)
        t.moveqz(step, left, left)
        t.add(register, before, step)


def load_limits(t, layout, record):
    """Load the limits of the activation."""
    t.lsi(LOW, record, word_of(layout, "activation_min"))
    t.lsi(HIGH, record, word_of(layout, "activation_max"))


def limited(t, value, low=LOW, high=HIGH):
    """Limit a number to the range of the activation, or of two registers; a NaN stays."""
    t.olt_s("b0", value, low)
    t.movt_s(value, low, "b0")
    t.olt_s("b0", high, value)
    t.movt_s(value, high, "b0")


def channel_outputs(t, channels, outputs, bias, left):
    """Add the bias, limit and store the sums of up to `channels` channels.

    outputs: an address for each pixel. bias: address, or 0. left: channels that exist. Overwrites
    left.
    """
    done = t.new_label("stored")
    for channel in range(channels):
        unbiased = t.new_label("unbiased")
        sums = [SUMS[len(outputs) * channel + pixel] for pixel in range(len(outputs))]
        t.beqz(bias, unbiased)
        t.lsi(_BIAS, bias, 4 * channel)
        for value in sums:
            t.add_s(value, value, _BIAS)
        t.label(unbiased)
        for value, output in zip(sums, outputs, strict=True):
            limited(t, value)
            t.ssi(value, output, 4 * channel)
        if channel + 1 < channels:
            t.addi(left, left, -1)
            t.far_zero("beqz", left, done)
    t.label(done)
