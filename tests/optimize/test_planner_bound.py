# Tests of the memory search: its bound, and plans in which one buffer moves
# MIT license; Copyright (c) 2026 the tflm authors

import random
from itertools import permutations
from types import SimpleNamespace

from tflm_tools.arena.planner import _Placement, place


# Blocks whose sizes and lives are random; pairs in use together are apart, may overlap from one
# side, or share their bytes.
class _Lives:
    def __init__(self, seed, count=5):
        chance = random.Random(seed)
        self.blocks = []
        self._ranges = {}
        for _ in range(count):
            first = chance.randrange(4)
            size = chance.choice((1, 16, 24, 40, 64, 100))
            number = len(self.blocks)
            block = SimpleNamespace(number=number, key=number, size=size, first=first)
            block.last = first + chance.randrange(3)
            for i, other in enumerate(self.blocks):
                low, high = 1 - size, other.size - 1
                kind = chance.randrange(4)
                if block.first > other.last or other.first > block.last or kind == 0:
                    plain = []
                else:
                    plain = [(low, high if kind > 1 else 0)]
                self._ranges[i, len(self.blocks)] = plain
                self._ranges[len(self.blocks), i] = [(-b, -a) for a, b in plain]
            self.blocks.append(block)

    # What b's offset minus a's may not be.
    def forbidden(self, a, b):
        return self._ranges[a.number, b.number], []


def test_no_plan_goes_below_the_bound():
    reached = 0
    for seed in range(200):
        placement = _Placement(_Lives(seed))
        heads = [placement.place(order)[0] for order in permutations(range(5))]
        bound = placement.bound(range(5))
        assert bound <= min(heads), seed
        reached += bound == min(heads)
    assert reached > 100  # and it is no bound that nothing comes near to


def test_plan_with_one_buffer_moved_is_the_plan_of_that_order():
    refused = 0
    for seed in range(200):
        placement, chance = _Placement(_Lives(seed)), random.Random(seed)
        order = chance.sample(range(5), 5)
        most, known = placement.place(order)
        at, to = chance.randrange(5), chance.randrange(5)
        changed = order[:at] + order[at + 1 :]
        changed.insert(to, order[at])
        wanted = placement.place(changed)
        found = placement.moved(changed, min(at, to), order[at], known, most)
        assert found == (wanted if wanted[0] <= most else None), seed
        refused += found is None
    assert 0 < refused < 200


# A search ends where it takes no more than is enough, and not before.
def test_bytes_that_are_enough():
    ended = 0
    for seed in range(60):
        least = place(_Lives(seed, 9))[0]
        soon = place(_Lives(seed, 9), enough=1 << 40)[0]
        assert place(_Lives(seed, 9), enough=least)[0] == least, seed
        assert least <= place(_Lives(seed, 9), enough=(least + soon) // 2)[0] <= soon, seed
        ended += least < soon
    assert ended
