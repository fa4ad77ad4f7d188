# Tests of the kernel language: every machine computes what the interpreter computes
# MIT license; Copyright (c) 2026 the tflm authors

import pytest

pytest.importorskip("unicorn", reason="the measuring bench needs the extra `cycles`")

import numpy as np
from language_programs import CORES, MEMORY, WORDS, machine_code, random_program, run_on

from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.machines import MACHINES

_PROGRAMS = 12  # for each machine
_FIRST = 142  # seed of the first one


def _memory(seed):
    random = np.random.default_rng(seed)
    words = random.integers(0, 1 << 32, WORDS, np.uint64).astype("<u4")
    words[::3] = random.integers(0, 300, words[::3].size)
    return words.tobytes()


def _interpreted(seed, machine, memory):
    kernel = random_program(np.random.default_rng(seed), InterpretedMachine(machine))
    data = bytearray(memory)
    return run(kernel, Memory({"memory": (MEMORY, data, True)}), MEMORY), bytes(data)


@pytest.mark.parametrize("arch", MACHINES)
def test_machine_agrees_with_interpreter(arch):
    seeds = range(_FIRST, _FIRST + _PROGRAMS)
    texts = []
    for seed in seeds:
        machine = MACHINES[arch]()
        texts.append(machine.compile(random_program(np.random.default_rng(seed), machine)))
    memories = [_memory(seed) for seed in seeds]
    found = run_on(arch, [machine_code(text, arch) for text in texts], memories)
    wanted = [
        _interpreted(seed, MACHINES[arch], memory)
        for seed, memory in zip(seeds, memories, strict=True)
    ]
    for seed, got, expected in zip(seeds, found, wanted, strict=True):
        assert got == expected, f"program {seed}"


def test_every_machine_has_a_core():
    assert set(MACHINES) == set(CORES)
