# Runs kernels in CPython and compares each memory access with the access check
# MIT license; Copyright (c) 2026 the tflm authors

import ast
from types import SimpleNamespace

from support.runner import REPOSITORY

KERNELS = REPOSITORY / "modules" / "tflm" / "kernels"
_MAX_TURNS = 300_000  # of all loops of one run, by default
RECORD, ARENA, ROM = 0x01000000, 0x02000000, 0x08000000  # addresses
_TABLES = 0x10000000  # address of the constants in kernel files
_TABLE_BYTES = 1 << 16
_POINTERS = ("ptr8", "ptr16", "ptr32")


class Outside(AssertionError):
    """A kernel accessed memory outside of its checked ranges, or at an odd address."""


class Endless(Exception):
    """A run has too many turns of loops."""


# The address that a kernel gets instead of a buffer.
class _Address:
    def __init__(self, value):
        self.value = value

    def __int__(self):
        return self.value


# Viper's ptr8, ptr16 and ptr32.
class _Pointer(_Address):
    def __init__(self, machine, value, size):
        super().__init__(machine.table(value) if isinstance(value, bytes) else int(value))
        self.machine, self.size = machine, size

    def __getitem__(self, i):
        data, at = self.machine.locate(self.value + i * self.size, self.size, False)
        signed = self.size == 4 and self.machine.bits == 32
        return int.from_bytes(data[at : at + self.size], "little", signed=signed)

    def __setitem__(self, i, value):
        data, at = self.machine.locate(self.value + i * self.size, self.size, True)
        mask = (1 << 8 * self.size) - 1
        data[at : at + self.size] = (int(value) & mask).to_bytes(self.size, "little")


# Applies viper's rules to the syntax tree of a kernel: words wrap around, parameters become
# pointers, and loops are counted.
class _Rules(ast.NodeTransformer):
    def __init__(self, imported):
        self.imported = imported

    def visit_BinOp(self, node):
        self.generic_visit(node)
        name = type(node.op).__name__
        if name in ("LShift", "RShift"):
            return _call("_shift", node.left, node.right, ast.Constant(name == "LShift"))
        return _call("_word", node)

    def visit_AugAssign(self, node):
        before = ast.parse(ast.unparse(node.target), mode="eval").body
        return self.visit(ast.Assign([node.target], ast.BinOp(before, node.op, node.value)))

    def visit_While(self, node):
        self.generic_visit(node)
        node.test = ast.BoolOp(ast.And(), [_call("_turn"), node.test])
        return node

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.decorator_list = []
        node.returns = None
        for argument in node.args.args:
            kind = getattr(argument.annotation, "id", "")
            argument.annotation = None
            if kind in _POINTERS:
                value = _call(kind, ast.Name(argument.arg, ast.Load()))
                node.body.insert(0, ast.Assign([ast.Name(argument.arg, ast.Store())], value))
        return node

    # An override imports portable kernels from a folder above, and code from gen/.
    def visit_ImportFrom(self, node):
        node.module = (node.module or "").removeprefix("gen.")
        if node.level == 1 or node.level and (KERNELS / f"{node.module}.py").exists():
            self.imported += [(node.module, each.name, each.asname) for each in node.names]
        elif node.level:
            node.module, node.level = f"tflm.{node.module}", 0
            return node
        return None

    def visit_Import(self, node):
        return None


def _call(name, *arguments):
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


class Machine:
    """Memory and words of `bits` bits, in which kernels run from their sources.

    max_turns: of all loops of one run.
    """

    def __init__(self, bits, max_turns=_MAX_TURNS):
        self.bits = bits
        self._max_turns = max_turns
        self._files = {}
        self._tables = []

    # Wrap a result around to a signed word.
    def _word(self, value):
        value = int(value) & (1 << self.bits) - 1
        return value - (1 << self.bits) if value >> self.bits - 1 else value

    # Shift as x64 and ARM do.
    def _shift(self, value, count, left):
        count &= 63 if self.bits == 64 else 255
        return self._word(value << count if left else value >> count)

    def _turn(self):
        self._turns += 1
        if self._turns > self._max_turns:
            raise Endless
        return True

    def table(self, data):
        """Return the address of a constant of type bytes in a kernel file."""
        for base, known, *_ in self._tables:
            if known == data:
                return base
        base = _TABLES + len(self._tables) * _TABLE_BYTES
        self._tables.append((base, data, 0, len(data), False))
        return base

    def locate(self, address, size, write):
        """Return (buffer, offset) of an address; raises Outside."""
        for base, data, start, stop, writable in self._ranges + self._tables:
            at = address - base
            if start <= at and at + size <= stop and not at % size and (writable or not write):
                return data, at
        raise Outside(f"{'write' if write else 'read'} of {size} bytes at {address:#x}")

    # Return the names that a kernel file defines.
    def _file(self, name):
        if name not in self._files:
            path = KERNELS / f"{name}.py"
            if not path.exists():
                path = path.parent / "gen" / path.name
            self._files[name] = self.compiled(path.read_text())
        return self._files[name]

    def compiled(self, text):
        """Return the names that the text of a file in kernels/ defines."""
        imported = []
        tree = _Rules(imported).visit(ast.parse(text))
        names = {
            "const": lambda value: value,
            "micropython": SimpleNamespace(),
            "sys": SimpleNamespace(modules={}),
            "uint": lambda value: int(value) & (1 << self.bits) - 1,
            "_word": self._word,
            "_shift": self._shift,
            "_turn": self._turn,
        }
        for size in (8, 16, 32):
            names[f"ptr{size}"] = lambda x, size=size // 8: _Pointer(self, x, size)
        for module, wanted, alias in imported:
            names[alias or wanted] = self._file(module)[wanted]
        exec(compile(ast.fix_missing_locations(tree), "kernel", "exec"), names)
        return names

    def run(self, kernel, record, arena, rom, meanwhile=None):
        """Run all units of a Record that was checked, in two slices.

        `meanwhile`: contents of the arena before the second slice, as if another task had written
        it. Raises Outside for an access beyond `record.ranges`, Endless if a loop does not end.
        """
        data = record.table(0, record.words)
        self._turns = 0
        self._ranges = [(RECORD, data, 0, len(data), False)]
        for operand, (start, stop) in record.ranges.items():
            if record[operand] & 1:
                self._ranges.append((ROM, rom, start, stop, False))
            else:
                self._ranges.append((ARENA, arena, start, stop, True))
        arguments = [_Address(base) for base in (RECORD, ARENA, ROM)]
        name, function = kernel.split(".")
        names = self._file(name)
        half = record.units // 2
        for start, stop in ((0, half), (half, record.units)):
            if start < stop:
                names[function](*arguments, start, stop)
            if meanwhile is not None:
                arena[:] = meanwhile
