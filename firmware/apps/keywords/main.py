# App keywords: says which words it hears, from a microphone or a WAV file
# MIT license; Copyright (c) 2026 the tflm authors

# On a board sound comes from an I2S microphone (board.py has its pins). On a PC
# `python -m tflm_tools.apps.run keywords FILE.wav` runs this in MicroPython's unix port, with a
# folder for /rom and the file as arguments.

import sys
import time

import tflm
from listener import HOP_BYTES, Listener

_HOP_MS = 20
_LED_HOPS = 15
_HOPS_AFTER = 25  # of silence: a word at the end of a file is found a little later


class _NoLed:
    def on(self):
        pass

    def off(self):
        pass


# What is being said, and when; the LED is on for a while after a word.
class _Report:
    def __init__(self, listener, led):
        self._listener = listener
        self._led = led
        self._hops = 0
        self._off = 0  # the hop when the LED goes off
        self.busy = 0  # microseconds

    # One hop of sound.
    def hear(self, samples):
        begin = time.ticks_us()
        label = self._listener.hear(samples)
        self.busy += time.ticks_diff(time.ticks_us(), begin)
        self._hops += 1
        if label >= 0:
            self._led.on()
            self._off = self._hops + _LED_HOPS
            percent = self._listener.recognizer.score * 100 // 255
            seconds = self._hops * _HOP_MS / 1000
            print("%7.2f s  %-8s %3d %%" % (seconds, self._listener.labels[label], percent))
        elif self._hops == self._off:
            self._led.off()

    def show_speed(self):
        sound = self._hops * _HOP_MS * 1000
        print(
            "%.2f s of sound in %.3f s: %.1f times as fast as it comes, arena %d bytes"
            % (sound / 1e6, self.busy / 1e6, sound / self.busy, self._listener.arena_used_bytes)
        )


def listen(folder, source, led):
    """Print the words in `source` until it ends, or until Ctrl-C."""
    listener = Listener(folder)
    report = _Report(listener, led)
    samples = bytearray(HOP_BYTES)
    try:
        while source.readinto(samples):
            report.hear(samples)
        for i in range(HOP_BYTES):
            samples[i] = 0
        for _ in range(_HOPS_AFTER):
            report.hear(samples)
    except KeyboardInterrupt:
        print("stopped; import main runs it again")
    finally:
        source.close()
    report.show_speed()


def main():
    if len(sys.argv) > 2:
        from wav import WavFile

        listen(sys.argv[1], WavFile(sys.argv[2]), _NoLed())
    else:
        import board

        listen("/rom", board.Microphone(), board.led())


try:
    main()
except (OSError, ValueError, tflm.TflmError) as error:
    print("keywords:", error)
    if len(sys.argv) > 2:  # a board would boot again
        sys.exit(1)
