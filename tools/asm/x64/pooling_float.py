# Machine code of AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D, float32, for x86-64
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

from .function import Function
from .pixels import Kind, channels, first_pixel, inside, next_pixel, operand, word

_ABOUT = """
AVERAGE_POOL_2D and MAX_POOL_2D, and the mean squares of L2_POOL_2D, float32. Record and units are
described in kernels/pooling_float.py.
"""
# Words of the record.
_INPUT, _OUTPUT, _, _KIND, _INPUT_HEIGHT, _INPUT_WIDTH, _CHANNELS = range(1, 8)
_OUTPUT_HEIGHT, _OUTPUT_WIDTH, _FILTER_HEIGHT, _FILTER_WIDTH, _STRIDE_HEIGHT = range(8, 13)
_STRIDE_WIDTH, _PADDING_HEIGHT, _PADDING_WIDTH, _ACTIVATION_MIN, _ACTIVATION_MAX = range(13, 18)
_INITIAL = 18
_MAXIMUM, _SQUARES = 1, 2
_ROWS = (_INPUT_HEIGHT, _FILTER_HEIGHT, _STRIDE_HEIGHT, None, _PADDING_HEIGHT)
_COLUMNS = (_INPUT_WIDTH, _FILTER_WIDTH, _STRIDE_WIDTH, None, _PADDING_WIDTH)
_SLOTS = ("batch", "y", "x", "first_y", "first_x", "skipped", "rows", "columns", "line")


# Registers: rbp the input, r14 the output pixel, r15 the first cell, r12 and r13 as channels() has
# them.
def pool():
    t = Function("pool", _ABOUT, slots=_SLOTS)
    t.mov("rbx", "rdi")
    t.cmp("rcx", "r8")
    t.jge("end")
    operand(t, "rbp", _INPUT)
    first_pixel(t, _OUTPUT_HEIGHT, _OUTPUT_WIDTH)
    operand(t, "r14", _OUTPUT)
    word(t, "rcx", _CHANNELS)
    t.shl("rcx", 2)
    t.imul("rcx", t.slot("start"))
    t.add("r14", "rcx")
    t.label("row")
    inside(t, "y", _ROWS, "first_y", "skipped", "rows")
    t.label("pixel")
    inside(t, "x", _COLUMNS, "first_x", "skipped", "columns")
    _first_cell(t)
    t.movsxd("rax", at("rbx", 4 * _KIND))
    t.cmp("rax", _MAXIMUM)
    t.je("maxima")
    t.cmp("rax", _SQUARES)
    t.je("squares")
    for what in ("means", "squares", "maxima"):
        t.label(what)
        channels(t, False, _CHANNELS, _vectors(t, what))
        t.jmp("pixel_done")
    t.label("pixel_done")
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


# r15: the address of the first cell; slot `line`: bytes of a row of the input.
def _first_cell(t):
    t.load("rax", "batch")
    word(t, "rcx", _INPUT_HEIGHT)
    t.imul("rax", "rcx")
    t.add("rax", t.slot("first_y"))
    word(t, "rdx", _CHANNELS)
    t.shl("rdx", 2)
    word(t, "rcx", _INPUT_WIDTH)
    t.imul("rcx", "rdx")
    t.store("line", "rcx")
    t.imul("rax", "rcx")
    t.imul("rdx", t.slot("first_x"))
    t.add("rax", "rdx")
    t.lea("r15", at("rbp", 0, "rax"))


# What writes the code for some vectors of channels: results in vectors 0 to 3.
def _vectors(t, what):
    def emit(kind, count):
        k = Kind(t, kind, False)
        row, cell = t.new_label("filter_row"), t.new_label("cell")
        for i in range(count):
            k.broadcast(i, at("rbx", 4 * _INITIAL))
        t.lea("rsi", at("r15", 0, "r12"))
        t.load("r8", "rows")
        t.label(row)
        t.mov("rdi", "rsi")
        t.load("rcx", "columns")
        t.label(cell)
        for i in range(count):
            _take(k, what, i, at("rdi", k.size * i))
        t.add("rdi", "r13")
        t.dec("rcx")
        t.jne(cell)
        t.add("rsi", t.slot("line"))
        t.dec("r8")
        t.jne(row)
        if what != "maxima":
            t.load("rax", "rows")
            t.imul("rax", t.slot("columns"))
            t.cvtsi2ss("xmm4", "rax")
            if kind:
                t.shufps("xmm4", "xmm4", 0)
        k.broadcast(5, at("rbx", 4 * _ACTIVATION_MIN))
        k.broadcast(6, at("rbx", 4 * _ACTIVATION_MAX))
        for i in range(count):
            if what != "maxima":
                k.apply("div", i, i, 4)
            k.apply("max", 7, 5, i)
            k.apply("min", i, 6, 7)
            k.store(at("r14", k.size * i, "r12"), i)

    return emit


# Take a cell into the sum or the maximum.
def _take(k, what, i, memory):
    if what == "means":
        k.load(4, memory)
        k.apply("add", i, i, 4)
    elif what == "squares":
        k.load(4, memory)
        k.apply("mul", 4, 4, 4)
        k.apply("add", i, i, 4)
    else:
        k.load(4, memory)
        k.apply("max", 4, 4, i)  # a NaN leaves the maximum as it is
        k.move(i, 4)
