# Kernel of layers that use each weight once, with weights of four bits, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.image.dense_lut import DENSE_LUT, SCRATCH, VALUES

from ..language.calls import begin_eval
from ..language.macros import Cursor, Record
from .lanes import add_upper, unpack_row
from .outputs_int8 import ChannelOutputs

_ABOUT = """
One output pixel of CONV_2D, or FULLY_CONNECTED, with weights that are indices of at most 16
values. Units are output channels. op: DENSE_LUT of tflm_tools/image/dense_lut.py.
"""
_TABLE = 64  # offset in the scratch buffer of the table of all pairs of values
_BYTE = 0xFF << 2  # a byte of two indices is the number of a word of the table


class _DenseLut:
    """The inputs are lanes. A byte of the stream selects the word of two weights in a table."""

    def __init__(self, machine):
        self.k, self.start, self.stop = begin_eval("eval_int8", _ABOUT, machine)
        k = self.k
        self.op, self.arena, self.rom, *_ = k.arguments
        self.record = r = Record(k, self.op, DENSE_LUT)
        scratch = r.operand("scratch", self.arena, self.rom)
        self.table, self.lanes = (
            k.var("table", scratch + _TABLE),
            k.var("lanes", scratch + SCRATCH),
        )
        self.depth, self.own_values = r.depth, r.own_values
        words = k.var("words", (self.depth + 7).lsr(3))
        self.lanes_end = k.var("lanes_end", self.lanes + (words << 4))
        values = k.var("values", r.operand("stream", self.arena, self.rom))
        # Bias, multiplier and indices, after values if each channel has its own ones.
        channel_bytes = (words << 2) + (self.own_values << 4) + 16
        self.stream = k.var("stream", values + self.start * channel_bytes)
        with k.If(self.own_values == 0):
            self.stream += VALUES
            self._build_table(values)
        self.outputs = ChannelOutputs(k, r)

    # For each batch: inputs to lanes, then all channels.
    def kernel(self):
        k, r = self.k, self.record
        source = r.operand("input", self.arena, self.rom)
        to, channels = r.operand("output", self.arena, self.rom), r.output_channels
        to += self.start
        left = r.batches
        with k.loop("batch", times=1) as batch:
            self._unpack(source)
            self.at, out = k.var("at", self.stream), k.var("out", to)
            count = k.var("channels_left", self.stop - self.start)
            with k.loop("channel", times=16) as channel:
                with k.If(self.own_values != 0):
                    self._build_table(k.var("values", self.at))
                    self.at += VALUES
                total = self._sum()
                self.outputs.apply(total, Cursor(k, self.at))
                out.put("u8", total)
                out += 1
                count -= 1
                channel.repeat_if(count != 0)
            source += self.depth
            to += channels
            left -= 1
            batch.repeat_if(left != 0)
        return k.finish()

    # Unpack inputs to lanes, with zeros up to a multiple of eight.
    def _unpack(self, source):
        k, to = self.k, self.k.var("to", self.lanes)
        unpack_row(k, k.var("word", source), self.depth, to)
        with k.While(lambda: to != self.lanes_end, "pad", times=1):
            to.put_next(k.const(0), k.const(0))

    # Build the table of all pairs of the values: word `16 * a + b` has the value b in its lower
    # lane and the value a in its upper lane. The first row is built, then copied with the other
    # values in the upper lane.
    def _build_table(self, values):
        k = self.k
        to, i = k.var("to", self.table), k.var("i", 0)
        first = k.var("first", values.get("s8", i) << 16)
        with k.loop("first", times=VALUES) as loop:
            to.put_next(values.get("s8", i) + first)
            i += 1
            loop.repeat_if(i != VALUES)
        with k.loop("row", times=VALUES) as rows:
            values += 1
            difference, row = k.var("difference", values.get("s8") << 16), k.var("row", self.table)
            difference -= first
            for _ in range(VALUES // 4):
                words = row.next(*[k.reg() for _ in range(4)])
                for word in words:
                    word += difference
                to.put_next(*words)
            rows.repeat_if(to != self.table + 4 * VALUES**2)

    def _sum(self):
        k = self.k
        total = self.at.next(k.reg("total"))
        lanes, table, mask = k.var("lane", self.lanes), k.var("pairs", self.table), k.const(_BYTE)
        with k.loop("words", times=16) as loop:
            indices = self.at.next(k.reg())
            for shift in (-2, 6, 14, 22):
                offset = (indices << 2 if shift < 0 else indices.lsr(shift)) & mask
                word = table.get("w", offset)
                word *= lanes.next(k.reg())
                add_upper(k, total, word)
            loop.repeat_if(lanes != self.lanes_end)
        return total


def eval_int8(machine):
    return _DenseLut(machine).kernel()
