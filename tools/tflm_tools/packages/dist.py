# tflm_tools: packages: makes packages for MicroPython's installer mip, for `make dist`
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys
from pathlib import Path

from .. import files, kernel_files
from ..errors import TflmError, ToolError
from ..targets import ARCHS, PACKAGED, override_folders
from . import bundle, runtime_files

_REPOSITORY = Path(__file__).resolve().parents[3]

_MPY = "6.3"

# Every package includes "core", the runtime. Packages of kernels have the kernels for quantized
# models, "types" those for other types; "apis", "detect", "features", "sensors", "text" and
# "fleet" have no kernels for models.
_PRODUCTS = "apis", "detect", "features", "sensors", "text", "fleet"
PACKAGES = (*kernel_files.PACKAGES, *_PRODUCTS, "all")
_QUANTIZED = {"int8", "any", "packed"}
_CORE_FILES = ("core", "core_events", "core_steps")  # in folders of an arch: not kernels
_WAKE = ("signal", "all")  # packages with tflm.wake, tflm.speech and tflm.microphone
_APIS = ("apis", "all")  # packages with tflm.litert and tflm.ml
_LEARN = ("learn", "all")  # packages with tflm.learner
_DETECT = ("detect", "all")  # packages with tflm.detect
_FEATURES = ("features", "all")  # packages with tflm.features
_SENSORS = ("sensors", "all")  # packages with tflm.camera and tflm.motion
_TEXT = ("text", "all")  # packages with tflm.text
_FLEET = ("fleet", "all")  # packages with tflm.fleet


def package_kernels(package, arch=None):
    """Return the names of the kernel files of a package, without the files that they import.

    arch: leave out files that only records for other instruction sets name; None includes all.
    """
    return {
        name
        for name, kernel in kernel_files.kernel_files().items()
        if _belongs(kernel, package)
        and (arch is None or kernel.target in ("", *override_folders(arch)))
    }


# Whether a package has a kernel file (KernelFile).
def _belongs(kernel, package):
    if package == "all":
        return True
    if kernel.package == "signal":  # these kernels have other types than models
        return package == "signal"
    if not _QUANTIZED & set(kernel.types):
        return package == "types"
    return kernel.package in ("core", package)


# The files of kernels/ for a package. If overrides for the arch have all functions of a portable
# file, only "all" has the portable file too, for cores and firmware that cannot run the overrides.
def _kernels(package, arch, assembler):
    files = []
    for name in sorted(package_kernels(package, arch or None)):
        overrides, complete = runtime_files.overrides(name, arch, assembler)
        files += overrides if complete and package != "all" else [*overrides, f"kernels/{name}"]
    core = [
        f"kernels/{folder}/{name}" for folder in override_folders(arch) for name in _CORE_FILES
    ]
    usable = [path for path in core if assembler or not runtime_files.needs_assembler(path)]
    return files + [path for path in usable if runtime_files.exists(path)]


def package_files(package, arch="", assembler=False, prepare=True):
    """Return the files of a package, sorted paths below tflm/ without .py.

    arch: as mpy-cross names it, "" for portable files only. assembler: the firmware has the
    inline assembler. prepare: "all" includes Prepare, so that the board can run a .tflite.
    """
    files = _kernels(package, arch, assembler)
    files += runtime_files.access_checks(Path(file).name for file in files)
    if package in _WAKE:
        files += [*runtime_files.wake(), *runtime_files.speech()]
    if package in _APIS:
        files += runtime_files.apis()
    if package in _LEARN:
        files += runtime_files.learn()
    if package in _DETECT:
        files += runtime_files.detect()
    if package in _FEATURES:
        files += runtime_files.features(arch, assembler)
    if package in _SENSORS:
        files += runtime_files.sensors()
    if package in _TEXT:
        files += runtime_files.text()
    if package in _FLEET:
        files += runtime_files.fleet()
    if package == "all" and prepare:
        files = runtime_files.with_tflite_imports([*files, *runtime_files.only_tflite()])
    else:
        files = runtime_files.with_imports(files)
    code = runtime_files.machine_code_for(files, arch, assembler)
    return sorted({*runtime_files.runtime(), *files, *runtime_files.with_imports(code)})


# The bundles of a package: "all" is one bundle, other packages are "core" and their own bundle.
def _bundles(package):
    return [package] if package in ("core", "all") else ["core", package]


# The JSON that mip reads: the path of each file on the board, and its address relative to the
# JSON.
def _package_json(names, source):
    urls = [[f"tflm/{name}", f"{source}{name}"] for name in names]
    text = {"urls": urls, "version": runtime_files.version()}
    return (json.dumps(text, indent=1) + "\n").encode()


def root_package():
    """Return package.json (bytes) of the repository's root: the .py files that run a .tflm.

    It omits Prepare, with which the package would not fit the file system of a Pico.
    """
    names = [f"{name}.py" for name in package_files("all", prepare=False)]
    return _package_json(names, "modules/tflm/")


def package_data(arch, packages):
    """Return {file name: bytes} of __init__, loader and all bundles of `packages` for an arch."""
    init_files = bundle.init_files(arch)
    data = {path.removeprefix("tflm/"): contents for path, contents in init_files.items()}
    core = set(package_files("core", arch, ARCHS[arch].assembler))
    for package in dict.fromkeys(name for each in packages for name in _bundles(each)):
        names = set(package_files(package, arch, ARCHS[arch].assembler))
        if package not in ("core", "all"):
            names -= core
        data[f"{package}.bundle"] = bundle.pack(bundle.files(sorted(names), arch))
    return data


def make_dist(output, archs=PACKAGED, report=print):
    """Write the folder <arch>_6.3/ for each arch into `output`; return {folder: {package: bytes}}.

    Each folder has __init__.py, loader.mpy, and for each package a bundle and a JSON, like
    cnn.bundle and cnn.json; package.json is for "all". The JSON also names core.bundle,
    whose files the other bundles omit, so that several packages can be installed. The sizes
    include all files that a JSON names. Raises ToolError.
    """
    all_sizes = {}
    for arch in archs:
        if arch not in PACKAGED:
            raise ToolError(f"there is no arch {arch}; choose one of {', '.join(PACKAGED)}")
        folder = Path(output) / f"{arch}_{_MPY}"
        files.make_folder(folder)
        all_sizes[folder.name] = sizes = {}
        data = package_data(arch, PACKAGES)
        for name, contents in data.items():
            files.write(folder / name, contents)
        for package in PACKAGES:
            bundles = [f"{name}.bundle" for name in _bundles(package)]
            names = ["loader.mpy", *bundles, "__init__.py"]  # __init__ last: tflm is complete
            text = _package_json(names, "")
            for name in {package, "package" if package == "all" else package}:
                files.write(folder / f"{name}.json", text)
            sizes[package] = sum(len(data[name]) for name in names)
        report(f"{folder}: " + ", ".join(f"{name} {size}" for name, size in sizes.items()))
    return all_sizes


def main(arguments=None):
    """Write dist/ and the root's package.json: python -m tflm_tools.packages.dist [ARCH...]."""
    try:
        files.write(_REPOSITORY / "package.json", root_package())
        make_dist(_REPOSITORY / "dist", arguments or PACKAGED)
    except TflmError as error:
        print(f"dist: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main(sys.argv[1:])
