# Machine code of CONV_2D and FULLY_CONNECTED for x86-64: float32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

from .windows import block, field, sums, windows

_ABOUT = """
CONV_2D and FULLY_CONNECTED of float32, with {}. The record is WINDOWS in records.py; units are
rows. Each product is rounded, then each sum, in TFLM's order; a NaN passes the clamp.
"""


def copy_row(t):
    t.mov("rcx", field("copied_count"))
    t.rep_movsb()


def outputs(t, v, pixels, vectors):
    """Add the bias to the sums of a tile, clamp and store them; return."""
    low, high = 14, 15
    t.mov("rax", field("limits"))
    v.load(low, at("rax"))
    v.load(high, at("rax", v.size))
    t.mov("r9", field("output_pixel"))
    for i in range(pixels * vectors):
        v.apply("addps", i, i, at("r15", v.size * (i % vectors)))
        clamp(v, i, low, high, 13)
    store_outputs(t, v, pixels, vectors)


def store_outputs(t, v, pixels, vectors):
    """Store the outputs of a tile from vectors, r9 bytes from one pixel to the next; return."""
    partial = t.new_label("partial")
    t.mov("rcx", block("channels"))
    t.cmp("rcx", v.lanes * vectors)
    t.jb(partial)
    for i in range(pixels * vectors):
        if i and i % vectors == 0:
            t.add("r8", "r9")
        v.store(at("r8", v.size * (i % vectors)), i)
    t.ret()
    t.label(partial)
    t.mov("rdx", field("sums"))
    for i in range(pixels * vectors):
        v.store(at("rdx", v.size * i), i)
    copy_elements(t, pixels, v.size * vectors)
    t.ret()


# x = min(max(x, low), high) as C++ has it: a NaN stays, and so does a zero's sign. `spare` is a
# register that SSE needs.
def clamp(v, x, low, high, spare):
    for instruction, limit in (("maxps", low), ("minps", high)):
        if v.is_avx:
            v.apply(instruction, x, limit, x)
        else:
            v.apply(instruction, spare, limit, x)
            v.apply("movaps", x, x, spare)


# Copy rcx elements of 4 bytes for each pixel, `size` bytes apart, from rdx to r8, r9 bytes apart.
def copy_elements(t, pixels, size):
    pixel, element = t.new_label("pixel"), t.new_label("element")
    t.mov("r10d", pixels)
    t.label(pixel)
    t.xor("r11d", "r11d")
    t.label(element)
    t.mov("eax", at("rdx", 0, "r11", 4))
    t.mov(at("r8", 0, "r11", 4), "eax")
    t.add("r11", 1)
    t.cmp("r11", "rcx")
    t.jb(element)
    t.add("rdx", size)
    t.add("r8", "r9")
    t.dec("r10")
    t.jne(pixel)


def _tile(t, v, pixels, vectors):
    def multiply(total, product, x, w):
        v.apply("mulps", product, x, w)
        v.apply("addps", total, total, product)

    sums(t, v, pixels, vectors, multiply)
    outputs(t, v, pixels, vectors)


def windows_sse():
    return windows("windows_sse", _ABOUT.format("SSE2"), False, copy_row, _tile)


def windows_avx():
    return windows("windows_avx", _ABOUT.format("AVX"), True, copy_row, _tile)
