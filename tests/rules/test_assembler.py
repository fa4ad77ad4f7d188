# Rules for assembler kernels: generated files are up to date; parameter blocks
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import pytest
from rules.sources import KERNEL_FILES, REPOSITORY, consts

sys.path.insert(0, str(REPOSITORY / "tools"))


from asm import make
from asm.common.parameters import GATHER, MULTIPLY
from asm.common.thumb import R0, R8, Thumb

# {kernel file: {prefix of its constants: (words of the parameter block, index of the first)}}.
_BLOCKS = {
    "conv_blocks": {"_G_": (GATHER, 0), "_M_": (MULTIPLY, 16)},
    "fully_connected_groups": {"_G_": (GATHER, 0), "_M_": (MULTIPLY, 16)},
}


@pytest.mark.parametrize("target", make.TARGETS)
def test_generated_files_are_up_to_date(target):
    for path, contents in make.generated(target):
        assert path.read_bytes() == contents, f"{path} is old; run: make tables"


@pytest.mark.parametrize("name", _BLOCKS)
def test_indices_of_parameters(name):
    found = consts(KERNEL_FILES[name])
    for prefix, (words, first) in _BLOCKS[name].items():
        there = {n.removeprefix(prefix): v for n, v in found.items() if n.startswith(prefix)}
        assert there
        for word, index in there.items():
            assert index == words.index(word.lower()) + first, prefix + word


# The macros refuse instructions that a Cortex-M0+ lacks.
@pytest.mark.parametrize(
    "instruction",
    [
        lambda t: t.ldr(R0, R8),
        lambda t: t.ldr(R0, R0, 128),
        lambda t: t.ldrb(R0, R0, 32),
        lambda t: t.ldm(R0, R0),
        lambda t: t.mov(R8, 1),
        lambda t: t.add(R0, 256),
        lambda t: t.mul(R0, R8),
        lambda t: t.shift("asr", R0, R8, 1),
    ],
)
def test_macros_refuse_invalid_instructions(instruction):
    with pytest.raises(ValueError, match="no|not"):
        instruction(Thumb("f", "nothing"))
