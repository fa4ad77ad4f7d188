# tflm_tools: lifetimes: which bytes of which buffer are in use at which step, and what may overlap
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from operator import sub

from tflm import dtypes

from ..model.graph import root_of


@dataclass
class ByteRange:
    """Bytes start..stop-1 of a buffer, all of which hold values during the same steps.

    lifetimes: ((step that writes, step that reads last), ...) in ascending order.
    """

    start: int
    stop: int
    lifetimes: tuple[tuple[int, int], ...]

    # Sets of steps are integers with a bit for each step (bit 0 is step -1): the bands of a chain
    # have thousands of steps.
    @cached_property
    def live_steps(self):
        """The steps at which the bytes hold a value."""
        steps = 0
        for first, last in self.lifetimes:
            steps |= (2 << last + 1) - (1 << first + 1)
        return steps

    @cached_property
    def end_steps(self):
        """(steps that write, steps that read last and do not write)."""
        writing = reading = 0
        for first, last in self.lifetimes:
            writing |= 1 << first + 1
            reading |= 1 << last + 1
        return writing, reading & ~writing


@dataclass
class ArenaBuffer:
    """A buffer to place: a tensor with all its views, or scratch.

    key: the number of the tensor, or a negative number for scratch. first, last: the steps of the
    first and the last use.
    """

    key: object
    size: int
    ranges: list[ByteRange] = field(default_factory=list)
    offset: int = 0
    first: int = 0
    last: int = 0

    @cached_property
    def live_steps(self):
        """The steps at which any byte holds a value, as in ByteRange."""
        steps = 0
        for each in self.ranges:
            steps |= each.live_steps
        return steps

    # Set first and last, once all ranges are known.
    def close(self):
        self.first = min((each.lifetimes[0][0] for each in self.ranges), default=0)
        self.last = max((each.lifetimes[-1][1] for each in self.ranges), default=0)


# Collects what steps read and write of one buffer.
class _Accesses:
    def __init__(self, size):
        self.size = size
        self._events = []  # (step, True if it writes, start, stop)

    # A step reads before it writes.
    def add(self, step, writes, start, size):
        self._events.append((step, writes, start, start + size))

    # The ByteRanges with different lifetimes.
    def ranges(self):
        cuts = sorted({0, self.size, *[cut for event in self._events for cut in event[2:]]})
        events = sorted(self._events, key=lambda event: event[:2])
        ranges = []
        for start, stop in zip(cuts, cuts[1:], strict=False):
            lifetimes = []
            for step, writes, low, high in events:
                if low > start or high < stop:
                    continue
                if writes and not (lifetimes and lifetimes[-1][0] == step):
                    lifetimes.append([step, step])
                elif lifetimes:
                    lifetimes[-1][1] = step
                else:
                    lifetimes.append([step, step])
            if not lifetimes:
                continue
            lifetimes = tuple(map(tuple, lifetimes))
            if ranges and ranges[-1].stop == start and ranges[-1].lifetimes == lifetimes:
                ranges[-1].stop = stop
            else:
                ranges.append(ByteRange(start, stop, lifetimes))
        return ranges


# {tensor number: _Accesses} of the tensors in the arena; a view counts for its root.
def _accesses_of(inputs, outputs, nodes):
    accesses = {}

    def add(tensor, step, writes):
        if tensor is None or tensor.is_constant() or tensor.is_variable:
            return
        if tensor.dtype == dtypes.RESOURCE:  # a handle, which Prepare resolves
            return
        root, offset = root_of(tensor)
        size = tensor.nbytes()
        if size and not root.is_constant() and not root.is_variable:
            if root.index not in accesses:
                accesses[root.index] = _Accesses(root.nbytes())
            accesses[root.index].add(step, writes, offset, size)

    for tensor in inputs:
        add(tensor, -1, True)
    for step, node in enumerate(nodes):
        for tensor in node.inputs:
            add(tensor, step, False)
        for tensor in node.outputs:
            add(tensor, step, True)
    for tensor in outputs:
        add(tensor, len(nodes), False)
    return accesses


class BufferLifetimes:
    """The buffers of a model with one sub-graph, and how far apart each two must be placed.

    inputs, outputs: tensors that are set before the first step, or read after the last one.
    nodes: in the order of execution. Step i runs nodes[i]; step -1 sets the inputs.
    scratch: [(key, bytes, steps)], a key for each buffer. distances: {step: [Distance]}.

    1. Collect all reads and writes of each root tensor.
    2. Cut each buffer into ranges of bytes with the same lifetimes.
    3. Two buffers conflict where ranges that live at the same step would share bytes, except that
       an output may overlap the input that is read last at the step, by the step's Distance.
    """

    def __init__(self, inputs, outputs, nodes, scratch, distances):
        # {(source, target): {(offset of the source's view, of the target's, min_bytes, step): set
        # of steps}}
        self._distances = {}
        accesses = _accesses_of(inputs, outputs, nodes)
        self.buffers = [
            ArenaBuffer(key, each.size, each.ranges()) for key, each in accesses.items()
        ]
        for key, size, steps in scratch:
            lifetimes = tuple((step, step) for step in sorted(set(steps)))
            if size:
                self.buffers.append(ArenaBuffer(key, size, [ByteRange(0, size, lifetimes)]))
        for buffer in self.buffers:
            buffer.close()
        for step, step_distances in distances.items():
            for distance in step_distances:
                self._add_distance(step, nodes[step], distance)
        self._forbidden = {}

    # An input that the step reads as two different tensors is kept away from the output.
    def _add_distance(self, step, node, distance):
        source, source_offset = root_of(distance.source)
        target, target_offset = root_of(distance.target)
        views = {t.index for t in node.inputs if t is not None and root_of(t)[0] is source}
        if source is target or len(views) > 1:
            return
        key = (source_offset, target_offset, distance.min_bytes, distance.step)
        steps_of = self._distances.setdefault((source.index, target.index), {})
        steps_of[key] = steps_of.get(key, 0) | 1 << step + 1

    def bytes_in_use(self, steps):
        """Return the bytes in use at each of the first `steps` steps if no buffers overlapped."""
        changes = [0] * (steps + 3)
        for buffer in self.buffers:
            for each in buffer.ranges:
                for first, last in each.lifetimes:
                    changes[first + 1] += each.stop - each.start
                    changes[min(last, steps) + 2] -= each.stop - each.start
        return list(accumulate(changes))[1 : steps + 1]

    def lower_bound(self, shared):
        """Return bytes that every plan needs.

        shared: for each step, bytes of its inputs that its output may overlap.
        """
        return max(map(sub, self.bytes_in_use(len(shared)), shared), default=0)

    def forbidden(self, a, b):
        """Return which values b.offset - a.offset must not have.

        Two lists: [(low, high)] forbids all values from low to high; [(low, high, step, phase)]
        forbids them except `phase` plus multiples of `step`.
        """
        if not a.live_steps & b.live_steps:
            return [], []
        key = id(a), id(b)
        if key not in self._forbidden:
            forward = self._distances.get((a.key, b.key))
            backward = self._distances.get((b.key, a.key))
            if forward or backward:
                plain, stepped = _conflicts_with_distances(a, b, forward or {}, backward or {})
            else:
                plain, stepped = _conflicts(a, b), []
            plain = _merged(plain)
            self._forbidden[key] = plain, stepped
            self._forbidden[key[::-1]] = (
                [(-high, -low) for low, high in reversed(plain)],
                [(-high, -low, step, -phase) for low, high, step, phase in stepped],
            )
        return self._forbidden[key]


# forbidden() of two buffers without any Distance.
def _conflicts(a, b):
    found = []
    for x in a.ranges:
        live, last = x.live_steps, None
        for y in b.ranges:
            if not live & y.live_steps:
                continue
            low = x.start - y.stop + 1
            if last == y.start:  # adjacent ranges of b forbid adjacent offsets
                found[-1] = low, found[-1][1]
            else:
                found.append((low, x.stop - y.start - 1))
            last = y.stop
    return found


# forbidden() of two buffers. forward: Distances from a (read) to b (written), as in
# BufferLifetimes._distances; backward: from b to a.
def _conflicts_with_distances(a, b, forward, backward):
    plain, stepped = [], []
    for x in a.ranges:
        writing, reading = x.end_steps
        # Rings of rows have many Distances, few of which concern a range.
        forward_of_x = _at_steps(forward, reading)  # a is read last
        backward_of_x = _at_steps(backward, writing)  # a is written
        for y in b.ranges:
            common = x.live_steps & y.live_steps
            if not common:
                continue
            low, high = x.start - y.stop + 1, x.stop - y.start - 1
            too_near, near_enough = [], []
            for (offset_a, offset_b, min_bytes, step), steps in forward_of_x:
                steps &= common & y.end_steps[0]  # b is written
                if steps:
                    common ^= steps
                    limit = offset_a - offset_b - min_bytes
                    too_near.append((max(low, limit + 1), high))
                    near_enough.append((low, min(high, limit), step, offset_a - offset_b))
            for (offset_b, offset_a, min_bytes, step), steps in backward_of_x:
                steps &= common & y.end_steps[1]  # b is read last
                if steps:
                    common ^= steps
                    limit = min_bytes + offset_a - offset_b
                    too_near.append((low, min(high, limit - 1)))
                    near_enough.append((max(low, limit), high, step, offset_a - offset_b))
            plain += [(low, high)] if common else too_near
            stepped += [] if common else near_enough
    stepped = [each for each in stepped if each[0] <= each[1] and each[2] > 1]
    return plain, sorted(set(stepped))


# [(key, steps)] of the Distances, as in BufferLifetimes._distances, that apply at some of `steps`.
def _at_steps(distances, steps):
    return [(key, common) for key, its in distances.items() if (common := its & steps)]


# Ranges (low, high), sorted, of which those that touch or overlap become one.
def _merged(ranges):
    merged = []
    for low, high in sorted(ranges):
        if low > high:
            continue
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged
