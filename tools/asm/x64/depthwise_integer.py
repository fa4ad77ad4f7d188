# Machine code of DEPTHWISE_CONV_2D for x86-64: int8, and int16 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

from .windows import DEPTHWISE_TILES, DEPTHWISE_VECTORS, block, depthwise_sums, field
from .windows_integer import integer_windows, outputs

_ABOUT = """
DEPTHWISE_CONV_2D of {} with as many output channels as input channels, with {}. The record is
WINDOWS in records.py, with a run of taps for each row of the filter; units are rows.

A block has two vectors of sums. The elements of two neighbouring cells are interleaved for
PMADDWD: the first vector gets the lower four channels of each 16 bytes, the second the upper ones.
"""
VECTORS = DEPTHWISE_VECTORS


def _tile(t, v, pixels, _):
    sums(t, v, pixels)
    t.mov("rsi", field("sums"))
    for pixel in range(pixels):
        _store(t, v, VECTORS * pixel, VECTORS * v.size * pixel)
    t.mov("r14", block("weights"))
    outputs(t, pixels, VECTORS * v.size)


def sums(t, v, pixels):
    """Compute the sums of a tile in registers 2 * pixel + vector."""

    def add(pixel, one, other):
        v.load(10, one())
        v.load(11, other())
        v.apply("punpcklwd", 12, 10, 11)
        v.apply("punpckhwd", 10, 10, 11)
        for i, x in enumerate((12, 10)):
            v.apply("pmaddwd", x, x, 8 + i)
            v.apply("paddd", VECTORS * pixel + i, VECTORS * pixel + i, x)

    depthwise_sums(t, v, pixels, add, 2)


# Store the sums of a pixel in the order of the channels.
def _store(t, v, first, offset):
    if not v.is_avx:
        for i in range(VECTORS):
            v.store(at("rsi", offset + v.size * i), first + i)
        return
    for i, halves in enumerate((0x20, 0x31)):
        t.vperm2i128("ymm12", f"ymm{first}", f"ymm{first + 1}", halves)
        v.store(at("rsi", offset + v.size * i), 12)


FUNCTIONS = integer_windows(_ABOUT, _tile, DEPTHWISE_TILES)
