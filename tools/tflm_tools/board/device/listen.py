# tflm_tools: board: runs on a board: detects wake words in sound from the host or its microphone
# MIT license; Copyright (c) 2026 the tflm authors

from binascii import a2b_base64

from tflm import wake

_WARM_HOPS = 20  # of silence, which load everything that the first runs load


def open_microphone():
    """Open the microphone of board.py, at the clock frequency that the app wake uses.

    Its buffer is the largest block of the heap, so it is allocated before the models.
    """
    global _source
    import sys

    import board
    import machine

    if "RP2040" in sys.implementation._machine:
        machine.freq(200_000_000)
    _source = board.microphone()


def start(words, vad, front_end, settings):
    """Load manifests; return the bytes of a hop."""
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


# Process the hop in _samples; return the detections, [(hops so far, word, probability)].
def _hear():
    global _hops
    _hops += 1
    if _listener.hear(_samples) is None:
        return []
    return [(_hops, w.wake_word, float(w.probability)) for w in _listener.words if w.detected]


def take(text):
    """Process sound, 16-bit samples as base64; return the detections as _hear() does."""
    global _filled
    detections = []
    for byte in a2b_base64(text):
        _samples[_filled] = byte
        _filled += 1
        if _filled == len(_samples):
            _filled = 0
            detections += _hear()
    return detections


def listen(hops):
    """Process up to `hops` hops of the microphone; return the first detections, or []."""
    for _ in range(hops):
        _source.readinto(_samples)
        detections = _hear()
        if detections:
            return detections
    return []
