# DEPTHWISE_CONV_2D, int8, 3x3: load rows of vectors for the ESP32-S3, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..encoders.pie import VECTOR
from .lanes import Parameters
from .parameters import PIE_DEPTHWISE
from .pie_gather import SIZES, copy_elements, copy_vectors

FILL = 112  # offset in the scratch buffer: a vector of zero points after the parameters
_LOAD_ROW = """
Move rows to the beginning of the plane, then load a row of the image: for each 16 channels a
vector of each column, with zero points outside of the image. The arguments are the arena, the
offset of a block of parameters in it (PIE_DEPTHWISE in tools/asm/kernels/parameters.py), and the
memory of the image. Addresses among the parameters are offsets in these two.
"""


def _load_zero_points(t, address):
    t.vld_ip("q1", address, 0)


def _store_zero_points(t, to, count):
    end = t.new_label("filled")
    t.loopnez(count, end)
    t.vst_ip("q1", to, VECTOR)
    t.label(end)


# Copy a vector of each column.
def _copy_columns(t, source, to, columns, step):
    end = t.new_label("copied")
    t.loopnez(columns, end)
    t.vld_xp("q0", source, step)
    t.vst_ip("q0", to, VECTOR)
    t.label(end)


def _fill(k, to, count):
    k.tile(_store_zero_points, [], [count], [to], size=9)


# Copy `size` bytes of each column as elements of a kind.
def _columns(k, kind, to, columns, size):
    source, step, left = columns
    with k.loop("column", times=4) as column:
        elements = size.lsr(2) if SIZES[kind] == 4 else size
        copy_elements(k, k.var("at", to), kind, k.var("from", source), elements)
        to += VECTOR
        source += step
        left -= 1
        column.repeat_if(left != 0)


def load_row_kernel(machine):
    p = Parameters("load_row", _LOAD_ROW, PIE_DEPTHWISE, machine)
    k = p.k
    copy_vectors(k, p.in_arena("plane"), p.in_arena("moved_from"), p.moved_bytes.lsr(4))
    fill = p.fill
    for offset in range(0, VECTOR, 4):
        p.address[FILL + offset] = fill
    k.tile(_load_zero_points, [], [p.address + FILL], size=3)
    row, source, left = p.in_arena("row"), p.in_memory("source"), p.channels
    step = k.var("step", left)
    in_bytes = k.var("in_bytes", (source | step).field(0, 4))  # 0: whole vectors
    with k.loop("block", times=2) as block:
        size, to, columns = k.var("size", left.min(VECTOR)), k.var("to", row), p.columns
        _fill(k, to, p.left)
        with k.If(columns != 0):
            x, copied = k.var("x", source), k.new_label("columns_copied")
            with k.If(in_bytes == 0):
                k.tile(_copy_columns, [], [columns, step], [x, to], size=12)
                k.goto(copied)
            with k.If(in_bytes.field(0, 2) == 0):
                _columns(k, "w", to, (x, step, columns), size)
                k.goto(copied)
            _columns(k, "u8", to, (x, step, columns), size)
            k.label(copied)
            _fill(k, to, p.right)
        source += VECTOR
        row += p.block_step
        left -= VECTOR
        block.repeat_if(left > 0)
    return k.finish()
