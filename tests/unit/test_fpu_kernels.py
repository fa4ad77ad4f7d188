# Tests of functions for an FPU that viper kernels call, in the interpreter of the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import numpy as np
import pytest
from support.inputs import generator
from tflm.prepare import pooling_float as prepare_pool
from tflm.prepare.lstm_float import FLOAT32

from tools.asm.kernels import lists_float, softmax_float
from tools.asm.kernels.lstm_float_fpu import cells_kernel, gates_kernel, outputs_kernel
from tools.asm.kernels.pooling_float import eval_float32 as pool_kernel
from tools.asm.kernels.rows_float import rows_kernel
from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.machines import MACHINES

_FPU = [name for name in MACHINES if MACHINES[name].has_fpu]
_RECORD, _FIRST = 0x1000, 0x10000  # addresses; an operand has _STEP bytes
_STEP = 0x1000


class _Operands:
    """Operands of float32 in memory, and a record that has their offsets from 0."""

    def __init__(self, layout, units=1):
        self._layout, self._units = layout, units
        self._fields, self._memory = {}, {}

    def add(self, name, values):
        """Add an operand; return its address and its array, which changes with the memory."""
        address = _FIRST + _STEP * len(self._memory)
        data = bytearray(np.asarray(values, "<f4").tobytes())
        self._memory[name] = address, data, True
        self._fields[name] = address << 2
        return address, np.frombuffer(data, "<f4")

    def run(self, kernel, *arguments, **fields):
        fields = {name: _bits(value) for name, value in (self._fields | fields).items()}
        words = [self._units, *(fields.get(name, 1) for name in self._layout)]
        record = struct.pack(f"<{len(words)}I", *words)
        memory = Memory({**self._memory, "record": (_RECORD, record, False)})
        return run(kernel, memory, *(arguments or (_RECORD, 0, 0, 0)))


def _bits(value):
    return int(np.float32(value).view("u4")) if isinstance(value, float) else value


def _normal(random, *shape):
    return random.normal(size=shape).astype("<f4")


# The sums of products in their order.
def _product(rows, vector):
    totals = np.zeros(len(rows), np.float32)
    for column, value in zip(rows.T, vector, strict=True):
        totals += column * value
    return totals


@pytest.mark.parametrize("count, depth", [(1, 5), (4, 8), (7, 3), (17, 6), (3, 0)])
@pytest.mark.parametrize("name", _FPU)
def test_rows(name, count, depth):
    random, machine = generator(f"rows {count} {depth}"), InterpretedMachine(MACHINES[name])
    rows, vector = _normal(random, count, depth), _normal(random, depth)
    operands = _Operands(())
    addresses = [operands.add(n, x)[0] for n, x in (("rows", rows), ("vector", vector))]
    to, result = operands.add("result", np.zeros(count))
    arguments = (to, *addresses, depth << 15 | count)
    if machine.max_arguments > 4:
        arguments = 0, 0, to << 2, addresses[1] << 2, addresses[0] << 2, depth << 14 | count
    operands.run(rows_kernel(machine), *arguments)
    assert (result == _product(rows, vector)).all()


# Run a function of lists_float.py for a result and operands, which are arrays; return the result.
def _run_list(kernel, machine, size, result, *operands):
    memory = _Operands(())
    (to, result), *others = [memory.add(str(i), x) for i, x in enumerate((result, *operands))]
    addresses = [to, *(address for address, _ in others)]
    if machine.max_arguments > 4:
        addresses = [0, 0, *(address << 2 for address in addresses)]
    memory.run(kernel(machine), *addresses, size)
    return result


@pytest.mark.parametrize("steps", [7, 5, 3, 6])
@pytest.mark.parametrize("operation", lists_float.OPERATIONS)
@pytest.mark.parametrize("name", _FPU)
def test_elements(name, operation, steps):
    random, count = generator("elements"), 5
    machine = InterpretedMachine(MACHINES[name])
    if operation == "div" and not machine.has_float_divide:
        pytest.skip("this FPU does not divide")
    result, a, b = (_normal(random, count) for _ in range(3))
    a[2], b[3] = np.nan, np.nan
    size = count << 6 | lists_float.OPERATIONS.index(operation) << 3 | steps
    wanted = result.copy()
    for i in range(count):
        to, one, other = (i * (steps >> bit & 1) for bit in range(3))
        x, y = a[one], b[other]
        wanted[to] = {
            "mac": wanted[to] + x * y, "mul": x * y, "add": x + y, "sub": x - y, "div": x / y,
            "maximum": x if x > y else y, "minimum": x if x < y else y,
            "prelu": x if x >= 0 else x * y,
        }[operation]  # fmt: skip
    found = _run_list(lists_float.elements_kernel, machine, size, result, a, b)
    assert np.array_equal(found, wanted, equal_nan=True)


@pytest.mark.parametrize("count", [0, 1, 4, 7])
@pytest.mark.parametrize("name", _FPU)
def test_products_of_lists(name, count):
    random, machine = generator("products"), InterpretedMachine(MACHINES[name])
    result, a, b = _normal(random, 30), _normal(random, 30), _normal(random, 30)
    wanted = result[0]
    for x, y in zip(a[:count], b[:count], strict=True):
        wanted += x * y
    assert _run_list(lists_float.dot_kernel, machine, count, result, a, b)[0] == wanted
    size = 1 << 9 | 2 << 10 | 3 << 20 | count
    wanted = result.copy()
    wanted[: 3 * count : 3] += a[: 2 * count : 2] * b[: 3 * count : 3]
    found = _run_list(lists_float.strided_kernel, machine, size, result, a, b)
    assert (found == wanted).all()


@pytest.mark.parametrize("name", _FPU)
def test_limits_of_lists(name):
    values, machine = [-3, np.nan, 0.5, 7], InterpretedMachine(MACHINES[name])
    found = _run_list(lists_float.limit_kernel, machine, 3, values, [-1, 0.25])
    assert np.array_equal(found, [-1, np.nan, 0.25, 7], equal_nan=True)


def test_sums_and_softmax():
    random, machine = generator("sums"), InterpretedMachine(MACHINES["armv7emsp"])
    values = _normal(random, 3, 4)
    operands = _Operands(())
    source, _ = operands.add("source", values)
    to, result = operands.add("result", np.zeros(12))
    steps = 16 << 15 | 4
    operands.run(lists_float.sums_kernel(machine), to, source, 4 << 14 | 3, steps)
    assert (result[:3] == _product(values, np.ones(4, "f4"))).all()
    operands.run(softmax_float.differences_kernel(machine), to, source, 4, 3)
    wanted = values - values.max(axis=1, keepdims=True)
    assert (result == wanted.ravel()).all()
    operands.run(softmax_float.quotients_kernel(machine), to, 4, 3)
    totals = _product(wanted, np.ones(4, "f4"))
    assert (result == (wanted / totals[:, None]).ravel()).all()


@pytest.mark.parametrize("name", _FPU)
def test_gates_of_lstm(name):
    random, size, state_size, first, count = generator("gates"), 5, 19, 2, 16
    operands, expected = _Operands(FLOAT32), []
    inputs, hidden = _normal(random, 3, size), _normal(random, 2, state_size)
    operands.add("input", inputs)
    operands.add("hidden_state", hidden)
    for gate in ("input", "forget", "cell", "output"):
        w, v = _normal(random, state_size, size), _normal(random, state_size, state_size)
        bias = _normal(random, state_size)
        # The record has the fields of a gate at the same distance as the next gate's fields.
        for field, values in (("input_to_{}_weights", w), ("recurrent_to_{}_weights", v),
                              ("{}_gate_bias", bias)):  # fmt: skip
            operands.add(field.format(gate), values)
        product = np.clip(_product(w, inputs[2]) + bias, -2, 2)
        expected.append((product + np.clip(_product(v, hidden[0]), -2, 2))[first : first + count])
    block = np.zeros(5 * count)
    block[4 * count] = np.uint32(count).view("f4")
    _, scratch = operands.add("scratch", block)
    start = 2 * state_size + first  # step 2 is the first one of the batch 2, which is the batch 0
    fields = {"input_size": size, "state_size": state_size, "steps": 1, "batches": 2,
              "block": count, "lowest": -2.0, "highest": 2.0}  # fmt: skip
    machine = InterpretedMachine(MACHINES[name])
    operands.run(gates_kernel(machine), _RECORD, 0, 0, start, **fields)
    order = [expected[i] for i in (0, 1, 3, 2)]
    assert (scratch[: 4 * count] == np.concatenate(order)).all()


@pytest.mark.parametrize("name", _FPU)
def test_outputs_of_lstm(name):
    random, first, count, block = generator("outputs"), 3, 5, 7
    operands = _Operands(FLOAT32)
    values = _normal(random, 5 * block)
    values[4 * block] = np.uint32(count).view("f4")
    operands.add("scratch", values)
    _, outputs = operands.add("output", np.zeros(9))
    machine = InterpretedMachine(MACHINES[name])
    operands.run(outputs_kernel(machine), _RECORD, 0, 0, first, block=block)
    assert (outputs[first : first + count] == values[:count] * values[2 * count :][:count]).all()


@pytest.mark.parametrize("clip", [0, 1])
@pytest.mark.parametrize("name", _FPU)
def test_cells_of_lstm(name, clip):
    random, first, count, block = generator("cells"), 3, 5, 7
    operands = _Operands(FLOAT32)
    values = _normal(random, 5 * block)
    values[4 * block] = np.uint32(count).view("f4")
    rows, states = values[: 4 * count].reshape(4, count).copy(), _normal(random, 9)
    _, scratch = operands.add("scratch", values)
    _, state = operands.add("cell_state", states)
    fields = {"block": block, "clip": clip, "lowest": -1.0, "highest": 1.0, "clip_low": -0.5,
              "clip_high": 0.5}  # fmt: skip
    machine = InterpretedMachine(MACHINES[name])
    operands.run(cells_kernel(machine), _RECORD, 0, 0, first, **fields)
    wanted = np.clip(rows[1] * states[first : first + count], -1, 1)
    wanted += np.clip(rows[0] * rows[3], -1, 1)
    wanted = np.clip(wanted, -0.5, 0.5) if clip else wanted
    assert (state[first : first + count] == wanted).all()
    assert (scratch[:count] == wanted).all()


@pytest.mark.parametrize("kind", [prepare_pool.MEAN, prepare_pool.MEAN_SQUARE])
def test_pool_ends_after_a_mean_that_it_cannot_divide(kind):
    random, units = generator("pool"), 3
    operands = _Operands(prepare_pool.LAYOUT, units)
    image = _normal(random, 4, 6)
    operands.add("input", image)
    _, output = operands.add("output", np.zeros((units, 6)))
    _, divisor = operands.add("divisor", [0])
    fields = {"kind": kind, "input_height": 1, "input_width": 4, "channels": 6,
              "output_height": 1, "output_width": units, "filter_height": 1, "filter_width": 3,
              "stride_height": 1, "stride_width": 1, "padding_height": 0, "padding_width": 1,
              "activation_min": -0.1, "activation_max": 0.5, "initial": 0.0}  # fmt: skip
    kernel = pool_kernel(InterpretedMachine(MACHINES["xtensawin"]))
    assert operands.run(kernel, _RECORD, 0, 0, 0, units, **fields) == 1
    values = image * image if kind == prepare_pool.MEAN_SQUARE else image
    assert (output[:6] == np.clip((values[0] + values[1]) / 2, -0.1, 0.5)).all()
    assert (output[6:12] == values[0] + values[1] + values[2]).all()
    assert divisor[0] == 3
