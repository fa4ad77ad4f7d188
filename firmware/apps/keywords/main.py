# App keywords: prints the words that it detects, in sound of a microphone or a WAV file
# MIT license; Copyright (c) 2026 the tflm authors

# On a board the sound is from an I2S microphone, whose pins are in board.py. On a computer `python
# -m tflm_tools.apps.run keywords FILE.wav` runs the app in MicroPython's unix port. The arguments
# are then a folder that stands for /rom, and the file.

import sys
import time

import tflm
from listener import HOP_BYTES, Listener

_HOP_MS = 20
_LED_HOPS = 15
_FINAL_HOPS = 25  # of silence after a file: a word at its end is detected a little later


class _NoLed:
    def on(self):
        pass

    def off(self):
        pass


# Prints each detected word and its time; the LED is on for _LED_HOPS after a word.
class _Reporter:
    def __init__(self, listener, led):
        self._listener = listener
        self._led = led
        self._hops = 0
        self._off = 0  # the hop when the LED goes off
        self.busy = 0  # microseconds

    # Process one hop of sound.
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
            "%.2f s of sound in %.3f s: %.1f times real time, arena %d bytes"
            % (sound / 1e6, self.busy / 1e6, sound / self.busy, self._listener.arena_used_bytes)
        )


def listen(folder, source, led):
    """Print the words in `source` until it ends, or until Ctrl-C."""
    listener = Listener(folder)
    reporter = _Reporter(listener, led)
    samples = bytearray(HOP_BYTES)
    try:
        while source.readinto(samples):
            reporter.hear(samples)
        for i in range(HOP_BYTES):
            samples[i] = 0
        for _ in range(_FINAL_HOPS):
            reporter.hear(samples)
    except KeyboardInterrupt:
        print("stopped; import main runs it again")
    finally:
        source.close()
    reporter.show_speed()


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
    if len(sys.argv) > 2:  # not on a board, which would reboot
        sys.exit(1)
