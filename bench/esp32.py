# bench: estimates the time of models on ESP32 and ESP32-S3, with waits for flash and PSRAM
# MIT license; Copyright (c) 2026 the tflm authors

"""esp32.py [--model NAME] [--docs]: the machine code of the kernels runs in the emulator of
xtensa_core.py, which counts cycles. Each of its memory accesses passes the model of the cache in
esp32_memory.py. docs/explanation/measuring.md lists all assumptions. No chip was measured.
"""

import argparse
import csv
import io
import sys
from collections import namedtuple
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import esp32_memory as memory
from esp32_memory import Cache
from tflm.access_checks import check_of
from tflm.access_checks.record import Record
from tflm.errors import TflmError
from tflm.model import FlatModel
from tflm_tools import files
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import prepare
from tflm_tools.image.flat_image import image_of
from tflm_tools.model.model_file import open_tflite
from tflm_tools.optimize.memory.levels import OFF
from tflm_tools.optimize.passes import passes_without
from tflm_tools.render.common import console, number, show, table
from xtensa_kernels import STAND_INS, Xtensa, packing_of

from fuzz.kernel_tracer import ARENA, ROM  # isort: skip

ROOT = Path(__file__).resolve().parents[1]
_DATA = ROOT / "docs" / "data"
MODELS = ("person_detect_int8", "mlperf_kws_int8", "mlperf_resnet8_int8", "mlperf_vww96_int8",
          "mlperf_ad01_int8")  # fmt: skip
COLUMNS = ("chip", "model", "memory", "kernel_cycles", "other_cycles", "wait_cycles", "ms",
           "ms_min", "ms_max")  # fmt: skip

# Instructions around machine code, for each operator and each call: those that qemu counts for the
# layers of mlperf_kws and mlperf_vww96 with MAC16, less the instructions of the machine code.
_OPERATOR, _CALL = 1_000, 630
_OTHER = 1.5, 1.0, 2.0  # cycles of an instruction that is not in the emulator; least, most
_KERNEL_ERROR = 0.1  # of the cycles of machine code: see measuring.md
# A cache of the chip, the cycles that each MULA takes more, and its memories. Published times of
# ESP-DSP give 1.7 cycles a MULA on an ESP32 and 1.2 on an ESP32-S3.
Chip = namedtuple("Chip", "target associativity more_for_mula external")
CHIPS = {
    "ESP32": Chip("mac16", 2, 0.7, (memory.SLOW_QUAD,)),
    "ESP32-S3": Chip("pie", 8, 0.2, (memory.FLASH, memory.OCTAL, memory.QUAD)),
}
_CACHE_BYTES = 32 * 1024


@dataclass
class Run:
    """What an invoke costs: cycles of machine code, instructions of other code, lines by memory.

    flash: a Cache that sees the model only; psram: one that also sees the arena.
    """

    kernel_cycles: float
    other_instructions: int
    flash: Cache
    psram: Cache


# Return {number of the operator: instructions} of a model on stock firmware with MAC16.
def _stock_instructions(name):
    with (_DATA / "stock-firmware-layers.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == name]
    return {int(row["layer"]): int(row["xtensa_mac16_instructions"]) for row in rows}


# Note that all operands of a record are read or written once.
def _stream(record, caches):
    for operand, (start, stop) in record.ranges.items():
        base = ROM if record[operand] & 1 else ARENA
        for cache in caches:
            cache.stream(base + start, stop - start, operand in record.written)


# Run a kernel with its record; return (cycles, instructions of the code around machine code).
def _run_kernel(kernel, record, arena, flat, chip, caches):
    def watch(address, is_write):
        for cache in caches:
            cache.access(address, is_write)

    machine = Xtensa(kernel, watch=watch)
    machine.run(kernel, record, arena, flat.buffer)
    core = machine.core
    around = _OPERATOR + _CALL * machine.calls
    return core.cycles + chip.more_for_mula * core.products, around


def measure(path, chip):
    """Return the Run of a model (a path) on a Chip."""
    model = open_tflite(path, "cycles")
    prepared = prepare(model.data, target=chip.target, passes=passes_without(), optimize=OFF)
    flat = FlatModel(image_of(model.data, *prepared))
    stock = _stock_instructions(path.stem)
    arena = bytearray(flat.arena_bytes)
    caches = [
        Cache(_CACHE_BYTES, chip.associativity, lambda address: address >= ROM),
        Cache(_CACHE_BYTES, chip.associativity, lambda address: address >= ARENA),
    ]
    cycles, instructions = 0, 0
    first, count, *_ = flat.subgraph()
    for i in range(first, first + count):
        kernel, _, node, words, operands, _ = flat.op(i)
        record = Record(flat, memoryview(words), operands)
        check_of(kernel)(record)
        record.settle()
        if packing_of(kernel) in STAND_INS:
            more, around = _run_kernel(kernel, record, arena, flat, chip, caches)
            cycles += more
            instructions += around
        else:
            instructions += stock[node]
            _stream(record, caches)
    return Run(cycles, instructions, *caches)


# Return (cycles, least, most) of waits by the name of the memory.
def _waits(run, chip):
    yield "internal RAM", (0, 0, 0)
    for external in chip.external:
        traffic = run.flash if external is memory.FLASH else run.psram
        yield external.name, external.cycles(traffic)


def rows_of(chip_name, model, run):
    """Yield the rows of docs/data/esp32.csv for a Run."""
    for name, waits in _waits(run, CHIPS[chip_name]):
        kernel = run.kernel_cycles
        others = [run.other_instructions * each for each in _OTHER]
        kernels = kernel, kernel * (1 - _KERNEL_ERROR), kernel * (1 + _KERNEL_ERROR)
        totals = [sum(costs) for costs in zip(kernels, others, waits, strict=True)]
        yield (
            chip_name, model, name, round(kernel), round(others[0]), round(waits[0]),
            *(f"{total / memory.MHZ / 1000:.1f}" for total in totals),
        )  # fmt: skip


def _path(name):
    for path in (ROOT.parent / "shared" / "models", *(ROOT / "models").glob("*")):
        if (path / f"{name}.tflite").is_file():
            return path / f"{name}.tflite"
    raise ToolError(f"no model is named {name}; choose from {', '.join(MODELS)}")


def _measured(job):
    chip, model = job
    return list(rows_of(chip, model, measure(_path(model), CHIPS[chip])))


def main():
    parser = argparse.ArgumentParser(prog="esp32", description=__doc__)
    parser.add_argument("--model", action="append", choices=MODELS)
    parser.add_argument("--chip", action="append", choices=tuple(CHIPS))
    parser.add_argument("--docs", action="store_true", help="write docs/data/esp32.csv, too")
    parser.add_argument("--jobs", type=int, default=2, help="models at a time")
    options = parser.parse_args()
    jobs = [(c, m) for c in options.chip or CHIPS for m in options.model or MODELS]
    with ProcessPoolExecutor(options.jobs) as pool:
        rows = [row for group in pool.map(_measured, jobs) for row in group]
    grid = table("chip", "model", "memory", ">kernels", ">other", ">waits", ">ms", ">min", ">max")
    for row in rows:
        grid.add_row(*row[:3], *map(number, row[3:6]), *row[6:])
    show(grid, console(), "model")
    if options.docs:
        _write(rows)


# Write rows into the table of the documentation. Rows of other chips and models stay.
def _write(rows):
    path = _DATA / "esp32.csv"
    _, *lines = csv.reader(io.StringIO(files.read(path).decode()))
    by_model = {}
    for row in (*lines, *rows):
        group = by_model.setdefault(tuple(row[:2]), {})
        group[row[2]] = row
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for group in by_model.values():
        writer.writerows(group.values())
    files.write(path, text.getvalue().encode())


if __name__ == "__main__":
    try:
        main()
    except TflmError as error:
        sys.exit(f"esp32: {error}")
