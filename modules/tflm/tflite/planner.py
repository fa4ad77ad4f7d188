# tflm: Plan the offset of each buffer in the arena, as TFLM's planners do.
# MIT license; Copyright (c) 2026 the tflm authors

from ..arena import MAX_BYTES
from ..dtypes import const
from ..errors import ModelError, check, check_count

ONLINE = -1  # the model gives no offset; the planner finds one

_STEPS = const(32)  # steps of one bucket; in a long model few buffers are in use in a bucket


# A buffer to place: its bytes, and the first and last step at which it is in use.
class Buffer:
    def __init__(self, size, first, last, offline_offset=ONLINE):
        self.size = size
        self.first = first
        self.last = last
        self.offline_offset = offline_offset
        self.offset = 0

    # Return True if both are in use at the same step.
    def overlaps(self, other):
        return self.first <= other.last and other.first <= self.last


def _offset_of(buffer):
    return buffer.offset


# Return the size of a plan; raise ModelError if the words of records cannot address it.
def _addressable(head):
    if head > MAX_BYTES:
        raise ModelError(
            "the tensors need %d bytes of arena, at most %d are addressable; the model is damaged "
            "or too large" % (head, MAX_BYTES)
        )
    return head


# Set the offset of each buffer; return the bytes of the plan. The same algorithm as TFLM's
# greedy_memory_planner.cc, so the head has the same size:
#   1. Sort: buffers with an offset of the model first, then by decreasing size; of equal sizes
#      the later one first.
#   2. Place each buffer into the lowest gap between the placed buffers that are in use at the
#      same time.
def plan_greedy(buffers):
    order = [b for b in buffers if b.offline_offset != ONLINE]
    count = len(buffers)
    # 1. As one integer for (size, position): a board's sort is not stable.
    keys = [
        buffers[i].size * count + i for i in range(count) if buffers[i].offline_offset == ONLINE
    ]
    keys.sort(reverse=True)
    order.extend([buffers[key % count] for key in keys])
    placed = {}  # 2. bucket of steps: buffers in use then
    head = 0
    for buffer in order:
        offset = buffer.offline_offset
        buckets = range(buffer.first // _STEPS, buffer.last // _STEPS + 1)
        if offset == ONLINE:
            offset = 0
            neighbors = []  # one in several buckets occurs several times, which is harmless
            for bucket in buckets:
                neighbors.extend([b for b in placed.get(bucket, ()) if b.overlaps(buffer)])
            neighbors.sort(key=_offset_of)
            for other in neighbors:
                if other.offset - offset >= buffer.size:
                    break
                offset = max(offset, other.offset + other.size)
        buffer.offset = offset
        for bucket in buckets:
            placed.setdefault(bucket, []).append(buffer)
        head = max(head, offset + buffer.size)
    return _addressable(head)


# Place all buffers one after the other, so that every tensor keeps its value until the end of
# invoke (TFLM's linear_memory_planner.cc). Return the bytes of the plan.
def plan_linear(buffers):
    head = 0
    for buffer in buffers:
        buffer.offset = head
        head += buffer.size
    return _addressable(head)


class GreedyMemoryPlanner:
    """TFLM's planner with TFLM's names: add buffers, then ask for their offsets."""

    def __init__(self):
        self.buffers = []
        self._bytes = None

    def add_buffer(self, size, first_time_used, last_time_used, offline_offset=ONLINE):
        """Add a buffer of `size` bytes, in use from the first to the last step; return its number.

        offline_offset: its offset if that is fixed. Raises InputError for other arguments.
        """
        check_count("size", size, 0)
        check_count("first_time_used", first_time_used, 0)
        check_count("last_time_used", last_time_used, first_time_used)
        check_count("offline_offset", offline_offset, ONLINE)
        self.buffers.append(Buffer(size, first_time_used, last_time_used, offline_offset))
        self._bytes = None
        return len(self.buffers) - 1

    def maximum_memory_size(self):
        """Return the bytes of the whole plan."""
        if self._bytes is None:
            self._bytes = plan_greedy(self.buffers)
        return self._bytes

    def offset_for_buffer(self, number):
        """Return the offset of buffer `number`; raises InputError for an unknown number."""
        is_one = isinstance(number, int) and 0 <= number < len(self.buffers)
        check("number", number, is_one, "one that add_buffer() returned")
        self.maximum_memory_size()
        return self.buffers[number].offset

    def print_memory_plan(self):
        """Print a line for each buffer, as TFLM's PrintMemoryPlan does."""
        self.maximum_memory_size()
        for i in range(len(self.buffers)):
            buffer = self.buffers[i]
            print(
                "id=%d: size=%d, offset=%d, first_used=%d last_used=%d"
                % (i, buffer.size, buffer.offset, buffer.first, buffer.last)
            )
