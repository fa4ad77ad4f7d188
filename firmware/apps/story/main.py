# App story: writes stories; the board's button, or Enter, begins the next one
# MIT license; Copyright (c) 2026 the tflm authors

import time

import board
import tflm
from storyteller import Next, write_story
from tflm.errors import TflmError
from tflm.text.generator import Generator


def main():
    try:
        generator = Generator(tflm.load("/rom/model.tflm"))
        asked = Next(board.button())
        seed = 1
        while True:
            write_story(generator, seed, asked)
            seed += 1
            while not asked.is_asked():
                time.sleep_ms(20)
            print()
    except KeyboardInterrupt:
        print("\nstopped; import main runs it again")
    except (TflmError, OSError) as error:
        print("story:", error)


main()
