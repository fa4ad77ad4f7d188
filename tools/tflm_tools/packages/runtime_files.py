# tflm_tools: packages: finds the files of tflm that a flat model needs on a board
# MIT license; Copyright (c) 2026 the tflm authors

# All functions name a file of tflm by its path below tflm/, without .py.

import ast
import re
from functools import cache
from pathlib import Path

import tflm
from tflm.features.settings import METADATA
from tflm.format import BANDS_KERNEL, CONTROL_KERNEL, CUSTOM_KERNEL, ROWS_KERNEL
from tflm.model import FlatModel
from tflm.text.vocabulary import NAME as TEXT
from tflm.version import __version__

from .. import locked_ast
from ..errors import ToolError
from ..kernel_files import kernel_files
from ..model.flat_file import FlatFile
from ..targets import (
    is_optional,
    more_targets,
    needs_fpu,
    optional_folders,
    override_folders,
)
from . import machine_code

_PACKAGE = Path(tflm.__file__).parent

# Folders that a .tflm does not need, except for custom operators: these need the files in them
# that other files import.
_TFLITE_FOLDERS = ("tflite/", "prepare/")
_NOT_FOR_CUSTOM = ("prepare/table",)
_ROOTS = (
    "__init__",
    "interpreter",
    "flat_program",
    "introspection/profiler",
    "introspection/op_names",
    "memoryview_cast",
)


# The path of the file of an override, which the folder gen/ has if it is generated; or None.
def _override(folder, name):
    paths = f"kernels/{folder}/{name}", f"kernels/{folder}/gen/{name}"
    return next(filter(exists, paths), None)


def machine_code_file(file):
    """Return the path of a file that is a .mpy in the package, compiled by tools/asm."""
    return _PACKAGE / f"{file}.mpy"


# The nodes of a syntax tree outside of functions, which run when the file is imported.
def _outside_functions(node):
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _outside_functions(child)


# The files that a file imports from tflm, outside of functions and, unless `at_top`, in functions.
# A .mpy file imports none.
@cache
def _imports(file, at_top=False):
    if machine_code_file(file).exists():
        return ()
    tree = locked_ast.parse((_PACKAGE / f"{file}.py").read_text())
    folder, imported = file.split("/")[:-1], []
    for node in _outside_functions(tree) if at_top else ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = folder[: len(folder) - node.level + 1]
        names = [node.module.replace(".", "/")] if node.module else [n.name for n in node.names]
        if node.module == "gen":  # a folder without an __init__
            names = [f"gen/{name.name}" for name in node.names]
        imported += ["/".join([*base, name]) for name in names]
    return tuple(imported)


# The files and everything that they import, without paths that begin with one of `left_out`. Files
# for an instruction set (kernels/<arch>/) are included only from `folders`; None includes all.
# at_top: follow only imports outside of functions.
def _closure(files, left_out, folders=None, at_top=False):
    closure, waiting = set(), list(files)
    while waiting:
        file = waiting.pop()
        parents = file.split("/")[:-1]
        if file in closure or file.startswith(left_out) or not exists(file):
            continue
        if folders is not None and len(parents) > 1 and parents[1] not in folders:
            continue
        closure.add(file)
        waiting += ["/".join([*parents[: i + 1], "__init__"]) for i in range(len(parents))]
        waiting += _imports(file, at_top)
    return closure


# The paths that a board does not need that runs a .tflm.
def _not_needed(custom):
    return _NOT_FOR_CUSTOM if custom else _TFLITE_FOLDERS


def runtime(custom=False):
    """Return the files of the runtime that invoke a .tflm, sorted.

    custom: with the files that custom operators need, which include Prepare.
    """
    return sorted(_closure(_ROOTS, _not_needed(custom), ()))


def only_tflite():
    """Return the files that only a .tflite or a custom operator needs on a board, sorted."""
    paths = [path for folder in _TFLITE_FOLDERS for path in (_PACKAGE / folder).glob("*.py")]
    return sorted(path.relative_to(_PACKAGE).with_suffix("").as_posix() for path in paths)


def needs_assembler(file):
    """Return whether a file of kernels/ requires firmware with the inline assembler.

    Other firmware would run functions of the inline assembler as bytecode, and crash. For some
    architectures mpy_compiler converts such functions to viper functions.
    """
    if file.split("/")[1] in machine_code.ARCHS:
        return False
    return any(
        "@micropython.asm_" in (_PACKAGE / f"{each}.py").read_text()
        for each in _closure([file], _TFLITE_FOLDERS)
    )


# The functions that a file defines, imports or assigns. A .mpy that is compiled from a portable
# kernel file has all functions of that file.
def _functions(file):
    if machine_code_file(file).exists():
        file = f"kernels/{file.rpartition('/')[2]}"
    names = set()
    for node in ast.walk(locked_ast.parse((_PACKAGE / f"{file}.py").read_text())):
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


# The files of a kernel "file.function": the override for the instruction set if there is one, else
# the portable file; both if some cores of the architecture cannot run the override (they lack DSP
# instructions or MAC16).
def _kernel_files(kernel, arch, assembler):
    file, _, function = kernel.partition(".")
    files = []
    for folder in [*override_folders(arch), ""]:
        path = _override(folder, file) if folder else f"kernels/{file}"
        if not path or not exists(path) or function not in _functions(path):
            continue
        if folder and not assembler and needs_assembler(path):
            continue
        files.append(path)
        if folder not in optional_folders(arch) and not is_optional(file, arch):
            break
    if not files:
        raise ToolError(
            f"the .tflm needs the kernel {kernel}, which a board with {arch or 'no native code'} "
            "cannot run; flatten the .tflite for this board"
        )
    return files


def overrides(name, arch, assembler=True):
    """Return (overrides of the kernel file `name`, whether they replace it on all cores).

    assembler: as for files_for().
    """
    required = {each for each in _functions(f"kernels/{name}") if each.startswith("eval")}
    files, functions = [], set()
    for folder in override_folders(arch):
        path = _override(folder, name)
        if path and (assembler or not needs_assembler(path)):
            files.append(path)
            functions |= _functions(path)
    return files, required <= functions and not needs_fpu(name, arch)


def kernels_of(flat):
    """Return the names of the kernels of a .tflm (bytes), sorted."""
    return sorted({op.kernel for op in FlatFile(flat).ops})


def files_for(flat, arch, assembler=True):
    """Return the files of tflm that a .tflm (bytes) needs on a board.

    arch: the board's, as mpy-cross names it. assembler: the firmware has the inline assembler.
    Raises ToolError for a model that was flattened for another architecture.
    """
    files = files_for_kernels(kernels_of(flat), arch, assembler)
    if FlatFile(flat).has_kept_tensors:  # for a Learner
        kernels = [f"kernels/{name}" for name, k in kernel_files().items() if k.package == "learn"]
        files = sorted({*files, *with_imports([*learn(), *kernels])})
    if METADATA in FlatModel(flat).metadata():
        found = with_imports(features(arch, assembler))
        found += with_imports(machine_code_for(found, arch, assembler))
        files = sorted({*files, *found})
    if is_language_model(flat):
        files = sorted({*files, *with_imports(text())})
    return files


def is_language_model(flat):
    """Return whether a .tflm (bytes) has the vocabulary of tflm.text."""
    return TEXT in FlatModel(flat).metadata()


def files_for_kernels(kernels, arch, assembler=True):
    """Return files_for() a model with these kernels ("file.function")."""
    custom = any(name.startswith(CUSTOM_KERNEL) for name in kernels)
    files = []
    for name in kernels:
        if name.startswith(CONTROL_KERNEL):
            files.append("run/control_flow")
        elif not name.startswith(CUSTOM_KERNEL):
            files += _kernel_files(name, arch, assembler)
    if assembler:  # these identify the core, wake the second core, and run several steps
        for name in ("core", "core_events", "core_steps"):
            files += [f"kernels/{folder}/{name}" for folder in override_folders(arch)]
    files += [f"kernels/{folder}/core" for folder in optional_folders(arch)]
    left_out, folders = _not_needed(custom), override_folders(arch)
    found = _closure(files, left_out, folders)
    found |= _closure(machine_code_for(found, arch, assembler), left_out, folders)
    return sorted(found | set(runtime(custom)))


# The name in the call of use_machine_code() of a file; "" if there is none.
@cache
def _machine_code_name(file):
    if machine_code_file(file).exists():
        return ""
    call = re.search(
        r'^use_machine_code\(.*"(\w+)"\)', (_PACKAGE / f"{file}.py").read_text(), re.M
    )
    return call[1] if call else ""


def machine_code_for(files, arch, assembler):
    """Return the files of kernels/<machine> whose functions `files` use, by use_machine_code().

    assembler: as for files_for().
    """
    found = set()
    for name in sorted({_machine_code_name(file) for file in files} - {""}):
        paths = filter(None, (_override(folder, name) for folder in override_folders(arch)))
        found |= {*list(paths)[:1]}  # the first folder wins
    return sorted(file for file in found if assembler or not needs_assembler(file))


def imported_files(flat, arch, assembler=True, core=""):
    """Return the files of tflm that a board imports to load and invoke a .tflm (bytes), sorted.

    These are fewer than files_for(): an invoke without profiler, delegates and callbacks. arch,
    assembler: as for files_for(). core: the last of more_targets() that the core supports.
    """
    kernels = kernels_of(flat)
    custom = any(name.startswith(CUSTOM_KERNEL) for name in kernels)
    supported = more_targets(arch)
    supported = supported[: supported.index(core) + 1] if core else ()
    files = {"__init__", "interpreter", "loading", "flat_program", "short_steps"}
    for kernel in kernels:
        if kernel == BANDS_KERNEL:
            files.add("run/bands")
        elif kernel == ROWS_KERNEL:
            files.add("run/rows")
        elif kernel.startswith(CONTROL_KERNEL):
            files.add("run/control_flow")
        elif kernel.startswith(CUSTOM_KERNEL):
            files |= set(_closure(["tflite/flat_custom"], _NOT_FOR_CUSTOM))
        else:
            found = _kernel_files(kernel, arch, assembler)
            file = kernel.partition(".")[0]
            has_override = file.rpartition("_")[2] in supported
            has_override = has_override or core and needs_fpu(file, arch)
            files |= set(found[:1] if has_override else found)
            files |= {f"kernels/{folder}/__init__" for folder in override_folders(arch)}
    if assembler:
        files |= {f"kernels/{folder}/core" for folder in optional_folders(arch)}
        if core:
            steps = [f"kernels/{folder}/core_steps" for folder in optional_folders(arch)]
            files |= set(filter(exists, steps))
    found = machine_code_for(_closure(files, _not_needed(custom)), arch, assembler)
    files |= {file for file in found if core or not needs_fpu(file, arch)}
    model = FlatFile(flat)
    if any(tensor.is_float for tensor in [*model.inputs, *model.outputs]):
        files.add("float_tensor")
    return sorted(_closure(files, _not_needed(custom), override_folders(arch), at_top=True))


def access_checks(kernels):
    """Return the files with the access checks of kernel files: of "conv", "pad"."""
    known = kernel_files()
    checks = {known[kernel].check for kernel in kernels if kernel in known}
    return with_imports([f"access_checks/{name}" for name in {"__init__", *checks}])


# The files of packages below tflm/, sorted.
def _package_files(*names):
    return sorted(
        f"{name}/{path.stem}" for name in names for path in (_PACKAGE / name).glob("*.py")
    )


def wake():
    """Return the files of tflm.wake and tflm.microphone, sorted."""
    return sorted([*_package_files("wake", "microphone"), "model_beside"])


def speech():
    """Return the files of tflm.speech, sorted."""
    return _package_files("speech")


def detect():
    """Return the files of tflm.detect, sorted."""
    return _package_files("detect")


def features(arch="", assembler=False):
    """Return the files of tflm.features for an arch, sorted. assembler: as for files_for()."""
    files = _package_files("features")
    if assembler and "armv6m" in override_folders(arch):
        files.append("features/armv6m/stage")
    return sorted(files)


def sensors():
    """Return the files of tflm.camera and tflm.motion, sorted."""
    return _package_files("camera", "motion")


def apis():
    """Return the files of tflm.litert and tflm.ml, sorted."""
    return [*_package_files("api_compat", "ml", "ml/postprocessing"), "litert"]


def learn():
    """Return the files of tflm.learner, sorted."""
    return [*_package_files("learn"), "learner"]


def text():
    """Return the files of tflm.text, sorted."""
    return _package_files("text")


def fleet():
    """Return the files of tflm.fleet, sorted."""
    return _package_files("fleet")


def package():
    """Return the folder of the package tflm."""
    return _PACKAGE


def is_empty(file):
    """Return whether a file is an __init__ with comments only, which a board does not need."""
    if not file.endswith("__init__"):
        return False
    return not locked_ast.parse((_PACKAGE / f"{file}.py").read_text()).body


def exists(file):
    """Return whether tflm has this file."""
    return (_PACKAGE / f"{file}.py").exists() or machine_code_file(file).exists()


# The folders of kernels/ that contain some of these files.
def _folders(files):
    return {file.split("/")[1] for file in files if file.count("/") > 1}


def with_imports(files):
    """Return files and everything that they import and a .tflm needs, sorted."""
    return sorted(_closure(files, _TFLITE_FOLDERS, _folders(files)))


def with_tflite_imports(files):
    """Return files and everything that they import, also for a .tflite on the board, sorted."""
    return sorted(_closure(files, (), _folders(files)))


def version():
    """Return the version of tflm."""
    return __version__
