# Runs assembler functions for RV32 from their sources, and checks each memory access
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import re

from fuzz.kernel_tracer import Endless, Machine

_WORD = 0xFFFFFFFF
_STACK, _STACK_BYTES = 0x70000000, 1024
_MAX_INSTRUCTIONS = 3_000_000  # of one call
_MEMORY = re.compile(r"(-?\d+)\((\w+)\)")
_BYTES = {"b": 1, "h": 2, "w": 4}


def _signed(value):
    return value - (1 << 32) if value >> 31 else value


# What an instruction computes of two registers, or of a register and a number.
_COMPUTED = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "sll": lambda x, y: x << (y & 31),
    "srl": lambda x, y: x >> (y & 31),
    "sra": lambda x, y: _signed(x) >> (y & 31),
    "sltu": lambda x, y: x < y,
    "mul": lambda x, y: x * y,
    "mulh": lambda x, y: _signed(x) * _signed(y) >> 32,
    "mulhu": lambda x, y: x * y >> 32,
    "divu": lambda x, y: x // y if y else _WORD,
    "remu": lambda x, y: x % y if y else x,
}
_TAKEN = {
    "beq": lambda x, y: x == y,
    "bne": lambda x, y: x != y,
    "blt": lambda x, y: _signed(x) < _signed(y),
    "bge": lambda x, y: _signed(x) >= _signed(y),
    "bltu": lambda x, y: x < y,
    "bgeu": lambda x, y: x >= y,
}


class Function:
    """A function of a file of kernels/rv32imc/gen; addresses of code are line numbers.

    read(address, size) returns a number, write(address, size, value) stores one.
    """

    def __init__(self, node, read, write):
        calls = [each.value for each in node.body]
        lines = [(each.func.id.rstrip("_"), [*map(ast.unparse, each.args)]) for each in calls]
        labels = {args[0]: i for i, (name, args) in enumerate(lines) if name == "label"}
        self._read, self._write = read, write
        self._lines = [(n, [labels.get(arg, arg) for arg in args]) for n, args in lines]
        self._arguments = len(node.args.args)

    def __call__(self, *arguments):
        """Return the number in a0."""
        registers = {"zero": 0, "sp": _STACK + _STACK_BYTES}
        registers |= {f"a{i}": int(x) & _WORD for i, x in enumerate(arguments[: self._arguments])}
        registers |= {name: 0xDEADBEEF for name in ("ra", *(f"s{i}" for i in range(12)))}
        saved = {name: registers[name] for name in registers if name[0] in "rs"}
        self._stack = bytearray(_STACK_BYTES)
        self._registers = registers
        at = count = 0
        while at < len(self._lines):
            at = self._step(at + 1, *self._lines[at])
            registers["zero"] = 0
            count += 1
            if count > _MAX_INSTRUCTIONS:
                raise Endless
        assert all(registers[name] == value for name, value in saved.items())
        return _signed(registers["a0"])

    # Run an instruction and return the address of the next one; `after` follows this one.
    def _step(self, after, name, args):
        r = self._registers
        if name in _TAKEN:
            return args[2] if _TAKEN[name](r[args[0]], r[args[1]]) else after
        if name == "jal":
            r[args[0]] = after
            return args[1]
        if name == "li":
            r[args[0]] = int(args[1]) & _WORD
        elif name == "mv":
            r[args[0]] = r[args[1]]
        elif name in _COMPUTED:
            r[args[0]] = int(_COMPUTED[name](r[args[1]], r[args[2]])) & _WORD
        elif name.removesuffix("i") in _COMPUTED:
            number = int(args[2]) & _WORD
            r[args[0]] = int(_COMPUTED[name.removesuffix("i")](r[args[1]], number)) & _WORD
        elif name != "label":
            self._access(name, *args)
        return after

    # A load or store, such as lbu or sw.
    def _access(self, name, register, operand):
        offset, base = _MEMORY.fullmatch(operand).groups()
        address = self._registers[base] + int(offset) & _WORD
        size = _BYTES[name[1]]
        assert not address % size
        at = address - _STACK
        is_stack = 0 <= at < _STACK_BYTES
        if name[0] == "s":
            value = self._registers[register] & (1 << 8 * size) - 1
            if is_stack:
                self._stack[at : at + size] = value.to_bytes(size, "little")
            else:
                self._write(address, size, value)
            return
        if is_stack:
            value = int.from_bytes(self._stack[at : at + size], "little")
        else:
            value = self._read(address, size)
        if not name.endswith("u") and value >> 8 * size - 1:
            value -= 1 << 8 * size
        self._registers[register] = value & _WORD


class Rv32Machine(Machine):
    """Overrides of kernels/rv32imc in CPython, whose inner functions are their assembler.

    run("rv32imc/FILE.FUNCTION", ...) raises Outside for an access beyond the checked memory.
    """

    def __init__(self):
        super().__init__(32)
        self.calls = 0

    def _file(self, name):
        is_assembler = name.endswith("_asm") and "/" not in name
        return super()._file(f"rv32imc/{name}" if is_assembler else name)

    def compiled(self, text):
        """Return the names that a kernel file defines; its assembler runs from its source."""
        tree = ast.parse(text)
        functions = [node for node in tree.body if "asm_rv32" in ast.dump(node)]
        tree.body = [node for node in tree.body if node not in functions]
        names = super().compiled(ast.unparse(tree))
        names.update({node.name: self._counted(node) for node in functions})
        return names

    def _counted(self, node):
        function = Function(node, self._load, self._store)

        def run(*arguments):
            self.calls += 1
            return function(*arguments)

        return run

    def _load(self, address, size):
        data, at = self.locate(address, size, False)
        return int.from_bytes(data[at : at + size], "little")

    def _store(self, address, size, value):
        data, at = self.locate(address, size, True)
        data[at : at + size] = value.to_bytes(size, "little")
