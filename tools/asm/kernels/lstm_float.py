# Kernels of UNIDIRECTIONAL_SEQUENCE_LSTM, float32 without an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.lstm_float import FLOAT32 as LAYOUT

from ..language.calls import begin_units
from ..language.float_lists import ENTRY, ListSum, end_list, find_infinite
from ..language.float_sums import Products
from ..language.macros import Record

_GATES = """
Sums of elements of the four gates, in rows of the scratch buffer: weights * input + bias +
weights * hidden state. op: FLOAT32 of prepare/lstm_float.py. units: first element of the output
<< 10 | number of elements of one step. Returns 1, or 0 if numbers are out of range, such as
infinite ones, or if more inputs and elements of the hidden state are not 0 than fit the lists.
"""
_CELLS = """
The cell state of some elements: forget gate * cell state + input gate * cell gate, with the gates
in rows of the scratch buffer, whose fifth row is overwritten. op: FLOAT32 of
prepare/lstm_float.py. units: first element of the state << 10 | number of elements. Returns 1; or
0, without a change of the state, if numbers are out of range or a sum is 0.
"""
# Entries of both lists. Threads on a Cortex-M0+ have small stacks.
_ENTRIES = {"armv6m": 96, "rv32imc": 144}


# 1. Find the inputs of the step and the hidden state of the batch, and unpack both to lists.
# 2. For each gate and element, add up: the products of the hidden state, which are kept; the
#    products of the inputs, then the bias and the sum that was kept, as weights of inputs 1.0.
class _Gates:
    def __init__(self, machine):
        self.k, start, stop = begin_units("gates", _GATES, machine)
        k = self.k
        self.op, self.arena, self.rom, *_ = k.arguments
        self.r = r = Record(k, self.op, LAYOUT)
        self.count, self.bail = k.var("count", stop - start), k.new_label("bail")
        self.to, size = k.var("to", self._operand(r, "scratch")), r.state_size
        step, batch, batches = k.vars("step batch batches")
        k.emit("divu", [step], [start, size])
        self.first = k.var("first", start - step * size)
        # Batches follow each other; after the last one the first one begins again.
        k.emit("divu", [batch], [step, r.steps])
        k.emit("remu", [batches], [batch, r.batches])
        self.steps = k.var("weights_step", r.input_size << 2), k.var("recurrent_step", size << 2)
        self.vectors = (
            k.var("input", self._operand(r, "input") + step * self.steps[0]),
            k.var("hidden_state", self._operand(r, "hidden_state") + batches * self.steps[1]),
        )
        k.branch(self.steps[0] == 0, self.bail)
        self.sum = ListSum(k, self.bail)

    def _operand(self, record, name):
        return record.operand(name, self.arena, self.rom)

    def kernel(self):
        k = self.k
        self._unpack()
        gate_words, left = k.var("gate_words", self.op), k.var("gates_left", 4)
        with k.loop("gate", 4) as gate:
            self._gate(gate_words)
            gate_words += 4
            left -= 1
            gate.repeat_if(left != 0)
        k.emit("ret", src=[k.const(1)])
        k.label(self.bail)
        return k.finish(k.const(0))

    def _unpack(self):
        k, entries = self.k, _ENTRIES[self.k.machine.name]
        self.kept, lists = k.reserve(4), k.reserve(ENTRY * (entries + 4))
        to, self.has_zeros = k.var("entry", lists()), k.var("has_zeros", 0)
        last = k.var("last_entry", to + ENTRY * entries)
        inputs, hidden_state = self.vectors
        self.hidden_list = lists
        self._unpack_vector(to, hidden_state, self.steps[1], last)
        end_list(k, to)
        to += ENTRY
        last += ENTRY
        self.inputs_list = k.var("inputs_list", to)
        self._unpack_vector(to, inputs, self.steps[0], last)
        self.ones = self.sum.add_one(to), self.sum.add_one(to)
        end_list(k, to)

    def _unpack_vector(self, to, vector, size, last):
        k = self.k
        value, zero, next_value = map(k.new_label, ("value", "zero", "next_value"))
        at, offset, end = k.var("at", vector), k.var("offset", 0), k.var("end", vector + size)
        with k.weighted(16):
            k.label(value)
            k.branch(to == last, self.bail)
            self.sum.add_entry(to, at, offset, zero, self.bail)
            k.goto(next_value)
            k.label(zero)
            self.has_zeros.set(1)
            offset += 4
            k.label(next_value)
            k.branch(at != end, value)

    # gate_words: address of the record plus 4 for each gate.
    def _gate(self, gate_words):
        k, record = self.k, Record(self.k, gate_words, LAYOUT)
        names = ("input_to_input_weights", "recurrent_to_input_weights")
        rows = [
            k.var("row", self._operand(record, name) + self.first * step)
            for name, step in zip(names, self.steps, strict=True)
        ]
        bias = k.var("bias", self._operand(record, "input_gate_bias") + (self.first << 2))
        # The product of an input that is not in the lists and an infinite weight is NaN.
        with k.If(self.has_zeros != 0):
            for row, step in zip(rows, self.steps, strict=True):
                find_infinite(k, k.var("first_weight", row), row + step * self.count, self.bail)
        left = k.var("left", self.count)
        with k.loop("element", 8) as element:
            self.to.put_next(self._element(rows, bias))
            for row, step in zip(rows, self.steps, strict=True):
                row += step
            left -= 1
            element.repeat_if(left != 0)

    def _element(self, rows, bias):
        k, s = self.k, self.sum
        finish = k.new_label("finish")
        is_input = k.var("is_input", 0)
        s.list.set(self.hidden_list())
        s.weights.set(rows[1])
        k.goto(s.first)
        s.loop()
        k.label(s.end)
        k.branch(is_input != 0, finish)
        is_input.set(1)
        kept = self.kept()
        kept[0] = s.result()
        for offset, weight in zip(self.ones, (bias, kept), strict=True):
            offset[0] = weight - rows[0]
        bias += 4
        s.list.set(self.inputs_list)
        s.weights.set(rows[0])
        k.goto(s.first)
        k.label(finish)
        return s.result()


# 1. For each element: add up two products, which are a run of inputs and weights.
# 2. Copy the results.
class _Cells:
    def __init__(self, machine):
        self.k, start, stop = begin_units("cells", _CELLS, machine)
        k = self.k
        op, arena, rom, *_ = k.arguments
        r, row = Record(k, op, LAYOUT), k.var("row_bytes", (stop - start) << 2)
        self.cell = k.var("cell", r.operand("cell_state", arena, rom) + (start << 2))
        self.end = k.var("end", self.cell + row)
        self.forget_gate = k.var("forget_gate", r.operand("scratch", arena, rom) + row)
        cell_gate = self.forget_gate + row
        self.new = k.var("new", cell_gate + (row << 1))
        self.run_end, self.bail = k.new_label("run_end"), k.new_label("bail")
        self.back = k.var("back", -row)  # to the input gate
        steps = self.back, k.var("to_cell_gate", cell_gate - self.cell)
        for step in steps:
            step.is_total = True
        self.sum = Products(k, self.bail, steps, self.run_end)

    def kernel(self):
        k, s, new = self.k, self.sum, self.new
        cell, to = k.var("next_cell", self.cell), k.var("next_new", new)
        with k.loop("element", 8) as element:
            s.inputs.set(self.forget_gate)
            s.weights.set(cell)
            s.inputs_end.set(s.inputs + (self.back << 1))
            s.clear()
            k.goto(s.next)
            s.loop()
            k.label(self.run_end)
            k.branch(s.total == 0, self.bail)  # the sum of two zeros may be negative
            to.put_next(s.result())
            self.forget_gate += 4
            cell += 4
            element.repeat_if(cell != self.end)
        with k.loop("copy", 8) as copy:
            self.cell.put_next(new.next(k.reg()))
            copy.repeat_if(self.cell != self.end)
        k.emit("ret", src=[k.const(1)])
        k.label(self.bail)
        return k.finish(k.const(0))


def gates_kernel(machine):
    """Return the Kernel of gates() for a Machine."""
    return _Gates(machine).kernel()


def cells_kernel(machine):
    """Return the Kernel of cells() for a Machine."""
    return _Cells(machine).kernel()
