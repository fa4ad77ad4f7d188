# Tests of the kernel language: the interpreter, and the front end for portable viper kernels
# MIT license; Copyright (c) 2026 the tflm authors

import math
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from fuzz.kernel_tracer import Machine as Tracer

from tools.asm.language.calls import wrapper
from tools.asm.language.fpu import Fpu
from tools.asm.language.interpreter import (
    InterpretedMachine,
    Memory,
    WrongKernelError,
    run,
)
from tools.asm.language.kernel import Kernel
from tools.asm.language.machines import MACHINES
from tools.asm.language.macros import Record
from tools.asm.language.viper import UntranslatableError, translate

_README = Path(__file__).resolve().parents[2] / "tools" / "asm" / "README.md"
_AT = 0x1000  # of the operand of a kernel
_EXTREMES = [0, 1, -1, 2, 127, -128, 255, 32767, -32768, (1 << 31) - 1, -(1 << 31)]


def _numbers(count):
    random = np.random.default_rng(3)
    return _EXTREMES + [int(x) for x in random.integers(-(1 << 31), 1 << 31, count)]


def _signed(value):
    return (value + (1 << 31) & 0xFFFFFFFF) - (1 << 31)


# Run a kernel whose operations `write(k, address)` adds, with a memory of words.
def _run(write, words=(0,) * 8, is_writable=True):
    k = Kernel("kernel", "", ("address",), InterpretedMachine())
    result = write(k, k.arguments[0])
    data = bytearray(struct.pack(f"<{len(words)}i", *words))
    returned = run(k.finish(result), Memory({"words": (_AT, data, is_writable)}), _AT)
    return returned, struct.unpack(f"<{len(words)}i", data)


_OPERATORS = {
    "add": (lambda x, y: x + y, lambda x, y: x + y),
    "sub": (lambda x, y: x - y, lambda x, y: x - y),
    "mul": (lambda x, y: x * y, lambda x, y: x * y),
    "asr": (lambda x, y: x >> (y & 31), lambda x, y: x >> (y & 31)),
    "lsr": (lambda x, y: x.lsr(y & 31), lambda x, y: (x & 0xFFFFFFFF) >> (y & 31)),
    "mulh": (lambda x, y: x.mulh(y), lambda x, y: x * y >> 32),
    "min": (lambda x, y: x.min(y), min),
    "negative": (lambda x, y: -x, lambda x, y: -x),
    "field": (lambda x, y: x.field(3, 7), lambda x, y: x >> 3 & 127),
}


@pytest.mark.parametrize("name", _OPERATORS)
def test_operators_compute_what_python_computes(name):
    written, wanted = _OPERATORS[name]
    numbers = _numbers(8)
    for x in numbers:
        for y in numbers:
            found, _ = _run(lambda k, at: written(at[0], at[4]), (x, y))
            assert found == _signed(wanted(x, y)), (x, y)


@pytest.mark.parametrize("x", [-2, 3, 8])
@pytest.mark.parametrize("y", [-2, 3])
def test_conditions_and_loops(x, y):
    def write(k, at):
        one, other = at[0], at[4]
        total, count = k.vars("total count", 0)
        with k.If(one < other):
            total += 1
        with k.Else():
            total += 2
        with k.If(one.below(other), rare=True):
            total += 4
        with k.While(lambda: count < one):
            count += 1
            total += 8
        return total

    wanted = (1 if x < y else 2) + 4 * (x & 0xFFFFFFFF < y & 0xFFFFFFFF) + 8 * max(x, 0)
    assert _run(write, (x, y))[0] == wanted


@pytest.mark.parametrize("skipped, wanted", [(0, 15), (2, 12), (4, 5)])
def test_copies_are_entered_in_the_middle(skipped, wanted):
    def write(k, at):
        total, copies = k.var("total", 0), k.new_copies(5)
        k.enter(copies, k.const(10 * skipped), 10)
        with k.repeated(copies) as step:
            total += at.get("w", step(0, 4))
        return total

    assert _run(write, (1, 2, 3, 4, 5))[0] == wanted


# ADD with a high register sets no flags.
def test_a_sum_with_a_high_register_is_compared():
    machine = MACHINES["armv6m"]()
    k = Kernel("sum", "Adds.", ("one", "other"), machine)
    one, other = k.arguments
    high, is_zero = k.reg("high", fixed=8).set(other), k.new_label("is_zero")
    one += high
    k.branch(one == 0, is_zero)
    one.set(1)
    k.label(is_zero)
    text = machine.compile(k.finish(one))
    assert re.search(r"add r\d, r8\n +cmp", text)


@pytest.mark.parametrize(
    "write, message",
    [
        (lambda k, at: at[64], "in no operand"),
        (lambda k, at: at.get("w", 2), "not aligned"),
        (lambda k, at: at.put("w", 1, 0), "constant"),
        (lambda k, at: at << k.const(32), "32 bits"),
        (lambda k, at: k.reg("never") + 1, "never is read before"),
        (lambda k, at: k.emit("divu", [k.reg()], [at, k.const(0)]), "division"),
        (lambda k, at: k.tile(print), "no run="),
    ],
)
def test_interpreter_reports(write, message):
    with pytest.raises(WrongKernelError, match=message):
        _run(write, is_writable=False)


_SOURCE = """
_SCALE = const(3)
_WORDS = const(8)


@micropython.viper
def helper(x: int, y: int) -> int:
    if x > y:
        return x - y
    return y * _SCALE


@micropython.viper
def eval_test(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    sign = 0x20000000
    sign = sign << 3 >> 27
    x = (op[0] << sign) >> sign
    y = op[1]
    out = ptr32(arena)
    {statements}
"""
_STATEMENTS = {
    "arithmetic": "out[0] = x * y + (x ^ y) - (x & 0xFF | y) + (x >> 3) + (y << 4)",
    "divisions": "out[0] = x // 7; out[1] = x % 7; z = y & 0xFFFF | 1\n"
    "    out[2] = x // z; out[3] = x % z",
    "calls": "out[0] = helper(x, y); out[1] = helper(5, y) + helper(x, -3)",
    "bytes": "p = ptr8(int(op)); out[0] = (p[1] ^ 0x80) - 0x80; out[1] = (p[y & 3] ^ 128) - 128",
    "halves": "p = ptr16(op); out[0] = (p[1] ^ 0x8000) - 0x8000; out[1] = (p[2] ^ 0x80) - 0x80",
    "signs": "out[0] = (x & 0xFF ^ 0x80) - 0x80; out[1] = (x & 0xFFFF ^ 0x8000) - 0x8000",
    "rounding": "out[0] = ((x >> 1) + 0x4000 >> 15) + y",
    "unsigned": "u = uint(x); out[0] = int(u >> 5); out[1] = 1 if u < uint(y) else 2",
    "conditions": "out[0] = 1 if x < y and not y == 3 or x == -128 else 2\n"
    "    if -5 < x <= 200:\n        out[1] = 7\n    elif y:\n        out[1] = 8",
    "values": "out[0] = (x < y) + 2 * (not x)",
    "while": "n = x & 15\n    t = 0\n    while n:\n        n -= 1\n        if n == 9:\n"
    "            continue\n        if t > 40:\n            break\n        t += n\n    out[0] = t",
    "for": "t = 0\n    for i in range(y & 7, 12, 2):\n        t += i * x\n"
    "    for i in range(x & 3):\n        out[i] = t\n    out[4] = t",
    "byte products": "p = ptr8(int(op)); q = ptr8(int(op) + 4); t = x\n"
    + "".join(f"    t += ((p[{i}] ^ 0x80) - 0x80) * ((q[{i}] ^ 0x80) - 0x80)\n" for i in range(4))
    + "    out[0] = t\n"
    + "".join(f"    t += q[{i}] * ((p[{i}] ^ 0x80) - 0x80)\n" for i in range(4))
    + "    out[1] = t\n"
    + "".join(f"    t += p[{i}] * q[{i}]\n" for i in range(4))
    + "    out[2] = t",
    "stores": "p = ptr8(int(arena) + 4); p[1] = x; p[y & 7] = y; ptr16(arena)[1] = x",
}


def _number(value):
    return struct.unpack("<i", struct.pack("<f", value))[0]


def test_fpu_rounds_after_each_operation_and_keeps_nan():
    def write(k, address):
        f, at = Fpu(k), k.var("at", address)
        f.load_next((0, 1, 2, 3), at)
        f.mul(4, 0, 1)
        f.add(4, 4, 2)
        f.limit(3, 1, 2)
        f.store_words((3, 4), at)
        f.set_bits(5, at[4])
        f.store(5, address, 24)

    one, other = np.float32(1.1), np.float32(3.3)
    words = [_number(x) for x in (one, other, 7.7, math.nan)]
    _, found = _run(write, [*words, 0, 0, 0, 0])
    total = one * other + np.float32(7.7)
    assert found == (*words, words[3], _number(total), _number(total), 0)


def test_fpu_register_that_is_not_written():
    with pytest.raises(WrongKernelError, match="register 3 of the FPU is read before"):
        _run(lambda k, address: Fpu(k).store(3, address))


@pytest.mark.parametrize("like", [None, MACHINES["xtensawin"]])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_block_is_repeated(count, like):
    k = Kernel("kernel", "", ("count",), InterpretedMachine(like))
    total = k.var("total", 0)
    with k.repeat(k.var("outer", k.arguments[0])), k.repeat(k.var("inner", 3)):
        total += 2
    assert run(k.finish(total), Memory({}), count) == 6 * count


_WITH_BYTE_PRODUCTS = [name for name in MACHINES if MACHINES[name].add_byte_products]


@pytest.mark.parametrize(
    "name, machine",
    [
        *((name, None) for name in _STATEMENTS),
        *(("byte products", m) for m in _WITH_BYTE_PRODUCTS),
    ],
)
def test_front_end_means_what_viper_means(name, machine, tmp_path):
    source = _SOURCE.format(statements=_STATEMENTS[name])
    path = tmp_path / f"{name}.py"
    path.write_text(source)
    kernel = translate(path, "eval_test", InterpretedMachine(MACHINES.get(machine)))
    assert machine is None or "four products of bytes" in str([op.info for op in kernel.code])
    tracer = Tracer(32)
    function = tracer.compiled(source)["eval_test"]
    numbers = _numbers(6)
    for x in numbers:
        for y in numbers[::-1]:
            record, out, wanted = struct.pack("<2i", x, y), bytearray(32), bytearray(32)
            operands = {"op": (0x1000, record, False), "arena": (0x2000, out, True)}
            run(kernel, Memory(operands), 0x1000, 0x2000, 0, 1)
            tracer._turns = 0
            tracer._ranges = [
                (0x1000, bytearray(record), 0, 8, False),
                (0x2000, wanted, 0, 32, True),
            ]
            function(0x1000, 0x2000, 0, 0, 1)
            assert out == wanted, (x, y)


def test_front_end_names_what_it_cannot_translate(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(_SOURCE.format(statements="raise ValueError"))
    with pytest.raises(UntranslatableError, match=r"kernel\.py:20: raise ValueError"):
        translate(path, "eval_test", InterpretedMachine())


# The examples of tools/asm/README.md.
def _examples():
    return re.findall(r"```python\n(.*?)```", _README.read_text(), re.S)


@pytest.fixture(scope="module")
def example():
    """The functions of the first example of tools/asm/README.md."""
    names = {}
    exec(_examples()[0], names)
    return names


@pytest.mark.parametrize("arch", MACHINES)
def test_example_of_the_page_compiles(arch, example):
    machine = MACHINES[arch]()
    text = machine.compile(example["negate"](machine)) + wrapper("eval_int8", machine)
    assert "def eval_int8(" in text


@pytest.mark.parametrize("zero_point", [0, -100, 127])
@pytest.mark.parametrize("start, stop", [(0, 9), (3, 4), (5, 5)])
def test_example_of_the_page_runs(start, stop, zero_point, example):
    values = np.array([-128, -127, -100, -1, 0, 1, 50, 126, 127], np.int8)
    out = bytearray(values.size)
    record = struct.pack("<4i", values.size, 0x2000 << 2, 0x3000 << 2, zero_point)
    operands = {
        "record": (0x1000, record, False),
        "input": (0x2000, values.tobytes(), False),
        "output": (0x3000, out, True),
    }
    kernel = example["negate"](InterpretedMachine())
    run(kernel, Memory(operands), 0x1000, 0, 0, start << 10 | stop - start)
    wanted = np.clip(2 * zero_point - values.astype(int), -128, 127).astype(np.int8)
    assert out[start:stop] == wanted[start:stop].tobytes()
    assert not any(out[:start]) and not any(out[stop:])


def test_example_of_the_interpreter_runs(example):
    names = dict(example)
    exec(_examples()[1], names)
    assert bytes(names["outputs"]) == bytes(56 - x & 0xFF for x in range(150, 159))


def _else_after_another_operation(k, x):
    with k.If(x == 0):
        x += 1
    x += 2
    with k.Else():
        x += 3


def _else_after_a_rare_block(k, x):
    with k.If(x == 0, rare=True):
        x += 1
    with k.Else():
        x += 3


@pytest.mark.parametrize(
    "write, message",
    [
        (lambda k, x: bool(x == 1), "known only when the kernel runs"),
        (lambda k, x: k.branch(x, "end"), "x is not a condition"),
        (lambda k, x: k.If(x).__enter__(), "x is not a condition"),
        (lambda k, x: k.While(x != 0).__enter__(), "While takes a function"),
        (_else_after_another_operation, "Else must follow an If"),
        (_else_after_a_rare_block, "Else must follow an If"),
        (lambda k, x: x << 32, "shifts are by 0 to 31"),
        (lambda k, x: x.lsr(-1), "shifts are by 0 to 31"),
        (lambda k, x: x.field(28, 8), "a word has 32"),
        (lambda k, x: x + 1.5, "operands are registers and integers"),
        (lambda k, x: x.get("u32"), "use u8 s8 u16 s16 w"),
        (lambda k, x: x.put("s8", x), "use u8 u16 w"),
        (lambda k, x: k.goto("nowhere"), "f has no label nowhere"),
        (lambda k, x: x + Kernel("g", "", ("y",), k.machine).arguments[0], "of another kernel"),
        (lambda k, x: Record(k, x, ("units",)).inptu, "its fields are units"),
    ],
)
def test_mistakes_are_refused(write, message):
    k = Kernel("f", "", ("x",), InterpretedMachine())
    with pytest.raises((AttributeError, TypeError, ValueError), match=message):
        write(k, k.arguments[0])
        k.finish()
