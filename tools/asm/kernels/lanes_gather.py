# CONV_2D and FULLY_CONNECTED, int8: gather inputs as lanes, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from .lanes import Parameters, Quads
from .parameters import GATHER

_GATHER = """
Unpacks columns of int8 to {}. A column is a run of whole, aligned words in each row of the filter,
either inside the image or outside of it. {}
"""
_GATHER_BYTES = """
Unpacks columns of int8 of any width and alignment to {}. The bytes of all rows of a column are
first copied to spare memory without gaps. {}
"""
_LANES, _HALFWORDS = "lanes", "halfwords, with 128 added"
_PARAMETERS = "The parameters are GATHER of tools/asm/kernels/parameters.py."


class _Columns:
    """Columns of an image; a subclass unpacks one of them."""

    def __init__(self, name, about, machine, is_flipped):
        about = about.format(_HALFWORDS if is_flipped else _LANES, _PARAMETERS)
        self.p = p = Parameters(name, about, GATHER, machine)
        self.k = k = p.k
        self.to, self.line, self.at = p.in_arena("lanes"), p.in_memory("source"), p.at
        self.columns, self.column_step = p.columns, p.column_step
        self.run, self.row_step, self.rows = p.run, p.row_step, p.rows
        self.fill = p.fill
        self.begin()
        self.quads = Quads(k, is_flipped)

    def begin(self):
        """Load more parameters."""

    def column(self):
        """Unpack the column at `line` to `to`, which advances."""
        raise NotImplementedError

    def kernel(self):
        k = self.k
        with k.loop("column", times=16) as column:
            self.column()
            self.line += self.column_step
            self.at += self.column_step
            self.columns -= 1
            column.repeat_if(self.columns != 0)
        return k.finish()


class _Words(_Columns):
    def begin(self):
        k, p = self.k, self.p
        self.row_lanes = k.var("row_lanes", self.run << 1)
        self.above = k.var("bytes_above", p.rows_above * self.row_lanes)
        self.below = k.var("bytes_below", p.rows_below * self.row_lanes)
        self.last = p.last

    def kernel(self):
        if self.quads.is_flipped:
            self.fill += self.quads.half
        return super().kernel()

    def column(self):
        k = self.k
        above, left = k.var("above", self.above), k.var("rows_left", self.rows)
        # Without sign: columns left of the image are large.
        with k.If(self.at.above(self.last), rare=True):
            above += left * self.row_lanes
            left.set(0)
        self._fill(above)
        with k.If(left != 0):
            row = k.var("row", self.line)
            with k.loop("row", times=2) as rows:
                self.quads.unpack(k.var("word", row), self.to, self.run)
                row += self.row_step
                left -= 1
                rows.repeat_if(left != 0)
        self._fill(self.below)

    # Zero points, a multiple of 8 bytes.
    def _fill(self, size):
        k = self.k
        end, fill = k.var("fill_end", self.to + size), [self.fill] * 2
        with k.If(self.to != end), k.weighted(1):
            if k.machine.has_ascending_ldm:  # two registers of STM
                fill = [k.var("fill", self.fill) for _ in fill]
            with k.loop("fill", times=4) as loop:
                self.to.put_next(*fill)
                loop.repeat_if(self.to != end)


class _Bytes(_Columns):
    """Outside of the image are zero points: above and below it, and at both sides of a row."""

    def begin(self):
        k, p = self.k, self.p
        self.above = k.var("bytes_above", p.rows_above * self.run)
        self.below = k.var("bytes_below", p.rows_below * self.run)
        self.row_bytes, self.size, self.spare = p.row_bytes, p.column_bytes, p.in_arena("spare")
        # Columns that begin from here on, and at the left of the image, are partly outside.
        self.inside_end = k.var("inside_end", (p.last + 1).max(0))

    def column(self):
        k = self.k
        self.copy = k.var("copy", self.spare)
        outside, rows = k.var("outside", self.above), k.var("rows_left", self.rows)
        left, inside, right = k.var("left", 0), k.var("inside", self.run), k.var("right", 0)
        with k.If(self.at.not_below(self.inside_end), rare=True):
            left.set((-self.at).max(0).min(self.run))
            right.set((self.at + self.run - self.row_bytes).max(0).min(self.run))
            inside -= left + right
        with k.If(rows != 0):
            row = k.var("row", self.line + left)
            with k.loop("row", times=3) as loop:
                outside += left
                self._fill(outside)
                distance, end = row - self.copy, self.copy + inside
                with k.While(lambda: self.copy != end, "byte", times=4):
                    self.copy.put("u8", self.copy.get("u8", distance))
                    self.copy += 1
                outside.set(right)
                row += self.row_step
                rows -= 1
                loop.repeat_if(rows != 0)
        outside += self.below
        self._fill(outside)
        self.quads.unpack(k.var("word", self.spare), self.to, self.size)

    # Zero points as bytes; `count` becomes 0.
    def _fill(self, count):
        with self.k.While(lambda: count != 0, "fill", times=1):
            self.copy.put("u8", self.fill)
            self.copy += 1
            count -= 1


def gather_kernel(machine, is_flipped=False):
    return _Words("gather", _GATHER, machine, is_flipped).kernel()


def gather_bytes_kernel(machine, is_flipped=False):
    return _Bytes("gather_bytes", _GATHER_BYTES, machine, is_flipped).kernel()


def gather_flipped_kernel(machine):
    return gather_kernel(machine, is_flipped=True)


def gather_bytes_flipped_kernel(machine):
    return gather_bytes_kernel(machine, is_flipped=True)
