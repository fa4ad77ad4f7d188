# Tests of the model of a Pico's flash: cache, windows and bus, by the datasheet and a second model
# MIT license; Copyright (c) 2026 the tflm authors

import json
import random
import subprocess
from pathlib import Path

import core_firmware
import pytest

_EMULATOR = Path(__file__).resolve().parents[2] / "firmware" / "emulator"
_XIP, _STREAM = _EMULATOR / "xip.mjs", _EMULATOR / "stream.mjs"
_NODE = core_firmware.toolchain.have("node")
_FLASH = 0x10000000
_SET_SPAN, _LINE = 8 << 10, 8

pytestmark = pytest.mark.skipif(_NODE is None, reason="node is missing; see `make test`")


# What `body` (JavaScript; xip is an Xip) hands to show().
def _run(body, miss=48, divider=2):
    program = f"""
        import {{ Cache, Xip }} from {json.dumps(_XIP.as_uri())};
        const xip = new Xip({miss}, () => {divider});
        const show = (value) => console.log(JSON.stringify(value));
        {body}
    """
    said = subprocess.run(
        [_NODE, "--input-type=module", "-"], input=program,
        env=core_firmware.toolchain.environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


# Cycles that each of these reads waits, one long after the other.
def _waits(*addresses, **options):
    return _run(
        f"show({list(addresses)}.map((at, i) => xip.read(at, 1000 * i, false)))", **options
    )


def test_a_miss_fetches_four_bytes_and_not_the_line():
    a = _FLASH + 0x100
    assert _waits(a, a, a + 3, a + 4, a + 4, a) == [48, 0, 0, 48, 0, 0]


def test_two_lines_of_a_set_stay_and_the_third_replaces_the_one_used_longer_ago():
    a, b, c = (_FLASH + 0x40 + i * _SET_SPAN for i in range(3))
    assert _waits(a, b, a, c, a, b) == [48, 48, 0, 48, 0, 48]


def test_another_half_of_a_line_that_is_there_replaces_nothing():
    a, b = _FLASH, _FLASH + _SET_SPAN
    assert _waits(a, b, a + 4, a, b) == [48, 48, 48, 0, 0]


def test_sixteen_kilobytes_in_a_row_stay():
    all_words = "Array.from({ length: 4096 }, (_, i) => cache.read(4 * i))"
    body = f"const cache = new Cache(); show([{all_words}, {all_words}])"
    assert _run(body) == [[False] * 4096, [True] * 4096]


def test_windows_of_flash():
    plain, no_allocate, no_check, neither = (_FLASH + (i << 24) for i in range(4))
    assert _waits(no_allocate, no_allocate, plain, no_allocate) == [48, 48, 48, 0]
    assert _waits(no_check, no_check, plain) == [48, 48, 0]
    assert _waits(neither, plain, neither) == [48, 48, 48]


def test_a_slower_flash_takes_twenty_cycles_for_each_step_of_its_divider():
    assert _waits(_FLASH, divider=4) == [48 + 40]
    assert _waits(_FLASH, miss=56, divider=2) == [56]
    assert _waits(_FLASH, divider=0) == [48]  # before the boot loader has set it


def test_who_reads_while_a_word_is_fetched_waits_for_its_end():
    reads = "xip.read(0x10000000, 100, false), xip.read(0x10000000, 110, false)"
    more = "xip.read(0x10000004, 120, false), xip.read(0x10000004, 200, false)"
    assert _run(f"show([{reads}, {more}])") == [48, 38, 28 + 48, 0]


def test_misses_are_counted_by_cause():
    reads = "xip.read(4096 + 0x10000000, 0, false); xip.read(0x10000000, 0, true);"
    more = "xip.read(0x10000008, 0, false); xip.read(0x11001ffc, 0, false);"
    set_up = "xip.model = [0x10001000, 0x10002000];"
    assert _run(f"{set_up} {reads} {more} show(xip.misses)") == {"model": 2, "code": 1, "rest": 1}


def test_registers_of_the_cache():
    body = """
        const { registers } = xip;
        const read = (at) => xip.read(at, 0, false) > 0;
        xip.read(0x10000000, 0, false); xip.free = 0;
        const found = [registers.readUint32(0), registers.readUint32(8) & 1];
        found.push(xip.read(0x10000000, 0, false));
        found.push(registers.readUint32(12), registers.readUint32(16));
        registers.writeUint32Atomic(4, 1); // flush
        found.push(xip.read(0x10000000, 0, false)); xip.free = 0;
        registers.writeUint32Atomic(12, 0); registers.writeUint32Atomic(16, 7);
        found.push(registers.readUint32(12), registers.readUint32(16));
        registers.writeUint32Atomic(0, 0); // off
        found.push(xip.read(0x10000000, 0, false), registers.readUint32(0));
        show(found);
    """
    assert _run(body) == [1, 1, 0, 1, 2, 48, 0, 0, 48, 0]


# Hits by a model that keeps, for each set, its lines in order of use.
def _hits(offsets):
    sets = {}
    for offset in offsets:
        line, half = offset // _LINE, offset // 4 % 2
        lines = sets.setdefault(line % (_SET_SPAN // _LINE), {})
        halves = lines.pop(line, set())
        yield half in halves
        if len(lines) == 2:
            del lines[next(iter(lines))]
        lines[line] = halves | {half}


@pytest.mark.parametrize("spread", [1 << 11, 1 << 15, 1 << 20])
def test_random_reads_hit_as_in_another_model(spread):
    chosen = random.Random(spread)
    starts = [chosen.randrange(spread) * _SET_SPAN % (1 << 24) for _ in range(4)]
    offsets = [
        (chosen.choice(starts) + chosen.randrange(spread)) % (1 << 24) for _ in range(20_000)
    ]
    got = _run(f"const cache = new Cache(); show({offsets}.map((at) => cache.read(at)))")
    assert got == list(_hits(offsets))
    assert any(got) and not all(got)


# A stream of 3 words of flash, which hold their own addresses; `at(cycle)` lets time pass.
_STREAMED = """
    const { Stream } = await import(STREAM);
    const requests = [];
    const dma = { setDREQ: () => requests.push(1), clearDREQ: () => requests.push(0) };
    const stream = xip.stream = new Stream(() => xip.streamed, xip, (address) => address, dma);
    let cycle = 0;
    stream.time = () => cycle;
    const at = (now) => { cycle = now; stream.advance(now); };
    const { registers } = xip;
    const get = (offset) => registers.readUint32(offset);
    const set = (offset, value) => registers.writeUint32Atomic(offset, value);
    set(0x14, 0x10000400);
    at(1000);
    set(0x18, 3);
""".replace("STREAM", json.dumps(_STREAM.as_uri()))


def _stream(body, **options):
    return _run(f"{_STREAMED} const found = []; {body} show(found);", **options)


def test_a_stream_fetches_a_word_in_44_cycles_and_waits_where_two_are_not_taken():
    body = """
        for (const now of [1001, 1043, 1045, 1089, 1400]) { at(now); found.push(get(8)); }
        found.push(get(0x14), get(0x18), get(0x1c)); // a place is free from 1400 on
        at(1443); found.push(get(8)); at(1445); found.push(get(8), get(0x18));
        found.push(get(0x1c), get(0x1c), get(8), requests);
    """
    first, second, third = 0x10000400, 0x10000404, 0x10000408
    states = [3, 3, 1, 5, 5, third, 1, first, 1, 5, 0]
    assert _stream(body) == [*states, second, third, 3, [1, 1, 1, 0]]
    # A slower flash takes as much longer as it does for a miss.
    assert _stream("at(1001); at(1083); found.push(get(8)); at(1085); found.push(get(8));",
                   divider=4) == [3, 1]  # fmt: skip


def test_a_miss_waits_for_the_word_that_is_streamed_and_goes_before_the_next_one():
    body = """
        xip.read(0x10000000, 0, false);
        at(1001); found.push(xip.read(0x10000000, 1010, false)); // a hit
        found.push(xip.read(0x10002000, 1010, false)); // until 1044, then its own 48
        at(1100); found.push(get(8)); at(1135); found.push(get(8)); // the next one from 1092 on
        at(1137); found.push(get(8));
    """
    assert _stream(body) == [0, 34 + 48, 1, 1, 5]


def test_a_count_of_zero_ends_a_stream_after_the_current_word():
    body = """
        at(1020); set(0x18, 0); at(1500);
        found.push(get(8), stream.busy, get(0x1c), get(8), get(0x18));
    """
    assert _stream(body) == [1, False, 0x10000400, 3, 0]
