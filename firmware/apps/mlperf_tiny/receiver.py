# App mlperf_tiny: sound of an I2S master, such as the runner's interface board: a PIO takes it
# MIT license; Copyright (c) 2026 the tflm authors

# machine.I2S would be the master itself. Here the other side has the clocks: 16 kHz, two slots of
# 16 bits, as Philips has it: a bit is valid while the clock rises, and the highest of the left one
# comes a period after the word select has fallen. Each frame is waited for anew, so a lost edge
# costs one sample.

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
        wait(1, gpio, sck)  # the right one's last bit
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
    """The left channel, int16, between start() and stop(). sck, ws, sd: numbers of pins."""

    def __init__(self, sck, ws, sd, state_machine=0):
        for pin in (sck, ws, sd):
            machine.Pin(pin, machine.Pin.IN)
        self._machine = rp2.StateMachine(
            state_machine, _program(sck, ws), freq=_FREQUENCY, in_base=machine.Pin(sd)
        )
        self._ring = Ring(state_machine)

    @property
    def lost(self):
        """Samples that nobody took in time, ever."""
        return self._ring.lost

    def start(self):
        """Listen; what came before is forgotten."""
        self._ring.skip()
        self._machine.restart()
        self._machine.active(1)

    def stop(self):
        """Listen no more."""
        self._machine.active(0)

    def read(self, samples):
        """Fill `samples`, an array of int16, if there is so much; returns how many are missing."""
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
