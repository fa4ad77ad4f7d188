# tflm_tools: board: diagnoses a board and checks which models fit it, for `tflm doctor`
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from pathlib import Path

from tflm import format as layout
from tflm.errors import TflmError

from ..errors import DeviceError
from ..model.flat_file import FlatFile
from ..model.model_file import open_model
from ..packages import mpy_compiler, runtime_files
from ..render.common import size as size_text
from . import esp_chips, profiles
from .checks import check_files, check_memory
from .facts import OLDEST, read_facts
from .files import Files
from .flatten_for_board import BYTES, IN_PLACE, candidates_for_board
from .link import Link
from .memory_need import memory_need
from .storage_choice import available_storages, format_free_bytes

_MIN_BLOCK = 16 * 1024  # bytes of the largest free heap block; less is too little for any model
_MIN_FREE_FILE_BYTES = 64 * 1024  # of the file system of a board without tflm in its firmware


@dataclass
class Line:
    """One finding: `state` is "ok", "note" or "problem"; `step` says what to do."""

    what: str
    found: str
    state: str = "ok"
    step: str = ""


@dataclass
class Fit:
    """Whether a model fits a board; `how` says how, or why not. Sizes in bytes.

    code_bytes: separate executable memory that its kernels need, 0 without such memory.
    """

    model: str
    flat_bytes: int
    arena_bytes: int
    fits: bool
    how: str
    code_bytes: int = 0


@dataclass
class Diagnosis:
    """The result of `tflm doctor` for the board at a port."""

    port: str
    lines: list[Line] = field(default_factory=list)
    models: list[Fit] = field(default_factory=list)

    def healthy(self):
        """Return whether no finding is a problem."""
        return all(line.state != "problem" for line in self.lines)


def _firmware(facts):
    name = f"MicroPython {facts.firmware()}, {facts.machine}"
    oldest = esp_chips.OLDEST.get(facts.chip, OLDEST)
    if tuple(facts.version) < oldest:
        oldest = ".".join(map(str, oldest))
        return Line("firmware", name, "problem", f"flash {oldest} or newer: tflm flash")
    return Line("firmware", name)


def _chip(facts):
    try:
        esp_chips.check_chip(facts)
    except DeviceError as error:
        found, _, step = str(error).partition("; ")
        return Line("chip", found, "problem", step)
    warning = esp_chips.revision_warning(facts)
    return Line("chip", warning[0], "problem", warning[1]) if warning else None


def _arch(facts):
    if not facts.arch:
        step = "kernels are native code: use another firmware"
        return Line("arch", "no native code", "problem", step)
    target = facts.target
    return Line("arch", facts.arch + (f", models are packed for {target}" if target else ""))


def _heap(facts):
    sizes = f"{size_text(facts.whole_heap)} free, largest block {size_text(facts.block)}"
    if esp_chips.has_psram(facts):
        sizes += ", in PSRAM, which is slower"
    if facts.block < _MIN_BLOCK:
        return Line("heap", sizes, "problem", "too little for a model: free memory in boot.py")
    return Line("heap", sizes)


def _code_memory(facts):
    if facts.code_memory is None:
        return None
    own, shared = facts.code_memory
    if own and shared:
        text = f"{size_text(own)} free for machine code, {size_text(shared)} shared with the heap"
    elif shared:
        text = f"{size_text(shared)} free for machine code, shared with the heap"
    else:
        text = f"{size_text(own)} free for machine code"
    return Line("code", text)


def _tflm(facts):
    if facts.tflm is None:
        return Line("tflm", "not installed", "note", "tflm deploy MODEL installs it")
    version, reads, frozen = facts.tflm
    where = "in the firmware" if frozen else "in lib/"
    text = f"{version} {where}, reads .tflm format {reads}"
    if reads != layout.VERSION or version != runtime_files.version():
        step = "flash this version: tflm flash" if frozen else "tflm deploy MODEL updates it"
        return Line("tflm", f"{text}; the tools are {runtime_files.version()}", "note", step)
    return Line("tflm", text)


def _romfs(facts):
    if facts.romfs is None:
        step = "in free flash or in files" if facts.storage else "in files, loaded into RAM"
        return Line("ROMFS", "none", "note", f"models are stored {step}")
    size, _, address, writable = facts.romfs
    text = f"{size_text(size)} at 0x{address:x}"
    if address % 16:
        return Line("ROMFS", text, "problem", "it is not aligned to 16: use another firmware")
    return Line("ROMFS", text if writable else text + ", cannot be written")


def _file_system(facts):
    if facts.file_system is None:
        return Line("files", "no file system", "note", "models must be in ROMFS or in RAM")
    free, size = facts.file_system
    text = f"{size_text(free)} of {size_text(size)} free"
    if free < _MIN_FREE_FILE_BYTES and not facts.frozen:
        return Line("files", text, "problem", "remove files: the runtime needs about 150 KB")
    return Line("files", text)


def _clock(facts):
    if not facts.frequency:
        return None
    frequency, step = f"{facts.frequency / 1e6:g} MHz", esp_chips.faster_clock(facts)
    return Line("clock", frequency, "note", step) if step else Line("clock", frequency)


def _board(facts):
    matching = profiles.matching(facts.machine)
    if not matching:
        return Line("board", "not a board that tflm knows", "note", "see: tflm boards")
    return Line("board", ", ".join(f"{profile.name} ({profile.id})" for profile in matching))


# Whether a model fits the board. free_bytes: (read in place, storage name, bytes) of each storage.
def _fit(path, facts, free_bytes):
    fit = Fit(Path(path).name, 0, 0, False, "")
    try:
        esp_chips.check_chip(facts)
        for candidate in candidates_for_board(open_model(path), facts):
            found = _candidate_fit(candidate, facts, free_bytes, fit.model)
            fit = found  # of several reasons, the one for the smallest model
            if fit.fits:
                break
    except TflmError as error:
        fit.how = str(error)
    return fit


def _candidate_fit(candidate, facts, free_bytes, name):
    flat = candidate.flat
    fit = Fit(name, len(flat), FlatFile(flat).arena_bytes, False, "")
    if not facts.frozen and facts.file_system is None:
        fit.how = "the board has no tflm and no file system for it; flash firmware with tflm"
        return fit
    too_small = {}
    for in_place, storage, free in free_bytes:  # noqa: B007
        if free >= len(flat):
            break
        too_small[storage] = free
    else:
        text = format_free_bytes(too_small) or "none"
        fit.how = f"flash: the model has {len(flat)} bytes, free: {text}"
        return fit
    need = memory_need([flat], facts, in_ram=not in_place)
    try:
        if not facts.frozen:
            files = runtime_files.files_for(flat, facts.arch, facts.assembler)
            code = sum(map(len, mpy_compiler.compile_runtime_files(files, facts.arch).values()))
            check_files(facts, code, 0 if in_place else len(flat))
        check_memory(facts, need, len(flat), too_small, candidate.weights_text(facts))
    except DeviceError as error:
        fit.how = str(error)
        return fit
    fit.fits = True
    fit.code_bytes = need.machine_code
    fit.how = "read in place from flash" if in_place else "from a file, in RAM"
    if candidate.weights in (BYTES, IN_PLACE):
        fit.how += ", weights as single bytes"
    if need.machine_code:
        fit.how += f", {size_text(need.machine_code)} of machine code"
    return fit


def doctor(port=None, models=(), timeout=None):
    """Diagnose the board at a port and return a Diagnosis; nothing is written to the board.

    models: paths of models that are checked against the board. timeout: least number of seconds
    to wait for each answer of the board. Raises DeviceError.
    """
    with Link(port, timeout) as link:
        facts = read_facts(link)
        storages = available_storages(link, Files(link), facts) if models else ()
        free_bytes = [
            (storage.in_place, storage.name, storage.free_bytes("", False)) for storage in storages
        ]
    result = Diagnosis(facts.port)
    for check in (
        _board,
        _chip,
        _firmware,
        _arch,
        _heap,
        _code_memory,
        _tflm,
        _romfs,
        _file_system,
        _clock,
    ):
        line = check(facts)
        if line is not None:
            result.lines.append(line)
    result.models = [_fit(path, facts, free_bytes) for path in models]
    return result
