# tflm: example: writes a text with a language model, prints a JSON line for each word
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys

import tflm
from tflm import TflmError
from tflm.text import Generator


def main():
    with open(sys.argv[1]) as file:
        job = json.load(file)
    text = Generator(tflm.load(job["model"])).generate(**job["options"])
    for words in text:
        print(json.dumps({"words": words}))
    print(json.dumps({"tokens": text.tokens}))


try:
    main()
except (TflmError, OSError) as error:
    print(json.dumps({"error": str(error), "kind": type(error).__name__}))
