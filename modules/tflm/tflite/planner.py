# tflm: where in the arena each buffer lies: GreedyMemoryPlanner as a pure function of lifetimes
# MIT license; Copyright (c) 2026 the tflm authors

from ..arena import MAX_BYTES
from ..dtypes import const
from ..errors import ModelError, check, check_count

ONLINE = -1  # no offset given by the model: the planner finds one

_STEPS = const(32)  # looked through at once: a long model has few buffers that live in them


# One buffer to place: bytes, and the first and last step at which it is in use.
class Buffer:
    def __init__(self, size, first, last, offline_offset=ONLINE):
        self.size = size
        self.first = first
        self.last = last
        self.offline_offset = offline_offset
        self.offset = 0

    # True when both are in use at some step.
    def overlaps(self, other):
        return self.first <= other.last and other.first <= self.last


def _offset_of(buffer):
    return buffer.offset


# The size of a plan that record words can address.
def _addressable(head):
    if head > MAX_BYTES:
        raise ModelError(
            "the tensors of the model need %d bytes of arena, at most %d can be addressed; "
            "the model is damaged or far too large" % (head, MAX_BYTES)
        )
    return head


# Greedy placement by size, as TFLM's greedy_memory_planner.cc does it, so that the head comes
# out the same: buffers with an offset of the model's own are placed first, the others by size,
# the largest first (of equal ones the later first); each goes into the lowest gap between the
# placed buffers that live at the same time. Returns the bytes of the whole plan.
def plan_greedy(buffers):
    order = [b for b in buffers if b.offline_offset != ONLINE]
    count = len(buffers)
    # One integer for (size, position): a board's sort is not stable.
    keys = [
        buffers[i].size * count + i for i in range(count) if buffers[i].offline_offset == ONLINE
    ]
    keys.sort(reverse=True)
    order.extend([buffers[key % count] for key in keys])
    placed = {}  # some steps: buffers in use there
    head = 0
    for buffer in order:
        offset = buffer.offline_offset
        steps = range(buffer.first // _STEPS, buffer.last // _STEPS + 1)
        if offset == ONLINE:
            offset = 0
            beside = []  # some more than once, which does not matter
            for step in steps:
                beside.extend([b for b in placed.get(step, ()) if b.overlaps(buffer)])
            beside.sort(key=_offset_of)
            for other in beside:
                if other.offset - offset >= buffer.size:
                    break
                offset = max(offset, other.offset + other.size)
        buffer.offset = offset
        for step in steps:
            placed.setdefault(step, []).append(buffer)
        head = max(head, offset + buffer.size)
    return _addressable(head)


# Every buffer at a place of its own: all tensors can be looked at after invoke
# (TFLM's linear_memory_planner.cc). Returns the bytes of the whole plan.
def plan_linear(buffers):
    head = 0
    for buffer in buffers:
        buffer.offset = head
        head += buffer.size
    return _addressable(head)


class GreedyMemoryPlanner:
    """TFLM's planner with its own names: add buffers, then ask for their offsets."""

    def __init__(self):
        self.buffers = []
        self._bytes = None

    def add_buffer(self, size, first_time_used, last_time_used, offline_offset=ONLINE):
        """Ask for `size` bytes from step `first_time_used` to `last_time_used`; its number."""
        check_count("size", size, 0)
        check_count("first_time_used", first_time_used, 0)
        check_count("last_time_used", last_time_used, first_time_used)
        check_count("offline_offset", offline_offset, ONLINE)
        self.buffers.append(Buffer(size, first_time_used, last_time_used, offline_offset))
        self._bytes = None
        return len(self.buffers) - 1

    def maximum_memory_size(self):
        """Bytes of the whole plan."""
        if self._bytes is None:
            self._bytes = plan_greedy(self.buffers)
        return self._bytes

    def offset_for_buffer(self, number):
        """Where buffer `number` begins."""
        is_one = isinstance(number, int) and 0 <= number < len(self.buffers)
        check("number", number, is_one, "one that add_buffer() returned")
        self.maximum_memory_size()
        return self.buffers[number].offset

    def print_memory_plan(self):
        """One line a buffer, as TFLM's PrintMemoryPlan."""
        self.maximum_memory_size()
        for i in range(len(self.buffers)):
            buffer = self.buffers[i]
            print(
                "id=%d: size=%d, offset=%d, first_used=%d last_used=%d"
                % (i, buffer.size, buffer.offset, buffer.first, buffer.last)
            )
