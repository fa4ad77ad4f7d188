# Machine code of CONV_2D and FULLY_CONNECTED for x86-64: int8, and int16 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from tflm_tools.packages.machine_code.x86 import at

from .requantize import requantize
from .windows import TILES, block, field, sums, windows
from .windows_float import copy_row

_ABOUT = """
CONV_2D and FULLY_CONNECTED of {}, with {}. The record is WINDOWS in records.py; units are rows.
Weights are int16, two taps side by side for PMADDWD.
"""
_CONVERTED = 16  # elements at a time


def copy_row_int8(is_avx2):
    """Write code that copies bytes as int16 and subtracts the zero point."""

    def copy_row(t):
        sixteen, rest, element, done = (
            t.new_label(name) for name in ("sixteen", "rest", "element", "converted")
        )
        t.mov("rax", field("zero_points"))
        t.movsx_word("r10d", at("rax"))
        t.mov("rcx", field("copied_count"))
        if is_avx2:
            t.vmovdqu("ymm2", at("rax"))
        else:
            t.movdqu("xmm2", at("rax"))
        t.sub("rcx", _CONVERTED)
        t.jl(rest)
        t.label(sixteen)
        if is_avx2:
            t.vpmovsxbw("ymm0", at("rsi"))
            t.vpsubw("ymm0", "ymm0", "ymm2")
            t.vmovdqu(at("rdi"), "ymm0")
        else:
            t.movdqu("xmm1", at("rsi"))
            t.movdqa("xmm0", "xmm1")
            for i, half in enumerate(("punpcklbw", "punpckhbw")):
                getattr(t, half)(f"xmm{i}", f"xmm{i}")
                t.psraw(f"xmm{i}", 8)
                t.psubw(f"xmm{i}", "xmm2")
                t.movdqu(at("rdi", 16 * i), f"xmm{i}")
        t.add("rsi", _CONVERTED)
        t.add("rdi", 2 * _CONVERTED)
        t.sub("rcx", _CONVERTED)
        t.jns(sixteen)
        t.label(rest)
        t.add("rcx", _CONVERTED)
        t.je(done)
        t.label(element)
        t.movsx_byte("eax", at("rsi"))
        t.sub("eax", "r10d")
        t.mov(at("rdi"), "ax")
        t.add("rsi", 1)
        t.add("rdi", 2)
        t.dec("rcx")
        t.jne(element)
        t.label(done)

    return copy_row


def _tile(t, v, pixels, vectors):
    def multiply(total, product, x, w):
        v.apply("pmaddwd", product, x, w)
        v.apply("paddd", total, total, product)

    sums(t, v, pixels, vectors, multiply)
    t.mov("rsi", field("sums"))
    for i in range(pixels * vectors):
        v.store(at("rsi", v.size * i), i)
    outputs(t, pixels, v.size * vectors)


def outputs(t, pixels, size):
    """Write code for the outputs of sums, which have `size` bytes per pixel and start at rsi."""
    t.mov("rcx", field("limits"))
    t.mov("r9", field("output_pixel"))
    t.mov("r10d", pixels)
    t.mov("r11d", size)
    t.mov("r13", block("channels"))
    t.jmp("requantize")


def _windows(about, tile, tiles, dtype, is_avx2):
    name = f"{dtype}_{'avx2' if is_avx2 else 'sse'}"
    about = about.format(dtype, "AVX2" if is_avx2 else "SSE2")
    size, copy = (1, copy_row_int8(is_avx2)) if dtype == "int8" else (2, copy_row)
    functions = partial(requantize, is_avx2=is_avx2, size=size)
    return windows(name, about, is_avx2, copy, tile, tiles, functions)


def integer_windows(about, tile, tiles):
    """Return the four generators of the functions for int8 and int16, SSE2 and AVX2."""
    return [
        partial(_windows, about, tile, tiles, dtype, is_avx2)
        for dtype in ("int8", "int16")
        for is_avx2 in (False, True)
    ]


FUNCTIONS = integer_windows(_ABOUT, _tile, TILES)
