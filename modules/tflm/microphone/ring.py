# tflm.microphone: Ring: a ring buffer that DMA fills with the words of a PIO state machine.
# MIT license; Copyright (c) 2026 the tflm authors

# It needs no core. The DMA channel counts down, which says how many words came, so no loss goes
# unnoticed, whatever the program does. At the end of the count a second channel restarts the first
# one where it stopped.

import array

_BITS = 13
_BYTES = 1 << _BITS
_WORDS = _BYTES // 4
_NEAR = 64  # words that DMA may write while a block is read
_COUNT = 1 << 24  # words between two restarts of the channel

_PIO = 0x50200000
_PIO_STEP = 0x100000
_PIO_RECEIVED = 0x20
_DMA = 0x50000000
_DMA_STEP = 0x40
_DMA_COUNT = 0x08
_DMA_COUNT_AND_START = 0x1C
_AT_ONCE = 0x3F  # the DMA request number of transfers that need not wait


class Ring:
    """The last 2,048 words that a state machine has received.

    number: the state machine, 0 to 7. step: words of a sample. history, fill: the bytes before the
        words, and their value at the start.

    address: of the words that block() returned. overruns: how often words were lost because
    nobody read them in time. lost: the number of lost samples.
    """

    def __init__(self, number, step=1, history=0, fill=0):
        import machine
        import rp2
        import uctypes

        self._memory = machine.mem32
        self._step = step
        self._history = history
        # DMA wraps at a power of two of the address; the history is before that.
        self._bytes = bytearray(2 * _BYTES + history)
        begin = uctypes.addressof(self._bytes)
        self._ring = (begin + history + _BYTES - 1) & -_BYTES
        self._first = self._ring - begin
        for i in range(history):
            self._bytes[self._first + _BYTES - history + i] = fill
        self._taken = 0  # words, of _COUNT
        self.address = self._ring
        self.overruns = 0
        self.lost = 0
        self._start(rp2, number)

    def _start(self, rp2, number):
        self._words, self._again = rp2.DMA(), rp2.DMA()
        registers = _DMA + _DMA_STEP * self._words.channel
        self._left = registers + _DMA_COUNT
        self._from_start = array.array("I", (_COUNT,))
        self._again.config(
            read=self._from_start,
            write=registers + _DMA_COUNT_AND_START,
            count=1,
            ctrl=self._again.pack_ctrl(inc_read=False, inc_write=False, treq_sel=_AT_ONCE),
        )
        block, number = number >> 2, number & 3
        self._words.config(
            read=_PIO + _PIO_STEP * block + _PIO_RECEIVED + 4 * number,
            write=self._ring,
            count=_COUNT,
            ctrl=self._words.pack_ctrl(
                inc_read=False,
                ring_sel=True,
                ring_size=_BITS,
                treq_sel=8 * block + 4 + number,
                chain_to=self._again.channel,
            ),
            trigger=True,
        )

    def waiting(self):
        """Return the number of words to read; overwritten words count as lost."""
        count = (-self._memory[self._left] - self._taken) % _COUNT
        if count > _WORDS - _NEAR:
            whole = count - count % self._step
            self.overruns += 1
            self.lost += whole // self._step
            self._taken = (self._taken + whole) % _COUNT
            count -= whole
        return count

    def skip(self):
        """Drop the waiting words without counting them as lost."""
        self._taken = -self._memory[self._left] % _COUNT

    def block(self, words):
        """Return how many of the next `words` words are contiguous, from `address` on."""
        at = self._taken % _WORDS
        if not at:
            self._wrap()
        self.address = self._ring + 4 * at
        return min(words, _WORDS - at)

    def take(self, words):
        """Release words that were read: DMA may overwrite them."""
        self._taken = (self._taken + words) % _COUNT

    # Copy the end of the ring to the history before its start.
    def _wrap(self):
        for i in range(self._first - self._history, self._first):
            self._bytes[i] = self._bytes[i + _BYTES]

    def close(self):
        """Release the DMA channels."""
        self._again.close()
        self._words.close()
