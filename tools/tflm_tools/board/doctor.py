# tflm_tools: board: doctor: what a board is, what is free on it, what is wrong, what would fit
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from pathlib import Path

from tflm import format as layout
from tflm.errors import TflmError

from ..model.flat_file import FlatFile
from ..model.model_file import open_model
from ..packages import parts
from ..render.common import size as size_text
from . import profiles
from .checks import check_files, check_heap
from .facts import OLDEST, ask
from .files import Files
from .flatten_for_board import flat_for
from .link import Link
from .storage_choice import storages, told


@dataclass
class Line:
    """One thing that was looked at: `state` is "ok", "note" or "problem"; `step`: what to do."""

    what: str
    found: str
    state: str = "ok"
    step: str = ""


@dataclass
class Fit:
    """Whether a model fits, and why not; sizes in bytes."""

    model: str
    flat_bytes: int
    arena_bytes: int
    fits: bool
    how: str


@dataclass
class Diagnosis:
    """What `tflm doctor` found on the board at a port."""

    port: str
    lines: list[Line] = field(default_factory=list)
    models: list[Fit] = field(default_factory=list)

    def healthy(self):
        """True when nothing is a problem."""
        return all(line.state != "problem" for line in self.lines)


# What a look at a board reports of its progress.
def _nothing(count):
    pass


def _firmware(facts):
    found = f"MicroPython {facts.firmware()}, {facts.machine}"
    if tuple(facts.version) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return Line("firmware", found, "problem", f"flash {oldest} or newer: tflm flash")
    return Line("firmware", found)


def _arch(facts):
    if not facts.arch:
        return Line("arch", "no native code", "problem", "kernels need it: use another firmware")
    target = facts.target
    return Line("arch", facts.arch + (f", models are packed for {target}" if target else ""))


def _heap(facts):
    found = f"{size_text(facts.free)} free, {size_text(facts.block)} in one piece"
    if facts.block < 16 * 1024:
        return Line("heap", found, "problem", "too little for a model: free memory in boot.py")
    return Line("heap", found)


def _tflm(facts):
    if facts.tflm is None:
        return Line("tflm", "not there", "note", "tflm deploy MODEL brings it along")
    version, reads, frozen = facts.tflm
    where = "in the firmware" if frozen else "in lib/"
    found = f"{version} {where}, reads .tflm format {reads}"
    if reads != layout.VERSION or version != parts.version():
        step = "flash this version: tflm flash" if frozen else "tflm deploy MODEL renews it"
        return Line("tflm", f"{found}; the tools are {parts.version()}", "note", step)
    return Line("tflm", found)


def _romfs(facts):
    if facts.romfs is None:
        return Line("ROMFS", "none", "note", "models go to free flash or into files")
    size, _, address, writable = facts.romfs
    found = f"{size_text(size)} at 0x{address:x}"
    if address % 16:
        return Line("ROMFS", found, "problem", "it is not aligned to 16: use another firmware")
    return Line("ROMFS", found if writable else found + ", cannot be written")


def _file_system(facts):
    if facts.file_system is None:
        return Line("files", "no file system", "note", "models must lie in ROMFS or in RAM")
    free, size = facts.file_system
    found = f"{size_text(free)} of {size_text(size)} free"
    if free < 64 * 1024 and not facts.frozen:
        return Line("files", found, "problem", "remove files: the runtime takes about 150 KB")
    return Line("files", found)


# The profile that the board has, by its name.
def _profile(facts):
    found = profiles.of_machine(facts.machine)
    if not found:
        return Line("board", "not one that tflm knows", "note", "see: tflm boards")
    return Line("board", ", ".join(f"{profile.name} ({profile.id})" for profile in found))


# Whether a model fits this board, whose places for models have `rooms`: (Storage, bytes).
def _fit(path, facts, rooms):
    name = Path(path).name
    try:
        flat = flat_for(open_model(path), facts)
        arena = FlatFile(flat).arena_bytes
        code = 0
        if not facts.frozen:
            files = parts.files_for(flat, facts.arch, facts.assembler)
            code = sum(map(len, parts.compiled(files, facts.arch).values()))
            if facts.file_system is None:
                reason = (
                    "the board has no tflm and no file system for it; flash firmware with tflm"
                )
                return Fit(name, len(flat), arena, False, reason)
        small = {}
        for in_place, place, room in rooms:  # noqa: B007
            if room >= len(flat):
                break
            small[place] = room
        else:
            free = told(small) or "none"
            reason = f"flash: the model has {len(flat)} bytes, free: {free}"
            return Fit(name, len(flat), arena, False, reason)
        if code:
            check_files(facts, code, 0 if in_place else len(flat))
        check_heap(facts, flat, code, not in_place, small)
    except TflmError as error:
        known = "flat" in locals() and "arena" in locals()
        return Fit(name, len(flat) if known else 0, arena if known else 0, False, str(error))
    how = "read in place from flash" if in_place else "from a file, in RAM"
    return Fit(name, len(flat), arena, True, how)


def doctor(port=None, models=(), timeout=None):
    """Look at the board at a port: a Diagnosis; nothing is written there. Raises DeviceError.

    timeout: seconds that it has at least for each answer.
    """
    with Link(port, timeout) as link:
        facts = ask(link)
        places = storages(link, Files(link, _nothing), facts) if models else ()
        rooms = [(place.in_place, place.name, place.room("", False)) for place in places]
    result = Diagnosis(facts.port)
    for look in (_profile, _firmware, _arch, _heap, _tflm, _romfs, _file_system):
        result.lines.append(look(facts))
    if facts.frequency:
        result.lines.append(Line("clock", f"{facts.frequency / 1e6:g} MHz"))
    result.models = [_fit(path, facts, rooms) for path in models]
    return result
