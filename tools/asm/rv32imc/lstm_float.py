# Generator of the assembler kernel of UNIDIRECTIONAL_SEQUENCE_LSTM, float32, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.lstm_float import FLOAT32 as LAYOUT

from ..common.record import word_of
from .products_float import (
    END,
    INPUT,
    INPUT_HIGH,
    INPUT_LOW,
    INPUTS,
    SUM,
    WEIGHT,
    WEIGHTS,
    Products,
)
from .record_float import RECORD, address
from .rv32 import Rv32

_GATES = """
The sums of elements of the four gates, in rows of the scratch buffer: weights * input + bias +
weights * hidden state. `a0` is the address of the record (FLOAT32 in prepare/lstm_float.py), `a1`
of the arena, `a2` of the model. `a3` is the first element of the output * 1024 + the number of
elements. Returns 1; or 0 if numbers are out of range, such as infinite ones.
"""
_CELLS = """
The cell state of some elements: forget gate * cell state + input gate * cell gate, with the gates
in rows of the scratch buffer, whose fifth row is overwritten. `a0` is the address of the record
(FLOAT32 in prepare/lstm_float.py), `a1` of the arena, `a2` of the model. `a3` is the first element
of the state * 1024 + the number of elements. Returns 1; or 0, without a change of the state, if
numbers are out of range or a sum is 0.
"""
_SLOTS = ("arena", "model", "first", "count", "gates_left", "is_done")

_STAGE = "ra"
_INPUT_VECTOR, _HIDDEN_VECTOR = "s4", "s5"
_INPUT_BYTES, _HIDDEN_BYTES = "s11", "t6"  # bytes of a row of weights
_INPUT_ROW, _HIDDEN_ROW, _BIAS = "s6", "s7", "s8"  # of the next element
_LEFT, _TARGET = "s9", "s10"  # elements of the gate; address of the next sum


# Leave to `bad` where a number of a vector is not between the bounds of products_float.py. Uses a0
# to a3.
def _check_vector(t, vector, size, bad):
    value, done = t.new_label("value"), t.new_label("checked")
    t.mv("a0", vector)
    t.add("a1", vector, size)
    t.li("a3", INPUT_HIGH - INPUT_LOW)
    t.label(value)
    t.branch("beq", "a0", "a1", done)
    t.lw("a2", "a0")
    t.addi("a0", "a0", 4)
    t.slli("a2", "a2", 1)
    t.branch("beq", "a2", "zero", value)
    t.srli("a2", "a2", 24)
    t.addi("a2", "a2", -INPUT_LOW)
    t.branch("bgeu", "a3", "a2", value)
    t.jump(bad)
    t.label(done)


# Store the arguments, and find the vectors of the step and of the batch.
def _begin_gates(t):
    t.mv(RECORD, "a0")
    t.store("a1", "arena")
    t.store("a2", "model")
    t.store("zero", "is_done")
    t.srli("a0", "a3", 10)
    t.andi("a3", "a3", 1023)
    t.store("a3", "count")
    for name, register in (("input", _INPUT_VECTOR), ("hidden_state", _HIDDEN_VECTOR),
                           ("scratch", _TARGET)):  # fmt: skip
        address(t, register, word_of(LAYOUT, name), "a1", "a2")
    t.lw(_INPUT_BYTES, RECORD, word_of(LAYOUT, "input_size"))
    t.slli(_INPUT_BYTES, _INPUT_BYTES, 2)
    t.lw("a1", RECORD, word_of(LAYOUT, "state_size"))
    t.slli(_HIDDEN_BYTES, "a1", 2)
    t.remu("a2", "a0", "a1")
    t.store("a2", "first")
    t.divu("a0", "a0", "a1")  # the step
    t.mul("a1", "a0", _INPUT_BYTES)
    t.add(_INPUT_VECTOR, _INPUT_VECTOR, "a1")
    # Batches follow each other; after the last one the first one begins again.
    t.lw("a1", RECORD, word_of(LAYOUT, "steps"))
    t.divu("a0", "a0", "a1")
    t.lw("a1", RECORD, word_of(LAYOUT, "batches"))
    t.remu("a0", "a0", "a1")
    t.mul("a0", "a0", _HIDDEN_BYTES)
    t.add(_HIDDEN_VECTOR, _HIDDEN_VECTOR, "a0")
    t.li("a0", 4)
    t.store("a0", "gates_left")


# Find the rows of the first element of the next gate, whose operands are at RECORD.
def _begin_gate(t):
    t.load("a1", "arena")
    t.load("a2", "model")
    t.load("a3", "first")
    for name, row, size in (("input_to_input_weights", _INPUT_ROW, _INPUT_BYTES),
                            ("recurrent_to_input_weights", _HIDDEN_ROW, _HIDDEN_BYTES),
                            ("input_gate_bias", _BIAS, None)):  # fmt: skip
        address(t, row, word_of(LAYOUT, name), "a1", "a2")
        if size:
            t.mul("a4", "a3", size)
        else:
            t.slli("a4", "a3", 2)
        t.add(row, row, "a4")
    t.addi(RECORD, RECORD, 4)
    t.load(_LEFT, "count")


# Stages of an element: the product with the input; plus the bias; the product with the hidden
# state; plus the first sum.
def gates():
    t = Rv32("gates", _GATES, 4, _SLOTS)
    names = ("gate", "element", "run_end", "stored", "hidden", "finish", "more", "bail")
    gate, element, run_end, stored, hidden, finish, more, bail = map(t.new_label, names)
    products = Products(t, (None, None), checked=True, run_end=run_end, bail=bail)
    _begin_gates(t)
    _check_vector(t, _INPUT_VECTOR, _INPUT_BYTES, bail)
    _check_vector(t, _HIDDEN_VECTOR, _HIDDEN_BYTES, bail)
    products.begin_function()
    t.label(gate)
    _begin_gate(t)
    t.label(element)
    t.mv(INPUTS, _INPUT_VECTOR)
    t.mv(WEIGHTS, _INPUT_ROW)
    t.add(END, INPUTS, _INPUT_BYTES)
    t.add(_INPUT_ROW, _INPUT_ROW, _INPUT_BYTES)
    t.li(_STAGE, 0)
    products.begin_sum()
    t.jump(products.next)
    products.loop()
    t.label(run_end)
    t.addi(_STAGE, _STAGE, 1)
    t.li("t0", 2)
    t.branch("beq", _STAGE, "t0", stored)
    t.branch("blt", "t0", _STAGE, hidden)
    t.lw(WEIGHT, _BIAS)
    t.addi(_BIAS, _BIAS, 4)
    products.add_weight()
    t.label(stored)
    products.result()
    t.sw(SUM, _TARGET)
    t.mv(INPUTS, _HIDDEN_VECTOR)
    t.mv(WEIGHTS, _HIDDEN_ROW)
    t.add(END, INPUTS, _HIDDEN_BYTES)
    t.add(_HIDDEN_ROW, _HIDDEN_ROW, _HIDDEN_BYTES)
    products.begin_sum()
    t.jump(products.next)
    t.label(hidden)
    t.li("t0", 4)
    t.branch("beq", _STAGE, "t0", finish)
    t.lw(WEIGHT, _TARGET)
    products.add_weight()
    t.label(finish)
    products.result()
    t.sw(SUM, _TARGET)
    t.addi(_TARGET, _TARGET, 4)
    t.addi(_LEFT, _LEFT, -1)
    t.branch("beq", _LEFT, "zero", more)
    t.jump(element)
    t.label(more)
    t.load("a0", "gates_left")
    t.addi("a0", "a0", -1)
    t.store("a0", "gates_left")
    t.branch("bne", "a0", "zero", gate)
    t.li("a0", 1)
    t.store("a0", "is_done")
    t.label(bail)
    return t.text("is_done")


_CELL, _INPUT_GATE, _FORGET_GATE, _CELL_GATE, _NEW = "s4", "s5", "s6", "s7", "s8"
_CELL_END, _FIRST_CELL, _FIRST_NEW = "s9", "s10", "s11"


# Load the factors of a product.
def _factors(t, products, one, other):
    t.lw(INPUT, one)
    t.lw(WEIGHT, other)
    products.double_input()
    t.jump(products.multiply)


def cells():
    t = Rv32("cells", _CELLS, 4, ("is_done",))
    names = ("element", "run_end", "second", "nonzero", "copy", "bail")
    element, run_end, second, nonzero, copy, bail = map(t.new_label, names)
    products = Products(t, (None, None), checked=False, run_end=run_end, bail=bail)
    t.mv(RECORD, "a0")
    t.store("zero", "is_done")
    address(t, _CELL, word_of(LAYOUT, "cell_state"), "a1", "a2")
    address(t, _INPUT_GATE, word_of(LAYOUT, "scratch"), "a1", "a2")
    t.srli("a0", "a3", 10)
    t.slli("a0", "a0", 2)
    t.add(_CELL, _CELL, "a0")
    t.andi("a3", "a3", 1023)
    t.slli("a3", "a3", 2)
    t.add(_CELL_END, _CELL, "a3")
    t.add(_FORGET_GATE, _INPUT_GATE, "a3")
    t.add(_CELL_GATE, _FORGET_GATE, "a3")
    t.slli("a3", "a3", 1)
    t.add(_NEW, _CELL_GATE, "a3")
    t.mv(_FIRST_CELL, _CELL)
    t.mv(_FIRST_NEW, _NEW)
    products.begin_function()
    # Each product ends the loop.
    t.li(INPUTS, 0)
    t.li(END, 0)
    t.label(element)
    t.li(_STAGE, 0)
    products.begin_sum()
    _factors(t, products, _FORGET_GATE, _CELL)
    products.loop()
    t.label(run_end)
    t.branch("bne", _STAGE, "zero", second)
    t.li(_STAGE, 1)
    _factors(t, products, _INPUT_GATE, _CELL_GATE)
    # The sum of two zeros may be negative.
    t.label(second)
    t.branch("bne", SUM, "zero", nonzero)
    t.jump(bail)
    t.label(nonzero)
    products.result()
    t.sw(SUM, _NEW)
    for pointer in (_CELL, _INPUT_GATE, _FORGET_GATE, _CELL_GATE, _NEW):
        t.addi(pointer, pointer, 4)
    t.branch("beq", _CELL, _CELL_END, copy)
    t.jump(element)
    t.label(copy)
    t.lw("t0", _FIRST_NEW)
    t.sw("t0", _FIRST_CELL)
    t.addi(_FIRST_NEW, _FIRST_NEW, 4)
    t.addi(_FIRST_CELL, _FIRST_CELL, 4)
    t.branch("bne", _FIRST_CELL, _CELL_END, copy)
    t.li("a0", 1)
    t.store("a0", "is_done")
    t.label(bail)
    return t.text("is_done")
