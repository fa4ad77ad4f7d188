# Outputs of the kernels of CONV_2D and FULLY_CONNECTED for the vector unit of the ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors

# Registers: the sum, which becomes the output; the channel's numbers; the address of the output.
SUM, OUTPUT = "a13", "a3"
BIAS, FACTOR, HALF = "a6", "a7", "a8"
SPARE, MORE = "a12", "a14"


# The instructions, as functions, that make and store an output of a FOLDED channel. `step` is the
# distance between outputs, `spare` a free register.
def folded(t, total, half, bias, factor, spare, output, step):
    return [
        lambda: t.mull(total, total, half),
        lambda: t.add(total, total, bias),
        lambda: t.mulsh(total, total, factor),
        lambda: t.sra(total, total),
        lambda: t.clamps(total, total, spare),
        lambda: t.s8i(total, output, 0),
        lambda: t.add(output, output, step),
    ]


# TFLM's two roundings, as in kernels/mac16_outputs.py; the limits are loaded when they are needed.
def twice(t):
    shifted = t.new_label("shifted")
    t.addx2(SUM, SUM, BIAS)
    t.mulsh(SPARE, SUM, FACTOR)
    t.mull(SUM, SUM, FACTOR)
    t.extui(SUM, SUM, 31, 1)
    t.add(SUM, SUM, SPARE)
    t.beqz(HALF, shifted)
    t.srai(SPARE, SUM, 31)
    t.add(SUM, SUM, HALF)
    t.add(SUM, SUM, SPARE)
    t.sra(SUM, SUM)
    t.label(shifted)
    t.load(SPARE, "output_zero_point")
    t.load(MORE, "activation_min")
    t.add(SUM, SUM, SPARE)
    t.load(SPARE, "activation_max")
    t.max(SUM, SUM, MORE)
    t.min(SUM, SUM, SPARE)


# TFLM's two roundings as functions, without a branch, with the output stored. The slot "sign" has
# the least number that is added for a negative sum: 0 if the sum is not shifted, else -1.
def twice_stored(t):
    return [
        lambda: t.addx2(SUM, SUM, BIAS),
        lambda: t.mulsh(SPARE, SUM, FACTOR),
        lambda: t.mull(SUM, SUM, FACTOR),
        lambda: t.load(MORE, "sign"),
        lambda: t.extui(SUM, SUM, 31, 1),
        lambda: t.add(SUM, SUM, SPARE),
        lambda: t.srai(SPARE, SUM, 31),
        lambda: t.max(SPARE, SPARE, MORE),
        lambda: t.add(SUM, SUM, HALF),
        lambda: t.load(MORE, "output_zero_point"),
        lambda: t.add(SUM, SUM, SPARE),
        lambda: t.sra(SUM, SUM),
        lambda: t.load(SPARE, "activation_min"),
        lambda: t.add(SUM, SUM, MORE),
        lambda: t.load(MORE, "activation_max"),
        lambda: t.max(SUM, SUM, SPARE),
        lambda: t.load(SPARE, "output_step"),
        lambda: t.min(SUM, SUM, MORE),
        lambda: t.s8i(SUM, OUTPUT, 0),
        lambda: t.add(OUTPUT, OUTPUT, SPARE),
    ]
