# App voice: recognizes words with the board's microphone, prints them and switches pins
# MIT license; Copyright (c) 2026 the tflm authors

# voice.json and words.json in the board's file system, or else in /rom, describe the models. The
# LED is on while someone speaks. To use your own words, copy words.json and words.tflm of
# `tflm speech train` to the board and `import main`.

import gc

import board
import machine
from tflm.errors import TflmError
from tflm.speech import Listener

_WARM_HOPS = 20


class _Actions:
    """The pins that words switch; see board.ACTIONS."""

    def __init__(self, actions):
        numbers = {number for number, _ in actions.values()}
        self._pins = {number: machine.Pin(number, machine.Pin.OUT) for number in numbers}
        self._actions = actions

    def run(self, text):
        """Switch the pin of a word, if it has one."""
        action = self._actions.get(text)
        if action is not None:
            self._pins[action[0]].value(action[1])


def listen(listener, source, led, actions):
    """Print the words in `source` until it ends, or until Ctrl-C."""
    samples = bytearray(listener.hop_bytes)
    while source.readinto(samples) == len(samples):
        word = listener.hear(samples)
        led.value(listener.is_speech)
        if word is not None:
            percent = 100 * word.probability
            print("%8.2f s  %-16s %3.0f %%" % (word.end / listener.rate, word.text, percent))
            actions.run(word.text)


# Run the models on silence: the first runs load the kernels, which takes longer.
def _warm_up(listener):
    silence = bytearray(listener.hop_bytes)
    for _ in range(_WARM_HOPS):
        listener.hear(silence)
    listener.recognizer.recognize(listener.detector.features.columns)
    listener.reset()


def main():
    try:
        # First, while the heap has a block for the microphone's ring. It starts when it is read.
        source = board.microphone()
        try:
            listener = Listener()
            actions = _Actions(board.ACTIONS)
            _warm_up(listener)
            gc.collect()
            words = [name for name in listener.recognizer.classes if not name.startswith("_")]
            print("listening for", ", ".join(words))
            listen(listener, source, board.led(), actions)
        finally:
            source.close()
    except KeyboardInterrupt:
        print("stopped; import main runs it again")
    except (TflmError, OSError) as error:
        print("voice:", error)


main()
