# Tests of the machine code of functions that are no kernels, on emulated cores, with random memory
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest

pytest.importorskip("unicorn", reason="the measuring bench needs the extra `cycles`")

from language_programs import MEMORY, machine_code, run_on

from tools.asm import compiled
from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.machines import MACHINES
from tools.asm.language.viper import translate_function

_WORK, _A, _B, _C, _BYTES = 0x1000, 0x4000, 0x5000, 0x6000, 0x8000  # offsets in the memory
_WORDS = 512  # of the work memory that are filled
_PAIRS = 32


# Return the table of an FFT: indices, which are multiples of 2 below 2 * _PAIRS, and twiddles.
def _table(_):
    from tflm.features.tables import fft_table

    return np.array(fft_table(2 * _PAIRS), np.uint16)


# Bits of powers of float32, 0 or more.
def _powers(random):
    values = random.uniform(0, 1, _WORDS) * 2.0 ** random.integers(-60, 60, _WORDS)
    values[::7] = 0
    return values.astype(np.float32).view(np.int32)


def _numbers(bits):
    def numbers(random):
        values = random.integers(-(1 << bits), 1 << bits, _WORDS)
        values[::5] >>= 12
        values[:4] = (1 << bits) - 1, -(1 << bits) + 1, 0, 1
        return values.astype(np.int32)

    return numbers


def _positive(random):
    return np.abs(_numbers(30)(random))


def _halves(random):
    return random.integers(-32768, 32768, 1024).astype(np.int16)


def _edges(begin, mirrors):
    return lambda random: np.array([begin, 290, mirrors, 300], np.int32)


def _ranges(random):
    return np.array([[5 * i, i] for i in range(16)], np.uint16)


def _weights(random):
    return random.integers(0, 2048, 1024).astype(np.uint16)


def _filters(random):
    rows = [[random.integers(32768, 65536), random.integers(-60, 20),
             random.integers(-400000, 400000)] for _ in range(16)]  # fmt: skip
    return np.array(rows, np.int32)


def _logs(random):
    return (np.log(1 + np.arange(65) / 64) * 32768 + 0.5).astype(np.uint16)


def _quantization(random):
    return np.array([100, 20000, 17, -5, 8, 1, -300], np.int32)


_W, _P, _Q, _R = (MEMORY + at for at in (_WORK, _A, _B, _C))
# (function, arguments, {offset: function that fills the memory there})
_CASES = [
    ("features/fft._load_pairs", (_W, 0, 60, 128, _PAIRS, _P), {_WORK: _numbers(28), _A: _table}),
    ("features/fft._run_stages", (_W, 128, _PAIRS, _P), {_WORK: _numbers(28), _A: _table}),
    ("features/fft.power", (_W, 128, _PAIRS, _P, 0, 156, 0), {_WORK: _numbers(28), _A: _table}),
    ("features/fft.power", (_W, 128, _PAIRS, _P, 0, 90, 1), {_WORK: _numbers(20), _A: _table}),
    ("speech/mel.add_squares", (_P, 1000, -70, _W), {_A: _halves}),
    ("speech/mel.add_up", (_P, 1000), {_A: _halves}),
    ("speech/mel.align", (_W, 3, 300), {_WORK: _powers}),
    ("speech/mel.filter_mels", (_W, 400, 0, _P, _Q, 16),
     {_WORK: _positive, _A: _ranges, _B: _weights}),
    *(("speech/mel.load_frame", (_W, 0, _P, first, _Q, _R, 100),
       {_A: _halves, _B: _edges(begin, mirrors), _C: _weights})
      for begin, mirrors in ((0, 0), (270, 1), (299, 0)) for first in (-20, 0, 150, 250)),
    *(("speech/mel.log_mels", (_P, 32, _W, 0, _Q, exponent, _R, 16),
       {_WORK: _positive, _B: _filters, _C: _logs}) for exponent in (-100, -20, 30)),
    ("speech/mel.quantize", (_W, _P, 3, 8, 16, _Q), {_A: _halves, _B: _quantization}),
]  # fmt: skip


def test_all_functions_have_cases():
    found = {f"{file}.{name}" for arch in MACHINES
             for file, names in compiled.functions(arch, compiled.FUNCTIONS).items()
             for name in names}  # fmt: skip
    assert found == {case[0] for case in _CASES}


@pytest.mark.parametrize("number", range(len(_CASES)))
def test_machine_code_is_the_viper_function(number):
    function, arguments, contents = _CASES[number]
    file, name = function.split(".")
    random = np.random.default_rng(number)
    memory = bytearray(_BYTES)
    memory[: 4 * len(arguments)] = np.array(arguments, np.int32).tobytes()
    for at, fill in contents.items():
        data = np.ascontiguousarray(fill(random)).tobytes()
        memory[at : at + len(data)] = data
    wanted = bytearray(memory)
    kernel = translate_function(compiled._PACKAGE / f"{file}.py", name, InterpretedMachine())
    result = run(kernel, Memory({"memory": (MEMORY, wanted, True)}), MEMORY)
    assert wanted != memory or result
    for arch, machine in MACHINES.items():
        if name not in compiled.functions(arch, compiled.FUNCTIONS).get(file, ()):
            continue
        target = machine()
        text = target.compile(compiled.function_of(file, name, target))
        [(found, after)] = run_on(arch, [machine_code(text, arch)], [bytes(memory)])
        assert after == wanted, arch
        assert found & 0xFFFFFFFF == result & 0xFFFFFFFF, arch
