# Machine code of DEPTHWISE_CONV_2D, float32, for x86-64
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

from .function import Function
from .pixels import Kind, channels, first_pixel, inside, next_pixel, operand, word

_ABOUT = """
DEPTHWISE_CONV_2D of float32 with as many output channels as input channels, with {}. Record and
units are described in kernels/depthwise_conv_float.py. Each product is rounded, then each sum, in
TFLM's order.
"""
# Words of the record.
_INPUT, _WEIGHTS, _BIAS, _OUTPUT, _INPUT_HEIGHT, _INPUT_WIDTH, _CHANNELS = range(1, 8)
_OUTPUT_HEIGHT, _OUTPUT_WIDTH, _, _FILTER_HEIGHT, _FILTER_WIDTH, _STRIDE_HEIGHT = range(8, 14)
_STRIDE_WIDTH, _DILATION_HEIGHT, _DILATION_WIDTH, _PADDING_HEIGHT, _PADDING_WIDTH = range(14, 19)
_ACTIVATION_MIN, _ACTIVATION_MAX = 24, 25
_ROWS = (_INPUT_HEIGHT, _FILTER_HEIGHT, _STRIDE_HEIGHT, _DILATION_HEIGHT, _PADDING_HEIGHT)
_COLUMNS = (_INPUT_WIDTH, _FILTER_WIDTH, _STRIDE_WIDTH, _DILATION_WIDTH, _PADDING_WIDTH)
_SLOTS = ("batch", "y", "x", "first_y", "first_x", "top", "left", "rows", "columns")
_MORE_SLOTS = ("input", "weights", "bias", "cell", "line", "filter_line", "weights_at")


def depthwise_sse():
    return _depthwise("depthwise_sse", False)


def depthwise_avx():
    return _depthwise("depthwise_avx", True)


# Registers: rbp the bias or 0, r14 the output pixel, r15 the first cell, r12 and r13 as in
# channels().
def _depthwise(name, is_avx):
    about = _ABOUT.format("AVX" if is_avx else "SSE2")
    t = Function(name, about, slots=_SLOTS + _MORE_SLOTS, uses_avx=is_avx)
    t.mov("rbx", "rdi")
    t.cmp("rcx", "r8")
    t.jge("end")
    _begin(t)
    t.label("row")
    inside(t, "y", _ROWS, "first_y", "top", "rows")
    t.label("pixel")
    inside(t, "x", _COLUMNS, "first_x", "left", "columns")
    _first_cell(t)
    channels(t, is_avx, _CHANNELS, lambda kind, count: _vectors(t, kind, count, is_avx))
    t.add("r14", "r13")
    t.load("rax", "start")
    t.add("rax", 1)
    t.store("start", "rax")
    t.cmp("rax", t.slot("stop"))
    t.jge("end")
    next_pixel(t, _OUTPUT_HEIGHT, _OUTPUT_WIDTH, "pixel")
    t.label("end")
    t.end()
    return t.text()


# Addresses of operands; bytes from a cell of the window, of its row, and of the filter's row to
# the next.
def _begin(t):
    for number, slot in ((_INPUT, "input"), (_WEIGHTS, "weights")):
        operand(t, "rbp", number)
        t.store(slot, "rbp")
    absent = t.new_label("no_bias")
    t.xor("ebp", "ebp")
    word(t, "rax", _BIAS)
    t.cmp("rax", 1)
    t.je(absent)
    operand(t, "rbp", _BIAS)
    t.label(absent)
    first_pixel(t, _OUTPUT_HEIGHT, _OUTPUT_WIDTH)
    operand(t, "r14", _OUTPUT)
    word(t, "rcx", _CHANNELS)
    t.shl("rcx", 2)
    t.mov("rax", "rcx")
    t.imul("rax", t.slot("start"))
    t.add("r14", "rax")
    for slot, numbers in (
        ("cell", (_DILATION_WIDTH,)),
        ("line", (_DILATION_HEIGHT, _INPUT_WIDTH)),
        ("filter_line", (_FILTER_WIDTH,)),
    ):
        t.mov("rax", "rcx")
        for number in numbers:
            word(t, "rdx", number)
            t.imul("rax", "rdx")
        t.store(slot, "rax")


# Load the address of the first cell to r15, and the address of its weights to slot `weights_at`.
def _first_cell(t):
    word(t, "rdx", _CHANNELS)
    t.shl("rdx", 2)
    t.load("rax", "batch")
    word(t, "rcx", _INPUT_HEIGHT)
    t.imul("rax", "rcx")
    t.add("rax", t.slot("first_y"))
    word(t, "rcx", _INPUT_WIDTH)
    t.imul("rax", "rcx")
    t.add("rax", t.slot("first_x"))
    t.imul("rax", "rdx")
    t.add("rax", t.slot("input"))
    t.mov("r15", "rax")
    t.load("rax", "top")
    word(t, "rcx", _FILTER_WIDTH)
    t.imul("rax", "rcx")
    t.add("rax", t.slot("left"))
    t.imul("rax", "rdx")
    t.add("rax", t.slot("weights"))
    t.store("weights_at", "rax")


# Code for some vectors of channels: results in vectors 0 to 3.
def _vectors(t, kind, count, is_avx):
    k = Kind(t, kind, is_avx)
    row, cell, done = t.new_label("filter_row"), t.new_label("cell"), t.new_label("cells_done")
    no_bias = t.new_label("without_bias")
    for i in range(count):
        k.zero(i)
    t.load("r8", "rows")
    t.load("r9", "columns")
    for register in ("r8", "r9"):
        t.test(register, register)
        t.jle(done)
    t.lea("rsi", at("r15", 0, "r12"))
    t.load("rdi", "weights_at")
    t.add("rdi", "r12")
    t.load("r11", "cell")
    t.label(row)
    t.mov("rax", "rsi")
    t.mov("rdx", "rdi")
    t.mov("rcx", "r9")
    t.label(cell)
    for i in range(count):
        k.load(4, at("rax", k.size * i))
        k.load(5, at("rdx", k.size * i))
        k.apply("mul", 4, 4, 5)
        k.apply("add", i, i, 4)
    t.add("rax", "r11")
    t.add("rdx", "r13")
    t.dec("rcx")
    t.jne(cell)
    t.add("rsi", t.slot("line"))
    t.add("rdi", t.slot("filter_line"))
    t.dec("r8")
    t.jne(row)
    t.label(done)
    t.test("rbp", "rbp")
    t.je(no_bias)
    for i in range(count):
        k.load(4, at("rbp", k.size * i, "r12"))
        k.apply("add", i, i, 4)
    t.label(no_bias)
    k.broadcast(5, at("rbx", 4 * _ACTIVATION_MIN))
    k.broadcast(6, at("rbx", 4 * _ACTIVATION_MAX))
    for i in range(count):
        k.apply("max", 7, 5, i)
        k.apply("min", i, 6, 7)
        k.store(at("r14", k.size * i, "r12"), i)
