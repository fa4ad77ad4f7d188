# Generator of the kernel of UNIDIRECTIONAL_SEQUENCE_LSTM, float32, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.lstm_float import FLOAT32 as LAYOUT

from ..common.record import word_of
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from .channels_float import four_rows, multiply_pixel, operand
from .thumb_vfp import ThumbVfp

_COUNT = """
The number of elements is a word of the scratch buffer, after four rows of `block` elements.
"""
_GATES = (
    """
Sums of elements of the four gates from the element `r3` of the output on, in the scratch buffer:
weights * input + bias + weights * hidden state. Each of the two products is limited to finite
numbers. The rows are the input, forget, output and cell gates. `r0` is the record
(FLOAT32 in prepare/lstm_float.py), `r1` the arena, `r2` the model.
"""
    + _COUNT
)
_CELLS = (
    """
The cell state of elements from the element `r3` of all states on, from the gates in the scratch
buffer; the first gate becomes a copy of it. `r0` is the record (FLOAT32 in prepare/lstm_float.py),
`r1` the arena, `r2` the model.
"""
    + _COUNT
)
_WEIGHTS = "input_to_input_weights"
_RECURRENT_WEIGHTS = "recurrent_to_input_weights"
_BIAS = "input_gate_bias"
_SLOTS = (
    "record",
    "arena",
    "rom",
    "input",  # address of the inputs of the step
    "hidden_state",  # of the batch
    "scratch",
    "count",
    "first",  # element of the state
    "gate",  # of the record's order
    _WEIGHTS,  # address of the weights of the first element; this slot and the next two ones
    _RECURRENT_WEIGHTS,
    _BIAS,
)

# Registers of the FPU: sums and limits that multiply_pixel() does not use.
_SUMS = 16
_LOW, _HIGH = 20, 21
_GATES_OF_A_CELL = 4
_ELEMENTS = 4  # that are computed together


# Limit a register to the range between two others; a NaN stays.
def _limit(t, value, low, high):
    t.vcmp(value, low)
    t.vmov_if("mi", value, low)
    t.vcmp(value, high)
    t.vmov_if("gt", value, high)


# Store the addresses of the input, the hidden state and the scratch buffer. r0 to r3: arguments.
def _begin(t):
    t.move(R12, R0)
    t.move(R11, R1)
    t.move(R10, R2)
    for register, slot in ((R0, "record"), (R1, "arena"), (R2, "rom")):
        t.store(register, slot)
    for name in ("input", "hidden_state", "scratch"):
        operand(t, LAYOUT, name, R12, R11, R10, R4, R5)
    t.ldr_wide(R5, R12, word_of(LAYOUT, "block"))
    t.add_wide(R4, R4, R5, "lsl", 4)
    t.ldr_wide(R5, R4)
    t.store(R5, "count")
    t.ldr_wide(R5, R12, word_of(LAYOUT, "state_size"))
    t.sdiv(R7, R3, R5)  # the step
    t.mls(R3, R7, R5, R3)
    t.store(R3, "first")
    t.ldr_wide(R4, R12, word_of(LAYOUT, "input_size"))
    t.mul_wide(R4, R4, R7)
    t.load(R6, "input")
    t.add_wide(R4, R6, R4, "lsl", 2)
    t.store(R4, "input")
    # Batches follow each other; after the last one the first one begins again.
    t.ldr_wide(R4, R12, word_of(LAYOUT, "steps"))
    t.sdiv(R7, R7, R4)
    t.ldr_wide(R4, R12, word_of(LAYOUT, "batches"))
    t.sdiv(R6, R7, R4)
    t.mls(R7, R6, R4, R7)
    t.mul_wide(R7, R7, R5)
    t.load(R6, "hidden_state")
    t.add_wide(R7, R6, R7, "lsl", 2)
    t.store(R7, "hidden_state")


# Find the weights, biases and target of the gate in R7: r11 and r12 are the weights of its first
# element, r10 is the bias, r8 the target, r9 the number of elements.
def _begin_gate(t):
    t.load(R12, "record")
    t.add_wide(R12, R12, R7, "lsl", 2)
    t.load(R11, "arena")
    t.load(R10, "rom")
    for name in (_WEIGHTS, _RECURRENT_WEIGHTS, _BIAS):
        operand(t, LAYOUT, name, R12, R11, R10, R4, R5)
    t.load(R0, "record")
    t.load(R3, "first")
    t.add_wide(R10, R4, R3, "lsl", 2)
    for register, name, size in (
        (R11, _WEIGHTS, "input_size"),
        (R12, _RECURRENT_WEIGHTS, "state_size"),
    ):
        t.ldr_wide(R5, R0, word_of(LAYOUT, size))
        t.mul_wide(R5, R5, R3)
        t.load(R4, name)
        t.add_wide(register, R4, R5, "lsl", 2)
    # The rows 0, 1, 3, 2: the first three gates have the same curve.
    t.load(R9, "count")
    t.shift_right(R4, R7, 1)
    t.two("eor", R4, R7)
    t.mul_wide(R4, R4, R9)
    t.load(R8, "scratch")
    t.add_wide(R8, R8, R4, "lsl", 4 - 2)


# Sums of up to four rows of weights at `row`, which advances, times a vector, limited, in s0 to
# s3. r9: number of rows left.
def _product(t, row, vector, size):
    t.load(R0, "record")
    t.ldr_wide(R7, R0, word_of(LAYOUT, size))
    t.shift_left(R5, R7, 2)
    t.move(R1, row)
    four_rows(t, R9, R5)
    t.add_wide(row, row, R5, "lsl", 2)
    t.number(R0, 0)
    for i in range(_ELEMENTS):
        t.from_core(i, R0)
    t.load(R0, vector)
    t.move(R5, R7)
    multiply_pixel(t)


# Steps:
# 1. Find the addresses of the input and of the hidden state.
# 2. For each gate, and four elements at a time: the product with the input, and the bias.
# 3. Add the product with the hidden state.
def gates():
    t = ThumbVfp("gates", _GATES, slots=_SLOTS, saves=True)
    gate, group = t.new_label("gate"), t.new_label("group")
    _begin(t)
    t.vldr(_LOW, R12, word_of(LAYOUT, "lowest"))
    t.vldr(_HIGH, R12, word_of(LAYOUT, "highest"))
    t.number(R7, 0)
    t.label(gate)
    t.store(R7, "gate")
    _begin_gate(t)
    t.label(group)
    _product(t, R11, "input", "input_size")
    for i in range(_ELEMENTS):
        t.cmp_number(R9, i + 1)
        t.it("ge")
        t.vldm(R10, 4 + i)
    for i in range(_ELEMENTS):
        t.vadd(_SUMS + i, i, 4 + i)
    for i in range(_ELEMENTS):
        _limit(t, _SUMS + i, _LOW, _HIGH)
    _product(t, R12, "hidden_state", "state_size")
    for i in range(_ELEMENTS):
        _limit(t, i, _LOW, _HIGH)
        t.vadd(i, _SUMS + i, i)
        t.cmp_number(R9, i + 1)
        t.it("ge")
        t.vstm(R8, i)
    t.subs_number(R9, _ELEMENTS)
    t.branch_far("gt", group)
    t.load(R7, "gate")
    t.add(R7, 1)
    t.cmp(R7, _GATES_OF_A_CELL)
    t.branch_far("ne", gate)
    return t.text()


# r0: input gates, r1: forget gates, r2: cell gates, r3: cell states, r7: elements left, r8: 0
# without a limit of the cell state
def cells():
    t = ThumbVfp("cells", _CELLS, slots=("cell_state", "scratch"))
    element, unclipped = t.new_label("element"), t.new_label("unclipped")
    t.move(R12, R0)
    t.move(R11, R1)
    t.move(R10, R2)
    for name in ("cell_state", "scratch"):
        operand(t, LAYOUT, name, R12, R11, R10, R4, R5)
    t.ldr_wide(R5, R12, word_of(LAYOUT, "block"))
    t.add_wide(R5, R4, R5, "lsl", 4)
    t.ldr_wide(R7, R5)
    t.load(R5, "cell_state")
    t.add_wide(R3, R5, R3, "lsl", 2)
    t.move(R0, R4)
    t.add_wide(R1, R0, R7, "lsl", 2)
    t.add_wide(R2, R1, R7, "lsl", 3)
    t.ldr_wide(R8, R12, word_of(LAYOUT, "clip"))
    for i, name in enumerate(("lowest", "highest", "clip_low", "clip_high")):
        t.vldr(4 + i, R12, word_of(LAYOUT, name))
    t.label(element)
    t.vldm(R1, 0)
    t.vldr(1, R3)
    t.vldr(2, R0)
    t.vldm(R2, 3)
    t.vmul(0, 0, 1)
    t.vmul(2, 2, 3)
    _limit(t, 0, 4, 5)
    _limit(t, 2, 4, 5)
    t.vadd(0, 0, 2)
    t.cmp_number(R8, 0)
    t.branch("eq", unclipped)
    _limit(t, 0, 6, 7)
    t.label(unclipped)
    t.vstm(R3, 0)
    t.vstm(R0, 0)
    t.sub(R7, 1)
    t.branch("ne", element)
    return t.text()
