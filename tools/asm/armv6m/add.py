# Generator of the assembler kernel of ADD for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import ADD, at
from ..common.thumb import LR, R0, R1, R2, R6, R7, R8, R9, R10, R11, R12, Thumb
from .requantize import requantize

_ADD = """
Outputs of ADD, int8, for a range of elements. `r0` is the address of a block of parameters (ADD in
tools/asm/common/parameters.py).
"""


# r7: minus the number of elements left; r8, r11, r12: ends of the two inputs and of the output;
# lr: factor of input 1.
def add():
    t = Thumb("add_run", _ADD, slots=("lookup", "multiplier"))
    for name, register in (
        ("input1_end", R8),
        ("input2_end", R11),
        ("output_end", R12),
        ("factor", LR),
        ("activation_min", R9),
        ("activation_max", R10),
    ):
        t.ldr(R1, R0, at(ADD, name))
        t.mov(register, R1)
    t.ldr(R1, R0, at(ADD, "lookup"))
    t.store(R1, "lookup")
    t.ldr(R6, R0, at(ADD, "output_zero_point"))
    t.ldr(R7, R0, at(ADD, "count"))
    t.two("neg", R7, R7)
    t.add(R0, at(ADD, "multiplier"))
    t.store(R0, "multiplier")
    element = t.new_label("element")
    t.label(element)
    t.mov(R1, R8)
    t.ldrsb_at(R0, R1, R7)
    t.mov(R1, LR)
    t.mul(R0, R1)
    t.mov(R1, R11)
    t.ldrb_at(R1, R1, R7)
    t.lsl(R1, R1, 2)
    t.load(R2, "lookup")
    t.ldr_at(R1, R2, R1)
    t.add(R0, R1)
    t.load(R1, "multiplier")
    requantize(t, R1)
    t.mov(R1, R12)
    t.strb_at(R0, R1, R7)
    t.add(R7, 1)
    t.branch("ne", element)
    return t.text()
