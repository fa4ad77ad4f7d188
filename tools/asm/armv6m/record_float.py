# Steps that the assembler kernels of float32 share: they read limits and clamp outputs
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4


# Store the limits of the activation, whose address is in R0. Uses R1 to R3.
def limits(t):
    for i, name in enumerate(("low", "high")):
        t.ldr(R1, R0, 4 * i)
        t.store(R1, name)
        key(t, R2, R1, R3)
        t.store(R2, name + "_key")


# Convert the bits of a float32 to an integer. Integers are ordered as the numbers are; those for
# 0.0 and -0.0 are equal.
def key(t, to, bits, temporary):
    t.asr(temporary, bits, 31)
    t.lsr(to, temporary, 1)
    t.two("eor", to, bits)
    t.sub(to, temporary)


# Clamp the float32 in R2. Uses R3 and R4.
def clamp(t):
    key(t, R3, R2, R4)
    above, inside = t.new_label("above"), t.new_label("inside")
    t.load(R4, "low_key")
    t.cmp(R3, R4)
    t.branch("ge", above)
    t.load(R2, "low")
    t.label(above)
    t.load(R4, "high_key")
    t.cmp(R3, R4)
    t.branch("le", inside)
    t.load(R2, "high")
    t.label(inside)
