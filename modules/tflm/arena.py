# tflm: The arena: one buffer with a head, a tail and a temp section, as in TFLM.
# MIT license; Copyright (c) 2026 the tflm authors

from .errors import ArenaError, InputError, StateError, check_count
from .micropython_port import free_bytes, more_heap

ALIGNMENT = 16
MAX_BYTES = 1 << 29  # the most that an operand word of a record can address

# Bits of `keep`: which tensors keep their bytes until the next invoke, besides the outputs.
KEEP_INPUTS = 1
KEEP_ALL = 2


# Return `value` rounded up to a multiple of `alignment` (a power of two).
def align_up(value, alignment=ALIGNMENT):
    return (value + alignment - 1) & (0 - alignment)


# TFLM's single_arena_buffer_allocator.cc, with offsets in place of pointers:
#
#   buffer_head        head            temp             tail           buffer_tail
#       | activations -> | op's temp -> |     free     | <- persistent |
#
# The head is sized once, after memory planning. The tail grows down and is never freed. The temp
# section follows the head and is released after each operator's Prepare. No section may reach
# into another. Without a size there is no limit, which measures how much a model needs.
class SingleArenaBufferAllocator:
    """Allocates byte offsets in an arena of `size` bytes; None: without limit, to measure.

    Offset 0 must be 16-byte aligned. Methods raise ArenaError if the sections would overlap.
    """

    def __init__(self, size=None):
        if size is not None:
            check_count("size", size, 0)
        self.buffer_head = 0
        self.buffer_tail = (MAX_BYTES if size is None else min(size, MAX_BYTES)) & (0 - 4)
        self.head = self.temp = self.buffer_head
        self.tail = self.buffer_tail
        self._temp_buffers = 0

    def available_bytes(self, alignment=1):
        """Return the free bytes for a buffer whose offset is a multiple of `alignment`."""
        return max(self.tail - align_up(self.temp, alignment), 0)

    def head_used_bytes(self):
        """Return the bytes of the head (activations and scratch buffers)."""
        return self.head - self.buffer_head

    def tail_used_bytes(self):
        """Return the bytes of the tail (persistent buffers)."""
        return self.buffer_tail - self.tail

    def used_bytes(self):
        """Return the bytes of head and tail."""
        return self.head_used_bytes() + self.tail_used_bytes()

    def allocate_persistent_buffer(self, size, alignment=ALIGNMENT):
        """Return the offset of `size` bytes in the tail, which are never released."""
        start = (self.tail - size) & (0 - alignment)
        if start < self.temp:
            self._refuse("a persistent buffer", size, self.available_bytes(alignment))
        self.tail = start
        return start

    def allocate_temp(self, size, alignment=ALIGNMENT):
        """Return the offset of `size` bytes until the next reset_temp_allocations()."""
        start = align_up(self.temp, alignment)
        if start + size > self.tail:
            self._refuse("a temporary buffer", size, self.available_bytes(alignment))
        self.temp = start + size
        self._temp_buffers += 1
        return start

    def reset_temp_allocations(self):
        """Release all temporary buffers."""
        self.temp = self.head
        self._temp_buffers = 0

    def resize_head(self, size):
        """Set the size of the head in bytes; raises StateError during temporary allocations."""
        if self._temp_buffers:
            raise StateError("the head was resized with temporary buffers in use; reset them")
        available = self.tail - self.buffer_head
        if size > available:
            self._refuse("the head section", size, available)
        self.head = self.temp = self.buffer_head + size

    # Return the positions of the sections, for restore().
    def positions(self):
        return self.head, self.tail

    # Undo all allocations since positions() was called.
    def restore(self, positions):
        self.head, self.tail = positions
        self.reset_temp_allocations()

    def _refuse(self, what, size, available):
        raise ArenaError(
            "the arena is too small for %s: needed %d bytes, available %d, missing %d; use a "
            "larger arena" % (what, size, available, size - available),
            size,
            available,
        )


# Return the address of a buffer; 0 under CPython, where only offsets matter.
def address_of(buffer):
    try:
        from uctypes import addressof
    except ImportError:
        return 0
    return addressof(buffer)


# Return True if two buffers share memory.
def overlap(first, second):
    start = address_of(first)
    other = address_of(second)
    return 0 < start < other + len(second) and other < start + len(first)


# Return a writable memoryview of unsigned bytes; raises InputError if the buffer is none.
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
        "the arena must be a writable buffer of bytes, not %s; pass a bytearray or a size"
        % type(buffer).__name__
    )


# Set bytes of a buffer to one value, in pieces of 256: a board may lack the heap for all at once.
def fill(buffer, start, size, value=0):
    piece = bytes([value]) * min(size, 256)
    while size:
        step = min(size, len(piece))
        buffer[start : start + step] = piece if step == len(piece) else piece[:step]
        start += step
        size -= step


# Return a new bytearray; raises ArenaError with the bytes if the heap is too small.
def _new_memory(size):
    if size < 0:
        raise InputError("the arena size is %d; pass 0 or more bytes" % size)
    try:
        return bytearray(size)
    except (MemoryError, OverflowError):
        pass
    free = free_bytes()
    raise ArenaError(
        "not enough heap for the arena: needed %d bytes in one piece, %d free in all; allocate "
        "it first, use --flash-budget or a smaller model%s" % (size, free, more_heap()),
        size,
        free,
    )


class Arena:
    """Memory for the tensors of one Interpreter, or of several that run in turn.

    memory: a writable buffer of bytes, or a size in bytes.
    most: use at most this number of bytes; None: all.
    extra: bytes after these that belong to no section.

    Interpreters that share an Arena use the same head (activations). Each has its own bytes in the
    tail. Raises InputError for other arguments, ArenaError if the heap is too small.
    """

    def __init__(self, memory, most=None, extra=0):
        if isinstance(memory, int):
            memory = _new_memory(memory)
        view = _writable_bytes(memory)
        start = (0 - address_of(view)) & (ALIGNMENT - 1) if len(view) else 0
        size = max(min(len(view) - start, MAX_BYTES if most is None else most), 0)
        self.buffer = view[start : start + size + extra]  # aligned to 16 bytes
        self.sections = SingleArenaBufferAllocator(size)

    # Make the head at least `size` bytes; return its offset.
    def reserve_head(self, size):
        sections = self.sections
        sections.resize_head(max(size, sections.head_used_bytes()))
        return sections.buffer_head

    def used_bytes(self):
        """Return the bytes in use, rounded up to 16: an aligned arena of this size is enough."""
        return align_up(self.sections.used_bytes())
