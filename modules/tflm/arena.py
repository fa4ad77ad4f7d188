# tflm: SingleArenaBufferAllocator: head, tail and temp sections in one static buffer
# MIT license; Copyright (c) 2026 the tflm authors

from .errors import ArenaError, InputError, StateError, check_count
from .micropython_port import free_bytes, more_heap

ALIGNMENT = 16
MAX_BYTES = 1 << 29  # what an operand word of a record can address


# `value` rounded up to a multiple of `alignment` (a power of two).
def align_up(value, alignment=ALIGNMENT):
    return (value + alignment - 1) & (0 - alignment)


# Offsets into one arena, as TFLM's single_arena_buffer_allocator.cc keeps pointers:
#
#   buffer_head        head            temp             tail           buffer_tail
#       | activations -> | op's temp -> |     free     | <- persistent |
#
# The head is sized once, when the memory plan is known; the tail grows down and is never
# freed; temp lies above the head and is given back after each op's Prepare. No section may
# cross another. Without a size nothing is limited, which measures what a model needs.
class SingleArenaBufferAllocator:
    """Hands out byte offsets from three sections of an arena of `size` bytes (None: unlimited).

    Offset 0 is taken to be 16-byte aligned.
    Raises ArenaError, with needed and available bytes, when sections would cross.
    """

    def __init__(self, size=None):
        if size is not None:
            check_count("size", size, 0)
        self.buffer_head = 0
        self.buffer_tail = (MAX_BYTES if size is None else min(size, MAX_BYTES)) & (0 - 4)
        self.head = self.temp = self.buffer_head
        self.tail = self.buffer_tail
        self._temp_buffers = 0

    # Bytes between temp and tail for a buffer that begins at a multiple of `alignment`.
    def available_bytes(self, alignment=1):
        return max(self.tail - align_up(self.temp, alignment), 0)

    # Bytes of the head section (the memory plan).
    def head_used_bytes(self):
        return self.head - self.buffer_head

    # Bytes of the tail section (persistent buffers).
    def tail_used_bytes(self):
        return self.buffer_tail - self.tail

    # Bytes of both.
    def used_bytes(self):
        return self.head_used_bytes() + self.tail_used_bytes()

    # A buffer that stays until the arena goes: its offset.
    def allocate_persistent_buffer(self, size, alignment=ALIGNMENT):
        start = (self.tail - size) & (0 - alignment)
        if start < self.temp:
            self._refuse("a persistent buffer", size, self.available_bytes(alignment))
        self.tail = start
        return start

    # A buffer that stays until reset_temp_allocations: its offset.
    def allocate_temp(self, size, alignment=ALIGNMENT):
        start = align_up(self.temp, alignment)
        if start + size > self.tail:
            self._refuse("a temporary buffer", size, self.available_bytes(alignment))
        self.temp = start + size
        self._temp_buffers += 1
        return start

    # Give back every temporary buffer.
    def reset_temp_allocations(self):
        self.temp = self.head
        self._temp_buffers = 0

    # Set the size of the head section, once the plan is known.
    def resize_head(self, size):
        if self._temp_buffers:
            raise StateError("the head was resized while temporary buffers are in use; reset them")
        available = self.tail - self.buffer_head
        if size > available:
            self._refuse("the head section", size, available)
        self.head = self.temp = self.buffer_head + size

    # Where the sections are now, for restore().
    def positions(self):
        return self.head, self.tail

    # Undo every allocation since positions(): what a failed model has taken is free again.
    def restore(self, positions):
        self.head, self.tail = positions
        self.reset_temp_allocations()

    def _refuse(self, what, size, available):
        raise ArenaError(
            "the arena is too small for %s: needed %d bytes, available %d, missing %d; "
            "give the Interpreter a larger arena" % (what, size, available, size - available),
            size,
            available,
        )


# The address of a buffer's first byte; 0 under CPython, where only offsets matter.
def address_of(buffer):
    try:
        from uctypes import addressof
    except ImportError:
        return 0
    return addressof(buffer)


# True when two buffers have memory in common.
def overlap(first, second):
    start = address_of(first)
    other = address_of(second)
    return 0 < start < other + len(second) and other < start + len(first)


# A writable memoryview of unsigned bytes, or a clear refusal.
def _writable_bytes(buffer):
    try:
        view = memoryview(buffer)
        if len(view):
            first = view[0]
            view[0] = 255
            unsigned = view[0] == 255 and len(bytes(view[:1])) == 1
            view[0] = first
            if not unsigned:
                raise TypeError
        return view
    except (TypeError, ValueError):
        pass
    raise InputError(
        "the arena must be a writable buffer of bytes, not %s; pass a bytearray or a size in bytes"
        % type(buffer).__name__
    )


# Set bytes of a buffer to one value, in pieces: a board may have no room for all at once.
def fill(buffer, start, size, value=0):
    piece = bytes([value]) * min(size, 256)
    while size:
        step = min(size, len(piece))
        buffer[start : start + step] = piece if step == len(piece) else piece[:step]
        start += step
        size -= step


# A new bytearray, or an error that names the bytes.
def _new_memory(size):
    if size < 0:
        raise InputError("the arena size is %d bytes; it cannot be negative" % size)
    try:
        return bytearray(size)
    except (MemoryError, OverflowError):
        pass
    free = free_bytes()
    raise ArenaError(
        "the heap has no room for the arena: needed %d bytes in one piece, %d are free in all; "
        "make it before anything else, or use a smaller model%s" % (size, free, more_heap()),
        size,
        free,
    )


class Arena:
    """One buffer for the tensors of one interpreter, or of several that take turns.

    `memory`: a writable buffer of bytes, or a size in bytes.
    `most`: use no more than so many of its bytes (None: all), but for `extra` bytes behind them
    that belong to no section.
    Interpreters that share an Arena overlay their heads (activations); their tails add up.
    """

    def __init__(self, memory, most=None, extra=0):
        if isinstance(memory, int):
            memory = _new_memory(memory)
        view = _writable_bytes(memory)
        start = (0 - address_of(view)) & (ALIGNMENT - 1) if len(view) else 0
        size = max(min(len(view) - start, MAX_BYTES if most is None else most), 0)
        self.buffer = view[start : start + size + extra]  # its first byte is aligned
        self.sections = SingleArenaBufferAllocator(size)

    # Make the head at least `size` bytes; returns where it begins.
    def reserve_head(self, size):
        sections = self.sections
        sections.resize_head(max(size, sections.head_used_bytes()))
        return sections.buffer_head

    # Bytes an arena needs that holds what this one holds, if its start is aligned.
    def used_bytes(self):
        return align_up(self.sections.used_bytes())
