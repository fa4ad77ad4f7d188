# Rules for assembler kernels: generated files are up to date, parameters have the same places
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import pytest
from rules.sources import KERNEL_FILES, REPOSITORY, consts

sys.path.insert(0, str(REPOSITORY / "tools" / "asm"))


import elementwise
import lanes
import make
import plane
from thumb import R0, R8, Thumb

# Prefix of the constants for a parameter block: its words, and the number of the first.
_BLOCKS = {
    "conv_lanes": {"_G_": (lanes.GATHER, 0), "_M_": (lanes.MULTIPLY, 16)},
    "fully_connected_lanes": {"_G_": (lanes.GATHER, 0), "_M_": (lanes.MULTIPLY, 16)},
    "depthwise_conv_lanes": {"_P_": (plane.PARAMETERS, 0)},
    "add_table": {"_P_": (elementwise.ADD, 0)},
}


@pytest.mark.parametrize(("name", "text"), list(make.files()))
def test_generated_files_are_up_to_date(name, text):
    assert (make.KERNELS / name).read_text() == text, "run: python tools/asm/make.py"


@pytest.mark.parametrize("name", _BLOCKS)
def test_parameters_have_the_same_places(name):
    found = consts(KERNEL_FILES[f"armv6m/{name}"])
    for prefix, (words, first) in _BLOCKS[name].items():
        there = {n.removeprefix(prefix): v for n, v in found.items() if n.startswith(prefix)}
        assert there
        for word, place in there.items():
            assert place == words.index(word.lower()) + first, prefix + word


# The macros refuse what a Cortex-M0+ cannot do.
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
def test_macros_refuse(instruction):
    with pytest.raises(ValueError, match="no|not"):
        instruction(Thumb("f", "nothing"))
