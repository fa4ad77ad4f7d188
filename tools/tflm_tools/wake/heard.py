# tflm_tools: wake: Heard: a wake word, as it was heard here or on a board
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass


@dataclass
class Heard:
    """A wake word: when (seconds from the start of the sound), and its mean probability."""

    seconds: float
    wake_word: str
    probability: float
