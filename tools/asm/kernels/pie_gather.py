# CONV_2D and FULLY_CONNECTED, int8: copy inputs to vectors of the ESP32-S3, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..encoders.pie import VECTOR
from .lanes import Parameters
from .parameters import GATHER

_GATHER = """
Copy columns of int8 to vectors. The arguments are the arena, the offset of a block of parameters
in it (GATHER in tools/asm/kernels/parameters.py), and the memory of the image. Addresses among the
parameters are offsets in these two. A column is a run of whole, aligned words in each row of the
filter, either inside the image or outside of it.
"""
_GATHER_BYTES = """
Copy columns of int8 of any width and alignment to vectors. The arguments are the same as for
gather().
"""
SIZES = {"w": 4, "u8": 1}


def _copy_vectors(t, source, to, count):
    end = t.new_label("copied")
    t.loopnez(count, end)
    t.vld_ip("q0", source, VECTOR)
    t.vst_ip("q0", to, VECTOR)
    t.label(end)


def copy_vectors(k, to, source, count):
    """Copy vectors; both addresses advance."""
    k.tile(_copy_vectors, [], [count], [source, to], size=12)


def copy_elements(k, to, kind, source, count):
    """Copy elements of a kind; both addresses advance."""
    with k.repeat(k.var("copy_left", count), "copy"):
        value = source.get(kind)
        source += SIZES[kind]
        to.put(kind, value)
        to += SIZES[kind]


class _Columns:
    """Columns of an image; a subclass copies one of them, as elements of a kind."""

    def __init__(self, name, about, machine):
        self.p = p = Parameters(name, about, GATHER, machine)
        self.k, self.column, self.line = p.k, p.in_arena("lanes"), p.in_memory("source")
        self.at, self.columns, self.run, self.fill = p.at, p.columns, p.run, p.fill

    def kernel(self):
        k, p = self.k, self.p
        self.begin()
        with k.loop("column", times=16) as loop:
            self.to = k.var("to", self.column)
            self.copy_column()
            step = p.column_step
            self.line += step
            self.at += step
            self.column += p.column_bytes
            self.columns -= 1
            loop.repeat_if(self.columns != 0)
        return k.finish()

    def begin(self):
        """Compute what is the same for all columns."""

    def add_zero_points(self, kind, count):
        with self.k.repeat(self.k.var("fill_left", count), "fill"):
            self.to.put(kind, self.fill)
            self.to += SIZES[kind]


class _Words(_Columns):
    # Whole vectors are copied if every run begins at a multiple of 16.
    def begin(self):
        bits = self.p.row_step | self.line | self.run | self.p.column_step
        self.in_words = self.k.var("in_words", bits.field(0, 4))

    def copy_column(self):
        k, p = self.k, self.p
        above, left = p.rows_above, p.rows
        # Without sign: columns left of the image are large.
        with k.If(self.at.above(p.last), rare=True):
            above += left
            left.set(0)
        self.add_zero_points("w", (above * self.run).lsr(2))
        row = k.var("row", self.line)
        with k.While(lambda: left != 0, "row", times=3):
            x = k.var("x", row)
            with k.If(self.in_words == 0):
                copy_vectors(k, self.to, x, self.run.lsr(4))
            with k.Else():
                copy_elements(k, self.to, "w", x, self.run.lsr(2))
            row += p.row_step
            left -= 1
        self.add_zero_points("w", (p.rows_below * self.run).lsr(2))


class _Bytes(_Columns):
    def copy_column(self):
        k, p = self.k, self.p
        left = k.var("left", (-self.at).max(0).min(self.run))
        right = k.var("right", (self.at + self.run - p.row_bytes).max(0).min(self.run))
        inside = k.var("inside", self.run - left - right)
        self.add_zero_points("u8", p.rows_above * self.run)
        row, rows = k.var("row", self.line + left), p.rows
        with k.While(lambda: rows != 0, "row", times=3):
            self.add_zero_points("u8", left)
            copy_elements(k, self.to, "u8", k.var("x", row), inside)
            self.add_zero_points("u8", right)
            row += p.row_step
            rows -= 1
        self.add_zero_points("u8", p.rows_below * self.run)


def gather_kernel(machine):
    return _Words("gather", _GATHER, machine).kernel()


def gather_bytes_kernel(machine):
    return _Bytes("gather_bytes", _GATHER_BYTES, machine).kernel()
