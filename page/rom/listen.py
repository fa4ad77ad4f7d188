# page: detects words on the board in sound that the page stores into its RAM, as DMA does
# MIT license; Copyright (c) 2026 the tflm authors

import json
import time

from listener import HOP_BYTES, Listener
from uctypes import addressof

_HOPS = 25  # of 20 ms in a piece of sound
_BYTES = _HOPS * HOP_BYTES
_EMPTY, _LAST = 0, 2  # states of the buffer; the page writes 1 for a piece before the last one
_POLL = 2  # milliseconds


def run():
    """Detect words in pieces of sound until the last one.

    Prints lines of JSON: first the address of a buffer for a piece and its state, then the words
    of each piece as [[seconds from the start, label, percent]]. After each line the page may
    store the next piece and its state.
    """
    listener = Listener("/rom/keywords")
    buffer = bytearray(_BYTES + 1)
    sound = memoryview(buffer)
    print(addressof(buffer))
    hops = 0
    state = _EMPTY
    while state != _LAST:
        while buffer[_BYTES] == _EMPTY:
            time.sleep_ms(_POLL)
        state = buffer[_BYTES]
        words = []
        for at in range(0, _BYTES, HOP_BYTES):
            label = listener.hear(sound[at : at + HOP_BYTES])
            hops += 1
            if label >= 0:
                percent = listener.recognizer.score * 100 // 255
                words.append((hops * 0.02, listener.labels[label], percent))
        buffer[_BYTES] = _EMPTY
        print(json.dumps(words))
