# tflm.microphone: Microphone: a PDM microphone on an RP2040 or RP2350, by PIO and DMA.
# MIT license; Copyright (c) 2026 the tflm authors

# A state machine generates the clock and reads a bit in each period. Its words wait in a Ring.

from ..errors import InputError
from .decimator import BLOCK, HISTORY, RATIO, SILENCE, Decimator
from .ring import Ring

RATE = 16000

_SAMPLE_WORDS = RATIO // 32
_STEPS = 4  # instructions of the state machine for a bit
_LEVELS = {"left": 0, "right": 1}  # of the clock while a microphone sends its bit
_MACHINES = 8
_MAX_MS = 5000


# Return the program of the state machine. It reads a bit late in its half period of the clock.
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
    """A PDM microphone, int16 at 16 kHz: a source for `Listener.listen()`.

    clock, data: numbers of the pins. channel: "left" if the microphone's pin L/R (SEL) is at
        ground, "right" if it is at 3.3 V. gain: 1, 2, 4, 8, 16 or 32. state_machine: a free one,
        0 to 7. buffer_ms: sound that a timer keeps (32 bytes of RAM for each ms), so that a model
        may run for this time without a loss; 0 for the 64 ms that DMA keeps.

    overruns: how often sound was lost because nobody read in time. lost: the number of lost
    samples. Raises InputError for invalid arguments.
    """

    def __init__(self, clock, data, channel="left", gain=8, state_machine=0, buffer_ms=0):
        import machine
        import rp2
        import uctypes

        if channel not in _LEVELS:
            raise InputError('the channel is %r; pass "left" or "right"' % (channel,))
        if not isinstance(state_machine, int) or not 0 <= state_machine < _MACHINES:
            raise InputError("there is no state machine %r; pass 0 to 7" % (state_machine,))
        if not isinstance(buffer_ms, int) or not 0 <= buffer_ms <= _MAX_MS:
            raise InputError("buffer_ms is %r; pass 0 to 5000" % (buffer_ms,))
        self._decimator = Decimator(gain)
        self._address_of = uctypes.addressof
        self._idle = machine.idle
        self._machine = rp2.StateMachine(
            state_machine,
            _program(_LEVELS[channel]),
            freq=_STEPS * RATIO * RATE,
            in_base=machine.Pin(data, machine.Pin.IN),
            sideset_base=machine.Pin(clock, machine.Pin.OUT),
        )
        self._ring = Ring(state_machine, _SAMPLE_WORDS, HISTORY, SILENCE)
        self._running = False  # until the first call of readinto()
        self._background = None
        if buffer_ms:
            from .background import Background

            self._background = Background(self, RATE * buffer_ms // 1000)

    @property
    def overruns(self):
        """How often sound was lost."""
        return self._ring.overruns

    @property
    def lost(self):
        """The number of samples that were lost."""
        return self._ring.lost

    def readinto(self, buffer):
        """Fill a buffer with samples; wait for them; return its bytes.

        The first call starts the microphone, so loading models after its creation loses no sound.
        Without buffer_ms it allocates nothing.
        """
        if not self._running:
            self._start()
        return (self._background or self).read(buffer)

    def _start(self):
        if self._background is not None:
            self._background.start()
        self._machine.active(1)
        self._running = True

    def available(self):
        """Return the number of samples that wait in the ring of DMA."""
        return self._ring.waiting() // _SAMPLE_WORDS

    def read(self, buffer):
        """Fill a buffer with samples of the ring of DMA; wait for them; return its bytes."""
        target, wanted = self._address_of(buffer), len(buffer) // 2
        ring = self._ring
        while wanted:
            count = min(wanted, BLOCK)
            while ring.waiting() < _SAMPLE_WORDS * count:
                self._idle()
            words = ring.block(_SAMPLE_WORDS * count)
            count = words // _SAMPLE_WORDS
            self._decimator.run(ring.address - HISTORY, count, target)
            ring.take(words)
            target += 2 * count
            wanted -= count
        return len(buffer)

    def close(self):
        """Stop the microphone."""
        if self._background is not None:
            self._background.close()
        self._machine.active(0)
        self._ring.close()
