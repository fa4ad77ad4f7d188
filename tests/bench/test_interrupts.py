# Tests of machine code that is interrupted: a timer, and tasks that change, while models run
# MIT license; Copyright (c) 2026 the tflm authors

# MicroPython in qemu runs without interrupts. What begins them here (device/interrupts_*.S) is
# put into memory, and does at each what FreeRTOS does on a chip.

import subprocess
from pathlib import Path

import core_firmware
import numpy as np
import pytest
import qemu
import qemu_xtensa
import xtensa
from packed_cases import BUILD, emulated
from support.oracle import shared_oracle
from tflm_tools.board import profiles
from tflm_tools.check.cases import make_cases
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.arrays import to_bytes
from tflm_tools.model.model_file import open_model
from tflm_tools.packages import mpy_compiler
from tflm_tools.packages.machine_code import listing
from tflm_tools.packages.machine_code.xtensa import Xtensa

_DEVICE = Path(__file__).resolve().parents[2] / "bench" / "device"
_FREE = {"QEMU_XTENSA": 0x60D00000, "QEMU_RV32": 0x81800000}  # memory that nothing else uses
# Timer ticks between interrupts; a tick is 25 instructions on Xtensa, 100 on RV32.
_OFTEN = {"QEMU_XTENSA": 29, "QEMU_RV32": 7}
_LOSES_SUMS = 1 << 16  # interrupts that do not save the accumulator of MAC16

pytestmark = pytest.mark.skipif(
    not all(map(qemu.is_there, _FREE)),
    reason="there is no stock firmware; `make -C tests asm` builds it",
)

# Runs a model between begin() and end() of the interrupts; prints its output, and how many came.
_SCRIPT = """
import tflm
from call import call
interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
interpreter.allocate_tensors()
interpreter.invoke()
with open("/rom/inputs", "rb") as file:
    file.readinto(interpreter.input(0).kept.raw)
call({address}, {argument})
interpreter.invoke()
count = call({address} + 4, 0)
print(bytes(interpreter.output(0).kept.raw).hex(), count)
"""


# A function that calls the machine code at an address with one argument.
def _call(arch):
    if arch == "rv32imc":
        lines = [("aa82", "mv t0, a0"), ("2e85", "mv a0, a1"), ("8282", "jr t0")]
        lines = [(bytes.fromhex(code), text) for code, text in lines]
    else:
        t = Xtensa()
        t.entry(32)
        t.mov("a10", "a3")
        t.callx8("a2")
        t.mov("a2", "a10")
        t.retw()
        lines = [(code, text) for _, code, text in t.lines()]
    source = "import micropython\n\n\n@micropython.viper\n"
    source += "def call(address: int, argument: int) -> int:\n"
    return mpy_compiler.compile_text(
        source + listing.lines(lines) + "    return 0\n", "call.py", arch
    )


# Assemble device/interrupts_<arch>.S for an address.
def _interrupts(arch, address, folder):
    if arch == "rv32imc":
        prefix, options = "riscv64-unknown-elf-", ["-march=rv32imac", "-misa-spec=2.2"]
        options, variables = [*options, "-mabi=ilp32"], {}
    else:
        variables = xtensa.prepare(core_firmware.TOOLCHAIN)
        prefix, options = "xtensa-lx106-elf-", ["-mabi=windowed", "-mtext-section-literals"]
        options += ["-Wl,--no-relax", f"-I{variables['XTENSA_CONFIG']}"]
    values = {**core_firmware.toolchain.environment(), **variables}
    elf, out = folder / "interrupts.elf", folder / "interrupts.bin"
    source = _DEVICE / f"interrupts_{arch}.S"
    for command in (
        [f"{prefix}gcc", *options, "-nostdlib", f"-Wl,-Ttext={address:#x}", "-o", elf, source],
        [f"{prefix}objcopy", "-O", "binary", elf, out],
    ):
        subprocess.run(command, check=True, env=values)
    return out.read_bytes()


@pytest.fixture(scope="module", params=[*_FREE])
def chip(request, tmp_path_factory):
    """(board, arch, the interrupts' machine code)."""
    board, arch = request.param, profiles.named(request.param).arch
    return board, arch, _interrupts(arch, _FREE[board], tmp_path_factory.mktemp("interrupts"))


# (outputs, TFLM's, interrupts) of a model that was interrupted so often.
def _interrupted(chip, path, target, argument):
    board, arch, code = chip
    data = path.read_bytes()
    flat = flatten(data, target=target)
    model = open_model(path, flat)
    arrays = make_cases(model.inputs, 1, 1)[0].inputs
    files = emulated.modules(BUILD, emulated.ARCHS["rv32-stock"]) if arch == "rv32imc" else (
        qemu_xtensa.modules(BUILD, mac16=target == "mac16")
    )  # fmt: skip
    sent = b"".join(map(to_bytes, arrays, model.inputs))
    files = {**files, "call.mpy": _call(arch), "model.tflm": flat, "inputs": sent}
    script = _SCRIPT.format(address=_FREE[board], argument=argument)
    memory = {_FREE[board]: code}
    output, count = qemu.run(board, qemu.elf(board), files, script, memory=memory).split()
    wanted = shared_oracle().run(data, [arrays], False)[0][0]
    return bytes.fromhex(output), np.ascontiguousarray(wanted).tobytes(), int(count)


# Pads, strides, filters of 3x3 and of one pixel, pools, ADD, FULLY_CONNECTED, SOFTMAX.
@pytest.mark.parametrize(
    ("name", "least"), [("digits_int8", 300), ("mlperf_resnet8_int8", 20_000)]
)
def test_outputs_are_exact(chip, name, least, repository, shared_models):
    found = [*repository.glob(f"models/*/{name}.tflite"), *shared_models.glob(f"{name}.tflite")]
    board, arch, _ = chip
    for target in ("rv32imc",) if arch == "rv32imc" else ("xtensawin", "mac16"):
        output, wanted, count = _interrupted(chip, found[0], target, _OFTEN[board])
        assert output == wanted
        assert count > least


# These would have been found.
def test_interrupts_that_lose_sums(chip, repository):
    board, arch, _ = chip
    if arch == "rv32imc":
        pytest.skip("RV32 has no accumulator")
    path = repository / "models" / "digits" / "digits_int8.tflite"
    output, wanted, _ = _interrupted(chip, path, "mac16", _OFTEN[board] | _LOSES_SUMS)
    assert output != wanted
