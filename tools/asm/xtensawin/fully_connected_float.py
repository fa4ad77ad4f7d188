# Generator of the kernel of FULLY_CONNECTED, float32, for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.fully_connected_float import LAYOUT

from ..common.record import word_of
from .channels_float import (
    ARGUMENTS,
    SUMS,
    channel_addresses,
    channel_outputs,
    load_limits,
    operand,
    single_products,
)
from .fpu import Fpu

_ABOUT = """
Outputs `start` to `stop` - 1 of a FULLY_CONNECTED. `op` is the record (LAYOUT in
prepare/fully_connected_float.py).
"""
_SLOTS = ("record", "input", "weights", "bias", "output", "channel", "units", "end", "left")
_WEIGHTS = ("a6", "a7", "a8", "a9", "a10", "a11", "a12", "a13")
_SOURCE, _INDEX, _TAPS, _X, _Y = "a2", "a3", "a4", "a5", "a14"
_STEP = "a15"


# Steps:
# 1. Find the addresses of the operands.
# 2. For each vector of inputs: eight channels at a time, or the last four: sums, bias, outputs.
def connect():
    t = Fpu("connect", _ABOUT, ARGUMENTS, _SLOTS)
    word = {name: word_of(LAYOUT, name) for name in LAYOUT}
    record, start, stop = "a2", "a5", "a6"
    t.store(record, "record")
    for name in ("input", "weights", "bias", "output"):
        operand(t, LAYOUT, name, (record, "a3", "a4", "a7", "a8"))
    t.sub(stop, stop, start)
    t.store(stop, "units")
    # The first output, its vector of inputs, and the channel in it.
    t.load("a7", "output")
    t.slli("a8", start, 2)
    t.add("a7", "a7", "a8")
    t.store("a7", "output")
    t.l32i("a8", record, word["channels"])
    t.quou("a9", start, "a8")
    t.mull("a10", "a9", "a8")
    t.sub(start, start, "a10")
    t.store(start, "channel")
    t.l32i("a10", record, word["depth"])
    t.mull("a10", "a9", "a10")
    t.slli("a10", "a10", 2)
    t.load("a9", "input")
    t.add("a9", "a9", "a10")
    t.store("a9", "input")

    vector, group, four, joined, end = map(
        t.new_label, ("vector", "group", "four", "joined", "end")
    )
    t.label(vector)
    t.load("a2", "record")
    t.load("a5", "units")
    t.far_zero("beqz", "a5", end)
    t.load("a4", "channel")
    t.l32i("a3", "a2", word["channels"])
    t.sub("a3", "a3", "a4")
    t.min("a3", "a3", "a5")
    t.store("a3", "left")
    t.sub("a5", "a5", "a3")
    t.store("a5", "units")

    t.label(group)
    t.load("a2", "record")
    t.l32i(_STEP, "a2", word["depth"])
    t.slli(_STEP, _STEP, 2)
    t.load("a4", "channel")
    t.mull("a4", "a4", _STEP)
    t.load(_WEIGHTS[0], "weights")
    t.add(_WEIGHTS[0], _WEIGHTS[0], "a4")
    t.load(_Y, "left")
    t.mov(_X, _Y)
    channel_addresses(t, _WEIGHTS, _STEP, _Y)
    t.zero(SUMS, _INDEX)  # and the index
    t.l32i(_TAPS, "a2", word["depth"])
    t.load(_SOURCE, "input")
    t.movi(_Y, 5)
    t.far("blt", _X, _Y, four)
    single_products(t, _SOURCE, _WEIGHTS, _INDEX, _TAPS)
    t.j(joined)
    t.label(four)
    single_products(t, _SOURCE, _WEIGHTS[:4], _INDEX, _TAPS)
    t.label(joined)
    t.load("a2", "record")
    load_limits(t, LAYOUT, "a2")
    t.load("a4", "channel")
    t.load("a6", "bias")
    t.slli("a3", "a4", 2)
    t.add("a3", "a3", "a6")
    t.movnez("a6", "a3", "a6")
    t.load("a7", "output")
    channel_outputs(t, 8, ("a7",), "a6", _X)
    # The next eight channels, or the next vector.
    t.addi("a7", "a7", 16)
    t.addi("a7", "a7", 16)
    t.addi("a4", "a4", 8)
    t.load("a3", "left")
    t.addi("a3", "a3", -8)
    t.store("a3", "left")
    t.store("a4", "channel")
    t.store("a7", "output")
    t.movi("a2", 1)
    t.far("bge", "a3", "a2", group)
    # `a3` channels less than eight were the last ones.
    t.slli("a3", "a3", 2)
    t.add("a7", "a7", "a3")
    t.store("a7", "output")
    t.movi("a3", 0)
    t.store("a3", "channel")
    t.load("a2", "record")
    t.l32i("a3", "a2", word["depth"])
    t.slli("a3", "a3", 2)
    t.load("a4", "input")
    t.add("a4", "a4", "a3")
    t.store("a4", "input")
    t.j(vector)
    t.label(end)
    return t.text()
