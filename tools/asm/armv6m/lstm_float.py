# Generator of the sums of LSTM, float32, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.lstm_float import FLOAT32 as LAYOUT

from ..common.record import word_of
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R9, R10, R12, Thumb
from ..common.thumb_record import address, division
from .list_float import (
    ENTRY,
    ListProducts,
    add_entry,
    add_last_entry,
    begin_entries,
    bias_list,
    find_infinite,
)

_ABOUT = """
Sums of elements of the four gates from the element `r3` of the output on, in the scratch buffer:
weights * input + bias + weights * hidden state. The rows are the input, forget, output and cell
gates. `r0` is the record (FLOAT32 in prepare/lstm_float.py), `r1` the arena, `r2` the model. The
number of elements is a word of the scratch buffer, after four rows of `block` elements. Returns 1,
or 0 if the gates have numbers that this function does not multiply, such as infinite ones, or
more than {entries} inputs and elements of the hidden state that are not 0.
"""

# 1. Find the inputs of the step and the hidden state of the batch.
# 2. Unpack both to lists.
# 3. For each gate and element, add up: the hidden state's products, which are kept in a slot; the
#    products of the inputs; the bias and the sum in the slot, both times 1.0.
_ENTRIES = 96  # of both lists
_WEIGHTS = "input_to_input_weights"
_RECURRENT_WEIGHTS = "recurrent_to_input_weights"
_BIAS = "input_gate_bias"
_SLOTS = (
    "record",
    "arena",
    "rom",
    "input",  # address of the inputs of the step
    "hidden_state",  # of the batch
    "target",
    "count",
    "left",
    "first",  # element of the state
    "gate",  # of the record's order
    "inputs",  # address of their list; the list of the hidden state is the first one
    "has_zeros",  # not 0: the lists omit inputs that are 0
    _WEIGHTS,  # address of the weights of the element
    _RECURRENT_WEIGHTS,
    _BIAS,
    "weights_step",  # bytes from one element to the next
    "recurrent_step",
    "bias",  # and the next slot: "weights" of the list with two inputs of 1.0
    "sum",  # of the hidden state's products
)


# Load the address of an operand into R5. r7: the record. Uses R1, R2, R4 and R6.
def _operand(t, name):
    t.load(R1, "arena")
    t.load(R2, "rom")
    t.ldr(R4, R7, word_of(LAYOUT, name))
    address(t)


# Step 1. r0 to r3: arguments.
def _begin(t, divide):
    for register, slot in ((R0, "record"), (R1, "arena"), (R2, "rom")):
        t.store(register, slot)
    t.mov(R7, R0)
    _operand(t, "scratch")
    t.store(R5, "target")
    t.ldr(R6, R7, word_of(LAYOUT, "block"))
    t.lsl(R6, R6, 4)
    t.add(R5, R5, R6)
    t.ldr(R5, R5)
    t.store(R5, "count")
    t.mov(R0, R3)
    t.ldr(R1, R7, word_of(LAYOUT, "state_size"))
    t.bl(divide)
    t.store(R0, "first")
    t.mov(R3, R2)  # the step
    _operand(t, "input")
    t.ldr(R0, R7, word_of(LAYOUT, "input_size"))
    t.lsl(R0, R0, 2)
    t.store(R0, "weights_step")
    t.mul(R0, R3)
    t.add(R5, R5, R0)
    t.store(R5, "input")
    # Batches follow each other; after the last one the first one begins again.
    t.mov(R0, R3)
    t.ldr(R1, R7, word_of(LAYOUT, "steps"))
    t.bl(divide)
    t.mov(R0, R2)
    t.ldr(R1, R7, word_of(LAYOUT, "batches"))
    t.bl(divide)
    t.mov(R3, R0)
    _operand(t, "hidden_state")
    t.ldr(R0, R7, word_of(LAYOUT, "state_size"))
    t.lsl(R0, R0, 2)
    t.store(R0, "recurrent_step")
    t.mul(R0, R3)
    t.add(R5, R5, R0)
    t.store(R5, "hidden_state")


# Step 2 for one list, at R1, which advances. r10: not 0 if an input was 0; r12: end of the lists.
def _unpack(t, vector, size, bad):
    value, zero, go_on, last = map(t.new_label, ("value", "zero", "go_on", "last"))
    t.load(R0, vector)
    t.load(R3, size)
    t.add(R3, R3, R0)
    t.mov(R9, R3)
    t.mov(R6, 0)
    t.mov(R7, R1)
    t.label(value)
    add_entry(t, zero, bad)
    t.cmp(R1, R12)
    t.branch("cc", go_on)
    t.b(bad)
    t.label(zero)
    t.mov(R10, R0)
    t.add(R6, 4)
    t.label(go_on)
    t.cmp(R0, R9)
    t.branch("ne", value)
    # The last entry has the offset of the entry before it, or the offset 0 in an empty list.
    t.cmp(R1, R7)
    t.branch("ne", last)
    t.mov(R4, 0)
    t.mov(R5, 0)
    t.mov(R6, 0)
    t.stm(R1, R4, R5, R6)
    done = t.new_label("done")
    t.b(done)
    t.label(last)
    add_last_entry(t)
    t.label(done)


def _unpack_both(t, bad):
    t.mov(R3, 0)
    t.mov(R10, R3)
    begin_entries(t)
    t.address(R1, _LISTS)
    t.mov(R3, ENTRY * (_ENTRIES + 1) // 4 - 255)
    t.add(R3, 255)
    t.lsl(R3, R3, 2)
    t.add(R3, R3, R1)
    t.mov(R12, R3)
    _unpack(t, "hidden_state", "recurrent_step", bad)
    t.store(R1, "inputs")
    _unpack(t, "input", "weights_step", bad)
    t.mov(R3, R10)
    t.store(R3, "has_zeros")


# Bytes of the frame before the lists: a list with two inputs of 1.0.
_LISTS = 3 * ENTRY


# Find the weights and biases of the gate in R7, and check them if the lists omit inputs.
def _begin_gate(t, bad):
    finite = t.new_label("finite")
    t.store(R7, "gate")
    t.lsl(R0, R7, 2)
    t.load(R7, "record")
    t.add(R7, R7, R0)
    for name, step in (
        (_WEIGHTS, "weights_step"),
        (_RECURRENT_WEIGHTS, "recurrent_step"),
        (_BIAS, None),
    ):
        _operand(t, name)
        t.load(R0, "first")
        if step:
            t.load(R3, step)
            t.mul(R0, R3)
        else:
            t.lsl(R0, R0, 2)
        t.add(R5, R5, R0)
        t.store(R5, name)
    t.load(R0, "count")
    t.store(R0, "left")
    t.load(R0, "has_zeros")
    t.cmp(R0, 0)
    t.branch_far("eq", finite)
    for name, step in ((_WEIGHTS, "weights_step"), (_RECURRENT_WEIGHTS, "recurrent_step")):
        t.load(R0, name)
        t.load(R1, step)
        t.load(R2, "count")
        t.mul(R1, R2)
        t.add(R1, R1, R0)
        find_infinite(t, bad)
    t.label(finite)


# r9: the part of the sum that the loop adds: 0 for the hidden state, 1 for the inputs, 2 for the
# bias and the hidden state's sum.
def gates():
    about = _ABOUT.format(entries=_ENTRIES)
    t = Thumb("gates", about, arguments=4, slots=_SLOTS, spare=_LISTS + ENTRY * (_ENTRIES + 2))
    names = ("divide", "gate", "element", "end", "bail", "failed", "inputs", "finish")
    divide, gate, element, end, bail, failed, inputs, finish = map(t.new_label, names)
    to_bail, done, cell = map(t.new_label, ("to_bail", "done", "cell"))
    products = ListProducts(t, end, to_bail)
    _begin(t, divide)
    t.load(R0, "weights_step")
    t.cmp(R0, 0)
    t.branch_far("eq", to_bail)
    bias_list(t, 0, 2)
    _unpack_both(t, to_bail)
    t.mov(R7, 0)
    t.label(gate)
    _begin_gate(t, to_bail)
    t.label(element)
    t.mov(R0, 0)
    t.mov(R9, R0)
    t.address(R0, _LISTS)
    t.load(R1, _RECURRENT_WEIGHTS)
    t.b(products.first)
    t.label(to_bail)
    t.b(bail)
    products.loop()
    t.label(end)
    t.mov(R7, R9)
    t.add(R7, 1)
    t.mov(R9, R7)
    t.cmp(R7, 2)
    t.branch("cc", inputs)
    t.branch("ne", finish)
    t.load(R0, _BIAS)
    t.ldm(R0, R1)
    t.store(R0, _BIAS)
    t.store(R1, "bias")
    t.address(R1, 4 * (_SLOTS.index("bias") - len(_SLOTS)))
    t.address(R0)
    t.b(products.next)
    t.label(inputs)
    products.result()
    t.store(R2, "sum")
    t.load(R0, "inputs")
    t.load(R1, _WEIGHTS)
    t.b(products.first)
    t.label(finish)
    products.result()
    t.load(R4, "target")
    t.stm(R4, R2)
    t.store(R4, "target")
    for name, step in (
        (_WEIGHTS, "weights_step"),
        (_RECURRENT_WEIGHTS, "recurrent_step"),
    ):
        t.load(R4, name)
        t.load(R5, step)
        t.add(R4, R4, R5)
        t.store(R4, name)
    t.load(R4, "left")
    t.sub(R4, 1)
    t.store(R4, "left")
    t.branch_far("ne", element)
    # The order is 0, 1, 3, 2: the first three gates have the same curve.
    t.load(R7, "gate")
    t.cmp(R7, 2)
    t.branch("eq", done)
    t.branch("gt", cell)
    t.add(R7, 1)
    t.cmp(R7, 2)
    t.branch_far("ne", gate)
    t.mov(R7, 3)
    t.b(gate)
    t.label(cell)
    t.mov(R7, 2)
    t.b(gate)
    division(t, divide)
    t.label(done)
    t.mov(R0, 1)
    t.b(failed)
    t.label(bail)
    t.mov(R0, 0)
    t.label(failed)
    return t.text(returns=True)


_CELLS = """
Products of elements at `r1` and `r2`, to elements at `r0`. `r3`: elements of a row.
If `r3` has the bit 8, too, the product of the row before `r1` and the row two rows after `r1` is
added. Returns the number of elements that are done; the next one has numbers that this function
does not multiply, such as 0 and infinite ones.
"""
_CELL_SLOTS = ("target", "factors", "weights", "count", "left", "row", "second")


def cells():
    t = Thumb("cells", _CELLS, arguments=4, slots=_CELL_SLOTS, spare=3 * ENTRY)
    element, single, end, bail = map(t.new_label, ("element", "single", "end", "bail"))
    products = ListProducts(t, end, bail)
    for register, slot in ((R0, "target"), (R1, "factors"), (R2, "weights")):
        t.store(register, slot)
    t.lsl(R4, R3, 24)
    t.lsr(R4, R4, 24)
    t.store(R4, "count")
    t.store(R4, "left")
    t.lsl(R4, R4, 2)
    t.store(R4, "row")
    # The offset of the second weight, or 0.
    t.lsr(R3, R3, 8)
    t.lsl(R4, R4, 1)
    t.add(R4, R4, R1)
    t.sub(R4, R4, R2)
    t.mul(R4, R3)
    t.store(R4, "second")
    begin_entries(t)
    t.label(element)
    t.address(R1)
    t.mov(R6, 0)
    t.load(R0, "factors")
    add_entry(t, bail, bail)
    t.load(R6, "second")
    t.cmp(R6, 0)
    t.branch("eq", single)
    t.load(R3, "row")
    t.sub(R0, R0, R3)
    t.sub(R0, 4)
    add_entry(t, bail, bail)
    t.label(single)
    add_last_entry(t)
    t.address(R0)
    t.load(R1, "weights")
    t.b(products.first)
    t.label(bail)
    t.load(R0, "count")
    t.load(R1, "left")
    t.sub(R0, R0, R1)
    done = t.new_label("done")
    t.b(done)
    products.loop()
    t.label(end)
    products.result()
    t.cmp(R2, 0)
    t.branch_far("eq", bail)
    for slot in ("factors", "weights", "target"):
        t.load(R0, slot)
        if slot == "target":
            t.str(R2, R0)
        t.add(R0, 4)
        t.store(R0, slot)
    t.load(R0, "left")
    t.sub(R0, 1)
    t.store(R0, "left")
    t.branch_far("ne", element)
    t.b(bail)
    t.label(done)
    return t.text(returns=True)
