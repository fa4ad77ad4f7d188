# Rules for RV32 kernels and the portable kernels: indices of parameters
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import pytest
from rules.sources import KERNEL_FILES, REPOSITORY, consts

sys.path.insert(0, str(REPOSITORY / "tools"))


from asm.encoders.rv32 import Rv32
from asm.kernels.parameters import DEPTHWISE, GATHER, MULTIPLY

# {kernel file: {prefix of its constants: (words of the parameter block, index of the first)}}.
_BLOCKS = {
    "conv_blocks": {"_G_": (GATHER, 0), "_M_": (MULTIPLY, 16)},
    "fully_connected_groups": {"_G_": (GATHER, 0), "_M_": (MULTIPLY, 16)},
    "depthwise_bands": {"_P_": (DEPTHWISE, 0)},
    "lanes": {"_": (GATHER, 0)},
    "lanes_multiply": {"_": (MULTIPLY, 0)},
    "depthwise_plane": {"_": (DEPTHWISE, 0)},
    "depthwise_rows": {"_": (DEPTHWISE, 0)},
}


@pytest.mark.parametrize("name", _BLOCKS)
def test_indices_of_parameters(name):
    found = consts(KERNEL_FILES[name])
    for prefix, (words, first) in _BLOCKS[name].items():
        there = {n.removeprefix(prefix): v for n, v in found.items() if n.startswith(prefix)}
        assert there
        for word, index in there.items():
            assert index == words.index(word.lower()) + first, prefix + word


# The macros refuse instructions that cannot be encoded, or that the assembler would change.
@pytest.mark.parametrize(
    "instruction",
    [
        lambda t: t.memory("lw", "a0", "a1", 2048),
        lambda t: t.number("addi", "a0", "a0", -2049),
        lambda t: t.number("slli", "a0", "a0", 32),
        lambda t: t.three("mul", "a0", "a0", 3),
        lambda t: t.three("mul", "a0", "a0", "r3"),
        lambda t: t.mv("a0", "zero"),
        lambda t: t.li("a0", 1 << 31),
        lambda t: t.branch("bgt", "a0", "a1", "there"),
    ],
)
def test_macros_refuse_invalid_instructions(instruction):
    with pytest.raises(ValueError, match="not an instruction"):
        instruction(Rv32("f", "nothing", 1))
