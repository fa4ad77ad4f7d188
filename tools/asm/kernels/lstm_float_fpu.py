# Functions of UNIDIRECTIONAL_SEQUENCE_LSTM, float32, for an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.lstm_float import FLOAT32

from ..language.fpu import Fpu
from ..language.kernel import Kernel
from ..language.macros import Record
from .products_float import compute_pixel, sums_of

_COUNT = """
op: FLOAT32 of prepare/lstm_float.py. The number of elements is a word of the scratch buffer, after
four rows of `block` elements.
"""
_GATES = f"""
Sums of elements of the four gates from the element `start` of the output on, in the scratch
buffer: weights * input + bias + weights * hidden state. Each of the two products is limited to
finite numbers. The rows are the input, forget, output and cell gates. {_COUNT}"""
_CELLS = f"""
The cell state of elements from the element `start` of all states on, from the gates in the scratch
buffer; the first gate becomes a copy of it. {_COUNT}"""
_OUTPUTS = f"""
Elements of the output from the element `start` on: products of the first row of the scratch buffer
and of the output gate. {_COUNT}"""
_GATE_COUNT = 4


# Return (Kernel, Record, function of an operand's name, scratch buffer, number of elements).
def _begin(name, about, machine):
    k = Kernel(name, about, ("op", "arena", "rom", "start"), machine)
    op, arena, rom, _ = k.arguments
    r = Record(k, op, FLOAT32)
    scratch = r.operand("scratch", arena, rom)
    count = k.var("count", (scratch + (r.block << 4))[0])
    return k, r, lambda operand: r.operand(operand, arena, rom), scratch, count


# 1. Find the addresses of the input and of the hidden state.
# 2. For each gate, and a few elements at a time: the product with the input, and the bias.
# 3. Add the product with the hidden state.
def gates_kernel(machine):
    k, r, operand, scratch, count = _begin("gates", _GATES, machine)
    op, arena, rom, start = k.arguments
    limits, at_once = (op, r.offset("lowest")), sums_of(machine).single[0]
    input_size, state_size = r.input_size, r.state_size
    step, batch = k.vars("step batch")
    k.emit("divu", [step], [start, state_size])
    first = k.var("first", start - step * state_size)
    x = k.var("vector", operand("input") + (step * input_size << 2))
    # Batches follow each other; after the last one the first one begins again.
    k.emit("divu", [batch], [step, r.steps])
    k.emit("remu", [batch], [batch, r.batches])
    hidden = k.var("hidden", operand("hidden_state") + (batch * state_size << 2))
    gate = k.var("gate", 0)
    with k.loop("gate", times=_GATE_COUNT) as gates:
        of_gate = Record(k, op + (gate << 2), FLOAT32)

        def row(name, size, of_gate=of_gate):
            address = of_gate.operand(name, arena, rom)
            return k.var("row", address + (first * size << 2)), k.var("row_bytes", size << 2)

        w, w_step = row("input_to_input_weights", input_size)
        v, v_step = row("recurrent_to_input_weights", state_size)
        bias = k.var("bias", of_gate.operand("input_gate_bias", arena, rom) + (first << 2))
        # The rows 0, 1, 3, 2: the first three gates have the same curve.
        to = k.var("to", scratch + ((gate ^ gate.lsr(1)) * count << 2))
        left = k.var("left", count)
        with k.loop("elements", times=3) as elements:
            compute_pixel(
                k, x, (w, w_step), left, lambda sums: sums.add(input_size),
                lambda sums: sums.store([to], left, bias, limits),
            )  # fmt: skip
            compute_pixel(
                k, hidden, (v, v_step), left, lambda sums: sums.add(state_size),
                lambda sums: sums.add_to(to, left, limits),
            )  # fmt: skip
            done = k.var("done", left.min(at_once))
            w += w_step * at_once
            v += v_step * at_once
            to += done << 2
            bias += done << 2
            left -= done
            elements.repeat_if(left != 0)
        gate += 1
        gates.repeat_if(gate != _GATE_COUNT)
    return k.finish()


def cells_kernel(machine):
    k, r, operand, scratch, count = _begin("cells", _CELLS, machine)
    f, op = Fpu(k), k.arguments[0]
    state = k.var("state", operand("cell_state") + (k.arguments[3] << 2))
    forget = k.var("forget_gates", scratch + (count << 2))
    cell = k.var("cell_gates", forget + (count << 3))
    clip = r.clip
    for i, name in enumerate(("lowest", "highest", "clip_low", "clip_high"), 4):
        f.load(i, op, r.offset(name))
    with k.loop("element", times=16) as element:
        f.load_next((0,), forget)
        f.load(1, state)
        f.load(2, scratch)
        f.load_next((3,), cell)
        f.mul(0, 0, 1)
        f.mul(2, 2, 3)
        f.limit(0, 4, 5)
        f.limit(2, 4, 5)
        f.add(0, 0, 2)
        with k.If(clip != 0):
            f.limit(0, 6, 7)
        for address in (state, scratch):
            f.store(0, address)
            address += 4
        count -= 1
        element.repeat_if(count != 0)
    return k.finish()


def outputs_kernel(machine):
    k, r, operand, x, count = _begin("outputs", _OUTPUTS, machine)
    f = Fpu(k)
    gate = k.var("output_gates", x + (count << 3))
    output = k.var("output", operand("output") + (k.arguments[3] << 2))
    with k.repeat(count, "element", times=16):
        f.load_next((0,), x)
        f.load_next((1,), gate)
        f.mul(0, 0, 1)
        f.store_next((0,), output)
    return k.finish()
