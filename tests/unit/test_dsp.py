# Tests of int8 with the DSP extension in the kernel language, by the interpreter
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import pytest
from support.inputs import generator

from tools.asm.kernels import conv_dsp
from tools.asm.kernels.conv_dsp import GATHER, MULTIPLY, UNROLLED, WORD_BYTES
from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.machines import MACHINES

_RUNS = 60
_BLOCK, _IMAGE, _LANES, _SPARE, _STREAM, _OUTPUT = (0x10000 * i for i in range(1, 7))
_MACHINE = MACHINES["armv7em"]


def _run(kernel, layout, words, operands):
    block = struct.pack(f"<{len(layout)}I", *[words[name] & 0xFFFFFFFF for name in layout])
    run(kernel, Memory({"parameters": (_BLOCK, block, False)} | operands), _BLOCK)


def _int8(random, count):
    return random.integers(-127, 128, count).tolist()


# Two halfwords, and elements 0 and 2, then 1 and 3, of each word of bytes.
def _word(low, high):
    return (low & 0xFFFF) | (high & 0xFFFF) << 16


def _pairs(values):
    for a, b, c, d in zip(*[iter(values)] * 4, strict=True):
        yield _word(a, c)
        yield _word(b, d)


# The lanes of pairs of pixels: a word of one pixel, then one of the other.
def _lanes(pixels):
    words = []
    for one, other in zip(pixels[::2], pixels[1::2], strict=True):
        words += [w for both in zip(_pairs(one), _pairs(other), strict=True) for w in both]
    return struct.pack(f"<{len(words)}I", *words)


@pytest.mark.parametrize("is_whole", [0, 1])
def test_windows_become_lanes(is_whole):
    kernel, random = conv_dsp.gather_kernel(InterpretedMachine(_MACHINE)), generator("dsp gather")
    for _ in range(_RUNS):
        height, pairs = int(random.integers(1, 4)), int(random.integers(1, 4))
        size = 4 * int(random.integers(1, 5)) if is_whole else int(random.integers(1, 14))
        row_bytes = size + int(random.integers(0, 40))
        step, first = int(random.integers(1, 9)), int(random.integers(-12, 20))
        rows = int(random.integers(0, height + 1))
        above, below = (size * int(random.integers(0, 3)) for _ in range(2))
        if not above + rows + below:
            below = size
        image, zero_point = _int8(random, height * row_bytes), int(random.integers(-128, 128))
        pixels = []
        for x in range(first, first + 2 * pairs * step, step):
            window = [zero_point] * above
            for y in range(rows):
                row = image[y * row_bytes : (y + 1) * row_bytes]
                window += [
                    row[i] if 0 <= i < row_bytes else zero_point for i in range(x, x + size)
                ]
            pixels.append(window + [zero_point] * below)
        window = len(pixels[0]) + 3 & -4
        found = bytearray(4 * window * pairs)
        words = {
            "source": _IMAGE + first, "lanes": _LANES, "pairs": pairs, "pixel_step": step,
            "pair_step": 2 * step, "run": size, "row_step": row_bytes, "above": above,
            "rows": rows, "below": below, "at": first, "last": row_bytes - size,
            "row_bytes": row_bytes, "fill": _word(zero_point, zero_point),
            "fill_bytes": (zero_point & 0xFF) * 0x1010101, "is_whole": is_whole,
            "window": window, "spare": _SPARE,
        }  # fmt: skip
        operands = {
            "image": (_IMAGE, struct.pack(f"{len(image)}b", *image), False),
            "lanes": (_LANES, found, True),
            "spare": (_SPARE, bytearray(2 * window), True),
        }
        _run(kernel, GATHER, words, operands)
        whole = len(pixels[0]) & -4
        wanted = _lanes([pixel[:whole] for pixel in pixels])
        for i in range(pairs):
            at = 4 * window * i
            assert found[at : at + 4 * whole] == wanted[4 * whole * i : 4 * whole * (i + 1)]


def _limits(random):
    return (-128, 127) if random.random() < 0.5 else (-100, 90)


# MultiplyByQuantizedMultiplier of TFLM for halves of sums and right shifts, or one product.
def _output(total, kind, factor, shift, zero_point, limits):
    if kind:
        value = total * factor >> 32
    else:
        value = total * factor + (1 << 31) >> 32
        if shift:
            value = (value - (value < 0) >> shift - 1) + 1 >> 1
    low, high = limits if not kind else (-128, 127)
    return max(low, min(high, value + zero_point)) & 0xFF


def _four_bytes(value):
    return (value & 0xFF) * 0x1010101


# A stream of groups: kind, biases, words of weights of four channels, words for outputs.
def _group(random, weights, kind):
    biases = random.integers(-(1 << 16), 1 << 16, 4).tolist()
    factors = random.integers(1 << 24 if kind else 1 << 30, 1 << 31, 4).tolist()
    shifts = random.integers(0, 12, 4).tolist()
    words = [kind, *biases]
    words += [w for four in zip(*map(_pairs, weights), strict=True) for w in four]
    pairs = zip(factors, shifts, strict=True)
    words += factors + [0] * 4 if kind else [w for pair in pairs for w in pair]
    data = struct.pack(f"<{len(words)}I", *[word & 0xFFFFFFFF for word in words])
    return data, list(zip(weights, biases, factors, shifts, strict=True))


def _sum(x, weights, bias):
    return bias + sum(map(int.__mul__, x, weights))


def test_pairs_of_pixels():
    kernel = conv_dsp.multiply_kernel(InterpretedMachine(_MACHINE))
    random = generator("dsp multiply")
    for i in range(_RUNS):
        groups, pairs, kind = int(random.integers(1, 3)), int(random.integers(1, 3)), i % 2
        window, limits = 4 * int(random.integers(1, 12) if i else 29), _limits(random)
        pixels = [_int8(random, window) for _ in range(2 * pairs)]
        stream, wanted = b"", {}
        for group in range(groups):
            weights = [_int8(random, window) for _ in range(4)]
            data, channels = _group(random, weights, kind)
            stream += data
            for c, (w, bias, factor, shift) in enumerate(channels):
                for n, x in enumerate(pixels):
                    value = _output(_sum(x, w, bias), kind, factor, shift, 5, limits)
                    wanted[n * 4 * groups + 4 * group + c] = value
        found = bytearray(len(wanted))
        words = {
            "stream": _STREAM, "lanes": _LANES, "output": _OUTPUT,
            "lanes_end": _LANES + 4 * window * pairs, "groups": groups,
            "output_step": 4 * groups, "skipped": (-(window >> 1) % UNROLLED) * WORD_BYTES,
            "weights": 8 * window, "zero_point": 5,
            "clamped": limits != (-128, 127), "minimum": _four_bytes(limits[0]),
            "maximum": _four_bytes(limits[1]),
        }  # fmt: skip
        operands = {
            "stream": (_STREAM, stream, False),
            "lanes": (_LANES, _lanes(pixels), False),
            "output": (_OUTPUT, found, True),
        }
        _run(kernel, MULTIPLY, words, operands)
        assert list(found) == [wanted[n] for n in range(len(found))]
