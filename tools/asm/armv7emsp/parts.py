# Parts of the float32 kernels: operands of records, sums of four channels, the fused activation
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6

# Registers of the FPU in a tile of one pixel: none that a function must save.
_SUMS = 0  # four channels
_INPUTS = 4  # four taps
_WEIGHTS = 8  # four taps of two channels


def word_of(layout, name):
    """Return the offset of a word of a record, in bytes."""
    return 4 * (1 + layout.index(name))


def operand(t, layout, name, record, arena, rom, to, spare):
    """Store the address of an operand in the slot `name`; R6 is used. An absent one gives 0."""
    t.ldr_wide(spare, record, word_of(layout, name))
    t.shift_right(to, spare, 2)
    t.and_number(R6, spare, 1)
    t.move(R6, arena)
    t.move_if("ne", R6, rom)
    t.add_wide(to, to, R6)
    t.cmp_number(spare, 1)
    t.it("eq")
    t.number(to, 0)
    t.store(to, name)


def multiply_pixel(t):
    """Add the products of R5 taps to the sums of four channels.

    R0: address of the inputs. R1 to R4: addresses of the channels' weights. All advance.
    Each sum adds its products in the order of the taps.
    """
    quads, singles, single, done = map(t.new_label, ("quads", "singles", "single", "done"))
    t.shift_right(R6, R5, 2)
    t.branch("eq", singles)
    t.label(quads)
    t.vldm(R0, _INPUTS, 4)
    for sums, weights in ((_SUMS, (R1, R2)), (_SUMS + 2, (R3, R4))):
        for i, register in enumerate(weights):
            t.vldm(register, _WEIGHTS + 4 * i, 4)
        for i in range(8):
            t.vmul(_WEIGHTS + i, _WEIGHTS + i, _INPUTS + i % 4)
        for tap in range(4):
            for i in range(2):
                t.vadd(sums + i, sums + i, _WEIGHTS + 4 * i + tap)
    t.sub(R6, 1)
    t.branch("ne", quads)
    t.label(singles)
    t.and_number(R6, R5, 3)
    t.branch("eq", done)
    t.label(single)
    t.vldm(R0, _INPUTS)
    for i, register in enumerate((R1, R2, R3, R4)):
        t.vldm(register, _WEIGHTS + i)
    for i in range(4):
        t.vmul(_WEIGHTS + i, _WEIGHTS + i, _INPUTS)
    for i in range(4):
        t.vadd(_SUMS + i, _SUMS + i, _WEIGHTS + i)
    t.sub(R6, 1)
    t.branch("ne", single)
    t.label(done)


def clamp_outputs(t, layout, record, first, end):
    """Limit the outputs between two addresses to the range of the activation; a NaN stays.

    R0 is `record`; `first` and `end` are R1 and R2.
    """
    again, done = t.new_label("clamp"), t.new_label("clamped")
    t.vldr(4, record, word_of(layout, "activation_min"))
    t.vldr(5, record, word_of(layout, "activation_max"))
    t.cmp(first, end)
    t.branch("cs", done)
    t.label(again)
    t.vldr(0, first)
    t.vcmp(0, 4)
    t.vmov_if("mi", 0, 4)
    t.vcmp(0, 5)
    t.vmov_if("gt", 0, 5)
    t.vstm(first, 0)
    t.cmp(first, end)
    t.branch("cc", again)
    t.label(done)
