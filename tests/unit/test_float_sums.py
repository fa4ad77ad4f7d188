# Tests of the float32 kernels without an FPU in the kernel language, by the interpreter
# MIT license; Copyright (c) 2026 the tflm authors

# The interpreter refuses accesses outside of the operands. Expected bits are numpy's, with each
# product and each sum rounded.

import numpy as np
import pytest
from support.inputs import generator
from tflm.prepare.conv_float import CONV, DEPTHWISE
from tflm.prepare.fully_connected_float import LAYOUT as CONNECTED
from tflm.prepare.lstm_float import FLOAT32 as LSTM
from tflm.prepare.pooling_float import LAYOUT as POOL

from tools.asm.kernels import (
    combine_float,
    depthwise_float,
    lstm_float,
    pools_float,
    windows_float,
)
from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.machines import MACHINES

_MACHINES = ("armv6m", "rv32imc")
_RECORD, _ARENA = 0x1000, 0x10000
_GAP = 16  # bytes between the operands
_KINDS = ("normal", "ties", "far", "cancelling", "sparse", "special")
_SPECIAL = np.array(
    [0x80000000, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000], np.uint32
).view("f")


def _numbers(random, kind, *shape):
    x = random.normal(0, 1, shape).astype("f")
    if kind == "ties":
        return (np.round(x * 8) / 8 + random.integers(0, 4, shape) * 2.0**-12).astype("f")
    if kind == "far":
        return (x * 2.0 ** random.integers(-70, 40, shape)).astype("f")
    if kind == "cancelling":
        x[..., 1::2] = -x[..., : x.shape[-1] // 2 * 2 : 2]
    if kind == "sparse":
        x[random.random(shape) < 0.6] = 0
    if kind == "special":
        at = random.random(shape) < 0.1
        x[at] = random.choice(_SPECIAL, int(at.sum()))
    return x


# The sum of products in order, each rounded.
def _dot(x, w, total=0):
    total = np.float32(total)
    for product in np.asarray(x, "f").ravel() * np.asarray(w, "f").ravel():
        total = total + product
    return total


def _bits(values):
    return np.asarray(values, "f").view(np.uint32).tolist()


# Run a kernel with operands (arrays), which the record of a layout contains with other fields.
# Returns (result, {name: array}).
def _run(kernel, layout, operands, writable, units, **fields):
    at, memory, words = 0, {}, [1]
    for name, values in operands.items():
        data = bytearray(values.tobytes())
        memory[name] = _ARENA + at, data, name in writable
        fields[name] = at << 2
        at += len(data) + _GAP
    words += [fields.get(name, 1) & 0xFFFFFFFF for name in layout]
    memory["record"] = _RECORD, np.array(words, np.uint32).tobytes(), False
    result = run(kernel, Memory(memory), _RECORD, _ARENA, 0x80000, units)
    return result, {name: np.frombuffer(memory[name][1], "f") for name in operands}


# Bits of the lowest and the highest number as limits.
_LIMITS = {"activation_min": 0xFF7FFFFF, "activation_max": 0x7F7FFFFF}


@pytest.fixture(params=_MACHINES)
def machine(request):
    return InterpretedMachine(MACHINES[request.param])


@pytest.mark.parametrize("kind", _KINDS)
def test_combine(kind, machine):
    random, kernel = generator(f"combine {kind}"), combine_float.combine_kernel(machine)
    count, done = 24, 0
    a, b, dst = (_numbers(random, kind, count) for _ in range(3))
    with np.errstate(all="ignore"):
        wanted = [dst + a * b, a * b, a + b, a - b]
    for operation in range(4):
        data = bytearray(dst.tobytes())
        memory = Memory(
            {
                "a": (_ARENA, a.tobytes(), False),
                "b": (_ARENA + 0x200, b.tobytes(), False),
                "dst": (_ARENA + 0x400, data, True),
            }
        )
        first = 0
        while first < count:
            addresses = (_ARENA + at + 4 * first for at in (0x400, 0, 0x200))
            done = run(kernel, memory, *addresses, count - first | operation << 20 | 7 << 22)
            found = np.frombuffer(data, "f")[first : first + done]
            assert _bits(found) == _bits(wanted[operation][first : first + done])
            first += done + 1
    assert done or kind == "special"


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("depth", (5, 70))
def test_fully_connected(depth, kind, machine):
    random = generator(f"connected {kind} {depth}")
    x, w = _numbers(random, kind, 2, depth), _numbers(random, "normal", 3, depth)
    bias = _numbers(random, "normal", 3)
    operands = {"input": x, "weights": w, "bias": bias, "output": np.zeros((2, 3), "f")}
    kernel = windows_float.windows_kernel(machine)
    fields = {"depth": depth, "channels": 3, **_LIMITS}
    done, found = _run(kernel, CONNECTED, operands, {"output"}, 6 ^ -1, **fields)
    with np.errstate(all="ignore"):
        wanted = [_dot(row, weights) + b for row in x for weights, b in zip(w, bias, strict=True)]
    assert _bits(found["output"][:done]) == _bits(wanted[:done])
    assert done == 6 or kind in ("special", "far")


# 3 x 3 windows of an image of 3 x 3 with padding: all corners and sides.
_SIDES = {"height": 3, "width": 3}
_WINDOW = {f"{name}_{side}": 3 for name in ("input", "output", "filter") for side in _SIDES}


def _windows(x):
    padded = np.pad(x, ((1, 1), (1, 1), (0, 0)))
    inside = np.pad(np.ones(x.shape), ((1, 1), (1, 1), (0, 0))) != 0
    for i in range(9):
        at = np.s_[i // 3 : i // 3 + 3, i % 3 : i % 3 + 3]
        yield padded[at], inside[at]


@pytest.mark.parametrize("kind", _KINDS)
def test_conv(kind, machine):
    random = generator(f"conv {kind}")
    x, w = _numbers(random, kind, 3, 3, 2), _numbers(random, "normal", 2, 3, 3, 2)
    operands = {"input": x, "weights": w, "output": np.zeros(18, "f")}
    kernel = windows_float.windows_kernel(machine)
    fields = {**_WINDOW, "input_channels": 2, "output_channels": 2, **_LIMITS}
    done, found = _run(kernel, CONV, operands, {"output"}, 18, bias=1, **fields)
    with np.errstate(all="ignore"):
        wanted = [_dot(v[on], f[on]) for v, on in _windows(x) for f in w]
    assert _bits(found["output"][:done]) == _bits(wanted[:done])
    assert done == 18 or kind in ("special", "far")


@pytest.mark.parametrize("kind", _KINDS)
def test_depthwise(kind, machine):
    random = generator(f"depthwise {kind}")
    x, w = _numbers(random, kind, 3, 3, 2), _numbers(random, "normal", 3, 3, 2)
    bias = _numbers(random, "normal", 2)
    operands = {"input": x, "weights": w, "bias": bias, "output": np.zeros(18, "f")}
    kernel = depthwise_float.depthwise_kernel(machine)
    fields = {**_WINDOW, "input_channels": 2, "output_channels": 2, **_LIMITS}
    done, found = _run(kernel, DEPTHWISE, operands, {"output"}, 9, **fields)
    with np.errstate(all="ignore"):
        wanted = [
            _dot(v[on[..., i], i], w[on[..., i], i]) + bias[i]
            for v, on in _windows(x)
            for i in range(2)
        ]
    assert _bits(found["output"][: 2 * done]) == _bits(wanted[: 2 * done])
    assert done == 9 or kind in ("special", "far")


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("name", ("maximum", "average"))
def test_pools(name, kind, machine):
    if name == "average" and machine.name == "armv6m":
        pytest.skip("its shifts by 32 bits, which the interpreter refuses, are defined on ARM")
    x = _numbers(generator(f"pools {kind}"), kind, 3, 3, 2)
    fields = {**_WINDOW, "channels": 2, "initial": 0xFF7FFFFF, **_LIMITS}
    operands = {"input": x, "output": np.zeros(18, "f")}
    kernel = getattr(pools_float, f"{name}_kernel")(machine)
    done, found = _run(kernel, POOL, operands, {"output"}, 9, **fields)
    wanted = []
    with np.errstate(all="ignore"):
        for values, on in _windows(x):
            for i in range(2):
                inside = values[on[..., i], i]
                if name == "maximum":
                    inside = inside[~np.isnan(inside)].clip(-3.4028235e38, 3.4028235e38)
                    wanted.append(inside.max())
                else:
                    wanted.append(_dot(inside, np.ones(inside.size)) / np.float32(inside.size))
    assert (found["output"][: 2 * done] == np.array(wanted[: 2 * done], "f")).all()
    assert done == 9 or name == "average" and kind in ("special", "far")


def test_lstm(machine):
    random, size, count = generator("lstm"), 5, 3
    operands = {
        "input": _numbers(random, "sparse", 2, 4),
        "hidden_state": _numbers(random, "normal", 1, count),
        "cell_state": _numbers(random, "normal", 1, count),
        "scratch": np.zeros((size, count), "f"),
    }
    gates = []
    for name in ("input", "forget", "cell", "output"):
        weights = [_numbers(random, "normal", count, depth) for depth in (4, count)]
        gates.append((*weights, _numbers(random, "normal", count)))
        names = f"input_to_{name}_weights", f"recurrent_to_{name}_weights", f"{name}_gate_bias"
        operands |= zip(names, gates[-1], strict=True)
    fields = {"input_size": 4, "state_size": count, "steps": 2, "batches": 1}
    x, h = operands["input"][1], operands["hidden_state"][0]
    kernel = lstm_float.gates_kernel(machine)
    done, found = _run(kernel, LSTM, operands, {"scratch"}, count << 10 | count, **fields)
    wanted = [
        _dot(x, w[i]) + bias[i] + _dot(h, recurrent[i])
        for w, recurrent, bias in gates
        for i in range(count)
    ]
    assert done and _bits(found["scratch"][: 4 * count]) == _bits(wanted)
    operands["scratch"] = found["scratch"]
    i, f, g = found["scratch"].reshape(size, count)[:3]
    kernel = lstm_float.cells_kernel(machine)
    done, found = _run(kernel, LSTM, operands, {"scratch", "cell_state"}, count, **fields)
    assert done and _bits(found["cell_state"]) == _bits(f * operands["cell_state"][0] + i * g)
