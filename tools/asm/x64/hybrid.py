# Machine code of hybrid operators for x86-64: inputs of int8, outputs of float32
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from tflm.kernels.x64.records import BATCH_SCALE
from tflm_tools.packages.machine_code.x86 import at

from . import depthwise_integer
from .windows import DEPTHWISE_TILES, block, field, sums, windows
from .windows_float import clamp, store_outputs
from .windows_integer import copy_row_int8

_ABOUT = """
{} of int8, whose outputs become float32, with {}. The record is WINDOWS in records.py; units are
rows. Weights are int16, two taps side by side for PMADDWD. The sums are converted, multiplied by
the scale of the channel, then by the scale of the batch. Then the bias is added. A NaN passes the
clamp.
"""
_LOW, _HIGH, _SPARE, _SCALE = 14, 15, 13, 12  # vectors


# Copy the zero point and the scale of the row's batch, which is start / output_height, from the
# arena to all elements of the two vectors in the record, which have `size` bytes.
def _begin_row(size):
    def begin_row(t):
        t.load("rax", "start")
        t.xor("edx", "edx")
        t.mov("rcx", field("output_height"))
        t.div("rcx")
        t.load("rsi", "arena")
        t.lea("rsi", at("rsi", 0, "rax", 4))
        t.mov("rax", field("batch_offsets"))
        t.movsx_word("eax", at("rsi", 0, "rax"))
        t.mov("ecx", "eax")
        t.shl("ecx", 16)
        t.and_("eax", 0xFFFF)
        t.or_("eax", "ecx")
        t.mov("rdx", field("batch_scales"))
        t.mov("ecx", at("rsi", 0, "rdx"))
        t.mov("rdx", field("zero_points"))
        t.mov("rdi", field("limits"))
        for i in range(0, size, 4):
            t.mov(at("rdx", i), "eax")
            t.mov(at("rdi", BATCH_SCALE + i), "ecx")

    return begin_row


# Make outputs of the sums in registers pixel * vectors + vector and store them.
def _outputs(t, v, pixels, vectors):
    t.mov("rax", field("limits"))
    v.load(_LOW, at("rax"))
    v.load(_HIGH, at("rax", v.size))
    v.load(_SCALE, at("rax", BATCH_SCALE))
    t.mov("r9", field("output_pixel"))
    convert = "vcvtdq2ps" if v.is_avx else "cvtdq2ps"
    for i in range(pixels * vectors):
        vector = i % vectors
        getattr(t, convert)(v.name(i), v.name(i))
        v.apply("mulps", i, i, at("r15", v.size * vector))
        v.apply("mulps", i, i, _SCALE)
        v.apply("addps", i, i, at("r15", v.size * (vectors + vector)))
        clamp(v, i, _LOW, _HIGH, _SPARE)
    store_outputs(t, v, pixels, vectors)


def _conv_tile(t, v, pixels, vectors):
    def multiply(total, product, x, w):
        v.apply("pmaddwd", product, x, w)
        v.apply("paddd", total, total, product)

    sums(t, v, pixels, vectors, multiply)
    _outputs(t, v, pixels, vectors)


def _depthwise_tile(t, v, pixels, vectors):
    depthwise_integer.sums(t, v, pixels)
    if v.is_avx:
        # The sums are interleaved: put them in the order of the channels.
        for first in range(0, vectors * pixels, vectors):
            one, other = v.name(first), v.name(first + 1)
            t.vperm2i128(v.name(_SPARE), one, other, 0x20)
            t.vperm2i128(other, one, other, 0x31)
            t.vmovaps(one, v.name(_SPARE))
    t.mov("r14", block("weights"))
    _outputs(t, v, pixels, vectors)


def _function(operator, is_avx2):
    name = f"{operator}_{'avx2' if is_avx2 else 'sse'}"
    about, tile, tiles = {
        "conv": ("CONV_2D and FULLY_CONNECTED", _conv_tile, {}),
        "depthwise": ("DEPTHWISE_CONV_2D", _depthwise_tile, {"tiles": DEPTHWISE_TILES}),
    }[operator]
    return windows(
        name,
        _ABOUT.format(about, "AVX2" if is_avx2 else "SSE2"),
        is_avx2,
        copy_row_int8(is_avx2),
        tile,
        begin_row=_begin_row(32 if is_avx2 else 16),
        **tiles,
    )


FUNCTIONS = [
    partial(_function, operator, is_avx2)
    for operator in ("conv", "depthwise")
    for is_avx2 in (False, True)
]
