# Tests of machine_code: .mpy files read and written again, kinds of all that is shipped
# MIT license; Copyright (c) 2026 the tflm authors

import subprocess
import sys

import pytest
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten
from tflm_tools.packages import dist, machine_code, parts
from tflm_tools.packages.machine_code import listing
from tflm_tools.packages.machine_code.mpy_file import ASM, BYTECODE, VIPER, MpyFile
from tflm_tools.targets import ARCHS

_STUBS = """\
import micropython

def plain(a):
    return a + 1

@micropython.viper
def coded(a: int, b: int) -> int:
    #: 0545 li a0, 1
    #: 8280 ret
    raise NotImplementedError

@micropython.viper
def compiled(a: int) -> int:
    return a + 2
"""


# What mpy-cross alone makes of a source.
def carrier(source, arch, tmp_path):
    path, out = tmp_path / "carrier.py", tmp_path / "carrier.mpy"
    path.write_text(source)
    command = [sys.executable, "-m", "mpy_cross", f"-march={arch}", "-o", out, path]
    subprocess.run(command, check=True)
    return out.read_bytes()


# Everything that `make dist` and `tflm deploy` send to a board with this arch: a file that one of
# them sends is among these.
def shipped(arch):
    return parts.compiled(dist.package_files("all", arch, ARCHS[arch].assembler), arch)


# What who has a CNN installs with mip; docs/how-to/deploy.md tells. A Pico is where bytes are few.
@pytest.mark.parametrize(
    ("arch", "most"),
    [("armv6m", 150_000), ("armv7emsp", 160_000), ("rv32imc", 160_000), ("xtensawin", 160_000)],
)
def test_the_package_of_a_cnn_is_small(arch, most):
    assert sum(map(len, dist.package_data(arch, ["cnn"]).values())) <= most


# Models that are convolutions, pools and dense layers, each for its targets.
@pytest.mark.parametrize("name", ["digits", "kws", "resnet8"])
def test_the_package_of_a_cnn_runs_it(name, repository):
    folders = (repository / "models", repository.parent / "shared" / "models")
    found = [path for folder in folders for path in folder.rglob(f"*{name}_int8.tflite")]
    if not found:
        pytest.skip(f"there is no model of {name} here")
    for arch, target in (("armv6m", "armv6m"), ("xtensawin", "xtensawin"), ("rv32imc", None)):
        flat = flatten(found[0].read_bytes(), target=target, optimize="off")
        package = dist.package_files("cnn", arch, ARCHS[arch].assembler)
        assert set(parts.files_for(flat, arch)) <= set(package)


@pytest.mark.parametrize("arch", machine_code.ARCHS)
def test_kinds_of_all_that_is_shipped(arch):
    files = shipped(arch)
    assert any(name.startswith(f"tflm/kernels/{arch}/") for name in files)
    for name, data in files.items():
        kinds = {function.kind for function in MpyFile(data).module.functions()}
        assert ASM not in kinds, name
        if name.endswith("_asm.mpy"):
            assert kinds == {VIPER}, name


@pytest.mark.parametrize("arch", ["armv6m", "rv32imc", "xtensawin", "x64"])
def test_a_file_is_written_as_it_was(arch):
    for data in shipped(arch).values():
        assert MpyFile(data).data() == data


@pytest.mark.parametrize("arch", machine_code.ARCHS)
def test_stubs(arch, tmp_path):
    data = carrier(_STUBS, arch, tmp_path)
    before = MpyFile(data).module.children
    after = MpyFile(machine_code.convert(data, _STUBS, arch)).module.children
    assert [code.kind for code in after] == [BYTECODE, VIPER, VIPER]
    assert after[0] == before[0] and after[2] == before[2]
    assert after[1].data.endswith(bytes.fromhex("05458280")) and after[1].numbers == [0]


def test_what_has_no_machine_code_stays(tmp_path):
    source = "def f():\n    return [x for x in 'abc']\n"
    data = carrier(source, "rv32imc", tmp_path)
    assert machine_code.convert(data, source, "rv32imc") == data


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (_STUBS + "\nx = lambda: 1\n", "line 16 has a class, a lambda"),
        (_STUBS.replace("@micropython.viper\ndef coded", "def coded"), "and is bytecode"),
        (
            "@micropython.asm_rv32\ndef f(a0) -> uint:\n    li(a0, 1)\n",
            "has types; leave them out",
        ),
    ],
)
def test_refused(source, words, tmp_path):
    data = carrier(source, "rv32imc", tmp_path)
    with pytest.raises(ToolError, match=words):
        machine_code.convert(data, source, "rv32imc")


def test_another_source(tmp_path):
    data = carrier(_STUBS, "rv32imc", tmp_path)
    with pytest.raises(ToolError, match="the source has 4 functions, the .mpy 3"):
        machine_code.convert(data, _STUBS + "\ndef more():\n    pass\n", "rv32imc")


# Forged and damaged files: each is refused in one sentence, or is a .mpy still.
def test_damaged_files(tmp_path):
    data = carrier(_STUBS, "rv32imc", tmp_path)
    for size in range(len(data)):
        with pytest.raises(ToolError):
            MpyFile(data[:size])
    with pytest.raises(ToolError, match="too many"):
        MpyFile(data + b"\0")
    with pytest.raises(ToolError, match="no .mpy of version 6"):
        MpyFile(b"M\x05" + data[2:])


def test_lines_are_read_as_written():
    made = listing.lines([(b"\x36\x61\x00", "entry a1, 48"), (b"\x1d\xf0", "retw.n")])
    source = f"def f(a, b):\n{made}    raise NotImplementedError\n"
    assert listing.functions(source) == [("f", 2, bytes.fromhex("3661001df0"))]


def test_in_the_place_of_mpy_cross(tmp_path):
    path, out = tmp_path / "stubs.py", tmp_path / "stubs.mpy"
    path.write_text(_STUBS)
    command = [sys.executable, "-m", "tflm_tools.packages.machine_code", "-march=rv32imc"]
    subprocess.run([*command, "-o", out, path], check=True)
    raw = carrier(_STUBS, "rv32imc", tmp_path)
    assert len(MpyFile(out.read_bytes()).module.children[1].data) != len(
        MpyFile(raw).module.children[1].data
    )
    path.write_text(_STUBS + "x = [y for y in ()]\n")
    failed = subprocess.run([*command, "-o", out, path], capture_output=True, text=True)
    assert failed.returncode == 1 and failed.stderr.startswith("machine_code: line 15 has")
