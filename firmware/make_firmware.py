# firmware: builds an image and prints its sizes; `make firmware` runs this
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import sys

import build
import sizes
from tflm.errors import TflmError


def _arguments():
    parser = argparse.ArgumentParser(prog="firmware", description="Build a board's firmware.")
    parser.add_argument("board", help="a folder of boards/")
    parser.add_argument("--app", default="", help="a folder of firmware/apps, which runs at boot")
    parser.add_argument("--model", default="", help="a .tflite or .tflm for /rom/model.tflm")
    parser.add_argument("--kernels", default="", help="only these files of kernels/")
    parser.add_argument("--no-prepare", action="store_true", help="leave out reading of .tflite")
    parser.add_argument("--no-checks", action="store_true", help="leave out the access checks")
    parser.add_argument("--flash-mb", type=int, default=0, help="of an RP2 board with more flash")
    parser.add_argument("--stock", action="store_true", help="leave out tflm")
    parser.add_argument("--micropython", default=None, help="a checkout of MicroPython")
    return parser.parse_args()


def main():
    options = _arguments()
    built = build.build(
        options.board, options.app, model=options.model, stock=options.stock,
        kernels=options.kernels, prepare=not options.no_prepare, checks=not options.no_checks,
        micropython=options.micropython or None, flash_mb=options.flash_mb,
    )  # fmt: skip
    if built.sizes:
        sizes.show(built.sizes, built.folder.name)
    print(built.image)


if __name__ == "__main__":
    try:
        main()
    except TflmError as error:
        sys.exit(f"firmware: {error}")
