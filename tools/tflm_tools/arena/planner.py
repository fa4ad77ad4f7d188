# tflm_tools: where the buffers of a model lie, when some may lie over others
# MIT license; Copyright (c) 2026 the tflm authors

import random
from collections import namedtuple
from functools import lru_cache
from itertools import combinations

_ALIGNMENT = 16
_TRIES = 10_000
_WORK = 12_000_000  # pairs of buffers that all tries together may look at, about
_PLACED = 1_200_000  # buffers that all tries together may place
_PILE = 0.95  # of the changes to an order move what holds up the highest buffer
_KNOWN = 4  # of all tries of a draft one by so many is left where a plan like it is known
_LAST = 2500  # tries of a draft behind the last that made it smaller, and twice as many as before
_BUSY = 0.7  # of the bytes that a first plan takes: from here on a step is busy


def _aligned(value):
    return -(-value // _ALIGNMENT) * _ALIGNMENT


# The lowest offset outside of all ranges (low, high), in their order, from `offset` on.
def _behind(ranges, offset=0):
    for low, high in ranges:
        if low > offset:
            break
        if high >= offset:
            offset = (high // _ALIGNMENT + 1) * _ALIGNMENT
    return offset


# The same, outside of ranges (low, high, step, phase), too, but for multiples of `step` beside
# `phase`.
def _lowest(ranges, stepped):
    offset, moved = 0, True
    while moved:
        moved = False
        offset = _behind(ranges, offset)
        for low, high, step, phase in stepped:
            if low <= offset <= high and (offset - phase) % step:
                while offset <= high and (offset - phase) % step:
                    offset += _ALIGNMENT
                moved = True
    return offset


# Bytes of a buffer, and the first and the last step that it is in use.
_Span = namedtuple("_Span", ("size", "first", "last"))


class _Placement:
    """Buffers by number, and for each the others that it may not lie anywhere beside.

    Two are equal when all of that is: flatten() plans the same model again and again.
    """

    def __init__(self, lives):
        blocks = lives.blocks
        self.blocks = [_Span(block.size, block.first, block.last) for block in blocks]
        self.sizes = [block.size for block in blocks]
        self.near = [[] for _ in blocks]
        self.apart = [set() for _ in blocks]  # those that no byte may be shared with
        for (i, block), (k, other) in combinations(enumerate(blocks), 2):
            plain, stepped = lives.forbidden(block, other)
            if not plain and not stepped:
                continue  # as for most
            self.near[k].append((i, tuple(plain), tuple(stepped)))
            self.near[i].append((k, *map(tuple, lives.forbidden(other, block))))
            if any(low <= 1 - other.size and high >= block.size - 1 for low, high in plain):
                self.apart[i].add(k)
                self.apart[k].add(i)
        self._beside = [{k for k, _, _ in near} for near in self.near]
        self._plain = [
            [(k, *each) for k, plain, _ in near for each in plain] for near in self.near
        ]
        self._stepped = [
            [(k, *each) for k, _, steps in near for each in steps] for near in self.near
        ]
        self._above = [  # (other, how far above its offset it is in the way)
            [(k, high) for k, _, high, *_ in (*plain, *stepped)]
            for plain, stepped in zip(self._plain, self._stepped, strict=True)
        ]
        self._key = (tuple(self.blocks), tuple(map(tuple, self.near)))

    def __eq__(self, other):
        return self._key == other._key

    def __hash__(self):
        return hash(self._key)

    # Bytes that no plan of these buffers goes below: of those in use at one step, the largest that
    # are all apart.
    def bound(self, order):
        largest = sorted(order, key=lambda i: -self.sizes[i])
        most = 0
        for step in {self.blocks[i].first for i in order}:
            chosen = []
            for i in largest:
                block = self.blocks[i]
                if block.first <= step <= block.last and self.apart[i].issuperset(chosen):
                    chosen.append(i)
            padding = [_aligned(self.sizes[i]) - self.sizes[i] for i in chosen]
            most = max(most, sum(self.sizes[i] for i in chosen) + sum(padding) - max(padding))
        return most

    # The lowest place of buffer i beside those that have one.
    def _place(self, i, offsets):
        ranges = [
            (low + at, high + at)
            for k, low, high in self._plain[i]
            if (at := offsets[k]) is not None
        ]
        ranges.sort()
        if not self._stepped[i]:
            return _behind(ranges)
        stepped = [
            (low + at, high + at, step, phase + at)
            for k, low, high, step, phase in self._stepped[i]
            if (at := offsets[k]) is not None
        ]
        return _lowest(ranges, stepped)

    def place(self, order):
        """Place buffers in an order: (bytes together, offsets)."""
        offsets = [None] * len(self.sizes)
        for i in order:
            offsets[i] = self._place(i, offsets)
        return max(offsets[i] + self.sizes[i] for i in order), offsets

    def moved(self, order, start, moved, known, most):
        """What place() gives, or None as soon as it takes over `most` bytes.

        known: its offsets for another order, the same up to place `start` and but for the buffer
        `moved`. Those that nothing beside them moves stay where they are.
        """
        offsets, moving, rest = known.copy(), {moved}, order[start:]
        beside, sizes, place = self._beside, self.sizes, self._place  # this loop is most of it all
        for i in rest:
            offsets[i] = None
        for i in rest:
            if i != moved and beside[i].isdisjoint(moving):
                offsets[i] = known[i]
                continue
            offsets[i] = at = place(i, offsets)
            if at + sizes[i] > most:
                return None
            if at != known[i]:
                moving.add(i)
            elif i == moved:  # what comes behind sees no change by it
                moving.discard(i)
                if not moving:
                    offsets = known
                    break
        return max([offsets[i] + sizes[i] for i in order]), offsets

    def pile(self, order, offsets):
        """The buffer that ends highest, and what holds it up: what it lies on, and so on down."""
        ends = [offsets[i] + self.sizes[i] for i in order]
        found = [order[ends.index(max(ends))]]
        known = set(found)
        for i in found:
            at = offsets[i]
            for k, high in self._above[i]:
                below = offsets[k]
                if below is not None and 0 < at - below - high <= _ALIGNMENT and k not in known:
                    known.add(k)
                    found.append(k)
        return found


# Orders that are good for one kind of model or another: by size; by time, backwards (then each
# operator's output lies low, and its input above it); by how long and how large; by time.
def _orders(blocks):
    keys = (
        lambda b: (-b.size, -b.first),
        lambda b: (-b.last, -b.first, -b.size),
        lambda b: (-b.size * (b.last - b.first + 1), -b.first),
        lambda b: (b.first, -b.size),
    )
    for key in keys:
        yield sorted(range(len(blocks)), key=lambda i: key(blocks[i]))


# The order with one buffer at another place, up to which place it is the same, and the buffer.
# Only what holds up the highest one, `pile`, makes the head lower when it moves, and only past
# what it may not share bytes with, `near`: so that is what moves most.
def _changed(order, pile, near, chance):
    order = list(order)
    moved = chance.choice(pile if chance.random() < _PILE else order)
    past = chance.choice(pile) if chance.random() < 0.5 else moved
    if past == moved and near[moved]:
        past = chance.choice(near[moved])
    at, to = order.index(moved), order.index(past)
    order.insert(to, order.pop(at))
    return order, min(at, to), moved


# Numbers of the buffers that are in use at a step where all together have over `most` bytes.
def _critical(blocks, most):
    changes = {}
    for block in blocks:
        changes[block.first] = changes.get(block.first, 0) + block.size
        changes[block.last + 1] = changes.get(block.last + 1, 0) - block.size
    now, spans = 0, []
    steps = sorted(changes)
    for step, behind in zip(steps, steps[1:], strict=False):
        now += changes[step]
        if now > most:
            spans.append((step, behind - 1))
    return {
        i
        for i, block in enumerate(blocks)
        if any(block.first <= last and first <= block.last for first, last in spans)
    }


# The best order that changes by chance to `order` lead to; is_draft: that soon lead to. enough:
# bytes that need not become fewer.
def _searched(placement, order, head, offsets, tries, is_draft, enough):
    chance = random.Random(1)
    bound = max(enough, placement.bound(order))
    pairs = sum(len(placement.near[i]) for i in order)
    size, among = len(order), set(order)
    near = {i: [k for k, _, _ in placement.near[i] if k in among] for i in order}
    pile = placement.pile(order, offsets)
    tries = min(tries, 10 * size**2, _WORK // (pairs + size), _PLACED // size)
    last, refused = 0, set()  # orders that take more: chance comes back to them
    for number in range(tries):
        if head <= bound or is_draft and number > 2 * last + _LAST:
            break
        changed, start, moved = _changed(order, pile, near, chance)
        if tuple(changed) in refused:
            continue
        better = placement.moved(changed, start, moved, offsets, head)
        if better is None:
            refused.add(tuple(changed))
        else:
            last = number if better[0] < head else last
            head, offsets = better
            order = changed
            pile = placement.pile(order, offsets)
    return order


# (bytes, offsets, order) of the best plan that is found. `start`: an order that may be good, or
# None: where it is the best one to begin with, a draft has less left to find.
@lru_cache(maxsize=64)
def _best(placement, tries, start=None, is_draft=False, enough=0):
    blocks = placement.blocks
    found = [(*placement.place(order), order) for order in _orders(blocks)]
    head, offsets, order = min(found, key=lambda entry: entry[0])
    if start is not None:
        known = placement.place(start)
        if known[0] <= head:
            (head, offsets), order = known, list(start)
            tries = tries // _KNOWN if is_draft else tries
    critical = _critical(blocks, _BUSY * head)
    busy = [i for i in order if i in critical]
    if busy:
        now, at = placement.place(busy)
        busy = _searched(placement, busy, now, at, tries, is_draft, enough)
        whole = busy + [i for i in order if i not in critical]
        now, at = placement.place(whole)
        if now <= head:
            head, offsets, order = now, at, whole
    if any(i not in critical and offsets[i] + b.size == head for i, b in enumerate(blocks)):
        order = _searched(placement, order, head, offsets, tries // 4, is_draft, enough)
        head, offsets = placement.place(order)
    return head, offsets, order


def place(lives, tries=_TRIES, like=(), is_draft=False, enough=0):
    """Set the offset of each Block of a Lives; the bytes that all of them take, and their order.

    like: the order (keys of Blocks) of a plan of the same tensors, with other scratch, or of a
    draft: that the plan is no larger than. is_draft: within half a percent, as a rule, in a third
    of the time. enough: bytes that need not become fewer, as no plan takes fewer or nobody asks.

    Buffers are placed one after the other, each as low as it can. The order decides how well
    that goes: some good ones are tried, then changes to the best of them by chance, always the
    same for the same model: first for the buffers of busy steps alone, with the others behind
    them, then for all.
    """
    if not lives.blocks:
        return 0, []
    start = _as_before(lives.blocks, like)
    head, offsets, order = _best(_Placement(lives), tries, start, is_draft, enough)
    for block, offset in zip(lives.blocks, offsets, strict=True):
        block.offset = offset
    return head, [lives.blocks[i].key for i in order]


# Numbers of Blocks in the order of their keys, scratch that is new last, large buffers first; None
# where there are other tensors than then.
def _as_before(blocks, keys):
    at = {key: number for number, key in enumerate(keys)}
    last = len(at)
    if any(block.key >= 0 and block.key not in at for block in blocks):
        return None
    return tuple(
        sorted(range(len(blocks)), key=lambda i: (at.get(blocks[i].key, last), -blocks[i].size, i))
    )
