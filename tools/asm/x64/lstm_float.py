# Machine code of UNIDIRECTIONAL_SEQUENCE_LSTM, float32, for x86-64
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.kernels.x64.records import LSTM, LSTM_BLOCK
from tflm_tools.packages.machine_code.x86 import at

from .curve_lanes import LOGISTIC, TANH
from .curves import of_all
from .function import Function
from .vectors import Vectors
from .windows_float import clamp

_ABOUT = """
UNIDIRECTIONAL_SEQUENCE_LSTM of float32, with {}. The record is LSTM in records.py; units are steps
of batches. Results equal kernels/unidirectional_sequence_lstm_float.py bit for bit.
"""
# A step works like this:
#
# 1. For each block of rows of the gates: weights * input + bias, clamped, plus weights * hidden
#    state, clamped.
# 2. The activations of the gates. Gates follow each other in memory, each padded to whole vectors.
# 3. The cell state, in a copy of whole vectors, and the output, which is the hidden state of the
#    next step.
#
# Registers: rbx the record, rbp the words of a block, r12 the input, r13 the hidden state, r14 the
# cell state, r15 the output.
_SLOTS = ("blocks_left",)
_LOW, _HIGH, _SPARE, _X, _PRODUCT = 11, 12, 13, 14, 15
_MOST_VECTORS = 4


def lstm_sse():
    return _lstm("lstm_sse", False)


def lstm_avx2():
    return _lstm("lstm_avx2", True)


def _field(name):
    return at("rbx", 8 * LSTM.index(name))


def _block(name):
    return at("rbp", 8 * LSTM_BLOCK.index(name))


def _lstm(name, is_avx2):
    about = _ABOUT.format("AVX2" if is_avx2 else "SSE2")
    t = Function(name, about, slots=_SLOTS, uses_avx=is_avx2)
    v = Vectors(t, is_avx2)
    t.mov("rbx", "rdi")
    t.cmp("rcx", "r8")
    t.jge("end")
    t.label("step")
    _addresses(t)
    _gates(t, v)
    _activations(t)
    _update(t, v)
    t.load("rax", "start")
    t.add("rax", 1)
    t.store("start", "rax")
    t.cmp("rax", t.slot("stop"))
    t.jl("step")
    t.label("end")
    t.end()
    for vectors in (1, 2, _MOST_VECTORS):
        t.label(f"block_{vectors}")
        _rows(t, v, vectors)
    for kind in (LOGISTIC, TANH):
        of_all(t, kind, is_avx2)
    return t.text()


def _addresses(t):
    t.load("rax", "start")
    t.xor("edx", "edx")
    t.mov("rcx", _field("steps"))
    t.div("rcx")
    t.xor("edx", "edx")
    t.mov("rcx", _field("batches"))
    t.div("rcx")
    t.mov("r8", _field("state_bytes"))
    t.imul("rdx", "r8")
    for register, name in (("r13", "hidden"), ("r14", "cell")):
        t.load(register, "arena")
        t.add(register, _field(name))
        t.add(register, "rdx")
    t.load("rax", "start")
    t.imul("r8", "rax")
    t.load("r15", "arena")
    t.add("r15", _field("output"))
    t.add("r15", "r8")
    t.mov("r12", _field("input"))
    t.mov("rcx", "r12")
    t.shr("r12", 2)
    t.load("r8", "arena")
    t.and_("rcx", 1)
    t.cmovne("r8", t.slot("rom"))
    t.add("r12", "r8")
    t.mov("rcx", _field("input_size"))
    t.shl("rcx", 2)
    t.imul("rcx", "rax")
    t.add("r12", "rcx")


# 1. All blocks.
def _gates(t, v):
    t.mov("rax", _field("limits"))
    v.load(_LOW, at("rax"))
    v.load(_HIGH, at("rax", v.size))
    t.mov("rbp", _field("block_list"))
    t.mov("rax", _field("blocks"))
    t.store("blocks_left", "rax")
    t.label("block")
    t.mov("rcx", _block("vectors"))
    for vectors in (1, 2):
        following = t.new_label("more_vectors")
        t.cmp("rcx", vectors)
        t.jne(following)
        t.call(f"block_{vectors}")
        t.jmp("block_done")
        t.label(following)
    t.call(f"block_{_MOST_VECTORS}")
    t.label("block_done")
    t.add("rbp", 8 * len(LSTM_BLOCK))
    t.count_down("blocks_left", "block")


# The rows of a block.
def _rows(t, v, vectors):
    t.mov("rdi", _block("gates"))
    for side, size, vector in (
        ("input_weights", "input_size", "r12"),
        ("recurrent_weights", "state_size", "r13"),
    ):
        tap = t.new_label("tap")
        t.mov("rsi", _block(side))
        t.mov("rcx", _field(size))
        t.mov("rax", vector)
        for i in range(vectors):
            v.zero(i)
        t.label(tap)
        v.broadcast(_X, at("rax"))
        for i in range(vectors):
            v.apply("mulps", _PRODUCT, _X, at("rsi", v.size * i))
            v.apply("addps", i, i, _PRODUCT)
        t.add("rsi", v.size * vectors)
        t.add("rax", 4)
        t.dec("rcx")
        t.jne(tap)
        if side == "input_weights":
            t.mov("rsi", _block("bias"))
            for i in range(vectors):
                v.apply("addps", i, i, at("rsi", v.size * i))
        for i in range(vectors):
            clamp(v, i, _LOW, _HIGH, _SPARE)
            if side == "recurrent_weights":
                v.load(_PRODUCT, at("rdi", v.size * i))
                v.apply("addps", i, _PRODUCT, i) if v.is_avx else _add(v, i, _PRODUCT)
            v.store(at("rdi", v.size * i), i)
    t.ret()


# to = one + to.
def _add(v, to, one):
    v.apply("addps", one, one, to)
    v.apply("movaps", to, to, one)


# 2. Gates are in the order input, forget, cell, output.
def _activations(t):
    _curve(t, "logistic", 0, 2)
    t.mov("rax", _field("activation"))
    t.test("rax", "rax")
    t.je("no_activation")
    _curve(t, "tanh", 2, 1)
    t.label("no_activation")
    _curve(t, "logistic", 3, 1)


def _curve(t, name, first, count):
    t.mov("rsi", _field("gates"))
    t.mov("rcx", _field("gate_bytes"))
    for _ in range(first):
        t.add("rsi", "rcx")
    t.mov("rdi", "rsi")
    t.shr("rcx", 2)
    if count == 2:
        t.add("rcx", "rcx")
    t.call(f"{name}_of_all")


# 3. Cell state and output.
def _update(t, v):
    _copy(t, "rsi", "r14", "rdi", _field("cell_copy"))
    t.mov("rax", _field("limits"))
    v.load(_LOW, at("rax"))
    v.load(_HIGH, at("rax", v.size))
    v.load(9, at("rax", 2 * v.size))
    v.load(10, at("rax", 3 * v.size))
    t.mov("rsi", _field("gates"))
    t.mov("rdi", _field("cell_copy"))
    t.mov("rcx", _field("gate_bytes"))
    t.lea("rdx", at("rsi", 0, "rcx", 2))
    t.xor("eax", "eax")
    t.label("cell")
    t.lea("r8", at("rsi", 0, "rcx"))
    v.load(0, at("r8", 0, "rax"))
    v.load(1, at("rdi", 0, "rax"))
    v.apply("mulps", 0, 0, 1)
    clamp(v, 0, _LOW, _HIGH, _SPARE)
    v.load(1, at("rsi", 0, "rax"))
    v.load(2, at("rdx", 0, "rax"))
    v.apply("mulps", 1, 1, 2)
    clamp(v, 1, _LOW, _HIGH, _SPARE)
    v.apply("addps", 0, 0, 1)
    t.mov("r8", _field("clip"))
    t.test("r8", "r8")
    t.je("no_clip")
    clamp(v, 0, 9, 10, _SPARE)
    t.label("no_clip")
    v.store(at("rdi", 0, "rax"), 0)
    v.store(at("rsi", 0, "rax"), 0)
    t.add("rax", v.size)
    t.cmp("rax", "rcx")
    t.jl("cell")
    t.mov("rsi", "rdi")
    _copy(t, "rsi", "rsi", "rdi", "r14")
    _curve(t, "tanh", 0, 1)
    t.mov("rsi", _field("gates"))
    t.mov("rcx", _field("gate_bytes"))
    t.lea("rdx", at("rsi", 0, "rcx", 2))
    t.add("rdx", "rcx")
    t.xor("eax", "eax")
    t.label("output")
    v.load(0, at("rsi", 0, "rax"))
    v.load(1, at("rdx", 0, "rax"))
    v.apply("mulps", 0, 0, 1)
    v.store(at("rsi", 0, "rax"), 0)
    t.add("rax", v.size)
    t.cmp("rax", "rcx")
    t.jl("output")
    for target in ("r15", "r13"):
        _copy(t, "rsi", _field("gates"), "rdi", target)


# Copy the elements of a state.
def _copy(t, source, source_value, target, target_value):
    for register, value in ((target, target_value), (source, source_value)):
        if register != value:
            t.mov(register, value)
    t.mov("rcx", _field("state_bytes"))
    t.rep_movsb()
