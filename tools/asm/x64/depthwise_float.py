# Machine code of DEPTHWISE_CONV_2D, float32, for x86-64
# MIT license; Copyright (c) 2026 the tflm authors

from .windows import DEPTHWISE_TILES, block, depthwise_sums, windows
from .windows_float import copy_row, outputs

_ABOUT = """
DEPTHWISE_CONV_2D of float32 with as many output channels as input channels, with {}. The record is
WINDOWS in records.py, with a run of cells for each row of the filter; units are rows. Each product
is rounded, then each sum, in TFLM's order; a NaN passes the clamp.
"""


def _tile(t, v, pixels, vectors):
    def add(pixel, cell, _):
        for i in range(vectors):
            total = vectors * pixel + i
            v.load(10, cell(v.size * i))
            v.apply("mulps", 10, 10, 8 + i)
            v.apply("addps", total, total, 10)

    depthwise_sums(t, v, pixels, add, 1)
    t.mov("r14", block("weights"))
    outputs(t, v, pixels, vectors)


def depthwise_sse():
    about = _ABOUT.format("SSE2")
    return windows("depthwise_sse", about, False, copy_row, _tile, DEPTHWISE_TILES)


def depthwise_avx():
    about = _ABOUT.format("AVX")
    return windows("depthwise_avx", about, True, copy_row, _tile, DEPTHWISE_TILES)
