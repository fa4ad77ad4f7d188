# Tables of the audio front end: Hann window, mel filter bank, gains of PCAN; floats are 32 bit
# MIT license; Copyright (c) 2026 the tflm authors

from typing import NamedTuple

import numpy as np

_ONE = 1 << 12  # 1.0 of windows and weights
_ALIGN = 2  # bins: where a channel's weights may begin
_BLOCK = 4  # bins: what a channel's weights are padded to
_GAIN_BITS = 21


class FilterBank(NamedTuple):
    """Weights as SignalFilterBank takes them, and the bins first..end that they use.

    weights, unweights: of all channels, one behind the other. frequency_starts, weight_starts,
    widths: one more than channels; where each begins among the bins and weights, and how many.
    """

    first: int
    end: int
    weights: np.ndarray
    unweights: np.ndarray
    frequency_starts: list
    weight_starts: list
    widths: list


def hann(length):
    """Weights of a Hann window whose 1.0 is 4096; samples lie in the middle of their steps."""
    angles = 2 * np.pi * (np.arange(length) + 0.5) / length
    return np.round((0.5 - 0.5 * np.cos(angles)) * _ONE).astype(int)


def hann_single(length):
    """The same as hann(), computed in single precision: a weight or two come out one lower."""
    one = np.float32
    step = one(np.pi) * one(2) / one(length)
    angles = step * (np.arange(length, dtype=one) + one(0.5))
    cosines = np.cos(angles.astype(np.float64)).astype(one)
    return np.floor((one(0.5) - one(0.5) * cosines) * one(_ONE) + one(0.5)).astype(int)


# Hertz to mel.
def _mel(frequency):
    return np.float32(1127) * np.log1p(np.float32(frequency) / np.float32(700))


# The upper edges of `channels` + 1 bands of equal width in mel.
def _edges(channels, low, high):
    spacing = (_mel(high) - _mel(low)) / np.float32(channels + 1)
    return _mel(low) + spacing * np.arange(1, channels + 2, dtype=np.float32)


# Triangles that overlap by half: a bin between two edges gives a part of its energy, the weight,
# to the channel that ends there, and the rest, the unweight, to the next one. A band's bins lie
# together; the first is moved to an even bin and the number filled up to a multiple of four,
# with weights of zero.
def filter_bank(bins, rate, channels, low, high, rounding=0.0):
    """The FilterBank of `channels` mel bands between `low` and `high` Hz; `bins` include DC.

    rounding: 0.5 rounds weights to nearest, 0 cuts off what is below 1 / 4096.
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
        part = []
        while _mel(bin_ * spacing) <= edge:
            part.append((edge - _mel(bin_ * spacing)) / (edge - lower))
            bin_ += 1
        if not part:
            raise ValueError(f"a band below {edge:.0f} mel has no bin; take fewer channels")
        before = begin % _ALIGN
        after = -(before + len(part)) % _BLOCK
        frequency_starts.append(begin - before)
        weight_starts.append(len(weights))
        widths.append(before + len(part) + after)
        weights += [0] * before + quantized(part) + [0] * after
        unweights += [0] * before + quantized(1 - w for w in part) + [0] * after
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


# PCAN divides each channel by (noise + offset) ^ strength. SignalPCAN has that as a polynomial of
# degree 2 for each power of two of the noise: the value at its beginning, and the coefficients
# that go through the middle and the end, and a zero.
def pcan_gains(strength, offset, input_bits):
    """The 125 numbers of the gain table of SignalPCAN, noise with `input_bits` of fraction."""

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
