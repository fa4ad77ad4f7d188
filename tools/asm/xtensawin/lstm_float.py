# Generator of the kernel of UNIDIRECTIONAL_SEQUENCE_LSTM, float32, for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.lstm_float import FLOAT32 as LAYOUT

from .channels_float import (
    SUMS,
    channel_addresses,
    channel_outputs,
    limited,
    operand,
    single_products,
    word_of,
)
from .fpu import Fpu

_GATES = """
The sums of `count` elements of the four gates from the element `start` of the output on, in the
scratch buffer: weights * input + bias + weights * hidden state. Each of the two products is
limited to finite numbers. `op` is the record (FLOAT32 in prepare/lstm_float.py).
"""
_CELLS = """
The cell state of `count` elements from the element `start` of the state on, from the gates in the
scratch buffer; the first gate becomes a copy of it. `op` is the record (FLOAT32 in
prepare/lstm_float.py).
"""
_SLOTS = (
    "record",
    "arena",
    "rom",
    "input",  # address of the inputs of the step
    "hidden_state",  # of the batch
    "scratch",  # address of the next results
    "first",  # element of the state
    "count",
    "gate",  # four bytes for each gate before this one
    "input_row",  # address of the weights of the next elements, for the input
    "hidden_row",  # for the hidden state
    "bias",  # of the next elements
    "left",  # elements of this gate
)
_WEIGHTS = tuple(f"a{i}" for i in range(6, 14))
_SOURCE, _INDEX, _TAPS, _LEFT = "a2", "a3", "a4", "a5"
_STEP, _X = "a14", "a15"
_LOW, _HIGH, _OTHER = "f10", "f11", "f12"


def _word(name):
    return word_of(LAYOUT, name)


# Store the address of element `first` of the rows of a gate. name: of the operand of the first
# gate; size: slot or name of the word with the elements of a row.
def _row(t, name, size, slot):
    t.load("a2", "record")
    t.load("a3", "gate")
    t.add("a3", "a3", "a2")
    t.l32i("a4", "a3", _word(name))
    t.extui("a5", "a4", 0, 1)
    t.srli("a4", "a4", 2)
    t.load("a6", "arena")
    t.load("a7", "rom")
    t.movnez("a6", "a7", "a5")
    t.add("a4", "a4", "a6")
    t.load("a5", "first")
    if size:
        t.l32i("a6", "a2", _word(size))
        t.mull("a5", "a5", "a6")
    t.addx4("a4", "a5", "a4")
    t.store("a4", slot)


# Sums of up to eight elements for a vector, limited; the slot `row` advances to the next ones.
def _product(t, vector, row, size):
    four, joined = t.new_label("four"), t.new_label("joined")
    t.load("a2", "record")
    t.l32i(_TAPS, "a2", _word(size))
    t.slli(_STEP, _TAPS, 2)
    t.load(_WEIGHTS[0], row)
    t.slli(_X, _STEP, 3)
    t.add(_X, _X, _WEIGHTS[0])
    t.store(_X, row)
    t.load(_LEFT, "left")
    t.mov(_X, _LEFT)
    channel_addresses(t, _WEIGHTS, _STEP, _X)
    t.zero(SUMS, _INDEX)
    t.load(_SOURCE, vector)
    t.movi(_X, 5)
    t.far("blt", _LEFT, _X, four)
    single_products(t, _SOURCE, _WEIGHTS, _INDEX, _TAPS)
    t.j(joined)
    t.label(four)
    single_products(t, _SOURCE, _WEIGHTS[:4], _INDEX, _TAPS)
    t.label(joined)
    t.load("a2", "record")
    t.lsi(_LOW, "a2", _word("lowest"))
    t.lsi(_HIGH, "a2", _word("highest"))
    t.load("a6", "scratch")


# Steps:
# 1. Find the addresses of the input and of the hidden state.
# 2. For each gate, and eight elements at a time: the product with the input, and the bias.
# 3. Add the product with the hidden state.
def gates():
    t = Fpu("gates", _GATES, ("op", "arena", "rom", "start", "count"), _SLOTS)
    for register, slot in (("a2", "record"), ("a3", "arena"), ("a4", "rom"), ("a6", "count")):
        t.store(register, slot)
    for name in ("input", "hidden_state", "scratch"):
        operand(t, LAYOUT, name, ("a2", "a3", "a4", "a7", "a8"))
    t.l32i("a7", "a2", _word("state_size"))
    t.quou("a8", "a5", "a7")  # the step
    t.mull("a9", "a8", "a7")
    t.sub("a9", "a5", "a9")
    t.store("a9", "first")
    t.l32i("a9", "a2", _word("input_size"))
    t.mull("a9", "a9", "a8")
    t.load("a10", "input")
    t.addx4("a9", "a9", "a10")
    t.store("a9", "input")
    # Batches follow each other; after the last one the first one begins again.
    t.l32i("a9", "a2", _word("steps"))
    t.quou("a8", "a8", "a9")
    t.l32i("a9", "a2", _word("batches"))
    t.quou("a10", "a8", "a9")
    t.mull("a10", "a10", "a9")
    t.sub("a8", "a8", "a10")
    t.mull("a8", "a8", "a7")
    t.load("a10", "hidden_state")
    t.addx4("a8", "a8", "a10")
    t.store("a8", "hidden_state")
    t.movi("a3", 0)
    t.store("a3", "gate")

    gate, group = t.new_label("gate"), t.new_label("group")
    t.label(gate)
    _row(t, "input_to_input_weights", "input_size", "input_row")
    _row(t, "recurrent_to_input_weights", "state_size", "hidden_row")
    _row(t, "input_gate_bias", "", "bias")
    t.load("a3", "count")
    t.store("a3", "left")
    t.label(group)
    _product(t, "input", "input_row", "input_size")
    t.load("a7", "bias")
    channel_outputs(t, 8, ("a6",), "a7", _LEFT)
    _product(t, "hidden_state", "hidden_row", "state_size")
    added = t.new_label("added")
    for i, value in enumerate(SUMS):
        limited(t, value)
        t.lsi(_OTHER, "a6", 4 * i)
        t.add_s(value, _OTHER, value)
        t.ssi(value, "a6", 4 * i)
        t.addi(_LEFT, _LEFT, -1)
        t.far_zero("beqz", _LEFT, added)
    t.label(added)
    # The next eight elements, or the next gate.
    t.load("a3", "left")
    t.movi("a4", 8)
    t.min("a4", "a4", "a3")
    t.sub("a3", "a3", "a4")
    t.store("a3", "left")
    t.addx4("a6", "a4", "a6")
    t.store("a6", "scratch")
    t.load("a7", "bias")
    t.addx4("a7", "a4", "a7")
    t.store("a7", "bias")
    t.far_zero("bnez", "a3", group)
    t.load("a3", "gate")
    t.addi("a3", "a3", 4)
    t.store("a3", "gate")
    t.movi("a4", 16)
    t.far("bne", "a3", "a4", gate)
    return t.text()


def cells():
    slots = ("cell_state", "scratch")
    t = Fpu("cells", _CELLS, ("op", "arena", "rom", "start", "count"), slots)
    for name in slots:
        operand(t, LAYOUT, name, ("a2", "a3", "a4", "a7", "a8"))
    t.load("a3", "cell_state")
    t.addx4("a3", "a5", "a3")
    t.load("a7", "scratch")
    t.addx4("a8", "a6", "a7")
    t.addx4("a9", "a6", "a8")
    t.l32i("a10", "a2", _word("clip"))
    t.lsi(_LOW, "a2", _word("lowest"))
    t.lsi(_HIGH, "a2", _word("highest"))
    t.lsi("f13", "a2", _word("clip_low"))
    t.lsi("f14", "a2", _word("clip_high"))
    element, unclipped = t.new_label("element"), t.new_label("unclipped")
    t.label(element)
    t.lsi("f0", "a8")
    t.lsi("f1", "a3")
    t.lsi("f2", "a7")
    t.lsi("f3", "a9")
    t.mul_s("f0", "f0", "f1")
    t.mul_s("f2", "f2", "f3")
    limited(t, "f0")
    limited(t, "f2")
    t.add_s("f0", "f0", "f2")
    t.beqz("a10", unclipped)
    limited(t, "f0", "f13", "f14")
    t.label(unclipped)
    t.ssi("f0", "a3")
    t.ssi("f0", "a7")
    for register in ("a3", "a7", "a8", "a9"):
        t.addi(register, register, 4)
    t.addi("a6", "a6", -1)
    t.far_zero("bnez", "a6", element)
    return t.text()
