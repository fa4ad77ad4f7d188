# Tests of the wait-state model of ESP32 and ESP32-S3 (bench/esp32_memory.py) and of its command
# MIT license; Copyright (c) 2026 the tflm authors

import csv
from pathlib import Path

import pytest

pytest.importorskip("unicorn", reason="the measuring bench needs the extra `cycles`")

import esp32
import esp32_memory as memory
from asm.encoders.pie import Pie
from esp32_memory import LINE, Cache
from xtensa_core import Core

_ROOT = Path(__file__).resolve().parents[2]
_KB = 1024
# Cycles that a published program measured on an ESP32-S3 for 100 KB, see bench/esp32_memory.py.
_FROM_PSRAM, _TO_PSRAM, _WITHIN_PSRAM, _BY_BYTES = 605_593, 403_536, 1_054_546, 819_662
_COPIED = 100 * _KB


def _cache(size=32 * _KB, associativity=8):
    return Cache(size, associativity, lambda address: address >= 0x1000)


def test_cache_replaces_the_least_recently_used_line():
    cache = _cache(4 * LINE, 2)  # two sets
    first, second, third = 0x1000, 0x1000 + 2 * LINE, 0x1000 + 4 * LINE  # one set
    for address in (first, second, first, third):
        cache.access(address, False)
    assert cache.read == 3
    cache.access(first, False)
    assert cache.read == 3
    cache.access(second, False)
    assert cache.read == 4


def test_cache_writes_changed_lines_back():
    cache = _cache(4 * LINE, 2)
    cache.access(0x1000, True)
    cache.access(0x1004, True)
    for i in (1, 2):
        cache.access(0x1000 + 2 * i * LINE, False)
    assert (cache.read, cache.written) == (2, 1)


def test_internal_ram_is_not_cached():
    cache = _cache()
    cache.stream(0, 0x1000, True)
    assert (cache.read, cache.written) == (0, 0)


# The copies that the cycles of a line were derived from, and one more.
@pytest.mark.parametrize(
    ("source", "target", "published"),
    [(1, 0, _FROM_PSRAM), (0, 1, _TO_PSRAM), (1, 1, _WITHIN_PSRAM)],
)
def test_published_copies(source, target, published):
    cache = Cache(32 * _KB, 8, lambda address: address >= 1 << 24)
    for _ in range(2):  # the second copy begins with a cache in use
        before = cache.read, cache.written
        for at in range(0, _COPIED, LINE):
            cache.access((source << 24) + at, False)
            cache.access((target << 25) + at, True)
    read, written = cache.read - before[0], cache.written - before[1]
    cycles = 4 * (_COPIED // LINE) + read * memory.OCTAL.read + written * memory.OCTAL.written
    assert cycles == pytest.approx(published, rel=0.07)


# The loop that a compiler makes for a copy by bytes took 8 cycles a byte on an ESP32-S3.
def test_core_takes_the_published_cycles():
    function = Pie("copy", "", 3)
    loop = function.new_label("loop")
    function.label(loop)
    function.l8ui("a5", "a2", 0)
    function.s8i("a5", "a3", 0)
    function.addi("a2", "a2", 1)
    function.addi("a3", "a3", 1)
    function.bltu("a2", "a4", loop)
    function.retw()
    core = Core(lambda address, size: 0, lambda address, size, value: None)
    count = 1000
    core.call(b"".join(data for _, data, _ in function.lines()), [0x1000, 0x2000, 0x1000 + count])
    assert core.cycles / count == pytest.approx(_BY_BYTES / _COPIED, rel=0.01)


@pytest.mark.parametrize("chip", esp32.CHIPS)
def test_measure(chip, monkeypatch):
    monkeypatch.setattr(esp32, "_stock_instructions", lambda name: dict.fromkeys(range(99), 1000))
    path = _ROOT / "models" / "digits" / "digits_int8.tflite"
    run = esp32.measure(path, esp32.CHIPS[chip])
    assert run.kernel_cycles > 20_000
    assert run.other_instructions > 1000
    assert 0 < run.flash.read < run.psram.read
    rows = list(esp32.rows_of(chip, "digits", run))
    assert len(rows) == 1 + len(esp32.CHIPS[chip].external)
    assert all(float(row[7]) <= float(row[6]) <= float(row[8]) for row in rows)


def test_table_of_the_documentation():
    with (_ROOT / "docs" / "data" / "esp32.csv").open() as file:
        columns, *rows = csv.reader(file)
    assert tuple(columns) == esp32.COLUMNS
    assert [row[:2] for row in rows if row[2] == "internal RAM"] == [
        [chip, model] for chip in esp32.CHIPS for model in esp32.MODELS
    ]
