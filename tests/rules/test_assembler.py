# Rules for assembler kernels: generated files are up to date
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import pytest
from rules.sources import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tools"))


from asm import make
from asm.encoders.thumb import R0, R8, Thumb


@pytest.mark.parametrize("target", make.TARGETS)
def test_generated_files_are_up_to_date(target):
    for path, contents in make.generated(target):
        assert path.read_bytes() == contents, f"{path} is old; run: make tables"


# The macros refuse instructions that a Cortex-M0+ lacks.
@pytest.mark.parametrize(
    "instruction",
    [
        lambda t: t.memory("ld", "w", R0, R8),
        lambda t: t.memory("ld", "w", R0, R0, 128),
        lambda t: t.memory("ld", "u8", R0, R0, 32),
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
