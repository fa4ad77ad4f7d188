# App story: writes a story into the terminal, and ends it when the next one is asked for
# MIT license; Copyright (c) 2026 the tflm authors

import select
import sys
import time

_BEGINNINGS = ("Once upon a time", "There once was", "Every day")
_TEMPERATURE = 0.5
_WIDTH = 72  # characters of a line
_LAST_TOKENS = 8  # characters for later tokens of a word that begins near the end of a line


# Prints words, and breaks lines between them.
class Paper:
    def __init__(self):
        self._column = 0

    def write(self, words):
        if self._column + len(words) > _WIDTH - _LAST_TOKENS and words.startswith(" "):
            print()
            words = words[1:]
            self._column = 0
        print(words, end="")
        self._column += len(words)


# True once the button is pressed, or Enter.
class Next:
    def __init__(self, button):
        self._button = button
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)

    def is_asked(self):
        if self._poll.poll(0):
            sys.stdin.read(1)
            return True
        return not self._button.value()


def write_story(generator, seed, asked):
    """Write a story; stop early if the next one is asked for."""
    beginning = _BEGINNINGS[seed % len(_BEGINNINGS)]
    paper = Paper()
    paper.write(beginning)
    begin = time.ticks_ms()
    text = generator.generate(beginning, temperature=_TEMPERATURE, seed=seed)
    for words in text:
        paper.write(words)
        if asked.is_asked():
            text.stop()
    seconds = time.ticks_diff(time.ticks_ms(), begin) / 1000
    print(
        "\n\n%d tokens in %.1f s. Press the button or Enter for the next story."
        % (text.position, seconds)
    )
