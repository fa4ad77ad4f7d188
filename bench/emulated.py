# bench: runs one flat model on an emulated core and returns cycles of each step and outputs
# MIT license; Copyright (c) 2026 the tflm authors

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import core_firmware
from tflm_tools.board import romfs_image
from tflm_tools.errors import ToolError
from tflm_tools.packages import machine_code
from tflm_tools.targets import override_folders

HERE = Path(__file__).resolve().parent
MODULES = HERE.parent / "modules"

# Addresses in the emulated memory; all are small ints of MicroPython.
MODEL, INPUTS, FILES = 0x10000000, 0x14000000, 0x18000000

_MAX_SECONDS = 1800  # of a script; a kernel may not end

_MOUNT = """\
import sys, uctypes, vfs
vfs.mount(vfs.VfsRom(uctypes.bytearray_at({files}, {files_bytes})), "/rom")
sys.path.insert(0, "/rom")
"""
_SCRIPT = """\
import cycles_device
cycles_device.run({model}, {model_bytes}, {inputs}, {row_bytes})
"""


@dataclass
class Measurement:
    """Cycles of one invoke.

    total: cycles of invoke(). steps: cycles of each step, with its dispatch. dispatch: cycles of
    a call of an empty kernel. calls: number of kernel calls (slices). outputs: bytes.
    arena: bytes used. hot: the most expensive basic blocks (address, code, runs, cycles of each).
    waits: Waits of each step, then of invoke() as a whole; empty if memory has no wait states.
    The cycles include the waits. ran: for a model with bands, 0 for each step of list 0, preceded
    by the numbers (from 1) of the banded steps that it ran.
    """

    total: int
    steps: list[int]
    dispatch: int
    calls: int
    outputs: list[bytes]
    arena: int
    hot: list[tuple[int, bytes, int, int]]
    waits: list["Waits"]
    ran: list[int]


@dataclass
class Waits:
    """Wait cycles for flash, and cache misses caused by the model, by code and by the rest."""

    cycles: int = 0
    model: int = 0
    code: int = 0
    rest: int = 0

    def __add__(self, other):
        return Waits(
            self.cycles + other.cycles,
            self.model + other.model,
            self.code + other.code,
            self.rest + other.rest,
        )


# Cores with the flash cache of an RP2350.
_LINES = ("m33", "pico2")

# The arch of a core's MicroPython.
_ARCH_OF = {
    "m0plus": "armv6m",
    "m33": "armv7emsp",
    "pico2": "armv7emsp",
    "rv32": "rv32imc",
    "rv32-stock": "rv32imc",
    "xtensa": "xtensawin",  # this and the next: qemu_xtensa.py runs them
    "xtensa-mac16": "xtensawin",
}
# Cores that run the firmware of another core.
_SAME = {"pico2": "m33"}
# Folders of kernels for a core; the first one is the arch of MicroPython's native code.
ARCHS = {
    core: tuple(dict.fromkeys((arch, *override_folders(arch)))) for core, arch in _ARCH_OF.items()
}


def firmware(folder, core):
    """Return the firmware for a core; build it in `folder` if it is missing or out of date."""
    core = _SAME.get(core, core)
    path = Path(folder) / core / "firmware.elf"
    newest = max(source.stat().st_mtime for source in (HERE / "boards").rglob("*.*"))
    if path.exists() and path.stat().st_mtime >= newest:
        return path
    return core_firmware.build(folder, core)


# Yield (import path, file) of every module that a flat model may need.
def _sources(archs):
    yield "cycles_device.py", HERE / "device" / "cycles_device.py"
    for path in sorted((MODULES / "tflm").rglob("*.py")):
        names = path.relative_to(MODULES / "tflm").parts
        if names[0] != "prepare" and (len(names) < 3 or names[1] in archs):
            yield path.relative_to(MODULES).as_posix(), path


# Time of the last change of the code that converts .mpy files.
_CONVERTED = max(path.stat().st_mtime for path in Path(machine_code.__file__).parent.glob("*.py"))


# Return the bytes of a .mpy, compiled if its source is newer. Several processes can call this at
# the same time, because a .mpy is compiled elsewhere and then renamed.
def compiled(name, source, folder, arch):
    mpy = folder / (name.replace("/", ".") + ".mpy")
    if not mpy.exists() or mpy.stat().st_mtime <= max(source.stat().st_mtime, _CONVERTED):
        command = [
            sys.executable,
            "-m",
            "tflm_tools.packages.machine_code",
            f"-march={arch}",
            "-s",
            name,
        ]
        with tempfile.TemporaryDirectory(dir=folder) as private:
            output = Path(private) / mpy.name
            command += ["-o", output, source]
            answer = subprocess.run(command, capture_output=True, text=True)
            if answer.returncode:
                said = (answer.stderr or answer.stdout).strip().splitlines() or [""]
                raise ToolError(f"mpy-cross does not compile {source}: {said[-1]}")
            output.replace(mpy)
    return mpy.read_bytes()


def driver(folder, arch):
    """Return cycles_device.mpy, which is stored below `folder`."""
    folder = Path(folder) / arch
    folder.mkdir(parents=True, exist_ok=True)
    return compiled(*next(_sources(())), folder, arch)


def modules(folder, archs, portable=False, more=()):
    """Return {path: bytes} of all modules, compiled for archs[0]; .mpy files stay below `folder`.

    portable: omit the kernels for instruction sets. more: additional files in device/.
    """
    folder = Path(folder) / archs[0]
    folder.mkdir(parents=True, exist_ok=True)
    sources = [*_sources(() if portable else archs), *((n, HERE / "device" / n) for n in more)]
    return {
        name.removesuffix(".py") + ".mpy": compiled(name, source, folder, archs[0])
        for name, source in sources
    }


def file_system(folder, core, portable=False):
    """Return the image with all modules() for a core."""
    return romfs_image.image(modules(folder, ARCHS[core], portable))


def mount(address, files):
    """Return the lines of a script that mount the image of files at an address."""
    return _MOUNT.format(files=address, files_bytes=len(files))


def measure(core, elf, files, model, inputs, alignment=False, row_bytes=0):
    """Run one invoke of a flat model (bytes) with the bytes of its inputs; raises ToolError.

    row_bytes: size of a row of an input that comes by rows, 0 for other inputs.
    alignment: stop at an unaligned load or store, like hardware; takes much longer.
    """
    script = _SCRIPT.format(
        model=MODEL, model_bytes=len(model), inputs=INPUTS, row_bytes=row_bytes
    )
    watched = [MODEL, MODEL + len(model)] if core in _LINES else None
    memory = ((MODEL, model), (INPUTS, b"".join(inputs)))
    return measurement(run(core, elf, files, script, memory, alignment, watched))


def run(core, elf, files, script, contents=(), alignment=False, watched=None):
    """Return core.py's result for a script on a core with an image of files; raises ToolError.

    contents: (address, bytes) of further memory, or (address, bytes, True) if it is writable.
    """
    with tempfile.TemporaryDirectory(prefix="cycles-") as name:
        folder = Path(name)
        memory = []
        for address, data, *writable in (*contents, (FILES, files)):
            if data:
                file = folder / f"{address:x}"
                file.write_bytes(data)
                memory.append([address, str(file), *writable])
        result = folder / "result.json"
        job = {
            "core": core,
            "firmware": str(elf),
            "memory": memory,
            "script": mount(FILES, files) + script,
            "alignment": alignment,
            "watched": watched,
            "result": str(result),
        }
        (folder / "job.json").write_text(json.dumps(job))
        command = [sys.executable, HERE / "core.py", folder / "job.json"]
        try:
            answer = subprocess.run(
                command, stderr=subprocess.PIPE, text=True, timeout=_MAX_SECONDS
            )
        except subprocess.TimeoutExpired:
            raise ToolError(f"the script does not end within {_MAX_SECONDS} s") from None
        if answer.returncode:
            said = answer.stderr.strip().splitlines() or ["no output"]
            raise ToolError(said[-1].removeprefix("cycles: "))
        return json.loads(result.read_text())


# Return the cycles of each banded step and of the step that runs them, `whole` in all. noted: the
# same cycles, each with one note more; all notes take the same time.
def _banded_cycles(noted, whole):
    surplus = (sum(noted) - whole) // len(noted)
    cycles = [each - surplus for each in noted[:-1]]
    return [*cycles, whole - sum(cycles)]


# Return the number of banded steps that each step of list 0 ran.
def _inside(ran):
    found = [0]
    for step in ran:
        if step:
            found[-1] += 1
        else:
            found.append(0)
    return found[:-1]


# Return the cycles of each step. plain: of the steps of list 0. inside[i]: the number of banded
# steps that step i runs. noted: cycles with notes of these banded steps and of step i.
def _divided(plain, noted, inside):
    divided = []
    for count, whole in zip(inside or [0] * len(plain), plain, strict=True):
        divided += _banded_cycles(noted[: count + 1], whole) if count else [whole]
        noted = noted[count + 1 :]
    return divided


# Return the differences from mark to mark, in columns: cycles without waits, then the fields of
# Waits if the marks have them.
def _passed(marks):
    rows = [(mark[1] - sum(mark[3:4]), *mark[3:]) for mark in marks]
    return [[b - a for a, b in pairwise(column)] for column in zip(*rows, strict=True)]


# Return the cycles between the second and the third of three notes.
def _between(marks):
    first, before, after = [mark[1] - sum(mark[3:4]) for mark in marks]
    return (after - before) - (before - first)


def measurement(said):
    """Return the Measurement of the result of cycles_device.run; raises ToolError if it failed.

    The cycles of the notes are subtracted. Their waits for flash are not: without the note, the
    next step would wait. Steps that run together, without notes, share what this saves.
    """
    if said["error"]:
        raise ToolError(said["error"].strip().splitlines()[-1])
    calls, arena, joined, *ran = said["text"].split()
    calls, arena, ran = int(calls), int(arena), [int(each) for each in ran]
    is_joined = "1" in joined
    split = len(ran) + 1 if ran else 0
    banded, marks = said["marks"][:split], said["marks"][split:]
    marks, alone, whole = (marks[:-6], marks[-6:-3], marks[-3:]) if is_joined else (marks, [], [])
    first, before, *notes, after = [mark[1] - sum(mark[3:4]) for mark in marks]
    step = notes[1] - notes[0]
    dispatch = notes[2] - notes[1] - step
    total = (after - before) - (before - first) - step * len(notes) - dispatch
    saved = 0
    if is_joined:
        saved = _between(alone) - _between(whole)
        total -= saved
    plain = _passed(marks[4:-1])
    plain[0] = [each - step for each in plain[0]]
    noted = _passed(banded) or [()] * len(plain)
    steps, *columns = map(_divided, plain, noted, [_inside(ran)] * len(plain))
    if saved:
        share = saved // joined.count("1")
        at_once = [int(each) for each in joined] if not ran else [0] * len(steps)
        steps = [cycles - share * each for cycles, each in zip(steps, at_once, strict=True)]
    waits = [Waits(*row) for row in zip(*columns, strict=True)]
    if columns:
        begin, end = (whole or marks)[1][3:], (whole or marks)[-1][3:]
        waits.append(Waits(*(b - a for a, b in zip(begin, end, strict=True))))
        steps = [cycles + wait.cycles for cycles, wait in zip(steps, waits, strict=False)]
        total += waits[-1].cycles
    outputs = [bytes.fromhex(text) for text in said["peeks"]]
    hot = [(at, bytes.fromhex(code), runs, cost) for at, code, runs, cost in said.get("hot", ())]
    return Measurement(total, steps, dispatch, calls, outputs, arena, hot, waits, ran)
