# App wake: a line and the LED for each wake word that the board's microphone hears
# MIT license; Copyright (c) 2026 the tflm authors

# Words are the manifests (*.json) among the board's files, or else in /rom; vad.json is no word
# but the model that hears voices. Copy others to the board and `import main`: nothing is flashed.
# Models are copied to RAM while there is plenty: weights that are used once an invoke are most of
# them, and waiting for flash takes longer than what is computed with them.

import gc
import os
import sys

import board
import machine
import tflm
from tflm import wake
from tflm.errors import TflmError

_RP2040_HZ = 200_000_000  # at 125 MHz two models take more than half of the time
_FOLDERS = ("/", "/rom/")
_FRONT_END = "/rom/micro_frontend.tflm"
_VAD = "vad.json"
_SECOND = 100  # hops
_LED_HOPS = 50
_WARM_HOPS = 20
_PLENTY = 112 * 1024  # bytes of heap: a model has some 50 KB, the microphone 26 KB


# The WakeWord of a manifest; None, and why, when it can be none.
def _load(path):
    gc.collect()
    try:
        return wake.load(path, copy=gc.mem_free() > _PLENTY)
    except (TflmError, OSError) as error:
        print("wake:", error)


# ([words], model that hears voices or None)
def _find():
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


# Says what happens, hop by hop.
class _Report:
    def __init__(self, listener, source, led):
        self._listener = listener
        self._source = source
        self._led = led
        self._hops = 0
        self._off = 0  # the hop when the LED goes off
        self._lost = 0

    def after(self, samples, heard):
        self._hops += 1
        if heard is not None:
            self._led.on()
            self._off = self._hops + _LED_HOPS
            self._tell()
        elif self._hops == self._off:
            self._led.off()
        if self._source.lost != self._lost:
            more, self._lost = self._source.lost - self._lost, self._source.lost
            print("wake: %d ms of sound were lost; the board has too much to do" % (more // 16))
        if self._hops == _SECOND and samples == bytes(samples[:2]) * (len(samples) // 2):
            print("wake: the microphone gives no sound; check its wires and the pins in board.py")

    def _tell(self):
        seconds = self._hops / _SECOND
        for word in self._listener.words:
            if word.detected:
                percent = 100 * word.probability
                print("%8.2f s  %-16s %3.0f %%" % (seconds, word.wake_word, percent))


def listen(listener, source, led):
    """Tell the words in `source` until it ends, or until Ctrl-C."""
    report = _Report(listener, source, led)
    samples = bytearray(listener.hop_bytes)
    while source.readinto(samples) == len(samples):
        report.after(samples, listener.hear(samples))


# What the first runs load is not to be waited for when there is sound.
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
        listener = wake.Listener(*_find(), front_end=front_end)
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
