# Generator of the assembler kernel of the int8 LSTM for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

# Steps of run_rows(), for all or some elements of a time step:
# 1. Write the input less its zero point as int16 taps to the scratch buffer.
# 2. For each element: four products of weights and taps at once, one for each gate; rescale them
#    to int16 and write them to the scratch buffer.
# 3. Replace the taps by the hidden state.
# 4. For each element: four products again; add the results of step 2; the curves of the gates;
#    the cell state, the output.
# 5. After the last element of a time step the outputs become the hidden state.

from tflm.prepare.lstm_integer import INTEGERS
from tflm.prepare.sigmoid_int16 import LOGISTIC, TANH

from ..language.kernel import Kernel
from ..language.machines import MACHINES
from ..language.macros import Record

_ABOUT = """
Elements of the output of an int8 LSTM. The record is INTEGERS of prepare/lstm_integer.py, whose
weights have no zero point, whose rows have 4 elements at least, and whose multipliers are below 1.
`units`: first element << 10 | number of elements.
"""
_GATES = "input_gate_", "forget_gate_", "cell_gate_", "output_gate_"
_LAST = 255  # interval of the table of the sigmoid
_WORDS = 4  # of a row that a pass of the loop multiplies
_WORD_BYTES = 84  # of the machine code for a word


# Multiply a word of weights at `weights`, which advances, by four taps: 0 and 2 in `even`, 1 and 3
# in `odd`. `spare` and `word` are changed. The word may be unaligned.
def _products(t, spare, word, acc, weights, even, odd):
    t.ldr_next(word, weights)
    t.sxtb16(spare, word)
    t.sxtb16(word, word, 8)
    t.smlad(acc, spare, even)
    t.smlad(acc, word, odd)


def _taps(t, even, odd, word, minus):
    t.sxtab16(even, minus, word)
    t.sxtab16(odd, minus, word, 8)


def _doubled_taps(t, even, odd, word, minus):
    _taps(t, even, odd, word, minus)
    t.sadd16(even, even, even)
    t.sadd16(odd, odd, odd)


# Multiply any number by 2 ** -31 and a multiplier, rounded.
def _high(t, low, high, value, multiplier):
    t.smull(low, high, value, multiplier)
    t.add_wide(low, low, low, flags=True)
    t.adc_wide(high, high, high)
    t.add_wide(low, low, low, flags=True)
    t.add_carry(high, high)


# Multiply a doubled number by 2 ** -32 and a multiplier, rounded.
def _doubled_high(t, value, multiplier):
    t.smmulr(value, value, multiplier)


# Shift right, rounded to nearest, halves away from 0; see requantize().
def _round(t, value, shift):
    t.add_wide(value, value, value, "asr", 31, flags=True)
    t.asrs(value, value, shift)
    t.add_carry(value, value)


def _clamp(t, value, bits):
    t.ssat(value, value, bits)


class _Lstm:
    def __init__(self, machine):
        arguments = "op", "arena", "rom", "units"
        self.k = k = Kernel("run_rows", _ABOUT, arguments, machine)
        self.op, self.arena, self.rom, units = k.arguments
        self.record = Record(k, self.op, INTEGERS)
        self.start = k.var("start", units.lsr(10))
        self.stop = k.var("stop", self.start + units.field(0, 10))

    def kernel(self):
        k = self.k
        with k.While(lambda: self.start < self.stop, "step", times=4):
            self._step()
        return k.finish()

    # Some elements of a time step.
    def _step(self):
        k, r, start = self.k, self.record, self.start
        size = r.state_size
        step, batch = k.vars("step batch")
        k.emit("divu", [step], [start, size])
        first = k.var("first", start - step * size)
        count = k.var("count", (size - first).min(self.stop - start).min(r.block))
        round_ = k.reg()
        k.emit("divu", [round_], [step, r.steps])
        k.emit("remu", [batch], [round_, r.batches])
        self.gates = k.var("gates", self.arena + r.scratch.lsr(2))
        self.gates_end = k.var("gates_end", self.gates + (count << 3))
        self.taps = k.var("taps", self.gates + (r.block << 3))
        self._inputs(step, first)
        self._states(batch, first)
        start += count
        with k.If(first + count == size):
            source = k.var("source", self.arena + r.output.lsr(2) + start - size)
            target = k.var("target", self.arena + r.hidden_state.lsr(2) + batch * size)
            end = k.var("end", source + size)
            with k.loop("state", times=16) as state:
                target.put("u8", source.get("u8"))
                source += 1
                target += 1
                state.repeat_if(source.below(end))

    # The first matrices, with biases: results to the scratch buffer.
    def _inputs(self, step, first):
        k, r = self.k, self.record
        depth = r.input_size
        source = k.var("source", r.operand("input", self.arena, self.rom) + step * depth)
        self._unpack(source, depth, "input_gate_offsets", _taps)
        names = [f"input_to_{gate[:-6]}_weights" for gate in _GATES]
        weights = self._rows(names, first * depth)
        biases = self._rows([f"{gate}bias" for gate in _GATES], first << 2)
        gates = k.var("gate", self.gates)
        with k.loop("element", times=16) as element:
            sums = [k.reg(f"sum{i}") for i in range(4)]
            for bias, acc in zip(biases, sums, strict=True):
                bias.next(acc)
            self._dot(weights, sums, depth)
            for i, (gate, acc) in enumerate(zip(_GATES, sums, strict=True)):
                low, high = k.reg(), k.reg()
                multiplier, shift = self._multiplier(gate)
                k.tile(_high, [low, high], [acc, multiplier], size=20)
                k.tile(_round, [], [shift], [high], size=12)
                k.tile(_clamp, [], [], [high], size=4, info=(16,))
                gates.put("u16", high, 2 * i)
            gates += 8
            element.repeat_if(gates.below(self.gates_end))

    # The second matrices, without biases: elements of the cell state and the output.
    def _states(self, batch, first):
        k, r = self.k, self.record
        depth = r.state_size
        at = k.var("at", batch * depth)
        source = k.var("source", self.arena + r.hidden_state.lsr(2) + at)
        self._unpack(source, depth, "input_gate_recurrent_offsets", _doubled_taps)
        names = [f"recurrent_to_{gate[:-6]}_weights" for gate in _GATES]
        weights = self._rows(names, first * depth)
        cell = k.var("cell", self.arena + r.cell_state.lsr(2) + (at + first << 1))
        output = k.var("output", self.arena + r.output.lsr(2) + self.start)
        self.table = r.operand("entries", self.arena, self.rom)
        gates = k.var("gate", self.gates)
        with k.loop("cell", times=16, around=True) as element:
            sums = [k.var(f"sum{i}", 0) for i in range(4)]
            self._dot(weights, sums, depth)
            values = []
            for i, (gate, acc) in enumerate(zip(_GATES, sums, strict=True)):
                self._rescale(acc, gate + "recurrent_")
                value = acc + gates.get("s16", 2 * i)
                k.tile(_clamp, [], [], [value], size=4, info=(16,))
                value = k.var("times_3", value + (value << 1))
                values.append(self._curve(value, TANH if i == 2 else LOGISTIC))
            value = self._cell(cell, values)
            self._rescale(value, "hidden_")
            value += r.output_zero_point
            k.tile(_clamp, [], [], [value], size=4, info=(8,))
            output.put("u8", value)
            output += 1
            cell += 2
            gates += 8
            element.repeat_if(gates.below(self.gates_end))

    # Update an element of the cell state; return its tanh times the output gate, doubled.
    def _cell(self, cell, values):
        k, r = self.k, self.record
        inputs, forget, new, outputs = values
        kept = forget * (cell.get("s16") << 1)
        self._rescale(kept, "forget_")
        k.tile(_clamp, [], [], [kept], size=4, info=(16,))
        new = inputs * (new << 1)
        self._rescale(new, "update_")
        k.tile(_clamp, [], [], [new], size=4, info=(16,))
        value = kept + new
        k.tile(_clamp, [], [], [value], size=4, info=(16,))
        clip = r.clip
        value = value.min(clip).max(-clip)
        cell.put("u16", value)
        shift = r.cell_shift
        value *= r.cell_multiplier
        with k.If(shift != 0, rare=True):
            value += k.const(1) << shift - 1
        return self._curve(value >> shift, TANH) * (outputs << 1)

    # Return addresses of the four gates' tensors plus a number of bytes.
    def _rows(self, names, offset):
        offset = self.k.var("offset", offset)
        rows = [self.record.operand(name, self.arena, self.rom) for name in names]
        for row in rows:
            row += offset
        return rows

    # Write `depth` int8 less their zero point as taps: of each four, 0 and 2, then 1 and 3. The
    # last word of a row has its last four elements; its taps are 0 where the word before has the
    # same element. `write` is _taps or _doubled_taps.
    def _unpack(self, source, depth, offsets, write):
        k = self.k
        size = 8 if write is _taps else 16
        minus = k.var("minus", 128 - getattr(self.record, offsets).field(0, 16))
        minus = k.var("minus", minus.field(0, 16) * 0x10001)
        to = k.var("to", self.taps)
        end = k.var("end", source + depth - 4)
        even, odd = k.vars("even odd")
        with k.loop("unpack", times=8) as unpack:
            k.tile(write, [even, odd], [source.next(k.reg()), minus], size=size)
            to.put_next(even, odd)
            unpack.repeat_if(source.not_above(end))
        self.words_end = k.var("words_end", to)
        before = (-(depth >> 2)).field(0, 2)  # copies that the first pass of _dot() omits
        self.entry = k.var("entry", before * _WORD_BYTES)
        self.overlap = k.var("overlap", source - end)  # 4: there is no last word
        with k.If(self.overlap != 4):
            k.tile(write, [even, odd], [end[0], minus], size=size)
            with k.If(self.overlap > 2):
                even.set(0)
            even.set(even.lsr(16) << 16)
            with k.If(self.overlap > 1):
                odd.set(odd.lsr(16) << 16)
            to.put_next(even, odd)

    # Add a row of weights times the taps to each sum; the addresses of weights advance.
    def _dot(self, weights, sums, depth):
        k = self.k
        tap = k.var("tap", self.taps)
        words = k.new_copies(_WORDS)
        k.enter(words, self.entry, _WORD_BYTES)
        with k.loop("words", times=4) as loop:
            with k.repeated(words):
                self._dot_word(tap, weights, sums)
            loop.repeat_if(tap.below(self.words_end))
        with k.If(self.overlap != 4):
            for row in weights:
                row -= self.overlap
            self._dot_word(tap, weights, sums)

    def _dot_word(self, tap, weights, sums):
        k = self.k
        even, odd = tap.next(k.reg(), k.reg())
        for row, acc in zip(weights, sums, strict=True):
            k.tile(_products, [k.reg(), k.reg()], [even, odd], [acc, row], size=20)

    def _multiplier(self, name):
        k, r = self.k, self.record
        multiplier, shift = k.words(self.op, r.offset(name + "multiplier"), None, None)
        return multiplier, 32 - shift

    # Multiply a doubled number by the multiplier of a block of the record.
    def _rescale(self, value, name):
        k = self.k
        multiplier, shift = self._multiplier(name)
        k.tile(_doubled_high, [], [multiplier], [value], size=4)
        k.tile(_round, [], [shift], [value], size=12)

    # Return LOGISTIC or TANH of a product, as curve() of sigmoid_int16.py computes it.
    def _curve(self, value, function):
        k = self.k
        bits, saturated, positive, negative, output_shift = function
        sign = k.var("sign", value >> 31)
        magnitude = k.var("magnitude", (value ^ sign) - sign)
        interval = magnitude >> bits
        result = k.reg("result")
        known = k.new_label("known")
        with k.If(interval >= _LAST, rare=True):
            result.set(saturated)
            k.goto(known)
        entry = self.table + (interval << 1)
        low = entry.get("u16")
        step = entry.get("u16", 2) - low
        result.set((low << bits) + magnitude.field(0, bits) * step)
        k.label(known)
        # A negative number is less by 1 after the exclusive or.
        result.set((result ^ sign) + (sign & negative - positive + 1))
        result += positive & 255
        result += positive & ~255
        return k.var("curve", result >> output_shift)


def rows():
    machine = MACHINES["armv7em"]()
    return machine.compile(_Lstm(machine).kernel())
