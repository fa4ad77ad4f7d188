# docs/develop/write-a-kernel.md in practice: a copy gets an operator and an instruction set
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rules.sources import REPOSITORY
from tflm_tools.port import unix_port

_NEW = Path(__file__).parent / "new_operator"
_NEW_ARCH = Path(__file__).parent / "new_instruction_set"
_NAME = "mirror_bits"
_SKIPPED = shutil.ignore_patterns("__pycache__", "test_*.py", "new_*", "models", "beyond")

# In the copy: a mip package with the operator's files, and a model as .tflm or .tflite.
_BUNDLE = """
import sys
from pathlib import Path
from kernels.test_mirror_bits import model
from tflm_tools.flat.flatten import flatten
from tflm_tools.packages import dist, mpy_compiler, runtime_files

folder, package, file_format = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
data = model((2, 3, 5))
(folder / "model").write_bytes(flatten(data) if file_format == "flat" else data)
files = dist.package_files(package, "x64", True)
for name in ("kernels/x64/mirror_bits", "access_checks/mirror_bits"):
    assert name in files, name
assert ("kernels/mirror_bits" in files) == (package == "all")  # the override replaces it
assert set(runtime_files.files_for(flatten(data), "x64")) <= set(files)
for name, data in mpy_compiler.compile_runtime_files(files, "x64").items():
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
"""
# In MicroPython, with only this package.
_RUN = """
import sys
folder = sys.argv[1]
sys.path[:] = [folder, ".frozen"]
import tflm
interp = tflm.Interpreter(folder + "/model")
interp.input(0).data[:] = bytes(range(100, 130))
interp.invoke()
assert bytes(interp.output(0).data) == bytes([x ^ 255 for x in range(100, 130)])
loaded = [name for name in sys.modules if "kernels" in name and "mirror_bits" in name]
assert loaded == ["tflm.kernels.x64.mirror_bits"], loaded
print("equal")
"""
# In MicroPython: another input shape than in the file.
_RESIZE = """
import sys
folder = sys.argv[1]
sys.path[:] = [folder, ".frozen"]
import tflm
interp = tflm.Interpreter(folder + "/model")
interp.resize_input(0, (4, 3, 5))
interp.input(0).data[:] = bytes(60)
interp.invoke()
assert bytes(interp.output(0).data) == bytes([255] * 60)
print("equal")
"""
# In the copy: records with more elements than their tensors.
_FORGE = """
import struct
from fuzz.forgery import sealed
from kernels.test_mirror_bits import model
from tflm.errors import ModelError
from tflm.access_checks import check_model
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten

flat = flatten(model((2, 3, 5)))
check_model(FlatModel(flat))
refused = 0
for at in range(0, len(flat), 4):
    if flat[at : at + 4] == struct.pack("<I", 30):
        forged = bytearray(flat)
        struct.pack_into("<I", forged, at, 1 << 20)
        try:
            check_model(FlatModel(sealed(forged)))
        except ModelError as error:
            refused += "mirror_bits.eval_int8) would reach outside" in str(error)
print(refused)
"""


# In the copy: the files for a board with the new instruction set, with and without inline
# assembler.
_ARCH = """
from kernels.test_mirror_bits import model
from tflm_tools.flat.flatten import flatten
from tflm_tools.packages import mpy_compiler, runtime_files

flat = flatten(model((2, 3, 5)), target="xtensa")
files = runtime_files.files_for(flat, "xtensa")
assert {"kernels/xtensa/mirror_bits", "kernels/xtensa/gen/mirror_asm"} <= set(files), files
assert "kernels/mirror_bits" not in files
mpy_compiler.compile_runtime_files(files, "xtensa")
files = runtime_files.files_for(flat, "xtensa", assembler=False)
assert [name for name in files if "mirror" in name] == ["kernels/mirror_bits"], files
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the repository with the operator, added as write-a-kernel.md says."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("modules", "tools", "boards", "tests"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=_SKIPPED)
    for name in ("pyproject.toml", "Makefile"):
        shutil.copy(REPOSITORY / name, folder / name)
    for name in ("kernels", "kernel_files", "targets", "assembler"):
        path = Path("tests", "rules", f"test_{name}.py")
        shutil.copy(REPOSITORY / path, folder / path)
    shutil.copytree(_NEW, folder, dirs_exist_ok=True)
    table = folder / "modules" / "tflm" / "prepare" / "table.py"
    line = (folder / "table_line").read_text()
    code = int(line.split(":")[0])
    lines = table.read_text().splitlines(keepends=True)
    codes = [re.match(r" +(\d+): ", text) for text in lines]
    after = max(i for i, found in enumerate(codes) if found and int(found[1]) < code)
    table.write_text("".join([*lines[: after + 1], line, *lines[after + 1 :]]))
    old = run(folder, "tools/kernel_tables.py", "--check", code=1)
    assert "is old; run: make tables" in old.stderr
    run(folder, "tools/kernel_tables.py")
    return folder


# Run Python in the copy, with its files instead of the files of this repository.
def run(folder, *arguments, code=0):
    paths = [str(folder / name) for name in ("modules", "tools", "tests")]
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def test_new_operator_has_correct_results(copy):
    done = run(copy, "-m", "pytest", "tests/kernels/test_mirror_bits.py")
    assert "5 passed, 0 failed" in done.stdout


def test_new_operator_passes_the_rules(copy):
    run(copy, "tools/kernel_tables.py", "--check")
    tests = ("tests/rules/test_kernels.py", "tests/rules/test_kernel_files.py")
    done = run(copy, "-m", "pytest", *tests, "-k", f"{_NAME} or head")
    assert ", 0 failed" in done.stdout
    run(copy, "-m", "ruff", "check", "modules", "tests/kernels")


@pytest.mark.parametrize(("package", "file_format"), [("core", "flat"), ("all", "tflite")])
def test_new_operator_runs_from_a_mip_package(copy, tmp_path, package, file_format):
    run(copy, "-c", _BUNDLE, tmp_path, package, file_format)
    for source in (_RUN, _RESIZE) if file_format == "tflite" else (_RUN,):
        script = tmp_path / "run.py"
        script.write_text(source)
        done = subprocess.run(
            [unix_port.executable(), script, tmp_path], capture_output=True, text=True
        )
        assert (done.stdout.strip(), done.stderr) == ("equal", ""), done.stdout


def test_records_of_new_operator_are_checked(copy):
    assert run(copy, "-c", _FORGE).stdout.strip() == "1"


# After the tests of the operator, which then has one more override.
def test_new_instruction_set_passes_the_rules(copy):
    shutil.copytree(_NEW_ARCH, copy, dirs_exist_ok=True)
    targets = copy / "tools" / "tflm_tools" / "targets.py"
    text, entry = targets.read_text(), (copy / "entry").read_text()
    last = '        Arch("x64"'
    assert text.count(last) == 1
    targets.write_text(text.replace(last, entry + last))
    run(copy, "tools/asm/make.py", "xtensa")
    run(copy, "tools/kernel_tables.py")
    # Files of the other targets are generated by the test outside of the copy.
    tests = ("targets.py", "assembler.py::test_generated_files_are_up_to_date[xtensa]")
    tests = [f"tests/rules/test_{name}" for name in tests]
    assert ", 0 failed" in run(copy, "-m", "pytest", *tests).stdout
    run(copy, "-c", _ARCH)


# Every kind of file that was added is named in write-a-kernel.md.
def test_page_names_what_is_added():
    text = (REPOSITORY / "docs" / "develop" / "write-a-kernel.md").read_text()
    for path in _NEW.rglob("*.py"):
        if "__pycache__" not in path.parts:
            name = path.relative_to(_NEW).as_posix()
            name = name.replace(_NAME, "NAME").replace("x64", "<arch>")
            assert f"`{name}`" in text, name
    for path in _NEW_ARCH.rglob("__init__.py"):
        folder = path.parent.relative_to(_NEW_ARCH).as_posix().replace("xtensa", "<arch>")
        assert f"`{folder}/`" in text, folder
    for name in ("modules/tflm/prepare/table.py", "make tables"):
        assert f"`{name}`" in text, name
