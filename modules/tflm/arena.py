# tflm: SingleArenaBufferAllocator: head, tail and temp sections in one static buffer
# MIT license; Copyright (c) 2026 the tflm authors

from .errors import ArenaError, InputError, StateError

ALIGNMENT = 16
_UNLIMITED = 1 << 29


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

    `start` is the first usable offset when the buffer itself is not 16-byte aligned.
    Raises ArenaError, with needed and available bytes, when sections would cross.
    """

    def __init__(self, size=None, start=0):
        self.buffer_head = start
        self.buffer_tail = (_UNLIMITED if size is None else size) & (0 - 4)
        self.head = start
        self.temp = start
        self.tail = max(self.buffer_tail, start)
        self._temp_buffers = 0

    # Bytes between temp and tail.
    def available_bytes(self):
        return self.tail - self.temp

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
            self._refuse("a persistent buffer", size)
        self.tail = start
        return start

    # A buffer that stays until reset_temp_allocations: its offset.
    def allocate_temp(self, size, alignment=ALIGNMENT):
        start = align_up(self.temp, alignment)
        if start + size > self.tail:
            self._refuse("a temporary buffer", size)
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
        if self.buffer_head + size > self.tail:
            self.temp = self.buffer_head
            self._refuse("the head section", size)
        self.head = self.temp = self.buffer_head + size

    def _refuse(self, what, size):
        available = self.available_bytes()
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


# A writable memoryview of single bytes, or a clear refusal.
def _writable_bytes(buffer):
    try:
        view = memoryview(buffer)
        if len(bytes(view[:1])) > 1:
            raise TypeError
        if len(view):
            view[0] = view[0]
        return view
    except TypeError:
        pass
    raise InputError(
        "the arena must be a writable buffer of bytes, not %s; pass a bytearray or a size in bytes"
        % type(buffer).__name__
    )


class Arena:
    """One buffer for the tensors of one interpreter, or of several that take turns.

    `memory`: a writable buffer of bytes, a size in bytes, or None to measure only.
    Interpreters that share an Arena overlay their heads (activations); their tails add up.
    """

    def __init__(self, memory):
        self.buffer = None
        size = start = None
        if memory is not None:
            if isinstance(memory, int):
                if memory < 0:
                    raise InputError("the arena size is %d bytes; it cannot be negative" % memory)
                memory = bytearray(memory)
            self.buffer = _writable_bytes(memory)
            size = len(self.buffer)
            start = (0 - address_of(self.buffer)) & (ALIGNMENT - 1) if size else 0
        self.sections = SingleArenaBufferAllocator(size, start or 0)

    # Make the head at least `size` bytes; returns where it begins.
    def reserve_head(self, size):
        sections = self.sections
        sections.resize_head(max(size, sections.head_used_bytes()))
        return sections.buffer_head

    # Bytes an arena needs that holds what this one holds, if its start is aligned.
    def used_bytes(self):
        return align_up(self.sections.used_bytes())
