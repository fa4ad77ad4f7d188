# App voice: the board's microphone, LED and pins; your own board.py on the board replaces it
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import machine

# Sound that is kept while a word is recognized. The heap of a Pico has no block for it.
_BUFFER_MS = 350

# What a word does: (number of an output pin, its new value).
ACTIONS = {"on": (15, 1), "off": (15, 0), "yes": (15, 1), "no": (15, 0)}


def microphone():
    """Return the microphone. Change the pins here."""
    if sys.platform == "rp2":
        from tflm.microphone import pdm

        has_memory = "RP2350" in sys.implementation._machine
        return pdm.Microphone(clock=2, data=3, buffer_ms=_BUFFER_MS if has_memory else 0)
    from tflm.microphone import i2s

    return i2s.Microphone(sck=26, ws=25, sd=33, buffer_ms=_BUFFER_MS)


def led():
    """Return the LED as a Pin."""
    return machine.Pin("LED" if sys.platform == "rp2" else 2, machine.Pin.OUT)
