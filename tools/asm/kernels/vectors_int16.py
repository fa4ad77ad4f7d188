# Kernel language: outputs of int16 from vectors of inputs and rows of weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

from .outputs_int16 import MAX_PRODUCTS, MAX_SUMS, Outputs
from .products_int16 import products

_PIECE = 2 * (MAX_PRODUCTS & ~3)  # bytes of inputs whose products are added to a word


class Vectors:
    """Sums of vectors of inputs with rows of weights, and their outputs.

    A vector has `runs` runs of `size` bytes of inputs. `gap` bytes are between two runs of a
    vector, `weight_gap` bytes between their weights; None if there is at most one run.
    `vector_step`, `row_step`: bytes from one vector to the next, and from one row of weights to
    the next. `output_step`: bytes from the outputs of one vector to the outputs of the next. The
    user of this class sets these registers.

    record: its layout has "scratch", "bias" and REQUANTIZE_INT16. count: register with the number
    of inputs of a vector. at_once: registers with the most channels of compute() and the inputs
    that scratch_bytes() of prepare/requantize_int16.py depends on, if several vectors may be
    multiplied at once.
    """

    def __init__(self, k, record, operands, count, at_once=None):
        self.k = k
        self.outputs = Outputs(k, record, operands, count, has_words=True)
        self.products = products(k)
        self.rest, self.special_runs = k.vars("rest special_runs", 0)
        self.is_special = self.outputs.is_long
        self.piece = None  # see set_size()
        self.vectors = self.products.vectors if at_once else 0
        if self.vectors:
            # Channels whose sums with all vectors fit the scratch buffer.
            channels, inputs = at_once
            sums = (channels.min(MAX_SUMS) << record.pairs) + inputs.min(MAX_SUMS)
            shift = self.vectors.bit_length() - 1
            self.channels_at_once = k.var("channels_at_once", sums.lsr(shift))

    def set_size(self, size):
        """Set the bytes of a run. Long sums are of pieces of a run."""
        self.size = size
        self.piece = self.k.var("piece", size)
        with self.k.If(self.outputs.is_long != 0):
            self._begin_pieces()

    def _begin_pieces(self):
        self.piece.set(self.size.min(_PIECE))
        self.rest.set(self.size - self.piece)

    def compute(self, x, w, to, channels, vectors=None):
        """Compute outputs of channels; the addresses `w` and `to` advance past them.

        x: address of the first vector. vectors: register with their number, which is 1 or
        `self.vectors`; None without these.
        """
        k, outputs = self.k, self.outputs
        left = k.var("channels_left", channels)
        with k.loop("piece", times=2) as piece:
            count = k.var("count", left.min(MAX_SUMS))
            if self.vectors:
                with k.If(vectors != 1):
                    count.set(left.min(self.channels_at_once))
            left -= count
            self.sums_step = k.var("sums_step", count << 2)
            sum_to = k.var("sum_to", outputs.sums)
            self._sum_up(x, w, sum_to, k.var("rows_left", count), vectors)
            if self.vectors:
                self._write(to, count, k.var("vectors_left", vectors))
            else:
                outputs.write(to, k.var("sum_at", outputs.sums), sum_to)
            piece.repeat_if(left != 0)

    # Sum up a number of rows with the vectors.
    def _sum_up(self, x, w, sum_to, left, vectors):
        k, products = self.k, self.products
        with k.loop("block", times=8) as block:
            if self.vectors:
                single = k.new_label("single")
                k.branch(vectors == 1, single)
                counts = products.rows_of_vectors
                self._blocks(x, w, sum_to, left, block, self.vectors, counts)
                k.label(single)
            counts = products.rows_beside if self.vectors else products.rows
            self._blocks(x, w, sum_to, left, block, 1, counts)

    # Sum up the largest number of rows that are left.
    def _blocks(self, x, w, sum_to, left, block, vectors, counts):
        for count in counts:
            smaller = self.k.new_label("smaller")
            may_be_special = vectors == 1 and count in (counts[0], 1)
            if count > 1:
                self.k.branch(left < count, smaller)
            if vectors == 1 and not may_be_special:
                self.k.branch(self.is_special != 0, smaller)
            self._block(x, w, sum_to, vectors, count, may_be_special)
            left -= count
            block.repeat_if(left != 0)
            block.leave()
            self.k.label(smaller)

    # Store the sums of vectors with `count` rows; `w` and `sum_to` advance. may_be_special:
    # `is_special` may not be 0.
    def _block(self, x, w, sum_to, vectors, count, may_be_special):
        k, is_long = self.k, self.outputs.is_long
        sums = [k.reg(f"sum{i}") for i in range(vectors * count)]
        for total in sums:
            total.is_total = True
            self.products.begin(total)
        xs, ws = [k.var("input", x)], [k.var("weight", w)]
        for _ in range(vectors - 1):
            xs.append(k.var("input", xs[-1] + self.vector_step))
        for _ in range(count - 1):
            ws.append(k.var("weight", ws[-1] + self.row_step))
        w.set(ws[-1] + self.row_step)
        runs, stored = self.runs, k.new_label("stored")
        if self.gap is not None:
            runs = k.var("runs_left", runs)
        if may_be_special:
            with k.If(self.is_special != 0, rare=True):
                with k.If(is_long != 0):
                    self.outputs.clear(sum_to, count)
                self.begin_special()
        with k.If(runs != 0), k.loop("run", times=8) as run:
            self.products.add(self.piece, xs, ws, sums)
            if self.gap is not None:
                runs -= 1
                run.leave_if(runs == 0)
                self.next_run(xs, ws)
                run.repeat()
        if may_be_special:
            with k.If(self.is_special != 0, rare=True):
                self._continue(run, runs, sum_to, sums, (xs, ws))
                with k.If(is_long != 0):
                    sum_to += 8 * count
                    k.goto(stored)
        for total in sums:
            self.products.end(total)
        at = sum_to if vectors == 1 else k.var("at", sum_to)
        for vector in range(vectors):
            for i in range(count):
                at[4 * i] = sums[vector * count + i]
            if vector < vectors - 1:
                at += self.sums_step
        sum_to += 4 * count
        k.label(stored)

    # Repeat the loop over runs for the rest of a run, or for the next one.
    def _continue(self, loop, runs, sum_to, sums, addresses):
        k, (xs, ws) = self.k, addresses
        if self.gap is not None:
            runs.set(1)
        with k.If(self.outputs.is_long != 0):
            self._flush(sum_to, sums, [*xs, *ws])
            loop.repeat_if(self.piece != 0)
            self._begin_pieces()
        self.special_runs -= 1
        with k.If(self.special_runs > 0):
            self.next_special_run(xs, ws)
            loop.repeat()

    def begin_special(self):
        """Set `special_runs`, the number of runs that are left, if `is_special` is not 0."""
        self.special_runs.set(1)

    def next_special_run(self, xs, ws):
        """Do what next_run() does, if `is_special` is not 0."""

    def next_run(self, xs, ws):
        """Advance addresses of inputs and weights to the next run."""
        for x in xs:
            x += self.gap
        for w in ws:
            w += self.weight_gap

    # Add sums to long ones, and begin with new sums and the next piece of a run. The registers of
    # the addresses are free there.
    def _flush(self, sum_to, sums, addresses):
        saved = [self.k.var("saved", address) for address in addresses]
        for total in sums:
            self.products.end(total)
        self.outputs.flush(sum_to, sums)
        for total in sums:
            self.products.begin(total)
        for address, value in zip(addresses, saved, strict=True):
            address.set(value)
        self.piece.set(self.rest.min(_PIECE))
        self.rest -= self.piece

    # Write the outputs of `count` channels for each of the vectors.
    def _write(self, to, count, left):
        k, outputs = self.k, self.outputs
        step = self.sums_step
        with k.If(outputs.is_long != 0, rare=True):
            step <<= 1
        at, vector_to = k.var("sum_at", outputs.sums), k.var("vector_to", to)
        output_bytes = k.var("output_bytes", count << 1)
        bias, factor = k.var("first_bias", outputs.bias), k.var("first_factor", outputs.factor)
        with k.loop("vector", times=3) as vector:
            end = k.var("sums_end", at + step)
            outputs.write(vector_to, at, end)
            left -= 1
            vector.leave_if(left == 0)
            vector_to += self.output_step - output_bytes
            outputs.bias.set(bias)
            outputs.factor.set(factor)
            vector.repeat()
        to += output_bytes
