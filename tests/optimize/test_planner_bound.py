# Tests of the search for an order of buffers: its lower bound, moved buffers, and its end
# MIT license; Copyright (c) 2026 the tflm authors

import random
from itertools import permutations
from types import SimpleNamespace

from tflm_tools.arena.planner import _Placement, place_buffers


class _RandomLifetimes:
    """Buffers with random sizes and steps, as a BufferLifetimes.

    Two buffers in use at the same step must be apart, may overlap on one side, or may share bytes.
    """

    def __init__(self, seed, count=5):
        chance = random.Random(seed)
        self.buffers = []
        self._ranges = {}
        for _ in range(count):
            first = chance.randrange(4)
            size = chance.choice((1, 16, 24, 40, 64, 100))
            number = len(self.buffers)
            buffer = SimpleNamespace(number=number, key=number, size=size, first=first)
            buffer.last = first + chance.randrange(3)
            buffer.live_steps = (2 << buffer.last) - (1 << first)
            for i, other in enumerate(self.buffers):
                low, high = 1 - size, other.size - 1
                kind = chance.randrange(4)
                if buffer.first > other.last or other.first > buffer.last or kind == 0:
                    plain = []
                else:
                    plain = [(low, high if kind > 1 else 0)]
                self._ranges[i, len(self.buffers)] = plain
                self._ranges[len(self.buffers), i] = [(-b, -a) for a, b in plain]
            self.buffers.append(buffer)

    def forbidden(self, a, b):
        return self._ranges[a.number, b.number], []


def test_no_plan_is_below_the_lower_bound():
    exact = 0
    for seed in range(200):
        placement = _Placement(_RandomLifetimes(seed))
        heads = [placement.placed(order)[0] for order in permutations(range(5))]
        bound = placement.lower_bound(range(5))
        assert bound <= min(heads), seed
        exact += bound == min(heads)
    assert exact > 100


def test_moving_a_buffer_gives_the_plan_of_the_new_order():
    refused = 0
    for seed in range(200):
        placement, chance = _Placement(_RandomLifetimes(seed)), random.Random(seed)
        order = chance.sample(range(5), 5)
        max_bytes, known = placement.placed(order)
        at, to = chance.randrange(5), chance.randrange(5)
        changed = order[:at] + order[at + 1 :]
        changed.insert(to, order[at])
        expected = placement.placed(changed)
        plan = placement.replace(changed, min(at, to), order[at], known, max_bytes)
        assert plan == (expected if expected[0] <= max_bytes else None), seed
        refused += plan is None
    assert 0 < refused < 200


# The search ends as soon as the plan needs no more than `enough_bytes`, and not before.
def test_search_ends_at_enough_bytes():
    ended_early = 0
    for seed in range(60):
        best = place_buffers(_RandomLifetimes(seed, 9))[0]
        first = place_buffers(_RandomLifetimes(seed, 9), enough_bytes=1 << 40)[0]
        assert place_buffers(_RandomLifetimes(seed, 9), enough_bytes=best)[0] == best, seed
        middle = (best + first) // 2
        size = place_buffers(_RandomLifetimes(seed, 9), enough_bytes=middle)[0]
        assert best <= size <= first, seed
        ended_early += best < first
    assert ended_early
