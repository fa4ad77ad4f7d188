# tflm_tools: sent to a board: hears wake words in sound that is sent, or in its microphone's
# MIT license; Copyright (c) 2026 the tflm authors

from binascii import a2b_base64

from tflm import wake

_source = None
_WARM_HOPS = 20  # what the first runs load is not to be waited for when there is sound


def start(words, vad, front_end, settings):
    """Load manifests; returns the bytes of a hop."""
    global _listener, _samples, _filled, _hops
    words = [wake.load(path, **settings) for path in words]
    vad = wake.load(vad) if vad else None
    _listener = wake.Listener(words, vad, front_end)
    _samples = bytearray(_listener.hop_bytes)
    for _ in range(_WARM_HOPS):
        _listener.hear(_samples)
    _listener.reset()
    _filled = _hops = 0
    return len(_samples)


# What was heard with the hop that has just come: [(hops so far, word, probability), ...].
def _hear():
    global _hops
    _hops += 1
    if _listener.hear(_samples) is None:
        return []
    return [(_hops, w.wake_word, float(w.probability)) for w in _listener.words if w.detected]


def take(text):
    """Sound as base64; returns what was heard in it."""
    global _filled
    found = []
    for byte in a2b_base64(text):
        _samples[_filled] = byte
        _filled += 1
        if _filled == len(_samples):
            _filled = 0
            found += _hear()
    return found


# The microphone that board.py has, and the speed that the app wake takes.
def _open():
    import sys

    import board
    import machine

    if "RP2040" in sys.implementation._machine:
        machine.freq(200_000_000)
    return board.microphone()


def listen(hops):
    """So many hops of the microphone, or less when something is heard: what it was."""
    global _source
    _source = _source or _open()
    for _ in range(hops):
        _source.readinto(_samples)
        found = _hear()
        if found:
            return found
    return []
