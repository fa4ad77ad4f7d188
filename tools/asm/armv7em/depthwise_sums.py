# Assembler macros of DEPTHWISE_CONV_2D for the DSP extension: sums of two or four outputs
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12

_WEIGHTS = (R7, R8), (R9, R10), (R11, R12)  # of each column
MAX_WIDTH = 7  # of a filter that is not 3x3
COLUMN_BYTES = 24, 20  # of code for a column of such a filter, by the stride


# Compute the sums of two columns of outputs. `columns` are the words of a row of the plane that
# they read: for each two words, which are loaded together, a list of (output column, column of the
# filter). `row` emits the code for one word of inputs.
def _sums(t, pointer, columns, row):
    for i, uses in enumerate(columns):
        registers = (R4, R5)[: len(uses)]
        if len(uses) == 2:
            t.ldrd(R4, R5, pointer, 8 * i)
        else:
            t.ldr_wide(R4, pointer, 8 * i)
        for x, outputs in zip(registers, uses, strict=True):
            for output, column in outputs:
                row(t, output, column, x)


# Add the products of a word of the upper pair of rows (0, 1) or of the lower pair (2, 3) to the
# sums of an output in row 0 (R0, R2) and an output in row 1 (R1, R3).
def _upper_of_two(t, output, column, x):
    first, _ = _WEIGHTS[column]
    t.smlad((R0, R2)[output], x, first)
    t.smla("tb", (R1, R3)[output], x, first)


def _lower_of_two(t, output, column, x):
    _, second = _WEIGHTS[column]
    t.smla("bt", (R0, R2)[output], x, second)
    t.smlad((R1, R3)[output], x, second)


# Add the products of a word to the sums of outputs in row 0 alone (R0, R1).
def _upper(t, output, column, x):
    t.smlad((R0, R1)[output], x, _WEIGHTS[column][0])


def _lower(t, output, column, x):
    t.smla("bt", (R0, R1)[output], x, _WEIGHTS[column][1])


# Which outputs (column, column of the filter) read each column of the plane.
_STRIDE_1 = (
    ([(0, 0)], [(0, 1), (1, 0)]),
    ([(0, 2), (1, 1)], [(1, 2)]),
)
_STRIDE_2 = (
    ([(0, 0)], [(0, 1)]),
    ([(0, 2), (1, 0)], [(1, 1)]),
    ([(1, 2)],),
)


# Compute the sums of a 3x3 filter, whose weights are in registers.
def sums_3x3(t, both):
    columns = _STRIDE_1 if both else _STRIDE_2
    _sums(t, R6, columns, _upper_of_two if both else _upper)
    _sums(t, LR, columns, _lower_of_two if both else _lower)
    t.add_number(LR, LR, 8 if both else 16)


# Compute the sums of any filter. A column has a word of weights for the outputs in row 0 and a
# word for those in row 1, because both windows together cover that number of rows of the plane.
# r7: weights; r8, r9: two words of them; r10: rows left; r11: jump; r12: row skip; lr: plane.
def sums_of_window(t, both):
    pair = t.new_label("pair")
    t.load(R7, "first_weight")
    t.load(R10, "pair_count")
    t.mov(LR, R6)
    t.label(pair)
    if both:
        t.ldr_next(R4, LR)
        t.mov(R5, R4)  # for either first column of the filter
    t.jump_forward(R11)
    for column in range(MAX_WIDTH):
        begin = t.position()
        if both:
            here, beside = (R5, R4) if column & 1 else (R4, R5)
            t.ldrd_next(R8, R9, R7)
            t.ldr_next(beside, LR)
            for acc, x, weights in (
                (R0, here, R8),
                (R1, here, R9),
                (R2, beside, R8),
                (R3, beside, R9),
            ):
                t.smlad(acc, x, weights)
        else:
            t.ldr_next(R8, R7)
            t.ldr_wide(R5, LR, 8)
            t.ldr_next(R4, LR)
            t.smlad(R0, R4, R8)
            t.smlad(R1, R5, R8)
        assert t.position() - begin == COLUMN_BYTES[not both]
    t.add(LR, R12)
    t.subs_number(R10, 1)
    t.branch("ne", pair)


# Read the stream at R8 after the kind and the bias: load the weights into registers, or their
# address into a slot, and the words for the outputs into R1 and R2.
def begin_3x3(t):
    t.mov(LR, R8)
    t.ldm_wide(LR, R7, R8, R9, R10, R11, R12)
    t.store(R7, "first_weight")
    t.ldrd(R1, R2, LR)


def begin_window(t):
    t.ldrd_next(R1, R2, R8)
    t.store(R8, "first_weight")
    t.load(R11, "jump")
    t.load(R12, "row_skip")
