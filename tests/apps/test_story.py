# Tests of the app story: it writes a story in lines, and stops when the next one is asked for
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.script import run_script

SCRIPT = """
import sys

sys.path.insert(0, sys.argv[1] + "/firmware/apps/story")
import tflm
from storyteller import write_story
from tflm.text import Generator

generator = Generator(tflm.load(sys.argv[1] + "/models/story/story_int8.tflite"))


class Asked:
    def __init__(self, after):
        self.left = after

    def is_asked(self):
        self.left -= 1
        return self.left < 0


write_story(generator, 3, Asked(1000))
print("===")
write_story(generator, 4, Asked(5))
"""


@pytest.fixture(scope="module")
def stories(repository):
    return run_script(SCRIPT, str(repository), heap="8M").split("===\n")


def test_whole_story(stories):
    text = stories[0].rsplit("\n\n", 1)[0]
    assert text.startswith("Once upon a time, there was a little")
    assert text.rstrip().endswith(".") and len(text) > 200
    assert max(map(len, text.split("\n"))) <= 72
    assert not [line for line in text.split("\n") if line.startswith(" ")]


def test_next_story(stories):
    assert stories[1].startswith("There once was")
    assert "Press the button or Enter for the next story." in stories[1]
    assert len(stories[1]) < 140
