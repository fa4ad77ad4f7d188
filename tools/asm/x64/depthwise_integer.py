# Machine code of DEPTHWISE_CONV_2D for x86-64: int8, and int16 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

from .requantize import requantize
from .windows import PIXELS, block, field, windows
from .windows_integer import copy_row_int8, copy_row_int16, outputs

_ABOUT = """
DEPTHWISE_CONV_2D of {} with as many output channels as input channels, with {}. The record is
WINDOWS in records.py, with a run of taps for each row of the filter; units are rows.

A block has two vectors of sums. The elements of two neighbouring cells are interleaved for
PMADDWD: the first vector gets the lower four channels of each 16 bytes, the second the upper ones.
"""
VECTORS = 2
TILES = ((PIXELS, VECTORS), (1, VECTORS))


def _tile(t, v, pixels, _):
    sums(t, v, pixels)
    t.mov("rsi", field("sums"))
    for pixel in range(pixels):
        _store(t, v, VECTORS * pixel, VECTORS * v.size * pixel)
    t.mov("r14", block("weights"))
    outputs(t, pixels, VECTORS * v.size)


def sums(t, v, pixels):
    """Compute the sums of a tile in registers 2 * pixel + vector. Registers 8, 9 are weights."""
    row, pair = t.new_label("filter_row"), t.new_label("pair")
    for i in range(VECTORS * pixels):
        v.zero(i)
    t.mov("rsi", "r14")
    t.mov("rdx", field("runs"))
    t.mov("rcx", field("filter_height"))
    t.mov("r9", field("pixel_step"))
    t.lea("r10", at("r9", 0, "r9", 2))
    t.mov("rdi", field("cell_step"))
    t.label(row)
    t.mov("rax", at("rdx"))
    t.add("rax", "r13")
    t.add("rdx", 8)
    t.lea("r14", at("rax", 0, "rdi"))
    t.mov("r11", field("length"))
    t.label(pair)
    for i in range(VECTORS):
        v.load(8 + i, at("rsi", v.size * i))
    for pixel in range(pixels):
        cells = [
            (at(base), at(base, 0, "r9"), at(base, 0, "r9", 2), at(base, 0, "r10"))[pixel]
            for base in ("rax", "r14")
        ]
        v.load(10, cells[0])
        v.load(11, cells[1])
        v.apply("punpcklwd", 12, 10, 11)
        v.apply("punpckhwd", 10, 10, 11)
        for i, x in enumerate((12, 10)):
            v.apply("pmaddwd", x, x, 8 + i)
            v.apply("paddd", VECTORS * pixel + i, VECTORS * pixel + i, x)
    t.add("rsi", VECTORS * v.size)
    t.lea("rax", at("rax", 0, "rdi", 2))
    t.lea("r14", at("r14", 0, "rdi", 2))
    t.dec("r11")
    t.jne(pair)
    t.dec("rcx")
    t.jne(row)


# Store the sums of a pixel in the order of the channels.
def _store(t, v, first, offset):
    if not v.is_avx:
        for i in range(VECTORS):
            v.store(at("rsi", offset + v.size * i), first + i)
        return
    for i, halves in enumerate((0x20, 0x31)):
        t.vperm2i128("ymm12", f"ymm{first}", f"ymm{first + 1}", halves)
        v.store(at("rsi", offset + v.size * i), 12)


def _depthwise(dtype, is_avx2):
    name = f"{dtype}_{'avx2' if is_avx2 else 'sse'}"
    about = _ABOUT.format(dtype, "AVX2" if is_avx2 else "SSE2")
    copy_row = copy_row_int8(is_avx2) if dtype == "int8" else copy_row_int16
    size = 1 if dtype == "int8" else 2
    return windows(
        name, about, is_avx2, copy_row, _tile, TILES, lambda t: requantize(t, is_avx2, size)
    )


def int8_sse():
    return _depthwise("int8", False)


def int8_avx2():
    return _depthwise("int8", True)


def int16_sse():
    return _depthwise("int16", False)


def int16_avx2():
    return _depthwise("int16", True)
