# tflm.microphone: pdm.Microphone: a PDM microphone on an RP2040 or RP2350, by PIO and DMA
# MIT license; Copyright (c) 2026 the tflm authors

# A state machine makes the clock and takes a bit of each of its periods; DMA puts the words that
# it makes of them into a ring for ever, without the core. How many came is what the channel has
# not yet counted down: so nothing is lost unseen, whatever the program does meanwhile. When the
# channel has counted to the end, a second one starts it again where it stopped.

import array

from ..errors import InputError
from .decimator import BLOCK, HISTORY, RATIO, SILENCE, Decimator

RATE = 16000

_RING_BITS = 13
_RING_BYTES = 1 << _RING_BITS  # 64 ms
_RING_WORDS = _RING_BYTES // 4
_NEAR = 64  # words that DMA may write while a block is read
_SAMPLE_WORDS = RATIO // 32
_STEPS = 4  # of the state machine, a bit
_COUNT = 1 << 24  # words until the channel has to be started again
_LEVELS = {"left": 0, "right": 1}  # of the clock, when a microphone gives its bit
_MACHINES = 8

_PIO = 0x50200000
_PIO_STEP = 0x100000
_PIO_RECEIVED = 0x20
_DMA = 0x50000000
_DMA_STEP = 0x40
_DMA_COUNT = 0x08
_DMA_COUNT_AND_START = 0x1C
_AT_ONCE = 0x3F  # the request of what need not wait


# The program of the state machine: the bit is taken late in the half of the clock that it is for.
def _program(level):
    import rp2

    @rp2.asm_pio(
        sideset_init=rp2.PIO.OUT_LOW,
        in_shiftdir=rp2.PIO.SHIFT_RIGHT,
        autopush=True,
        push_thresh=32,
    )
    def program():
        nop().side(level)
        in_(pins, 1).side(level)
        nop().side(1 - level)[1]

    return program


class Microphone:
    """Sound of a PDM microphone, int16 at 16 kHz: a source for `Listener.listen()`.

    clock, data: numbers of its pins. channel: "left" where its pin L/R (SEL) is at ground,
    "right" where it is at 3.3 V. gain: 1, 2, 4, ... 32 times as loud. state_machine: one that is
    free, 0 to 7. overruns: how often sound was lost as nobody read it for 64 ms; lost: how many
    samples that were. Raises InputError.
    """

    def __init__(self, clock, data, channel="left", gain=8, state_machine=0):
        import machine
        import rp2
        import uctypes

        if channel not in _LEVELS:
            raise InputError('the channel is %r; take "left" or "right"' % (channel,))
        if not isinstance(state_machine, int) or not 0 <= state_machine < _MACHINES:
            raise InputError("there is no state machine %r; take 0 to 7" % (state_machine,))
        self._decimator = Decimator(gain)
        self._address_of = uctypes.addressof
        self._idle = machine.idle
        self._memory = machine.mem32
        # DMA wraps where the lower bits of an address do; what was last read stays before that.
        self._bits = bytearray(2 * _RING_BYTES + HISTORY)
        begin = uctypes.addressof(self._bits)
        self._ring = (begin + HISTORY + _RING_BYTES - 1) & -_RING_BYTES
        self._first = self._ring - begin
        for i in range(HISTORY):
            self._bits[self._first + _RING_BYTES - HISTORY + i] = SILENCE
        self._taken = 0  # words, of _COUNT
        self.overruns = 0
        self.lost = 0
        self._machine = rp2.StateMachine(
            state_machine,
            _program(_LEVELS[channel]),
            freq=_STEPS * RATIO * RATE,
            in_base=machine.Pin(data, machine.Pin.IN),
            sideset_base=machine.Pin(clock, machine.Pin.OUT),
        )
        self._start(rp2, state_machine)

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
                ring_size=_RING_BITS,
                treq_sel=8 * block + 4 + number,
                chain_to=self._again.channel,
            ),
            trigger=True,
        )
        self._machine.active(1)

    def readinto(self, buffer):
        """Fill `buffer` with samples; waits for them. Returns its length. Allocates nothing."""
        target, wanted = self._address_of(buffer), len(buffer) // 2
        while wanted:
            count = min(wanted, BLOCK)
            self._wait(_SAMPLE_WORDS * count)
            at = self._taken % _RING_WORDS
            if not at:
                self._wrap()
            count = min(count, (_RING_WORDS - at) // _SAMPLE_WORDS)
            self._decimator.run(self._ring - HISTORY + 4 * at, count, target)
            self._taken = (self._taken + _SAMPLE_WORDS * count) % _COUNT
            target += 2 * count
            wanted -= count
        return len(buffer)

    # Until so many words are there.
    def _wait(self, words):
        while True:
            there = (-self._memory[self._left] - self._taken) % _COUNT
            if there > _RING_WORDS - _NEAR:
                there -= there % _SAMPLE_WORDS
                self.overruns += 1
                self.lost += there // _SAMPLE_WORDS
                self._taken = (self._taken + there) % _COUNT
            elif there >= words:
                return
            self._idle()

    # The end of the ring goes before its start, where the filter looks.
    def _wrap(self):
        bits, first = self._bits, self._first
        for i in range(first - HISTORY, first):
            bits[i] = bits[i + _RING_BYTES]

    def close(self):
        """Stop the microphone."""
        self._machine.active(0)
        self._again.close()
        self._words.close()
