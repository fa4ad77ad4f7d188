# page: writes a story on the board; prints the words and the time as lines of JSON
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import json
import time

import tflm


# The firmware of the page lacks tflm.text, for which a Pico's flash has no space beside all
# kernels. Its files are in this folder.
def _generator():
    frozen = tflm.__path__
    tflm.__path__ = __path__
    try:
        from tflm.text.generator import Generator
    finally:
        tflm.__path__ = frozen
    return Generator(tflm.load(__path__ + "/model.tflm"))


def write(beginning, temperature, seed):
    """Print the words that follow `beginning`, and {"tokens": count, "us": microseconds}."""
    gc.collect()  # the arena needs 64 KB in one piece
    text = _generator().generate(beginning, temperature=temperature, seed=seed)
    begin = time.ticks_us()
    for words in text:
        print(json.dumps(words))
    took = time.ticks_diff(time.ticks_us(), begin)
    print(json.dumps({"tokens": text.position, "us": took}))
