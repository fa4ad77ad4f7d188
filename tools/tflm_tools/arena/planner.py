# tflm_tools: places buffers in the arena by a greedy planner, in an order that it searches for
# MIT license; Copyright (c) 2026 the tflm authors

import random
from collections import namedtuple
from functools import lru_cache
from itertools import combinations

ALIGNMENT = 16
_MAX_TRIES = 10_000  # orders that are tried for one plan
_MAX_PAIRS = 12_000_000  # pairs of buffers that all tries together may examine, about
_MAX_PLACEMENTS = 1_200_000  # buffers that all tries together may place
_PILE_CHANCE = 0.95  # share of the changes that move a buffer of the pile, see _changed_order()
_DRAFT_TRIES_DIVISOR = 4  # a draft tries fewer orders by this factor if it knows a similar plan
_DRAFT_PATIENCE = 2500  # a draft ends when twice as many tries and this many brought nothing
_MAX_KNOWN_PLANS = 1024  # plans that are kept for the next time; a large model has as many
_BUSY_SHARE = 0.7  # a step is busy if more than this share of the first plan's bytes is in use


def _aligned(value):
    return -(-value // ALIGNMENT) * ALIGNMENT


# The lowest offset, from `offset` on, outside of all ranges (low, high), which are sorted.
def _lowest_outside(ranges, offset=0):
    for low, high in ranges:
        if low > offset:
            break
        if high >= offset:
            offset = (high // ALIGNMENT + 1) * ALIGNMENT
    return offset


# The lowest offset outside of ranges (low, high) and of stepped ranges (low, high, step, phase);
# the latter allow `phase` plus multiples of `step`.
def _lowest_outside_stepped(ranges, stepped):
    offset, moved = 0, True
    while moved:
        moved = False
        offset = _lowest_outside(ranges, offset)
        for low, high, step, phase in stepped:
            if low <= offset <= high and (offset - phase) % step:
                while offset <= high and (offset - phase) % step:
                    offset += ALIGNMENT
                moved = True
    return offset


# Bytes of a buffer, and the first and the last step that uses it.
_Span = namedtuple("_Span", ("size", "first", "last"))


class _Placement:
    """The buffers of a BufferLifetimes by number, and the offsets that each pair must not have.

    neighbours[i]: [(number of another buffer, plain, stepped)], from BufferLifetimes.forbidden().
    exclusive[i]: numbers of the buffers that must not share a byte with buffer i.
    Placements are equal if all of that is equal, which makes them keys of a cache: the same model
    is planned many times.
    """

    def __init__(self, lifetimes):
        buffers = lifetimes.buffers
        self.spans = [_Span(buffer.size, buffer.first, buffer.last) for buffer in buffers]
        self.sizes = [buffer.size for buffer in buffers]
        self.neighbours = [[] for _ in buffers]
        self.exclusive = [set() for _ in buffers]
        live_steps = [buffer.live_steps for buffer in buffers]
        for (i, buffer), (k, other) in combinations(enumerate(buffers), 2):
            if not live_steps[i] & live_steps[k]:
                continue  # as for most pairs
            plain, stepped = lifetimes.forbidden(buffer, other)
            if not plain and not stepped:
                continue
            self.neighbours[k].append((i, tuple(plain), tuple(stepped)))
            self.neighbours[i].append((k, *map(tuple, lifetimes.forbidden(other, buffer))))
            if any(low <= 1 - other.size and high >= buffer.size - 1 for low, high in plain):
                self.exclusive[i].add(k)
                self.exclusive[k].add(i)
        self._neighbour_sets = [{k for k, _, _ in each} for each in self.neighbours]
        self._plain = [
            [(k, *limits) for k, plain, _ in each for limits in plain] for each in self.neighbours
        ]
        self._stepped = [
            [(k, *limits) for k, _, steps in each for limits in steps] for each in self.neighbours
        ]
        self._heights = [  # (other buffer, how far above its offset it is in the way)
            [(k, high) for k, _, high, *_ in (*plain, *stepped)]
            for plain, stepped in zip(self._plain, self._stepped, strict=True)
        ]
        self._key = (tuple(self.spans), tuple(map(tuple, self.neighbours)))

    def __eq__(self, other):
        return self._key == other._key

    def __hash__(self):
        return hash(self._key)

    # Bytes that every plan of these buffers needs: the largest exclusive buffers of one step.
    def lower_bound(self, order):
        largest_first = sorted(order, key=lambda i: -self.sizes[i])
        bound = 0
        for step in {self.spans[i].first for i in order}:
            chosen = []
            for i in largest_first:
                span = self.spans[i]
                if span.first <= step <= span.last and self.exclusive[i].issuperset(chosen):
                    chosen.append(i)
            padding = [_aligned(self.sizes[i]) - self.sizes[i] for i in chosen]
            total = sum(self.sizes[i] for i in chosen) + sum(padding) - max(padding)
            bound = max(bound, total)
        return bound

    # The lowest offset of buffer i beside the buffers that have offsets.
    def _lowest_offset(self, i, offsets):
        ranges = [
            (low + at, high + at)
            for k, low, high in self._plain[i]
            if (at := offsets[k]) is not None
        ]
        ranges.sort()
        if not self._stepped[i]:
            return _lowest_outside(ranges)
        stepped = [
            (low + at, high + at, step, phase + at)
            for k, low, high, step, phase in self._stepped[i]
            if (at := offsets[k]) is not None
        ]
        return _lowest_outside_stepped(ranges, stepped)

    def placed(self, order):
        """Place buffers in an order, each as low as possible: (bytes of the plan, offsets)."""
        offsets = [None] * len(self.sizes)
        for i in order:
            offsets[i] = self._lowest_offset(i, offsets)
        return max(offsets[i] + self.sizes[i] for i in order), offsets

    def replace(self, order, start, moved, known, max_bytes):
        """Return placed(order), or None as soon as the plan exceeds `max_bytes`.

        known: offsets by an order that is the same before position `start`, and after it apart
        from the buffer `moved`. A buffer keeps its offset if none of its neighbours moves.
        """
        offsets, moving, rest = known.copy(), {moved}, order[start:]
        # Most of the planner's time is spent in this loop.
        neighbour_sets, sizes = self._neighbour_sets, self.sizes
        lowest_offset = self._lowest_offset
        for i in rest:
            offsets[i] = None
        for i in rest:
            if i != moved and neighbour_sets[i].isdisjoint(moving):
                offsets[i] = known[i]
                continue
            offsets[i] = at = lowest_offset(i, offsets)
            if at + sizes[i] > max_bytes:
                return None
            if at != known[i]:
                moving.add(i)
            elif i == moved:  # it does not affect the buffers after it
                moving.discard(i)
                if not moving:
                    offsets = known
                    break
        return max([offsets[i] + sizes[i] for i in order]), offsets

    def pile(self, order, offsets):
        """Return the buffer that ends highest, the buffers that it rests on, and theirs."""
        ends = [offsets[i] + self.sizes[i] for i in order]
        pile = [order[ends.index(max(ends))]]
        known = set(pile)
        for i in pile:
            at = offsets[i]
            for k, high in self._heights[i]:
                below = offsets[k]
                if below is not None and 0 < at - below - high <= ALIGNMENT and k not in known:
                    known.add(k)
                    pile.append(k)
        return pile


# Orders that suit different kinds of model: by size; by time, backwards (then the output of each
# operator is placed low and its input above it); by size times duration; by time.
def _initial_orders(spans):
    keys = (
        lambda s: (-s.size, -s.first),
        lambda s: (-s.last, -s.first, -s.size),
        lambda s: (-s.size * (s.last - s.first + 1), -s.first),
        lambda s: (s.first, -s.size),
    )
    for key in keys:
        yield sorted(range(len(spans)), key=lambda i: key(spans[i]))


# (the order with one buffer moved, the position before which nothing changes, that buffer).
# The plan becomes smaller only if a buffer of the pile moves past one of its neighbours, so most
# changes do that. neighbours: {buffer: list of buffers}; chance: a random.Random.
def _changed_order(order, pile, neighbours, chance):
    order = list(order)
    moved = chance.choice(pile if chance.random() < _PILE_CHANCE else order)
    past = chance.choice(pile) if chance.random() < 0.5 else moved
    if past == moved and neighbours[moved]:
        past = chance.choice(neighbours[moved])
    at, to = order.index(moved), order.index(past)
    order.insert(to, order.pop(at))
    return order, min(at, to), moved


# Numbers of the buffers that are in use at a step at which all buffers have over `limit` bytes.
def _busy_buffers(spans, limit):
    changes = {}
    for span in spans:
        changes[span.first] = changes.get(span.first, 0) + span.size
        changes[span.last + 1] = changes.get(span.last + 1, 0) - span.size
    in_use, busy = 0, []
    steps = sorted(changes)
    for step, following in zip(steps, steps[1:], strict=False):
        in_use += changes[step]
        if in_use > limit:
            busy.append((step, following - 1))
    return {
        i
        for i, span in enumerate(spans)
        if any(span.first <= last and first <= span.last for first, last in busy)
    }


# The best order that random changes to `order` lead to. head, offsets: the plan of `order`.
# is_draft: give up early. enough_bytes: a plan of this size need not become smaller.
def _searched_order(placement, order, head, offsets, tries, is_draft, enough_bytes):
    chance = random.Random(1)
    bound = max(enough_bytes, placement.lower_bound(order))
    pairs = sum(len(placement.neighbours[i]) for i in order)
    size, members = len(order), set(order)
    neighbours = {i: [k for k, _, _ in placement.neighbours[i] if k in members] for i in order}
    pile = placement.pile(order, offsets)
    tries = min(tries, 10 * size**2, _MAX_PAIRS // (pairs + size), _MAX_PLACEMENTS // size)
    last_success, refused = 0, set()  # refused orders: random changes lead to them again
    for number in range(tries):
        if head <= bound or is_draft and number > 2 * last_success + _DRAFT_PATIENCE:
            break
        changed, start, moved = _changed_order(order, pile, neighbours, chance)
        if tuple(changed) in refused:
            continue
        better = placement.replace(changed, start, moved, offsets, head)
        if better is None:
            refused.add(tuple(changed))
        else:
            last_success = number if better[0] < head else last_success
            head, offsets = better
            order = changed
            pile = placement.pile(order, offsets)
    return order


# place_buffers() for a _Placement: (bytes, offsets, order). start: a promising order or None.
@lru_cache(maxsize=_MAX_KNOWN_PLANS)
def _best_plan(placement, tries, start=None, is_draft=False, enough_bytes=0):
    # Step 1.
    spans = placement.spans
    plans = [(*placement.placed(order), order) for order in _initial_orders(spans)]
    head, offsets, order = min(plans, key=lambda plan: plan[0])
    # Step 2.
    if start is not None:
        known = placement.placed(start)
        if known[0] <= head:
            (head, offsets), order = known, list(start)
            tries = tries // _DRAFT_TRIES_DIVISOR if is_draft else tries
    # Step 3.
    critical = _busy_buffers(spans, _BUSY_SHARE * head)
    busy = [i for i in order if i in critical]
    if busy:
        plan = placement.placed(busy)
        busy = _searched_order(placement, busy, *plan, tries, is_draft, enough_bytes)
        whole = busy + [i for i in order if i not in critical]
        whole_head, whole_offsets = placement.placed(whole)
        if whole_head <= head:
            head, offsets, order = whole_head, whole_offsets, whole
    # Step 4.
    if any(i not in critical and offsets[i] + s.size == head for i, s in enumerate(spans)):
        tries //= 4
        order = _searched_order(placement, order, head, offsets, tries, is_draft, enough_bytes)
        head, offsets = placement.placed(order)
    return head, offsets, order


def place_buffers(lifetimes, tries=_MAX_TRIES, previous_order=(), is_draft=False, enough_bytes=0):
    """Set the offset of each buffer of a BufferLifetimes; return (bytes, keys in placement order).

    previous_order: the keys of an earlier plan of the same tensors, perhaps with other scratch
    buffers. The plan does not become larger than by that order.
    is_draft: search for a third of the time; the plan is mostly within 0.5 % of the final one.
    enough_bytes: a plan of this size need not become smaller.

    A greedy planner places one buffer after the other, each as low as it can, as TFLM's
    GreedyMemoryPlanner does. The size of the plan depends on the order of the buffers:

    1. Try four orders that suit different kinds of model.
    2. Try `previous_order`.
    3. Change the best order at random for the buffers of busy steps only, and place the others
       after them. The random numbers are the same for each run.
    4. If another buffer then ends highest, do the same for all buffers.
    """
    if not lifetimes.buffers:
        return 0, []
    start = _order_like(lifetimes.buffers, previous_order)
    head, offsets, order = _best_plan(_Placement(lifetimes), tries, start, is_draft, enough_bytes)
    for buffer, offset in zip(lifetimes.buffers, offsets, strict=True):
        buffer.offset = offset
    return head, [lifetimes.buffers[i].key for i in order]


# Numbers of the buffers in the order of their keys, new scratch buffers last and large ones first;
# None if there are new tensors.
def _order_like(buffers, keys):
    position = {key: number for number, key in enumerate(keys)}
    last = len(position)
    if any(buffer.key >= 0 and buffer.key not in position for buffer in buffers):
        return None
    return tuple(
        sorted(
            range(len(buffers)),
            key=lambda i: (position.get(buffers[i].key, last), -buffers[i].size, i),
        )
    )
