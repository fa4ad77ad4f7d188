# Measures the run time of `tflm flatten`, each time in a new process: flatten_times.py FILES...
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

_ADDITIONS = 3_000_000
_COLUMNS = "model", "M MACs", "target", "--optimize", "arena", "seconds"


def million_macs(path):
    """Return the multiply-accumulates of a .tflite before optimization, in millions."""
    nodes = Graph(TfliteModel(path.read_bytes())).running()[0].nodes
    return sum(map(macs, nodes)) / 1e6


def seconds_of(path, *options):
    """Return the wall time of `tflm flatten` in seconds, and the arena of its output in bytes."""
    with TemporaryDirectory() as folder:
        output = Path(folder) / "model.tflm"
        command = [sys.executable, "-m", "tflm_tools", "flatten", path, "-o", output, *options]
        start = time.perf_counter()
        run(command, check=True, capture_output=True)
        return time.perf_counter() - start, FlatFile(output.read_bytes()).arena_bytes


def machine_speed():
    """Return how many million additions a second a Python loop does on this machine now."""
    start, total = time.perf_counter(), 0
    for number in range(_ADDITIONS):
        total += number
    return _ADDITIONS / 1e6 / (time.perf_counter() - start)


def main():
    """Print a line for each model, target and level, and the machine's speed at the end."""
    parser = argparse.ArgumentParser(description="seconds of tflm flatten")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--target", action="append", help="default: armv6m and armv7em")
    parser.add_argument("--optimize", action="append", help="default: balanced")
    parser.add_argument("--input-by-rows", action="store_true")
    parser.add_argument("--csv", action="store_true")
    options = parser.parse_args()
    line = "{},{},{},{},{},{}" if options.csv else "{:32.32} {:>6} {:8} {:10} {:>8} {:>7}"
    by_rows = ["--input-by-rows"] if options.input_by_rows else []
    speeds = [machine_speed()]
    print(line.format(*_COLUMNS))
    for path in options.files:
        for target in options.target or ("armv6m", "armv7em"):
            for level in options.optimize or ("balanced",):
                words = "--target", target, "--optimize", level, *by_rows
                seconds, arena = seconds_of(path, *words)
                speeds.append(machine_speed())
                cells = path.stem, f"{million_macs(path):.1f}", target, level, arena
                print(line.format(*cells, f"{seconds:.1f}"), flush=True)
    print(
        f"{min(speeds):.0f} to {max(speeds):.0f} million additions a second in Python meanwhile",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
