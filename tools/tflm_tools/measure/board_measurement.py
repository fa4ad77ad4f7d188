# tflm_tools: measure: measures a connected board beside its estimates, for `tflm measure`
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .. import files
from ..board import measured_boards
from ..board.facts import code_memory, read_facts, script_source
from ..board.link import Link
from ..errors import DeviceError
from . import hardware
from .kernel_check import PackageCheck, check_kernels

FORMAT = measured_boards.FORMAT
_REPOSITORY = Path(__file__).resolve().parents[3]
_DATA = _REPOSITORY / "docs" / "data"
_MLPERF = _REPOSITORY / "build" / "mlperf"  # `make -C bench models` writes it

# Cycles of a round of device/speed.py's loop, as viper compiles it, by the processor's manual.
_LOOP_CYCLES = {"armv6m": 8}
_LOOP_ROUNDS = 500_000
_SECOND_ROUNDS = 4  # of the loop, which are compared with the computer's clock

# Cycles of models in our tables, by chip: (file, columns to add, {column: value} of the rows).
_TABLES = {
    "RP2040": ("pico.csv", ("cycles",), {}),
    "RP2350": ("pico2.csv", ("cycles",), {}),
    "ESP32": ("esp32.csv", ("kernel_cycles", "other_cycles"), {"chip": "ESP32"}),
    "ESP32S3": ("esp32.csv", ("kernel_cycles", "other_cycles"), {"chip": "ESP32-S3"}),
    "ESP32C3": ("stock-firmware.csv", ("rv32_stock_instructions",), {}),
    "ESP32C6": ("stock-firmware.csv", ("rv32_stock_instructions",), {}),
}
_CLOCK_ERROR = 0.05  # of the loop, because interrupts make it longer
_ESTIMATED_FLASH_CYCLES = {"RP2040": 48}  # of a miss, with flash at half the clock of the core


@dataclass
class Comparison:
    """A measured value beside its estimate; None if it is not known.

    what: "clock, MHz", "flash, cycles per miss" or the name of a model, whose values are
    milliseconds of an invoke. cycles: of an invoke. source: where the estimate comes from:
    "stated", "table" or "rules". Only the factor of the clock depends on a wrong clock: cycles and
    estimated times are at the clock that was measured.
    """

    what: str
    measured: float | None
    estimated: float | None
    cycles: int | None = None
    source: str = ""

    @property
    def factor(self):
        """The measured value divided by the estimate, or None."""
        if self.measured is None or not self.estimated:
            return None
        return self.measured / self.estimated


@dataclass
class Measurement:
    """A connected board, measured; sizes in bytes, None for what the board does not have.

    chip: like RP2040. heap, block, file_system, code: free memory, as board.facts.Facts. loop_us:
    microseconds of an empty loop. seconds_per_second: seconds of the board in a second of the
    computer; a real board has 1, an emulator has not. flash_us: of board/device/speed.py.
    kernels: the check of all kernels. board: the models, a hardware.BoardRecord. compared: clock,
    flash and models beside their estimates. duration: seconds of the whole measurement.
    """

    format: int
    chip: str
    heap: int
    block: int
    file_system: int | None
    code: int | None
    loop_us: int
    seconds_per_second: float
    flash_us: tuple[int, int, int] | None
    kernels: list[PackageCheck] = field(default_factory=list)
    board: hardware.BoardRecord | None = None
    compared: list[Comparison] = field(default_factory=list)
    duration: int = 0

    def is_emulated(self):
        """Whether the board is an emulator, whose seconds are not the computer's."""
        return measured_boards.is_emulated(self.seconds_per_second)

    def is_right(self):
        """Whether all results on the board were right."""
        models = all(model.equal for model in self.board.models if not model.refused)
        return models and not any(check.wrong for check in self.kernels)


def measure(port=None, models=(), progress=None, timeout=None):
    """Measure the board at a port; return a Measurement.

    models: .tflite files or folders; by default the project's own models, and the models of
    `make -C bench models`. progress: called as progress(steps done, all steps). Raises TflmError.
    """
    begin = time.monotonic()
    paths = hardware.models_in(models) if models else _own_models()
    with Link(port, timeout) as link:
        facts = read_facts(link)
        facts.check_firmware()
        found = _speed(link, facts)
    steps = _Steps(progress, len(paths))
    found.board = hardware.record(paths, facts.port, 3, steps.models, timeout=timeout)
    found.kernels = check_kernels(facts.port, facts, steps.kernels, timeout)
    found.compared = [_clock(found), *_flash(found), *_models(found)]
    found.duration = round(time.monotonic() - begin)
    _remove_names(found, facts.port, paths)
    return found


def write(found, path):
    """Write a Measurement as JSON: no port, no serial number, no path of this computer."""
    files.write(path, json.dumps(asdict(found), indent=1).encode() + b"\n")


def _own_models():
    more = hardware.models_in([_MLPERF]) if any(_MLPERF.glob("*.tflite")) else []
    return hardware.models_in([]) + more


# Reports the steps of both parts as parts of one measurement.
class _Steps:
    def __init__(self, progress, models):
        self._progress, self._models = progress, models
        self._kernels = self._models  # until their number is known

    def models(self, done, total):
        if self._progress is not None:
            self._progress(done, total + self._kernels)

    def kernels(self, done, total):
        if self._progress is not None:
            self._progress(self._models + done, self._models + total)


# A Measurement with the clock, the flash and the memory of a board.
def _speed(link, facts):
    link.reset()
    code = code_memory(link, facts)
    link.exec(script_source("speed"))
    loop = link.eval(f"loop_us({_LOOP_ROUNDS})", 120, 1 << 40)
    begin = time.monotonic()
    us = link.eval(f"_microseconds(_count_down, {_SECOND_ROUNDS * _LOOP_ROUNDS})", 120, 1 << 40)
    seconds = time.monotonic() - begin
    flash = link.eval("flash_us()", 120)
    if flash is not None and not (len(flash) == 3 and all(isinstance(x, int) for x in flash)):
        raise DeviceError(f"the board at {facts.port} sent invalid times; try again", "garbage")
    space = facts.file_system and facts.file_system[0]
    return Measurement(
        FORMAT, facts.chip, facts.free, facts.block, space, code, loop,
        round(us / 1e6 / seconds, 3), flash,
    )  # fmt: skip


# The clock by the loop, beside the clock that the board states.
def _clock(found):
    cycles = _LOOP_CYCLES.get(found.board.arch)
    measured = cycles * _LOOP_ROUNDS / found.loop_us if cycles and found.loop_us else None
    return Comparison("clock, MHz", measured, found.board.frequency / 1e6 or None, None, "stated")


# The clock in MHz, 0 if it is not known: the stated one, unless the loop has another.
def _megahertz(found):
    clock = _clock(found)
    if clock.factor is None or abs(clock.factor - 1) < _CLOCK_ERROR:
        return clock.estimated or 0
    return clock.measured


def _flash(found):
    clock = _megahertz(found)
    if found.flash_us is None or not clock:
        return []
    missed, hit, misses = found.flash_us
    cycles = (missed - hit) * clock / max(misses, 1)
    estimated = _ESTIMATED_FLASH_CYCLES.get(found.chip)
    return [Comparison("flash, cycles per miss", cycles, estimated, None, "table")]


def _models(found):
    table = _table(found.chip)
    clock = _megahertz(found)
    compared = []
    for record in found.board.models:
        if record.refused:
            continue
        cycles, estimated, source = None, None, ""
        if clock:
            cycles = round(record.best_us * clock)
            if record.model in table:
                estimated, source = table[record.model] / clock / 1000, "table"
            elif record.estimated_us:
                stated = found.board.frequency / 1e6
                estimated, source = record.estimated_us * stated / clock / 1000, "rules"
        compared.append(Comparison(record.model, record.best_us / 1000, estimated, cycles, source))
    return compared


# {model: cycles} of the table for a chip.
def _table(chip):
    name, columns, where = _TABLES.get(chip, ("", (), {}))
    path = _DATA / name
    if not name or not path.exists():
        return {}
    rows = csv.DictReader(io.StringIO(path.read_text()))
    rows = [row for row in rows if all(row[key] == value for key, value in where.items())]
    return {row["model"]: sum(int(row[column]) for column in columns) for row in reversed(rows)}


# Remove the port and the folders of the models from all texts.
def _remove_names(found, port, paths):
    def clean(text):
        for path in paths:
            text = text.replace(str(path), Path(path).name)
        return text.replace(port, "PORT")

    for model in found.board.models:
        model.refused = clean(model.refused)
    for check in found.kernels:
        check.refused = {name: clean(text) for name, text in check.refused.items()}
