# bench: times of decoders and of blocks of signal processing on an emulated Pico
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import csv
import io
import os
import select
import sys
import time
from pathlib import Path

import emulated  # noqa: F401 - it finds firmware/ and tools/, too
from tflm_tools import files
from tflm_tools.errors import ToolError

ROOT = Path(__file__).resolve().parents[1]
APP = "bench_blocks"
_TIMES = "microseconds", "no_wait_microseconds"
_MISS = 48  # cycles of a miss of the flash cache
# The file in docs/data of each kind of line that the app prints, and its columns.
TABLES = {
    "decoder": ("decoders.csv", ("decoder", "outputs", *_TIMES)),
    "block": ("blocks.csv", ("block", "window", *_TIMES)),
}
_TIMEOUT = 1800  # seconds


def _listen(board):
    """Return what the app prints until it is done. Raises ToolError if it does not end."""
    port = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
    text, deadline = "", time.monotonic() + _TIMEOUT
    try:
        while "done at" not in text:
            if time.monotonic() > deadline or not board.running() or "Traceback" in text:
                raise ToolError(f"the app {APP} failed: {text[-1000:]} {board.log[-1000:]}")
            if select.select([port], [], [], 0.5)[0]:
                data = os.read(port, 4096).decode(errors="replace").replace("\r", "")
                print(data, end="", flush=True)
                text += data
    finally:
        os.close(port)
    return text


def rows_of(text):
    """Return {kind: rows of its table} of what the app prints."""
    rows = {kind: [] for kind in TABLES}
    for line in text.splitlines():
        kind, *cells = line.split(";")
        if kind in rows:
            rows[kind].append(cells)
    return rows


def with_both_times(rows, without):
    """Return rows with the times of both rows_of(); `without`: a Pico without wait states."""
    return {
        kind: [[*row, other[-1]] for row, other in zip(rows[kind], without[kind], strict=True)]
        for kind in rows
    }


def write_tables(folder, rows):
    """Write the tables of `rows` into a folder."""
    for kind, (name, columns) in TABLES.items():
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows[kind])
        files.write(Path(folder) / name, text.getvalue().encode())


def _measured(image, miss):
    """Return the rows of an emulated Pico; miss: cycles of a miss of the flash cache."""
    import emulators

    print(f"{miss} cycles for a miss of the flash cache:")
    flash = ROOT / "build" / f"{APP}.flash"
    with emulators.start("RPI_PICO", image, flash=flash, xip=miss) as board:
        return rows_of(_listen(board))


def main():
    parser = argparse.ArgumentParser(
        prog="blocks", description="Times of decoders and of blocks of signal processing."
    )
    parser.add_argument("--docs", action="store_true", help="write docs/data")
    options = parser.parse_args()
    import build

    image = build.build("RPI_PICO", APP).image
    rows = with_both_times(_measured(image, _MISS), _measured(image, 0))
    if options.docs:
        write_tables(ROOT / "docs" / "data", rows)


if __name__ == "__main__":
    try:
        main()
    except ToolError as error:
        sys.exit(f"blocks: {error}")
