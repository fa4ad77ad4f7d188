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

# Every package has the runtime and the kernels of "core".
PACKAGES = (*kernel_files.PACKAGES, "all")
_OF_THE_CORE = ("core", "core_events")  # in folders of an arch: what tells of its processor core
_WAKE = ("signal", "all")  # packages with wake words, which begin with the signal library


def package_kernels(package, arch=None):
    """Names of the kernel files of a package, as their heads say; what they import comes along.

    arch: without those that only records for other instruction sets name; None takes all.
    """
    return {
        name
        for name, made in kernel_files.kernel_files().items()
        if (package == "all" or made.package in ("core", package))
        and (arch is None or made.target in ("", *twin_folders(arch)))
    }


# Kernel files of a folder ("" or that of an arch) for a package.
def _kernels(package, folder, arch):
    names = {*package_kernels(package, arch or None), *(_OF_THE_CORE if folder else ())}
    base = Path("kernels") / folder
    return [(base / n).as_posix() for n in sorted(names) if parts.exists((base / n).as_posix())]


def package_files(package, arch="", assembler=False, prepare=True):
    """Files of a package, sorted: paths below tflm/ without .py; arch "": the portable ones.

    "all" has Prepare, too, and so runs a .tflite on the board; prepare=False leaves it out.
    """
    found = set(parts.runtime())
    wanted = list(_kernels(package, "", arch))
    for folder in twin_folders(arch):
        wanted += [
            file
            for file in _kernels(package, folder, arch)
            if assembler or not parts.needs_assembler(file)
        ]
    wanted += parts.checks(Path(file).name for file in wanted)
    if package in _WAKE:
        wanted += parts.wake()
    if package == "all" and prepare:
        wanted += parts.only_tflite()
        return sorted(found | set(parts.everything(wanted)))
    return sorted(found | set(parts.with_imports(wanted)))


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


def make_dist(output, archs=PACKAGED, report=print):
    """Write <arch>_6.3/ for each arch into `output`; returns {folder: {package: bytes}}.

    Each has __init__.mpy and for each package a bundle with its JSON: core.bundle, core.json;
    package.json is that of all. Packages may be installed beside each other.
    """
    made = {}
    for arch in archs:
        if arch not in PACKAGED:
            raise ToolError(f"there is no arch {arch}; take one of {', '.join(PACKAGED)}")
        folder = Path(output) / f"{arch}_{_MPY}"
        files.make_folder(folder)
        init = bundle.init(arch)
        files.write(folder / "__init__.mpy", init)
        sizes = {}
        for package in PACKAGES:
            packed = bundle.pack(
                bundle.files(package_files(package, arch, ARCHS[arch].assembler), arch)
            )
            files.write(folder / f"{package}.bundle", packed)
            text = _package_json(["__init__.mpy", f"{package}.bundle"], "")
            for name in {package, "package" if package == "all" else package}:
                files.write(folder / f"{name}.json", text)
            sizes[package] = len(init) + len(packed)
        made[folder.name] = sizes
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
