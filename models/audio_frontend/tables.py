# Compute the tables of the audio front end: Hann window, mel filter bank, and gains of PCAN
# MIT license; Copyright (c) 2026 the tflm authors

from typing import NamedTuple

import numpy as np

_ONE = 1 << 12  # 1.0 of windows and weights
_ALIGN = 2  # bins; the weights of a channel begin at a multiple
_BLOCK = 4  # bins; the weights of a channel are padded to a multiple
_GAIN_BITS = 21


class FilterBank(NamedTuple):
    """The inputs of SignalFilterBank, and the bins first..end that they use.

    weights, unweights: of all channels in order. frequency_starts, weight_starts: the first bin
    and weight of each channel, widths: its number of bins; each has one element more than there
    are channels.
    """

    first: int
    end: int
    weights: np.ndarray
    unweights: np.ndarray
    frequency_starts: list
    weight_starts: list
    widths: list


def hann(length):
    """Return the weights of a Hann window, 4096 for 1.0, at the middle of each sample."""
    angles = 2 * np.pi * (np.arange(length) + 0.5) / length
    return np.round((0.5 - 0.5 * np.cos(angles)) * _ONE).astype(int)


def hann_single(length):
    """Return hann() computed in single precision, which makes one or two weights smaller by 1."""
    one = np.float32
    step = one(np.pi) * one(2) / one(length)
    angles = step * (np.arange(length, dtype=one) + one(0.5))
    cosines = np.cos(angles.astype(np.float64)).astype(one)
    return np.floor((one(0.5) - one(0.5) * cosines) * one(_ONE) + one(0.5)).astype(int)


# Convert Hertz to mel.
def _mel(frequency):
    return np.float32(1127) * np.log1p(np.float32(frequency) / np.float32(700))


# Return the upper edges of `channels` + 1 bands of equal width in mel.
def _edges(channels, low, high):
    spacing = (_mel(high) - _mel(low)) / np.float32(channels + 1)
    return _mel(low) + spacing * np.arange(1, channels + 2, dtype=np.float32)


# The filters are triangles that overlap by half. A bin between two edges adds one share of its
# energy (the weight) to the channel that ends there, and the rest (the unweight) to the next one.
# The first bin of a band is moved to an even bin, and the number of bins is rounded up to a
# multiple of four; the additional weights are zero.
def filter_bank(bins, rate, channels, low, high, rounding=0.0):
    """Return the FilterBank of `channels` mel bands between `low` and `high` Hz.

    bins: number of bins of the spectrum, including DC. rounding: 0.5 rounds weights to the
    nearest multiple of 1 / 4096, 0 rounds down.
    """

    def quantized(weights):
        return [int(weight * _ONE + np.float32(rounding)) for weight in weights]

    spacing = (rate / 2) / (bins - 1)
    edges = _edges(channels, low, high)
    bin_ = first = round(1 + low / spacing)
    weights, unweights = [], []
    frequency_starts, weight_starts, widths = [], [], []
    lower = _mel(low)
    for edge in edges:
        begin = bin_
        shares = []
        while _mel(bin_ * spacing) <= edge:
            shares.append((edge - _mel(bin_ * spacing)) / (edge - lower))
            bin_ += 1
        if not shares:
            raise ValueError(f"a band below {edge:.0f} mel has no bin; use fewer channels")
        before = begin % _ALIGN
        after = -(before + len(shares)) % _BLOCK
        frequency_starts.append(begin - before)
        weight_starts.append(len(weights))
        widths.append(before + len(shares) + after)
        weights += [0] * before + quantized(shares) + [0] * after
        unweights += [0] * before + quantized(1 - w for w in shares) + [0] * after
        lower = edge
    return FilterBank(
        first,
        bin_,
        np.array(weights),
        np.array(unweights),
        frequency_starts,
        weight_starts,
        widths,
    )


# PCAN divides each channel by (noise + offset) ^ strength. SignalPCAN approximates this by one
# polynomial of degree 2 per power of two of the noise: the value at its beginning, the two
# coefficients that fit the middle and the end, and a zero.
def pcan_gains(strength, offset, input_bits):
    """Return the 125 numbers of the gain table of SignalPCAN.

    input_bits: fraction bits of the noise.
    """

    def gain(noise):
        base = np.float32(noise) / np.float32(1 << input_bits) + np.float32(offset)
        value = np.float32(1 << _GAIN_BITS) * base ** np.float32(-strength)
        return min(int(value + np.float32(0.5)), 32767)

    table = [gain(0), gain(1)]
    for bits in range(2, 33):
        begin = 1 << bits - 1
        end = 2 * begin - (bits == 32)
        at_begin = gain(begin)
        middle = gain(begin + begin // 2) - at_begin
        whole = gain(end) - at_begin
        linear = 4 * middle - whole
        table += [at_begin, linear, whole - linear, 0]
    return np.array(table[:125])
