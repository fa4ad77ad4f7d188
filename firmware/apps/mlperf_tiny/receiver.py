# App mlperf_tiny: receives sound from an I2S master like the runner's interface board, with a PIO
# MIT license; Copyright (c) 2026 the tflm authors

# machine.I2S can only be the master. Here the other side drives the clocks: 16 kHz, two slots of
# 16 bits in Philips format. A bit is valid at the rising edge of the clock. The highest bit of the
# left channel comes one period after the falling edge of the word select. The program waits for
# that edge in each frame, so a lost edge costs only one sample.

import machine
import micropython
import rp2
from tflm.microphone.ring import Ring

_FREQUENCY = 4_096_000  # 8 steps for each bit; four are needed


def _program(sck, ws):
    @rp2.asm_pio(in_shiftdir=rp2.PIO.SHIFT_LEFT, autopush=True, push_thresh=16)
    def program():
        wait(1, gpio, ws)
        wait(0, gpio, ws)
        wait(0, gpio, sck)
        wait(1, gpio, sck)  # the last bit of the right channel
        set(x, 15)
        label("bit")
        wait(0, gpio, sck)
        wait(1, gpio, sck)
        in_(pins, 1)
        jmp(x_dec, "bit")

    return program


@micropython.viper
def _copy(target: ptr16, at: int, source: ptr32, count: int):
    i = 0
    while i < count:
        target[at + i] = source[i]
        i += 1


class Receiver:
    """Receives the left channel as int16 between start() and stop(). sck, ws, sd: pin numbers."""

    def __init__(self, sck, ws, sd, state_machine=0):
        for pin in (sck, ws, sd):
            machine.Pin(pin, machine.Pin.IN)
        self._machine = rp2.StateMachine(
            state_machine, _program(sck, ws), freq=_FREQUENCY, in_base=machine.Pin(sd)
        )
        self._ring = Ring(state_machine)

    @property
    def lost(self):
        """Number of samples lost since the start of the program, because the ring was full."""
        return self._ring.lost

    def start(self):
        """Start to receive; older samples are dropped."""
        self._ring.skip()
        self._machine.restart()
        self._machine.active(1)

    def stop(self):
        """Stop receiving."""
        self._machine.active(0)

    def read(self, samples):
        """Fill `samples`, an array of int16, and return 0.

        If samples are missing, read nothing and return their number.
        """
        ring = self._ring
        count = len(samples)
        missing = count - ring.waiting()
        if missing > 0:
            return missing
        at = 0
        while at < count:
            more = ring.block(count - at)
            _copy(samples, at, ring.address, more)
            ring.take(more)
            at += more
        return 0
