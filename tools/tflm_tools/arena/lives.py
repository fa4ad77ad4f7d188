# tflm_tools: Lives: which bytes of the arena are in use when, and how far apart buffers must lie
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from operator import sub

from tflm import dtypes

from ..model.graph import root_of


@dataclass
class Part:
    """Bytes start..stop-1 of a buffer, with the steps during which they hold a value."""

    start: int
    stop: int
    lives: tuple[tuple[int, int], ...]  # (written, read last), in order

    # Sets of steps, a bit for each, as all bands of a chain have thousands of them: when it holds
    # a value.
    @cached_property
    def held(self):
        held = 0
        for first, last in self.lives:
            held |= (2 << last + 1) - (1 << first + 1)
        return held

    # When it is written, and when it is read last and not written again.
    @cached_property
    def ends(self):
        written = read = 0
        for first, last in self.lives:
            written |= 1 << first + 1
            read |= 1 << last + 1
        return written, read & ~written


@dataclass
class Block:
    """A buffer to place: a tensor with all its views, or scratch. `key` says which."""

    key: object
    size: int
    parts: list[Part] = field(default_factory=list)
    offset: int = 0
    first: int = 0
    last: int = 0

    # When any part of it holds a value.
    @cached_property
    def held(self):
        held = 0
        for part in self.parts:
            held |= part.held
        return held

    # The span of all lives.
    def close(self):
        self.first = min((part.lives[0][0] for part in self.parts), default=0)
        self.last = max((part.lives[-1][1] for part in self.parts), default=0)


# What steps do with bytes of one buffer.
class _Uses:
    def __init__(self, size):
        self.size = size
        self.events = []  # (step, is it a write, start, stop)

    # Steps read before they write.
    def note(self, step, writes, start, size):
        self.events.append((step, writes, start, start + size))

    # Parts that are used alike, each with the spans from a write to the last read of it.
    def parts(self):
        cuts = sorted({0, self.size, *[c for e in self.events for c in e[2:]]})
        events = sorted(self.events, key=lambda event: event[:2])
        parts = []
        for start, stop in zip(cuts, cuts[1:], strict=False):
            lives = []
            for step, writes, low, high in events:
                if low > start or high < stop:
                    continue
                if writes and not (lives and lives[-1][0] == step):
                    lives.append([step, step])
                elif lives:
                    lives[-1][1] = step
                else:
                    lives.append([step, step])
            if not lives:
                continue
            lives = tuple(map(tuple, lives))
            if parts and parts[-1].stop == start and parts[-1].lives == lives:
                parts[-1].stop = stop
            else:
                parts.append(Part(start, stop, lives))
        return parts


# {tensor number: _Uses} of the tensors in the arena, views with what they are part of.
def _uses_of(inputs, outputs, nodes):
    uses = {}

    def note(tensor, step, writes):
        if tensor is None or tensor.is_constant() or tensor.is_variable:
            return
        if tensor.dtype == dtypes.RESOURCE:  # a handle, which is followed when it is prepared
            return
        root, offset = root_of(tensor)
        size = tensor.nbytes()
        if size and not root.is_constant() and not root.is_variable:
            if root.index not in uses:
                uses[root.index] = _Uses(root.nbytes())
            uses[root.index].note(step, writes, offset, size)

    for tensor in inputs:
        note(tensor, -1, True)
    for step, node in enumerate(nodes):
        for tensor in node.inputs:
            note(tensor, step, False)
        for tensor in node.outputs:
            note(tensor, step, True)
    for tensor in outputs:
        note(tensor, len(nodes), False)
    return uses


class Lives:
    """The buffers of a model with one sub-graph, and what keeps each two of them apart.

    inputs, outputs: tensors that are set before the first step, or read after the last one.
    nodes: in the order of execution; step i runs nodes[i], step -1 sets the inputs.
    scratch: [(key, bytes, steps)], keys of one buffer each; distances: {step: [Distance]}.
    """

    def __init__(self, inputs, outputs, nodes, scratch, distances):
        self._near = {}  # (root, root): {(their views' offsets, least, step): steps}
        uses = _uses_of(inputs, outputs, nodes)
        self.blocks = [Block(key, use.size, use.parts()) for key, use in uses.items()]
        for key, size, steps in scratch:
            lives = tuple((step, step) for step in sorted(set(steps)))
            if size:
                self.blocks.append(Block(key, size, [Part(0, size, lives)]))
        for block in self.blocks:
            block.close()
        for step, found in distances.items():
            for distance in found:
                self._note_distance(step, nodes[step], distance)
        self._forbidden = {}

    # What touches a buffer by two different tensors at a time is kept away from its output.
    def _note_distance(self, step, node, distance):
        source, source_offset = root_of(distance.source)
        target, target_offset = root_of(distance.target)
        touching = {t.index for t in node.inputs if t is not None and root_of(t)[0] is source}
        if source is target or len(touching) > 1:
            return
        entry = (source_offset, target_offset, distance.least, distance.step)
        near = self._near.setdefault((source.index, target.index), {})
        near[entry] = near.get(entry, 0) | 1 << step + 1

    def used(self, steps):
        """Bytes in use at each of so many steps, if no two values shared any."""
        changes = [0] * (steps + 3)
        for block in self.blocks:
            for part in block.parts:
                for first, last in part.lives:
                    changes[first + 1] += part.stop - part.start
                    changes[min(last, steps) + 2] -= part.stop - part.start
        return list(accumulate(changes))[1 : steps + 1]

    def least(self, over):
        """Bytes that no plan needs less than; over: those of inputs that each output may share."""
        used = self.used(len(over))
        return max(map(sub, used, over), default=0)

    def peak(self):
        """Bytes in use at the busiest step, if no two values shared any: no plan needs more."""
        changes = {}
        for block in self.blocks:
            for part in block.parts:
                for first, last in part.lives:
                    changes[first] = changes.get(first, 0) + part.stop - part.start
                    changes[last + 1] = changes.get(last + 1, 0) - part.stop + part.start
        most = now = 0
        for step in sorted(changes):
            now += changes[step]
            most = max(most, now)
        return most

    def forbidden(self, a, b):
        """What b's offset minus a's may not be: ([(low, high)], [(low, high, step, phase)]).

        All bounds are included; of the second list multiples of `step` beside `phase` are free.
        """
        if not a.held & b.held:
            return [], []
        key = id(a), id(b)
        if key not in self._forbidden:
            ahead = self._near.get((a.key, b.key))
            behind = self._near.get((b.key, a.key))
            if ahead or behind:
                plain, stepped = _conflicts(a, b, ahead or {}, behind or {})
            else:
                plain, stepped = _meetings(a, b), []
            plain = _merged(plain)
            self._forbidden[key] = plain, stepped
            self._forbidden[key[::-1]] = (
                [(-high, -low) for low, high in reversed(plain)],
                [(-high, -low, step, -phase) for low, high, step, phase in stepped],
            )
        return self._forbidden[key]


# What Lives.forbidden() tells of two Blocks that must nowhere share bytes.
def _meetings(a, b):
    return [
        (x.start - y.stop + 1, x.stop - y.start - 1)
        for x in a.parts
        for y in b.parts
        if x.held & y.held
    ]


# The same of two with Distances, from their views' offsets to the steps of each.
def _conflicts(a, b, ahead, behind):
    plain, stepped = [], []
    for x in a.parts:
        for y in b.parts:
            meeting = x.held & y.held
            if not meeting:
                continue
            low, high = x.start - y.stop + 1, x.stop - y.start - 1
            beside, beyond = [], []
            for (offset_a, offset_b, least, step), steps in ahead.items():
                steps &= meeting & x.ends[1] & y.ends[0]  # a is read where b is written
                if steps:
                    meeting ^= steps
                    limit = offset_a - offset_b - least
                    beside.append((max(low, limit + 1), high))
                    beyond.append((low, min(high, limit), step, offset_a - offset_b))
            for (offset_b, offset_a, least, step), steps in behind.items():
                steps &= meeting & x.ends[0] & y.ends[1]  # and the other way round
                if steps:
                    meeting ^= steps
                    limit = least + offset_a - offset_b
                    beside.append((low, min(high, limit - 1)))
                    beyond.append((max(low, limit), high, step, offset_a - offset_b))
            plain += [(low, high)] if meeting else beside
            stepped += [] if meeting else beyond
    stepped = [e for e in stepped if e[0] <= e[1] and e[2] > 1]
    return plain, sorted(set(stepped))


# Sorted ranges that touch or overlap become one.
def _merged(ranges):
    result = []
    for low, high in sorted(ranges):
        if low > high:
            continue
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return result
