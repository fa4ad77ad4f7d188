# tflm_tools: packages for MicroPython's installer mip: .py, and bundles for each kind of board
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys
from pathlib import Path

import tflm

from .. import files, kernel_files
from ..errors import TflmError, ToolError
from ..targets import ARCHS, PACKAGED, twin_folders
from . import bundle, parts

_REPOSITORY = Path(__file__).resolve().parents[3]
_PACKAGE = Path(tflm.__file__).parent

_MPY = "6.3"

# Every package brings "core" along, with the runtime. Those of kernel files have what quantized
# models need, "types" the kernels for others; "apis", "sensors" and "fleet" have none.
PACKAGES = (*kernel_files.PACKAGES, "apis", "sensors", "fleet", "all")
_QUANTIZED = {"int8", "any", "packed"}
_OF_THE_CORE = ("core", "core_events")  # in folders of an arch: what tells of its processor core
_SMALL = ("transpose_conv",)  # kernels whose twins only "all" has room for
_WAKE = ("signal", "all")  # packages with wake words and microphones, beside the signal library
_APIS = ("apis", "all")  # packages with tflm.litert and tflm.ml
_LEARN = ("learn", "all")  # packages with tflm.learner
_SENSORS = ("sensors", "all")  # packages with tflm.camera and tflm.motion
_FLEET = ("fleet", "all")  # packages with tflm.fleet


def package_kernels(package, arch=None):
    """Names of the kernel files of a package, as their heads say; what they import comes along.

    arch: without those that only records for other instruction sets name; None takes all.
    """
    return {
        name
        for name, made in kernel_files.kernel_files().items()
        if _belongs(made, package) and (arch is None or made.target in ("", *twin_folders(arch)))
    }


# Whether a package has a kernel file.
def _belongs(made, package):
    if package == "all":
        return True
    if made.package == "signal":  # with types of its own
        return package == "signal"
    if not _QUANTIZED & set(made.types):
        return package == "types"
    return made.package in ("core", package)


# Files of kernels/ for a package. Where a file for the arch has all of a portable one, only "all"
# has that, too, for cores and firmware that cannot run the other.
def _kernels(package, arch, assembler):
    wanted = []
    for name in sorted(package_kernels(package, arch or None)):
        twins, complete = parts.twins(name, arch, assembler)
        if name in _SMALL and package != "all":
            twins = []
        wanted += twins if complete and package != "all" else [*twins, f"kernels/{name}"]
    told = [f"kernels/{folder}/{name}" for folder in twin_folders(arch) for name in _OF_THE_CORE]
    usable = [path for path in told if assembler or not parts.needs_assembler(path)]
    return wanted + [path for path in usable if parts.exists(path)]


def package_files(package, arch="", assembler=False, prepare=True):
    """Files of a package, sorted: paths below tflm/ without .py; arch "": the portable ones.

    "all" has Prepare, too, and so runs a .tflite on the board; prepare=False leaves it out.
    """
    found = set(parts.runtime())
    wanted = _kernels(package, arch, assembler)
    wanted += parts.checks(Path(file).name for file in wanted)
    if package in _WAKE:
        wanted += parts.wake()
    if package in _APIS:
        wanted += parts.apis()
    if package in _LEARN:
        wanted += parts.learn()
    if package in _SENSORS:
        wanted += parts.sensors()
    if package in _FLEET:
        wanted += parts.fleet()
    if package == "all" and prepare:
        wanted += parts.only_tflite()
        return sorted(found | set(parts.everything(wanted)))
    return sorted(found | set(parts.with_imports(wanted)))


def _bundles(package):
    """The bundles of a package: of "all" one with everything, of others "core" and their own."""
    return [package] if package in ("core", "all") else ["core", package]


# The JSON that mip reads: where each file goes, and its address relative to the JSON's own.
def _package_json(names, source):
    urls = [[f"tflm/{name}", f"{source}{name}"] for name in names]
    text = {"urls": urls, "version": parts.version()}
    return (json.dumps(text, indent=1) + "\n").encode()


def root_package():
    """The bytes of the package.json in the repository's root: what runs a .tflm, as .py.

    With Prepare it would not fit the file system of a Pico.
    """
    names = [f"{name}.py" for name in package_files("all", prepare=False)]
    return _package_json(names, "modules/tflm/")


def package_data(arch, packages):
    """{file name: bytes} of __init__.mpy and the bundles that packages for an arch are made of."""
    data = {"__init__.mpy": bundle.init(arch)}
    core = set(package_files("core", arch, ARCHS[arch].assembler))
    for package in dict.fromkeys(name for each in packages for name in _bundles(each)):
        names = set(package_files(package, arch, ARCHS[arch].assembler))
        if package not in ("core", "all"):
            names -= core
        data[f"{package}.bundle"] = bundle.pack(bundle.files(sorted(names), arch))
    return data


def make_dist(output, archs=PACKAGED, report=print):
    """Write <arch>_6.3/ for each arch into `output`; returns {folder: {package: bytes}}.

    Each has __init__.mpy and for each package a bundle with its JSON: core.bundle, core.json;
    package.json is that of all. A bundle has nothing that "core" has, which its JSON names, too:
    so packages may be installed beside each other. Bytes are those of all that a JSON names.
    """
    made = {}
    for arch in archs:
        if arch not in PACKAGED:
            raise ToolError(f"there is no arch {arch}; take one of {', '.join(PACKAGED)}")
        folder = Path(output) / f"{arch}_{_MPY}"
        files.make_folder(folder)
        made[folder.name] = sizes = {}
        data = package_data(arch, PACKAGES)
        for name, contents in data.items():
            files.write(folder / name, contents)
        for package in PACKAGES:
            names = ["__init__.mpy", *(f"{name}.bundle" for name in _bundles(package))]
            text = _package_json(names, "")
            for name in {package, "package" if package == "all" else package}:
                files.write(folder / f"{name}.json", text)
            sizes[package] = sum(len(data[name]) for name in names)
        report(f"{folder}: " + ", ".join(f"{name} {size}" for name, size in sizes.items()))
    return made


def main(arguments=None):
    """`python -m tflm_tools.packages.dist [ARCH...]`: dist/ and the root's package.json."""
    try:
        files.write(_REPOSITORY / "package.json", root_package())
        make_dist(_REPOSITORY / "dist", arguments or PACKAGED)
    except TflmError as error:
        print(f"dist: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main(sys.argv[1:])
