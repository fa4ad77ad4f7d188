# App wake: detects wake words with the board's microphone, prints them and lights the LED
# MIT license; Copyright (c) 2026 the tflm authors

# The words are the manifests (*.json) in the board's file system, or else in /rom. vad.json is the
# manifest of the model that detects voice. To use other words, copy their files to the board and
# `import main`. Models are copied to RAM while enough heap is free: most weights are used once per
# invoke, and reading them from flash takes longer than computing with them.

import gc
import os
import sys

import board
import machine
import tflm
from tflm import wake
from tflm.errors import TflmError

_RP2040_HZ = 200_000_000  # at 125 MHz two models need more than half of the time
_FOLDERS = ("/", "/rom/")
_FRONT_END = "/rom/micro_frontend.tflm"
_VAD = "vad.json"
_HOPS_PER_SECOND = 100
_LED_HOPS = 50
_WARM_HOPS = 20
_MIN_FREE_FOR_COPY = 112 * 1024  # bytes of heap; a model has some 50 KB, the microphone 26 KB


# Load the WakeWord of a manifest; if it is invalid, print the error and return None.
def _load(path):
    gc.collect()
    try:
        return wake.load(path, copy=gc.mem_free() > _MIN_FREE_FOR_COPY)
    except (TflmError, OSError) as error:
        print("wake:", error)


# ([words], the model that detects voice or None)
def _load_all():
    for folder in _FOLDERS:
        try:
            names = sorted([name for name in os.listdir(folder) if name.endswith(".json")])
        except OSError:
            continue
        if names:
            words = [_load(folder + name) for name in names if name != _VAD]
            vad = _load(folder + _VAD) if _VAD in names else None
            return [word for word in words if word is not None], vad
    return [], None


# Prints detections and problems, hop by hop.
class _Reporter:
    def __init__(self, listener, source, led):
        self._listener = listener
        self._source = source
        self._led = led
        self._hops = 0
        self._off = 0  # the hop when the LED goes off
        self._lost = 0

    def add(self, samples, detected):
        self._hops += 1
        if detected is not None:
            self._led.on()
            self._off = self._hops + _LED_HOPS
            self._print_words()
        elif self._hops == self._off:
            self._led.off()
        if self._source.lost != self._lost:
            more, self._lost = self._source.lost - self._lost, self._source.lost
            print("wake: %d ms of sound were lost; the board is too busy" % (more // 16))
        if self._hops == _HOPS_PER_SECOND and samples == bytes(samples[:2]) * (len(samples) // 2):
            print("wake: the microphone gives no sound; check its wires and the pins in board.py")

    def _print_words(self):
        seconds = self._hops / _HOPS_PER_SECOND
        for word in self._listener.words:
            if word.detected:
                percent = 100 * word.probability
                print("%8.2f s  %-16s %3.0f %%" % (seconds, word.wake_word, percent))


def listen(listener, source, led):
    """Print the words in `source` until it ends, or until Ctrl-C."""
    reporter = _Reporter(listener, source, led)
    samples = bytearray(listener.hop_bytes)
    while source.readinto(samples) == len(samples):
        reporter.add(samples, listener.hear(samples))


# Run the models on silence: the first runs load the kernels, which takes longer.
def _warm_up(listener):
    silence = bytearray(listener.hop_bytes)
    for _ in range(_WARM_HOPS):
        listener.hear(silence)
    listener.reset()


def main():
    try:
        if "RP2040" in sys.implementation._machine:
            machine.freq(_RP2040_HZ)
        front_end = tflm.load(_FRONT_END, copy=True)
        listener = wake.Listener(*_load_all(), front_end=front_end)
        if not listener.words:
            print("wake: there is no wake word; copy a manifest and its model to the board")
            return
        _warm_up(listener)
        names = [word.wake_word for word in listener.words]
        print("listening for", ", ".join(names))
        source = board.microphone()
        try:
            listen(listener, source, board.led())
        finally:
            source.close()
    except KeyboardInterrupt:
        print("stopped; import main runs it again")
    except (TflmError, OSError) as error:
        print("wake:", error)


main()
