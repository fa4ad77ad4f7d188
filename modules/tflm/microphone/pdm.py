# tflm.microphone: pdm.Microphone: a PDM microphone on an RP2040 or RP2350, by PIO and DMA
# MIT license; Copyright (c) 2026 the tflm authors

# A state machine makes the clock and takes a bit of each of its periods; the words that it makes
# of them wait in a Ring.

from ..errors import InputError
from .decimator import BLOCK, HISTORY, RATIO, SILENCE, Decimator
from .ring import Ring

RATE = 16000

_SAMPLE_WORDS = RATIO // 32
_STEPS = 4  # of the state machine, a bit
_LEVELS = {"left": 0, "right": 1}  # of the clock, when a microphone gives its bit
_MACHINES = 8


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
        self._machine = rp2.StateMachine(
            state_machine,
            _program(_LEVELS[channel]),
            freq=_STEPS * RATIO * RATE,
            in_base=machine.Pin(data, machine.Pin.IN),
            sideset_base=machine.Pin(clock, machine.Pin.OUT),
        )
        self._ring = Ring(state_machine, _SAMPLE_WORDS, HISTORY, SILENCE)
        self._machine.active(1)

    @property
    def overruns(self):
        """How often sound was lost."""
        return self._ring.overruns

    @property
    def lost(self):
        """Samples that were lost."""
        return self._ring.lost

    def readinto(self, buffer):
        """Fill `buffer` with samples; waits for them. Returns its length. Allocates nothing."""
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
        self._machine.active(0)
        self._ring.close()
