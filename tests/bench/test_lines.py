# Tests of the cache that counts the lines of an RP2350
# MIT license; Copyright (c) 2026 the tflm authors

from lines import Lines

_SET_SPAN = 8 << 10


def _fetched(*reads):
    cache = Lines()
    counts = []
    for address, size in reads:
        before = cache.fetched
        cache.read(address, size)
        counts.append(cache.fetched - before)
    return counts


def test_a_miss_fetches_a_line_of_eight_bytes():
    assert _fetched((0x10000000, 4), (0x10000004, 4), (0x10000008, 1), (0x10000000, 8)) == [
        1, 0, 1, 0,
    ]  # fmt: skip


def test_a_read_over_the_end_of_a_line_fetches_two():
    assert _fetched((0x10000006, 4)) == [2]


def test_the_line_used_longer_ago_goes():
    a, b, c = ((0x10000000 + i * _SET_SPAN, 4) for i in range(3))
    assert _fetched(a, b, a, c, a, b) == [1, 1, 0, 1, 0, 1]


def test_sixteen_kilobytes_stay():
    reads = [(at, 4) for at in range(0, 16 << 10, 4)]
    assert sum(_fetched(*reads, *reads)) == (16 << 10) // 8
