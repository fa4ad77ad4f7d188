# Rules for the DSP kernels: indices of parameters, offsets in records, codes of instructions
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import pytest
from rules.sources import KERNEL_FILES, REPOSITORY, consts

sys.path.insert(0, str(REPOSITORY / "tools"))


from asm.encoders.thumb import R0, R8, R12
from asm.encoders.thumb_dsp import ThumbDsp
from asm.kernels.conv_dsp import GATHER, MULTIPLY

# {kernel file: {prefix of its constants: (words of the parameter block, index of the first)}}.
_BLOCKS = {
    "conv_dsp": {"_G_": (GATHER, 0), "_M_": (MULTIPLY, 18)},
}


# All words of a block are set.
@pytest.mark.parametrize("name", _BLOCKS)
def test_indices_of_parameters(name):
    found = consts(KERNEL_FILES[f"armv7em/{name}"])
    for prefix, (words, first) in _BLOCKS[name].items():
        there = {n.removeprefix(prefix): v for n, v in found.items() if n.startswith(prefix)}
        assert there == {word.upper(): first + i for i, word in enumerate(words)}


# Return the code and the size of an instruction.
def _code(emit):
    t = ThumbDsp("f", "nothing")
    before = t.position()
    emit(t)
    return t._lines[-1].split("#")[0].strip(), t.position() - before


# Codes of the GNU assembler.
@pytest.mark.parametrize(
    ("emit", "code"),
    [
        (lambda t: t.smlad(R0, R8, R12, R0), "data(2, 0xFB28, 0x000C)"),
        (lambda t: t.smla("tb", R0, R8, R12), "data(2, 0xFB18, 0x002C)"),
        (lambda t: t.smla("bt", R0, R8, R12), "data(2, 0xFB18, 0x001C)"),
        (lambda t: t.smmulr(R0, R8, R12), "data(2, 0xFB58, 0xF01C)"),
        (lambda t: t.smmla(R0, R8, R12, R8), "data(2, 0xFB58, 0x800C)"),
        (lambda t: t.mla(R0, R8, R12, R8), "data(2, 0xFB08, 0x800C)"),
        (lambda t: t.sxtb16(R0, R8, 8), "data(2, 0xFA2F, 0xF098)"),
        (lambda t: t.sxtab16(R0, R8, R12, 8), "data(2, 0xFA28, 0xF09C)"),
        (lambda t: t.sadd16(R0, R8, R12), "data(2, 0xFA98, 0xF00C)"),
        (lambda t: t.pkhbt(R0, R8, R12), "data(2, 0xEAC8, 0x400C)"),
        (lambda t: t.ssat(R0, R8, 8), "data(2, 0xF308, 0x0007)"),
        (lambda t: t.asrs(R0, R8, R12), "data(2, 0xFA58, 0xF00C)"),
        (lambda t: t.add_wide(R0, R8, R12, "asr", 31, True), "data(2, 0xEB18, 0x70EC)"),
        (lambda t: t.adc_wide(R0, R8, R12), "data(2, 0xEB48, 0x000C)"),
        (lambda t: t.bfi(R0, R8, 24, 8), "data(2, 0xF368, 0x601F)"),
        (lambda t: t.words_next("ldm", R12, (R0, R8)), "data(2, 0xE8FC, 0x0802)"),
        (lambda t: t.ldrd(R0, R8, R12, 16), "data(2, 0xE9DC, 0x0804)"),
        (lambda t: t.ldr_next(R0, R8), "data(2, 0xF858, 0x0B04)"),
        (lambda t: t.number_of_12_bits("add", R8, R8, 16), "data(2, 0xF208, 0x0810)"),
        (lambda t: t.three("sub", R8, R8, 1), "data(2, 0xF1B8, 0x0801)"),
    ],
)
def test_encodings(emit, code):
    assert _code(emit) == (code, 4)


# The macros refuse instructions that cannot be encoded.
@pytest.mark.parametrize(
    "instruction",
    [
        lambda t: t.memory("ld", "w", R0, R8, 4096),
        lambda t: t.ldrd(R0, R8, R12, 1024),
        lambda t: t.ldr_next(R8, R8),
    ],
)
def test_macros_refuse_invalid_instructions(instruction):
    with pytest.raises(ValueError, match="not an instruction"):
        instruction(ThumbDsp("f", "nothing"))
