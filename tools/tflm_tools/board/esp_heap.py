# tflm_tools: board: simulates how the heap of an ESP chip grows while a board loads a model
# MIT license; Copyright (c) 2026 the tflm authors

# MicroPython's heap consists of areas. If an allocation fits none of them, the heap gets one more
# (gc_try_add_heap() of py/gc.c): as large as the heap is already, at least large enough for the
# allocation, at most the largest free block of ESP-IDF's memory. The heap never gets smaller.
# Machine code (esp_native_code_commit() of ports/esp32/main.c) is stored in executable memory:
# first in memory for code only, then in memory that the heap can use, too. What is loaded first
# therefore decides whether a model fits.

from dataclasses import dataclass

# Orders in which a board can load a model. Kernels are imported with the rest of tflm.
MODEL_FIRST, KERNELS_FIRST = "model first", "kernels first"

LARGE_BYTES = 16384  # models and arenas of this size are made before tflm is imported

# Of the bytecode that is imported before the first kernel. MODEL_FIRST imports kernels when the
# interpreter prepares the model.
_PERCENT_BEFORE = {MODEL_FIRST: 90, KERNELS_FIRST: 30}
# Of garbage and fragments until then, which make the heap grow earlier.
_TEMPORARY_BYTES = {MODEL_FIRST: 20480, KERNELS_FIRST: 4096}
_STEPS = 32  # parts in which bytecode and machine code are imported, in turn
_HEADER_BYTES = 16  # of a block of ESP-IDF's memory
_MIN_ADDED_BYTES = 2048  # of an area, beside the allocation


@dataclass
class _Region:
    free: int
    is_code: bool
    is_heap: bool


class EspHeap:
    """The memory of an ESP chip with these Facts after a soft reset; sizes in bytes."""

    def __init__(self, facts):
        executable, data = facts.regions
        if facts.code_memory is None:  # machine code is stored in the heap
            executable = []
        regions = [*executable, *(region for region in data if region not in executable)]
        self._regions = [_Region(r[2], r in executable, r in data) for r in regions]
        largest = max(region[2] for region in data)
        self._areas = [max(facts.free - largest, 0)]  # gc.mem_free() includes this block
        self._size = facts.used + self._areas[0]

    # Take a block of a region that is suitable, first of one that is not suitable for `other`.
    def _take(self, size, kind, other):
        fitting = [r for r in self._regions if getattr(r, kind) and r.free >= size]
        for region in sorted(fitting, key=lambda region: getattr(region, other)):
            region.free -= size
            return True
        return False

    # Add an area to the heap for an allocation. Return whether there is enough memory.
    def _grow(self, size):
        needed = size + max(_MIN_ADDED_BYTES, size * 13 // 512)
        largest = max(region.free for region in self._regions if region.is_heap) - _HEADER_BYTES
        if largest < needed:
            return False
        added = min(largest, max(self._size, needed))
        self._take(added + _HEADER_BYTES, "is_heap", "is_code")
        usable = added - added * 3 // 128  # the rest is the table of the area
        self._areas.append(usable)
        self._size += usable
        return True

    def allocate(self, size):
        """Allocate one object. Return whether there is enough memory."""
        if all(area < size for area in self._areas) and not self._grow(size):
            return False
        index = next(i for i, area in enumerate(self._areas) if area >= size)
        self._areas[index] -= size
        return True

    def allocate_small(self, size):
        """Allocate small objects of `size` bytes in all. Return whether there is enough memory."""
        while size > 0:
            for i, area in enumerate(self._areas):
                share = min(area, size)
                self._areas[i] -= share
                size -= share
            if size > 0 and not self._grow(1):
                return False
        return True

    def release(self, size):
        """Free small objects that were allocated last."""
        self._areas[-1] += size

    def store_code(self, size):
        """Store machine code. Return whether there is enough memory."""
        return self._take(size, "is_code", "is_heap")


# The causes of missing memory.
CODE, ARENA, MODEL, PROGRAM = "code", "arena", "model", "program"


def missing_memory(facts, need, order):
    """Return what does not fit an ESP chip: CODE, ARENA, MODEL or PROGRAM; None if all fits.

    facts: of the board. need: a MemoryNeed. order: MODEL_FIRST or KERNELS_FIRST.
    """
    heap = EspHeap(facts)
    objects = [(MODEL, size) for size in need.models] + [(ARENA, size) for size in need.arenas]
    if order == MODEL_FIRST:
        first = [each for each in objects if each[1] >= LARGE_BYTES]
        later = [each for each in objects if each[1] < LARGE_BYTES]
    else:
        first, later = [], objects
    for cause, size in first:
        if not heap.allocate(size):
            return cause
    # The machine code of kernels is imported last.
    before = need.code * _PERCENT_BEFORE[order] // 100
    temporary = _TEMPORARY_BYTES[order]
    if not heap.allocate_small(before):
        return PROGRAM
    if heap.allocate_small(temporary):
        heap.release(temporary)
    for _ in range(_STEPS):
        if not heap.allocate_small((need.code - before) // _STEPS):
            return PROGRAM
        if need.machine_code and not heap.store_code(need.machine_code // _STEPS):
            return CODE
    for cause, size in later:
        if not heap.allocate(size):
            return cause
    return None if heap.allocate_small(need.program) else PROGRAM


def loading_order(facts, need):
    """Return the order in which a board can load a model, None if no order fits."""
    for order in (MODEL_FIRST, KERNELS_FIRST):
        if missing_memory(facts, need, order) is None:
            return order
    return None
