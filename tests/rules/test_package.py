# Rules for the package: files of an operator, imports, headers, and the map of modules
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import graphlib
import re
import subprocess
import sys

import pytest
from rules.sources import PACKAGE, REPOSITORY, TESTS, files, top_imports, tree
from tflm.introspection.op_names import name as op_name
from tflm.micropython_port import ARCHS
from tflm.prepare.table import OPS
from tflm_tools.flat.flatten import flatten
from unit import sample_models
from unit.on_device import device

# Modules that only boards can import, besides kernels.
_ON_BOARDS_ONLY = {
    "bands",
    "cores",
    "heads",
    "learner",
    "finalizer",
    # of tflm.features
    "audio",
    "block",
    "fft",
    "filters",
    "impulse",
    "samples",
    "statistics",
    "scalars",
    "sink",
    "signal_block",
    "spectral",
    "stage",
    "wavelet",
    "second_core",
    "short_steps",
    "streaming",
    "memoryview_cast",
    # of tflm.text
    "generator",
    "sampler",
    "preprocessing",
}
_TOOLS = REPOSITORY / "tools"
_BOARD_MODULES = {"micropython", "uctypes", "machine", "rp2", "esp32"}
_OWN = [path for path in files(PACKAGE) if "kernels" not in path.parts]
_BOARD_PACKAGES = {"wake", "speech", "microphone", "camera", "motion", "detect", "postprocessing"}
_HOST = [p for p in _OWN if p.stem not in _ON_BOARDS_ONLY and not _BOARD_PACKAGES & {*p.parts}]
_MODULES = ["tflm." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in _HOST]


# An operator has a file in prepare/ and a test that names it.
@pytest.mark.parametrize("code", OPS, ids=[op_name(code) for code in OPS])
def test_operators_are_complete(code):
    path = PACKAGE / "prepare" / f"{OPS[code]}.py"
    assert path.is_file()
    assert re.search(r"^def prepare\(context, node\)|^prepare = ", path.read_text(), re.M)
    name = op_name(code)
    named = rf'"{name}"|^# Tests of {name}\b'
    tests = [p for p in files(TESTS, "*.py") if re.search(named, p.read_text())]
    assert tests, f"no test in tests/kernels names {name}"
    assert (
        op_name(code) in path.read_text().splitlines()[0]
        or len([c for c in OPS if OPS[c] == OPS[code]]) > 1
    ), "the first line of a Prepare file names its operator"


def test_table_is_sorted():
    assert list(OPS) == sorted(OPS)
    lines = [line for line in (PACKAGE / "prepare" / "table.py").read_text().splitlines()]
    for code in OPS:
        assert any(re.match(rf"\s+{code}: .*# {op_name(code)}\b", line) for line in lines), code


# Files that the host uses, too, must be importable without MicroPython.
def test_no_board_modules_at_the_top():
    assert [p for p in _HOST if _BOARD_MODULES & set(top_imports(p))] == []


def test_host_modules_import_under_cpython():
    code = "import importlib\n" + "".join(f"importlib.import_module({m!r})\n" for m in _MODULES)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


# Modules that boards lack, or that they have only as slow and large Python files.
def test_no_modules_that_boards_lack():
    allowed = {"array", "struct", "binascii", "sys", "gc", "time", "micropython", "json"}
    allowed |= {"hashlib", "math", "os"}
    for path in _OWN:
        assert {m for m in top_imports(path) if not m.startswith(".")} <= allowed, path


# Yield the modules of the host tools that a file imports, also in functions, by full names.
def _host_imports(path, modules):
    base = path.relative_to(_TOOLS).with_suffix("").parts[:-1]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = base[: len(base) - node.level + 1]
            found = ".".join([*above, *filter(None, [node.module])])
            yield from {found, *(f"{found}.{alias.name}" for alias in node.names)} & modules.keys()


# No file of the host tools imports itself indirectly.
def test_host_tools_have_no_import_cycles():
    paths = [path for path in files(_TOOLS / "tflm_tools") if "device" not in path.parts]
    modules = {".".join(p.relative_to(_TOOLS).with_suffix("").parts): p for p in paths}
    graph = {name: set(_host_imports(path, modules)) - {name} for name, path in modules.items()}
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError with the cycle


# `raise ... from ...` prints a warning on boards.
def test_no_exception_chaining():
    for path in files(PACKAGE):
        for node in ast.walk(tree(path)):
            assert not (isinstance(node, ast.Raise) and node.cause), f"{path}:{node.lineno}"


# A flat model imports no module that reads a .tflite, prepares or plans.
def test_flat_model_imports_few_modules(tmp_path):
    path = tmp_path / "model.tflm"
    path.write_bytes(flatten(sample_models.classifier()))
    lines = device(
        """
        interp = tflm.Interpreter(PATH)
        interp.input(0).quantize([0.5] * 12)
        interp.invoke()
        interp.output(0).dequantize()
        print(" ".join(sorted([name for name in sys.modules if name.startswith("tflm")])))
        """,
        PATH=str(path),
    )
    loaded = lines[-1].split()
    packages = ("tflm.prepare", "tflm.tflite", "tflm.run", "tflm.introspection")
    # x64 replaces records, for which it imports introspection.op.
    assert {name for name in loaded if name.startswith(packages)} <= {
        "tflm.introspection",
        "tflm.introspection.op",
    }
    kernels = [name for name in loaded if name.startswith("tflm.kernels.")]
    # x64 has several files for a kernel, and loads its helpers of float32 kernels. Its folder gen/
    # has the compiled kernels, and files NAME_asm.
    kernels = [name for name in kernels if ".float32" not in name and name[-4:] != "_asm"]
    kernels = [name for name in kernels if ".x64." not in name or ".gen." in name]
    assert {name.split(".")[-1] for name in kernels} - set(ARCHS) == {
        "fully_connected",
        "requantize",
        "softmax",
    }


# Two header lines: what the file is, and the license.
def test_headers():
    for folder in ("modules", "tools", "tests", "models"):
        for path in sorted((REPOSITORY / folder).rglob("*.py")):
            lines = path.read_text().splitlines()
            if lines[0].startswith("#!"):
                lines = lines[1:]
            assert re.match(r"# \S.{10,}", lines[0]), path
            assert lines[1] == "# MIT license; Copyright (c) 2026 the tflm authors", path


# No file has a path of a developer's machine, or the host of a registry.
def test_no_paths_of_a_developers_machine():
    private = re.compile(r"/(?:work|root|home)/|/tmp/\w")
    hosts = re.compile(r"\b(?:pypi\.org|pythonhosted|registry\.npmjs|deb\.debian\.org)\b")
    for folder in ("modules", "tools", "models", "docs", "tests"):
        for path in sorted((REPOSITORY / folder).rglob("*")):
            if path.suffix in (".py", ".md", ".sh", ".toml", ".mk") and path.is_file():
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    if "re.compile" not in line:
                        found = private.search(line) or hosts.search(line)
                        assert not found, f"{path}:{number}: {line}"


# The map names every package and every module beside the packages.
def test_map_names_every_module():
    text = (REPOSITORY / "docs" / "develop" / "map.md").read_text()
    for root in (PACKAGE, REPOSITORY / "tools" / "tflm_tools"):
        named = {path.name for path in files(root, "*.py")} - {"__main__.py"}
        named |= {f"{path.name}/" for path in root.iterdir() if (path / "__init__.py").exists()}
        assert not [name for name in sorted(named) if f"`{name}`" not in text]
