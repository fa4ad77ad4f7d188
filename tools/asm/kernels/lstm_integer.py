# Generator of the machine code of the LSTM of int8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

# Steps, for all or some elements of a time step:
# 1. For each element: four products of weights and inputs at once, one for each gate; rescale them
#    to int16 and write them to the scratch buffer.
# 2. For each element: four products of weights and the hidden state; add the results of step 1;
#    the curves of the gates; the cell state, the output.
# 3. After the last element of a time step the outputs become the hidden state.
#
# lstm_integer_thumb.py and lstm_integer_dsp.py add the instructions of Cortex-M;
# unidirectional_sequence_lstm.py is the kernel for other machines.

from contextlib import contextmanager

from tflm.prepare.lstm_integer import INTEGERS
from tflm.prepare.sigmoid_int16 import LOGISTIC, TANH

from ..language.kernel import Kernel
from ..language.macros import PRODUCTS, Record, add_products, rounded_product
from .outputs_int16 import MAX_PRODUCTS, add_wide, rescale_wide

_ABOUT = """
Elements of the output of an LSTM of {dtype}. The record is INTEGERS of prepare/lstm_integer.py,
whose {without} no zero point, whose rows have {elements}, and whose multipliers are
below 1. `units`: first element << 10 | number of elements, which is not 0.
"""
GATES = "input_gate_", "forget_gate_", "cell_gate_", "output_gate_"
_LAST = 255  # interval of the table of the sigmoid
_MAX_MAGNITUDE = 3 << 15  # of a number of 16 bits times 3: the argument of LOGISTIC


class Lstm:
    """Elements `start` to `stop` - 1 of the output, at least one. `start` changes.

    k: the kernel, whose first arguments are the record, the arena and the model.

    doubled: 1 if products are doubled before they are rescaled. elements: of the rows.
    """

    name, dtype, bits, without = "run_rows", "int8", 8, "weights have"
    doubled, elements = 0, "elements"

    def __init__(self, k, start, stop):
        self.k, self.start, self.stop = k, start, stop
        self.op, self.arena, self.rom = k.arguments[:3]
        self.record = Record(k, self.op, INTEGERS)

    @classmethod
    def kernel(cls, machine):
        """Return the Kernel of run_rows() for a machine."""
        arguments = "op", "arena", "rom", "units"
        about = _ABOUT.format(dtype=cls.dtype, without=cls.without, elements=cls.elements)
        k = Kernel(cls.name, about, arguments, machine)
        units = k.arguments[3]
        start = k.var("start", units.lsr(10))
        cls(k, start, k.var("stop", start + units.field(0, 10))).write()
        return k.finish()

    def size_of(self, elements):
        """Return the bytes of a number of inputs or outputs."""
        return elements << 1 if self.bits == 16 else elements

    def middle(self, loop):
        """Return the label of the begin of a loop; called in its middle."""
        return loop.top

    def write(self):
        """Add the operations to the kernel."""
        with self.k.loop("step", times=8) as loop:
            self._step(loop)
            self.k.branch(self.start < self.stop, self.again)

    # Some elements of a time step.
    def _step(self, loop):
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
        self._inputs(step, first)
        self.again = self.middle(loop)
        self._states(batch, first)
        start += count
        with k.If(first + count == size):
            first = self.size_of(start - size)
            source = k.var("source", self.arena + r.output.lsr(2) + first)
            target = k.var("target", self.arena + r.hidden_state.lsr(2))
            target += self.size_of(batch * size)
            end = k.var("end", source + self.size_of(size))
            with k.loop("state", times=16) as state:
                target.put("u8", source.get("u8"))
                source += 1
                target += 1
                state.repeat_if(source.below(end))

    # The first matrices, with biases: results to the scratch buffer.
    def _inputs(self, step, first):
        k, r = self.k, self.record
        depth = r.input_size
        source = k.var("source", r.operand("input", self.arena, self.rom))
        source += self.size_of(step * depth)
        self.begin_products(source, depth, "input_gate_offsets", False)
        names = [f"input_to_{gate[:-6]}_weights" for gate in GATES]
        weights = self._rows(names, first * depth)
        biases = self.first_biases(first)
        gates = k.var("gate", self.gates)
        with k.loop("element", times=16, around=True) as element:
            sums = self.first_sums(biases)
            self.dot(weights, sums, depth)
            self.put_gates(sums, biases, gates)
            element.repeat_if(gates.below(self.gates_end))

    def first_biases(self, first):
        """Return addresses of the biases of element `first`."""
        return self._rows([f"{gate}bias" for gate in GATES], first << 2)

    def first_sums(self, biases):
        """Return registers that the first products are added to."""
        sums = [self.k.reg(f"sum{i}") for i in range(4)]
        for bias, acc in zip(biases, sums, strict=True):
            bias.next(acc)
        return sums

    def put_gates(self, sums, _biases, gates):
        """Rescale the sums of the first products to int16 at `gates`, which advances."""
        for i, result in enumerate(self.rescaled(sums, GATES)):
            self.clamp(result, 16)
            gates.put("u16", result, 2 * i)
        gates += 8

    def arguments_of(self, sums, gates):
        """Return the arguments of the gates' curves; `gates` advances."""
        values = []
        names = [gate + "recurrent_" for gate in GATES]
        for i, result in enumerate(self.rescaled_doubled(sums, names)):
            self.clamp(result, 16)
            value = result + gates.get("s16", 2 * i)
            self.clamp(value, 16)
            values.append(value)
        gates += 8
        return values

    # The second matrices, without biases: elements of the cell state and the output.
    def _states(self, batch, first):
        k, r = self.k, self.record
        depth = r.state_size
        at = k.var("at", batch * depth)
        source = k.var("source", self.arena + r.hidden_state.lsr(2) + self.size_of(at))
        self.begin_products(source, depth, "input_gate_recurrent_offsets", True)
        names = [f"recurrent_to_{gate[:-6]}_weights" for gate in GATES]
        weights = self._rows(names, first * depth)
        cell = k.var("cell", self.arena + r.cell_state.lsr(2) + (at + first << 1))
        output = k.var("output", self.arena + r.output.lsr(2) + self.size_of(self.start))
        self.table = r.operand("entries", self.arena, self.rom)
        gates = k.var("gate", self.gates)
        with k.loop("cell", times=16, around=True) as element:
            sums = [k.var(f"sum{i}", 0) for i in range(4)]
            self.dot(weights, sums, depth)
            values = []
            for i, value in enumerate(self.arguments_of(sums, gates)):
                product, sign = k.var("times_3", value + (value << 1)), k.var("sign", value >> 31)
                values.append(self._curve(product, sign, TANH if i == 2 else LOGISTIC))
            value = self._cell(cell, values)
            self._rescale_doubled(value, "hidden_")
            value += r.output_zero_point
            self.clamp(value, self.bits)
            output.put(f"u{self.bits}", value)
            output += self.bits >> 3
            cell += 2
            element.repeat_if(gates.below(self.gates_end))

    # Update an element of the cell state; return its tanh times the output gate.
    def _cell(self, cell, values):
        k, r = self.k, self.record
        inputs, forget, new, outputs = values
        kept = forget * (cell.get("s16") << self.doubled)
        self._rescale_doubled(kept, "forget_")
        self.clamp(kept, 16)
        new = inputs * (new << self.doubled)
        self._rescale_doubled(new, "update_")
        self.clamp(new, 16)
        value = kept + new
        self.clamp(value, 16)
        clip = r.clip
        value = value.min(clip).max(-clip)
        cell.put("u16", value)
        shift = r.cell_shift
        value *= r.cell_multiplier
        with k.If(shift != 0, rare=True):
            value += k.const(1) << shift - 1
        value = k.var("argument", value >> shift)
        return self._curve(value, value >> 31, TANH) * (outputs << self.doubled)

    # Return addresses of the four gates' tensors plus a number of bytes.
    def _rows(self, names, offset):
        offset = self.k.var("offset", offset)
        rows = [self.record.operand(name, self.arena, self.rom) for name in names]
        for row in rows:
            row += offset
        return rows

    def begin_products(self, vector, depth, offsets, _doubled):
        """Prepare products of rows of weights and a vector of `depth` int8.

        offsets: field with the vector's zero point. doubled: whether the vector may be doubled.
        """
        k = self.k
        self.vector = vector
        self.zero_point = k.var("zero_point", getattr(self.record, offsets).field(0, 16) - 128)
        fours_end = k.var("fours_end", vector + (depth & -PRODUCTS))
        self.ends = fours_end, k.var("vector_end", vector + depth)

    def dot(self, weights, sums, _depth):
        """Add rows of weights times the vector to sums; the addresses of weights advance."""
        x = self.k.var("x", self.vector)
        add_products(self.k, x, self.zero_point, weights, sums, self.ends)

    def clamp(self, value, bits):
        limit = 1 << bits - 1
        value.set(value.min(limit - 1).max(-limit))

    # Rescale a number that is multiplied by 2 if `doubled` is 1.
    def _rescale_doubled(self, value, name):
        list(self.rescaled_doubled([value], [name]))

    def rescaled(self, values, names):
        """Yield numbers times the multipliers of blocks of the record, shifted right and rounded.

        The registers of the numbers change.
        """
        for value, name in zip(values, names, strict=True):
            multiplier, shift = self.multiplier(name)
            value.set(rounded_product(self.k, value, multiplier))
            self.round(value, shift)
            yield value

    def rescaled_doubled(self, values, names):
        """As rescaled(), of numbers that are multiplied by 2 if `doubled` is 1."""
        return self.rescaled(values, names)

    def round(self, value, shift):
        """Shift right, rounded to nearest, halves away from 0; see requantize()."""
        with self.k.If(shift != 0):
            value.set(((value >> 31) + value >> shift - 1) + 1 >> 1)

    def multiplier(self, name):
        k, r = self.k, self.record
        multiplier, shift = k.words(self.op, r.offset(name + "multiplier"), None, None)
        return multiplier, 32 - shift

    # Return LOGISTIC or TANH of a product, as curve() of sigmoid_int16.py computes it. sign: 0, or
    # -1 for a negative product. Cores that wait for results can compute something between.
    def _curve(self, product, sign, function):
        k = self.k
        bits, saturated, positive, negative, output_shift = function
        magnitude = k.var("magnitude", (product ^ sign) - sign)
        interval = magnitude >> bits
        result = k.reg("result")
        known = k.new_label("known")
        if _MAX_MAGNITUDE >> bits >= _LAST:
            with k.If(interval >= _LAST, rare=True):
                result.set(saturated)
                k.goto(known)
        entry = self.table + (interval << 1)
        fraction = magnitude.field(0, bits)
        low, high = entry.get("u16"), entry.get("u16", 2)
        result.set((low << bits) + fraction * (high - low))
        k.label(known)
        # A negative number is less by 1 after the exclusive or.
        flipped = sign & negative - positive + 1
        result.set((result ^ sign) + flipped)
        result += positive & 255
        result += positive & ~255
        return k.var("curve", result >> output_shift)


class WideLstm(Lstm):
    """The kernel for int16: sums of 32 bits, biases of 64 bits, multipliers of 15 bits."""

    name, dtype, bits, without = "run_wide_rows", "int16", 16, "inputs and weights have"
    elements = f"at most {MAX_PRODUCTS} elements"

    def first_biases(self, first):
        """Write the addresses of the biases to the frame, after four words for sums."""
        k = self.k
        self.frame = k.reserve(32)
        for i, bias in enumerate(self._rows([f"{gate}bias" for gate in GATES], first << 3)):
            self.frame(16 + 4 * i)[0] = bias

    def first_sums(self, _biases):
        return [self.k.var(f"sum{i}", 0) for i in range(4)]

    def put_gates(self, sums, _biases, gates):
        with self._gates(sums, "input_gate_multiplier") as (at, total, factors):
            bias, high = at[16], total >> 31
            other_low, other_high = self.k.reg(), self.k.reg()
            bias.next(other_low, other_high)
            at[16] = bias
            add_wide(self.k, total, high, other_low, other_high)
            gates.put("u16", self._rescaled(total, high, factors))
            gates += 2

    def arguments_of(self, sums, gates):
        with self._gates(sums, "input_gate_recurrent_multiplier") as (at, total, factors):
            value = self._rescaled(total, total >> 31, factors) + gates.get("s16")
            self.clamp(value, 16)
            at[0] = value
            gates += 2
        return [self.frame(4 * i)[0] for i in range(4)]

    # Run operations for each gate; yields (address of the sum in the frame, the sum, the words of
    # the record with its factor and shift).
    @contextmanager
    def _gates(self, sums, name):
        k = self.k
        for i, total in enumerate(sums):
            self.frame(4 * i)[0] = total
        at, end = k.var("at", self.frame(0)), k.var("sums_end", self.frame(16))
        block = k.var("block", self.op + self.record.offset(name))
        step = 4 * (INTEGERS.index("forget_gate_offsets") - INTEGERS.index("input_gate_offsets"))
        with k.loop("gate", times=4, around=True) as loop:
            yield at, k.var("total", at[0]), (block[0], block[4])
            block += step
            at += 4
            loop.repeat_if(at.below(end))

    def _rescaled(self, low, high, factors):
        value = rescale_wide(self.k, low, high, *factors)
        self.clamp(value, 16)
        return value
