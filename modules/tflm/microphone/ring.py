# tflm.microphone: Ring: words of a PIO state machine, which DMA puts into a ring for ever
# MIT license; Copyright (c) 2026 the tflm authors

# It needs no core. How many words came is what the channel has not yet counted down: so nothing
# is lost unseen, whatever the program does meanwhile. When the channel has counted to the end, a
# second one starts it again where it stopped.

import array

_BITS = 13
_BYTES = 1 << _BITS
_WORDS = _BYTES // 4
_NEAR = 64  # words that DMA may write while a block is read
_COUNT = 1 << 24  # words until the channel has to be started again

_PIO = 0x50200000
_PIO_STEP = 0x100000
_PIO_RECEIVED = 0x20
_DMA = 0x50000000
_DMA_STEP = 0x40
_DMA_COUNT = 0x08
_DMA_COUNT_AND_START = 0x1C
_AT_ONCE = 0x3F  # the request of what need not wait


class Ring:
    """2,048 words that state machine `number`, 0 to 7, has received.

    step: words of a sample. history, fill: bytes before the words that are read, and what they
    are at the begin. address: of the words that block() told of. overruns: how often words were
    lost as nobody took them; lost: how many samples that were.
    """

    def __init__(self, number, step=1, history=0, fill=0):
        import machine
        import rp2
        import uctypes

        self._memory = machine.mem32
        self._step = step
        self._history = history
        # DMA wraps where the lower bits of an address do; what was last read stays before that.
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
        """Words that are there to be taken. Those that were overwritten are lost."""
        there = (-self._memory[self._left] - self._taken) % _COUNT
        if there > _WORDS - _NEAR:
            whole = there - there % self._step
            self.overruns += 1
            self.lost += whole // self._step
            self._taken = (self._taken + whole) % _COUNT
            there -= whole
        return there

    def skip(self):
        """Forget the words that are there, without counting them."""
        self._taken = -self._memory[self._left] % _COUNT

    def block(self, words):
        """How many of the next `words` lie in a row, from `address` on."""
        at = self._taken % _WORDS
        if not at:
            self._wrap()
        self.address = self._ring + 4 * at
        return min(words, _WORDS - at)

    def take(self, words):
        """These words are read: DMA may write over them."""
        self._taken = (self._taken + words) % _COUNT

    # The end of the ring goes before its start, where `history` is.
    def _wrap(self):
        for i in range(self._first - self._history, self._first):
            self._bytes[i] = self._bytes[i + _BYTES]

    def close(self):
        """Give the channels back."""
        self._again.close()
        self._words.close()
