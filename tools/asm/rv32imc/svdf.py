# Generator of the assembler kernel of SVDF, int8, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.svdf import INT8

from .fixed_point import Scale, clamp, load_scale, rescale
from .float_record import RECORD, address, at, first_and_count
from .rv32 import Rv32

_ABOUT = """
Outputs of SVDF, int8, with a state of int8 or int16. `a0` is the address of the record (INT8 in
prepare/svdf.py), `a1` of the arena, `a2` of the model. `a3` is the first output * 1024 + the
number of outputs; if negative, the complement of the only output.
"""

_FEATURES = 4  # filters whose products with the input are summed up together
_FEATURE_SCALE, _OUTPUT_SCALE = Scale("a4", "a5", "a6", "a7"), Scale("t3", "t4", "t5", "t6")
_SLOTS = (
    *(f"feature_{i}" for i in range(_FEATURES)),
    *(f"feature_{name}" for name in Scale._fields),
    *(f"output_{name}" for name in Scale._fields),
    "input",
    "weights",  # of the features: the address of the first filter's
    "times",  # weights of the state: the address of the first filter's
    "bias",  # address, 0 without
    "row",  # address of the weights of the next feature
    "next_bias",
    "left",  # filters
    "batch_left",  # filters of the batch
    "is_wide",  # 1: the state has int16
    "low",
    "high",
    "zero_point",  # of the output
    "limit",  # the largest value of the state
)

# The state and its weights of the next filter, and the end of a row.
_STATE, _TIMES, _END = "s0", "s1", "s2"
_SUM, _RANK_LEFT, _OUTPUT = "s4", "s5", "s6"  # the sum of the output, and its filters left
_FEATURE, _BLOCK = "s7", "s8"  # address of the next feature, and features left
_ZERO_POINT, _MEMORY, _HALF = "s9", "s10", "s11"  # of the state; elements of a row
_VALUE, _HIGH_WORD, _OTHER = "t0", "t1", "t2"

_ROWS, _SUMS = ("a0", "a1", "a2", "a3"), ("a4", "a5", "a6", "a7")
_X, _INPUT_END, _INPUT_ZERO_POINT, _ELEMENT, _WEIGHTS = "t0", "t1", "t2", "t3", ("t4", "t5")


# Store the arguments, and find the first output.
def _begin(t):
    biased, unbiased = t.new_label("biased"), t.new_label("unbiased")
    t.mv(RECORD, "a0")
    first_and_count(t)
    for to, name in (
        ("a4", "input"),
        ("a5", "weights_feature"),
        (_TIMES, "weights_time"),
        (_STATE, "state"),
        (_OUTPUT, "output"),
        ("a6", "bias"),
    ):
        address(t, to, at(INT8, name), "a1", "a2")
    t.lw("t0", RECORD, at(INT8, "bias"))
    t.li("t1", 1)
    t.branch("bne", "t0", "t1", biased)
    t.li("a6", 0)
    t.label(biased)
    t.add(_OUTPUT, _OUTPUT, "a0")
    t.store("a6", "bias")
    t.store("a5", "weights")
    t.lw("a1", RECORD, at(INT8, "rank"))
    t.lw("a2", RECORD, at(INT8, "units_in_batch"))
    t.lw(_MEMORY, RECORD, at(INT8, "memory_size"))
    t.lw("a7", RECORD, at(INT8, "input_size"))
    t.mul("t0", "a3", "a1")
    t.store("t0", "left")
    t.divu("t1", "a0", "a2")  # the batch
    t.remu("t2", "a0", "a2")  # the output in the batch
    t.mul("t1", "t1", "a7")
    t.add("a4", "a4", "t1")
    t.store("a4", "input")
    t.sub("t0", "a2", "t2")
    t.mul("t0", "t0", "a1")
    t.store("t0", "batch_left")
    t.slli("t0", "t2", 2)
    t.branch("beq", "a6", "zero", unbiased)
    t.add("a6", "a6", "t0")
    t.label(unbiased)
    t.store("a6", "next_bias")
    t.mul("t2", "t2", "a1")  # the filter in the batch
    t.mul("a7", "a7", "t2")
    t.add("a5", "a5", "a7")
    t.store("a5", "row")
    t.lw("t0", RECORD, at(INT8, "state_bits"))
    t.srli("t1", "t0", 4)
    t.store("t1", "is_wide")
    t.mul("t2", "t2", _MEMORY)
    t.sll("t2", "t2", "t1")
    t.store(_TIMES, "times")
    t.add(_TIMES, _TIMES, "t2")
    t.mul("a0", "a0", "a1")
    t.mul("a0", "a0", _MEMORY)
    t.sll("a0", "a0", "t1")
    t.add(_STATE, _STATE, "a0")
    t.li("t1", 1)
    t.addi("t0", "t0", -1)
    t.sll("t0", "t1", "t0")
    t.addi("t0", "t0", -1)
    t.store("t0", "limit")
    t.slli(_HALF, "t1", 30)
    t.lw(_ZERO_POINT, RECORD, at(INT8, "state_zero_point"))
    for name, slot in (
        ("output_zero_point", "zero_point"),
        ("activation_min", "low"),
        ("activation_max", "high"),
    ):
        t.lw("t0", RECORD, at(INT8, name))
        t.store("t0", slot)
    for scale, name in ((_FEATURE_SCALE, "feature"), (_OUTPUT_SCALE, "output")):
        load_scale(t, at(INT8, f"{name}_multiplier"), scale)
        for register, field in zip(scale, Scale._fields, strict=True):
            t.store(register, f"{name}_{field}")
    t.lw(_RANK_LEFT, RECORD, at(INT8, "rank"))


# Compute the features of up to _FEATURES filters. A block of fewer filters repeats the last one.
def _features(t):
    element, done = t.new_label("element"), t.new_label("done")
    t.load("t0", "left")
    t.load("t1", "batch_left")
    t.li(_BLOCK, _FEATURES)
    for register in ("t0", "t1"):
        enough = t.new_label("enough")
        t.branch("bge", register, _BLOCK, enough)
        t.mv(_BLOCK, register)
        t.label(enough)
    t.sub("t0", "t0", _BLOCK)
    t.store("t0", "left")
    t.sub("t1", "t1", _BLOCK)
    t.store("t1", "batch_left")
    t.lw("t2", RECORD, at(INT8, "input_size"))
    t.load(_ROWS[0], "row")
    t.mul("t0", "t2", _BLOCK)
    t.add("t0", "t0", _ROWS[0])
    t.store("t0", "row")
    t.li("t1", 1)
    for before, row in zip(_ROWS, _ROWS[1:], strict=False):
        last = t.new_label("last_row")
        t.mv(row, before)
        t.branch("bge", "t1", _BLOCK, last)
        t.add(row, row, "t2")
        t.addi("t1", "t1", 1)
        t.label(last)
    for total in _SUMS:
        t.li(total, 0)
    t.load(_X, "input")
    t.add(_INPUT_END, _X, "t2")
    t.lw(_INPUT_ZERO_POINT, RECORD, at(INT8, "feature_offsets"))
    t.slli(_INPUT_ZERO_POINT, _INPUT_ZERO_POINT, 16)
    t.srli(_INPUT_ZERO_POINT, _INPUT_ZERO_POINT, 16)
    t.addi(_INPUT_ZERO_POINT, _INPUT_ZERO_POINT, -128)
    t.branch("beq", _X, _INPUT_END, done)
    t.label(element)
    t.lb(_ELEMENT, _X)
    t.lb(_WEIGHTS[0], _ROWS[0])
    t.sub(_ELEMENT, _ELEMENT, _INPUT_ZERO_POINT)
    for i, total in enumerate(_SUMS):
        weight = _WEIGHTS[i % 2]
        if i + 1 < _FEATURES:
            t.lb(_WEIGHTS[1 - i % 2], _ROWS[i + 1])
        t.mul(weight, weight, _ELEMENT)
        t.add(total, total, weight)
    t.addi(_X, _X, 1)
    for row in _ROWS:
        t.addi(row, row, 1)
    t.branch("bne", _X, _INPUT_END, element)
    t.label(done)
    for i, total in enumerate(_SUMS):
        t.store(total, f"feature_{i}")
    for scale, name in ((_FEATURE_SCALE, "feature"), (_OUTPUT_SCALE, "output")):
        for register, field in zip(scale, Scale._fields, strict=True):
            t.load(register, f"{name}_{field}")
    t.slot_address(_FEATURE, "feature_0")


# Move a row of the state by one element, append _VALUE and add the products of the row.
def _remember(t, load, store, size):
    element, last = t.new_label("element"), t.new_label("last")

    def add_product():
        t.sub(_HIGH_WORD, _HIGH_WORD, _ZERO_POINT)
        load(_OTHER, _TIMES, 0)
        t.addi(_STATE, _STATE, size)
        t.mul(_HIGH_WORD, _HIGH_WORD, _OTHER)
        t.addi(_TIMES, _TIMES, size)
        t.add(_SUM, _SUM, _HIGH_WORD)

    t.addi(_END, _MEMORY, -1)
    if size == 2:
        t.slli(_END, _END, 1)
    t.add(_END, _END, _STATE)
    t.branch("beq", _STATE, _END, last)
    t.label(element)
    load(_HIGH_WORD, _STATE, size)
    store(_HIGH_WORD, _STATE, 0)
    add_product()
    t.branch("bne", _STATE, _END, element)
    t.label(last)
    store(_VALUE, _STATE, 0)
    load(_HIGH_WORD, _STATE, 0)
    add_product()


# Rescale and clamp the next feature; append it to its row of the state.
def _filter(t):
    wide, summed = t.new_label("wide"), t.new_label("summed")
    t.lw(_VALUE, _FEATURE)
    t.addi(_FEATURE, _FEATURE, 4)
    rescale(t, _VALUE, _FEATURE_SCALE, _HALF, _HIGH_WORD, _OTHER)
    t.load(_OTHER, "limit")
    t.xori(_HIGH_WORD, _OTHER, -1)
    clamp(t, _VALUE, _HIGH_WORD, _OTHER)
    t.add(_VALUE, _VALUE, _ZERO_POINT)  # may wrap around, as in TFLM
    t.load(_OTHER, "is_wide")
    t.branch("bne", _OTHER, "zero", wide)
    _remember(t, t.lb, t.sb, 1)
    t.jump(summed)
    t.label(wide)
    _remember(t, t.lh, t.sh, 2)
    t.label(summed)


# Store the output of the sum, and begin the next one.
def _output(t):
    unbiased = t.new_label("unbiased")
    t.load(_OTHER, "next_bias")
    t.branch("beq", _OTHER, "zero", unbiased)
    t.lw(_HIGH_WORD, _OTHER)
    t.addi(_OTHER, _OTHER, 4)
    t.store(_OTHER, "next_bias")
    t.add(_SUM, _SUM, _HIGH_WORD)
    t.label(unbiased)
    rescale(t, _SUM, _OUTPUT_SCALE, _HALF, _HIGH_WORD, _OTHER)
    t.load(_HIGH_WORD, "zero_point")
    t.add(_SUM, _SUM, _HIGH_WORD)
    t.load(_HIGH_WORD, "low")
    t.load(_OTHER, "high")
    clamp(t, _SUM, _HIGH_WORD, _OTHER)
    t.sb(_SUM, _OUTPUT)
    t.addi(_OUTPUT, _OUTPUT, 1)
    t.li(_SUM, 0)
    t.lw(_RANK_LEFT, RECORD, at(INT8, "rank"))


# Begin with the first filter of the next batch.
def _next_batch(t):
    t.load("t0", "input")
    t.lw("t1", RECORD, at(INT8, "input_size"))
    t.add("t0", "t0", "t1")
    t.store("t0", "input")
    for slot, value in (("row", "weights"), ("next_bias", "bias")):
        t.load("t0", value)
        t.store("t0", slot)
    t.load(_TIMES, "times")
    t.lw("t0", RECORD, at(INT8, "units_in_batch"))
    t.lw("t1", RECORD, at(INT8, "rank"))
    t.mul("t0", "t0", "t1")
    t.store("t0", "batch_left")


# Steps, for up to four filters at a time:
# 1. The features: products of the input and the weights.
# 2. For each filter: append the feature to the state, add the products of the state.
# 3. After the last filter of an output: the output.
def svdf():
    t = Rv32("svdf", _ABOUT, 4, _SLOTS)
    names = "block", "filter", "same_output", "same_batch", "end"
    block, feature, same_output, same_batch, end = map(t.new_label, names)
    _begin(t)
    t.li(_SUM, 0)
    t.label(block)
    _features(t)
    t.label(feature)
    _filter(t)
    t.addi(_RANK_LEFT, _RANK_LEFT, -1)
    t.branch("bne", _RANK_LEFT, "zero", same_output)
    _output(t)
    t.label(same_output)
    t.addi(_BLOCK, _BLOCK, -1)
    t.branch("bne", _BLOCK, "zero", feature)
    t.load("t0", "left")
    t.branch("beq", "t0", "zero", end)
    t.load("t0", "batch_left")
    t.branch("bne", "t0", "zero", same_batch)
    _next_batch(t)
    t.label(same_batch)
    t.jump(block)
    t.label(end)
    return t.text()
