# Generator of the machine code of the int8 LSTM
# MIT license; Copyright (c) 2026 the tflm authors

# Steps, for all or some elements of a time step:
# 1. For each element: four products of weights and inputs at once, one for each gate; rescale them
#    to int16 and write them to the scratch buffer.
# 2. For each element: four products of weights and the hidden state; add the results of step 1;
#    the curves of the gates; the cell state, the output.
# 3. After the last element of a time step the outputs become the hidden state.
#
# armv6m/lstm.py and armv7em/lstm.py add the instructions of these machines;
# kernels/unidirectional_sequence_lstm.py is the kernel for the others.

from tflm.prepare.lstm_integer import INTEGERS
from tflm.prepare.sigmoid_int16 import LOGISTIC, TANH

from ..language.kernel import Kernel
from ..language.machines import MACHINES
from ..language.macros import PRODUCTS, Record, add_products, multiply_rounded

_ABOUT = """
Elements of the output of an int8 LSTM. The record is INTEGERS of prepare/lstm_integer.py, whose
weights have no zero point, whose rows have {elements}, and whose multipliers are below
1. `units`: first element << 10 | number of elements, which is not 0.
"""
GATES = "input_gate_", "forget_gate_", "cell_gate_", "output_gate_"
_LAST = 255  # interval of the table of the sigmoid


class Lstm:
    """Elements `start` to `stop` - 1 of the output, at least one. `start` changes.

    k: the kernel, whose first arguments are the record, the arena and the model.

    doubled: 1 if products are doubled before they are rescaled. shortest: the shortest rows.
    """

    doubled, shortest = 0, "elements"

    def __init__(self, k, start, stop):
        self.k, self.start, self.stop = k, start, stop
        self.op, self.arena, self.rom = k.arguments[:3]
        self.record = Record(k, self.op, INTEGERS)

    @classmethod
    def source(cls, name):
        """Return the source of run_rows() for a machine."""
        machine = MACHINES[name]()
        arguments = "op", "arena", "rom", "units"
        k = Kernel("run_rows", _ABOUT.format(elements=cls.shortest), arguments, machine)
        units = k.arguments[3]
        start = k.var("start", units.lsr(10))
        cls(k, start, k.var("stop", start + units.field(0, 10))).write()
        return machine.compile(k.finish())

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
        self.begin_products(source, depth, "input_gate_offsets", False)
        names = [f"input_to_{gate[:-6]}_weights" for gate in GATES]
        weights = self._rows(names, first * depth)
        biases = self._rows([f"{gate}bias" for gate in GATES], first << 2)
        gates = k.var("gate", self.gates)
        with k.loop("element", times=16) as element:
            sums = [k.reg(f"sum{i}") for i in range(4)]
            for bias, acc in zip(biases, sums, strict=True):
                bias.next(acc)
            self.dot(weights, sums, depth)
            for i, (gate, acc) in enumerate(zip(GATES, sums, strict=True)):
                result = self.rescale(acc, gate)
                self.clamp(result, 16)
                gates.put("u16", result, 2 * i)
            gates += 8
            element.repeat_if(gates.below(self.gates_end))

    # The second matrices, without biases: elements of the cell state and the output.
    def _states(self, batch, first):
        k, r = self.k, self.record
        depth = r.state_size
        at = k.var("at", batch * depth)
        source = k.var("source", self.arena + r.hidden_state.lsr(2) + at)
        self.begin_products(source, depth, "input_gate_recurrent_offsets", True)
        names = [f"recurrent_to_{gate[:-6]}_weights" for gate in GATES]
        weights = self._rows(names, first * depth)
        cell = k.var("cell", self.arena + r.cell_state.lsr(2) + (at + first << 1))
        output = k.var("output", self.arena + r.output.lsr(2) + self.start)
        self.table = r.operand("entries", self.arena, self.rom)
        gates = k.var("gate", self.gates)
        with k.loop("cell", times=16, around=True) as element:
            sums = [k.var(f"sum{i}", 0) for i in range(4)]
            self.dot(weights, sums, depth)
            values = []
            for i, (gate, acc) in enumerate(zip(GATES, sums, strict=True)):
                self.rescale_doubled(acc, gate + "recurrent_")
                self.clamp(acc, 16)
                value = acc + gates.get("s16", 2 * i)
                self.clamp(value, 16)
                value = k.var("times_3", value + (value << 1))
                values.append(self._curve(value, TANH if i == 2 else LOGISTIC))
            value = self._cell(cell, values)
            self.rescale_doubled(value, "hidden_")
            value += r.output_zero_point
            self.clamp(value, 8)
            output.put("u8", value)
            output += 1
            cell += 2
            gates += 8
            element.repeat_if(gates.below(self.gates_end))

    # Update an element of the cell state; return its tanh times the output gate.
    def _cell(self, cell, values):
        k, r = self.k, self.record
        inputs, forget, new, outputs = values
        kept = forget * (cell.get("s16") << self.doubled)
        self.rescale_doubled(kept, "forget_")
        self.clamp(kept, 16)
        new = inputs * (new << self.doubled)
        self.rescale_doubled(new, "update_")
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
        return self._curve(value >> shift, TANH) * (outputs << self.doubled)

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

    # Return a number times the multiplier of a block of the record, shifted right and rounded; the
    # number's register may change.
    def rescale(self, value, name):
        multiplier, shift = self.multiplier(name)
        value.set(multiply_rounded(self.k, value, multiplier))
        self.round(value, shift)
        return value

    # Rescale a number that is multiplied by 2 if `doubled` is 1.
    def rescale_doubled(self, value, name):
        self.rescale(value, name)

    def round(self, value, shift):
        """Shift right, rounded to nearest, halves away from 0; see requantize()."""
        with self.k.If(shift != 0):
            value.set(((value >> 31) + value >> shift - 1) + 1 >> 1)

    def multiplier(self, name):
        k, r = self.k, self.record
        multiplier, shift = k.words(self.op, r.offset(name + "multiplier"), None, None)
        return multiplier, 32 - shift

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
