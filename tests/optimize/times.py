# How long `tflm flatten` takes, as a process of its own each time: `times.py FILES...`
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import sys
import time
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

from tflm.tflite.reader import TfliteModel
from tflm_tools.model.flat_file import FlatFile
from tflm_tools.model.graph import Graph
from tflm_tools.model.macs import macs

_COUNTS = 3_000_000
_COLUMNS = "model", "M MACs", "target", "--optimize", "arena", "seconds"


def million_macs(path):
    """Multiply-accumulates of a .tflite as it is written, in millions."""
    nodes = Graph(TfliteModel(path.read_bytes())).running()[0].nodes
    return sum(map(macs, nodes)) / 1e6


def seconds_of(path, *options):
    """(wall time of the whole command, bytes of arena of what it makes)."""
    with TemporaryDirectory() as folder:
        output = Path(folder) / "model.tflm"
        words = [sys.executable, "-m", "tflm_tools", "flatten", path, "-o", output, *options]
        start = time.perf_counter()
        run(words, check=True, capture_output=True)
        return time.perf_counter() - start, FlatFile(output.read_bytes()).arena_bytes


def clock():
    """Millions of additions a second of a loop in Python: what this machine's clock is now."""
    start, total = time.perf_counter(), 0
    for number in range(_COUNTS):
        total += number
    return _COUNTS / 1e6 / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description="seconds of tflm flatten")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--target", action="append", help="armv6m and armv7em, if not given")
    parser.add_argument("--optimize", action="append", help="balanced, if not given")
    parser.add_argument("--input-by-rows", action="store_true")
    parser.add_argument("--csv", action="store_true")
    options = parser.parse_args()
    line = "{},{},{},{},{},{}" if options.csv else "{:32.32} {:>6} {:8} {:10} {:>8} {:>7}"
    rows = ["--input-by-rows"] if options.input_by_rows else []
    clocks = [clock()]
    print(line.format(*_COLUMNS))
    for path in options.files:
        for target in options.target or ("armv6m", "armv7em"):
            for level in options.optimize or ("balanced",):
                words = "--target", target, "--optimize", level, *rows
                seconds, arena = seconds_of(path, *words)
                clocks.append(clock())
                told = path.stem, f"{million_macs(path):.1f}", target, level, arena
                print(line.format(*told, f"{seconds:.1f}"), flush=True)
    print(
        f"{min(clocks):.0f} to {max(clocks):.0f} million additions a second in Python meanwhile",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
