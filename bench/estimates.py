# bench: compares estimated times with counted times (`make -C bench estimates`)
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import csv
import io
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cycles
from rich.text import Text
from tflm.errors import TflmError
from tflm_tools import files
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline
from tflm_tools.model.flat_file import FlatFile
from tflm_tools.optimize.invoke_time import (
    BOARDS,
    CORES,
    board_times,
    copying_targets,
    node_cycles,
)
from tflm_tools.render.common import console, show, table

# The core of bench/cycles.py that counts for a board of `tflm inspect`.
COUNTED_CORES = {
    "pico": "pico",
    "pico2": "pico2",
    "esp32": "xtensa-mac16",
    "esp32c3": "rv32",
}
MAX_ERROR = 0.2  # a larger error is marked
COLUMNS = ("model", "board", "estimated_ms", "counted_ms", "error")
_NOTED_SHARE = 0.05  # of an invoke, of layers that --layers lists


@dataclass
class Comparison:
    """An estimate of an invoke beside a count, both in milliseconds.

    layers: (number, operator, kernels, estimated cycles, counted cycles) of each layer.
    """

    model: str
    board: str
    estimated: float
    counted: float
    layers: list

    @property
    def error(self):
        return self.estimated / self.counted - 1

    @property
    def is_wrong(self):
        return abs(self.error) > MAX_ERROR


def compare(path, board, runner, options):
    """Return the Comparison of a model (Path) on a board; raises TflmError."""
    data, target = path.read_bytes(), BOARDS[board]
    pipeline = FlattenPipeline(data, FlattenOptions())
    flat = pipeline.flat
    copying = copying_targets(FlatFile(flat).arena_bytes, len(flat))
    core = CORES[target]
    result = cycles.measure_model(path, COUNTED_CORES[board], runner, options)
    estimated = {}
    for node, kernels, count in node_cycles(pipeline.optimized, target, target in copying):
        known = estimated.get(node.index, (kernels, 0))
        estimated[node.index] = kernels, known[1] + count
    layers = []
    for layer, count in zip(result.layers, result.cycles, strict=True):
        kernels, cost = estimated.get(layer.node, (layer.kernels, 0))
        layers.append((layer.node, layer.op, kernels, cost, count * core.cycles))
    return Comparison(
        path.stem,
        board,
        board_times(pipeline.optimized, copying).ms[board],
        1000 * core.cycles * result.total / core.clock,
        layers,
    )


def print_layers(comparison, target):
    """Print the layers of a Comparison that take a part of its time worth noting."""
    total = sum(max(row[3:]) for row in comparison.layers)
    grid = table("layer", "op", "kernel", ">estimated", ">counted", ">error")
    for number, op, kernels, estimated, counted in comparison.layers:
        if max(estimated, counted) > _NOTED_SHARE * total:
            error = f"{estimated / counted - 1:+.0%}" if counted else ""
            names = ", ".join(sorted(set(kernels)))
            grid.add_row(str(number), op, names, f"{estimated:,.0f}", f"{counted:,.0f}", error)
    target.print(Text(f"{comparison.model} on {comparison.board}", style="bold"))
    show(grid, target, "kernel", "op")


def print_table(comparisons, boards, target):
    """Print a row for each model and how many estimates are wrong."""
    grid = table("model", *(f">{board}" for board in boards))
    models = dict.fromkeys(each.model for each in comparisons)
    found = {(each.model, each.board): each for each in comparisons}
    for model in models:
        cells = [model]
        for board in boards:
            each = found.get((model, board))
            mark = "*" if each and each.is_wrong else ""
            cells.append(
                f"{each.estimated:.3g} / {each.counted:.3g} {each.error:+.0%}{mark}"
                if each
                else ""
            )
        grid.add_row(*cells)
    show(grid, target, "model")
    wrong = sum(each.is_wrong for each in comparisons)
    target.print(
        Text(
            f"Milliseconds: estimated / counted, error. {wrong} of {len(comparisons)} estimates "
            f"are off by more than {MAX_ERROR:.0%} (*)."
        )
    )


def _rows(comparisons):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for each in comparisons:
        numbers = f"{each.estimated:.4g}", f"{each.counted:.4g}", f"{each.error:.3f}"
        writer.writerow((each.model, each.board, *numbers))
    return text.getvalue()


def main():
    parser = argparse.ArgumentParser(
        prog="estimates", description="Compare estimated times of models with counted times."
    )
    parser.add_argument("model", nargs="+", type=Path, help="a .tflite")
    parser.add_argument("--board", action="append", choices=tuple(BOARDS), help="[default: all]")
    parser.add_argument("--layers", action="store_true", help="list layers of wrong estimates")
    parser.add_argument("--output", type=Path, default=cycles.ROOT / "build" / "estimates.csv")
    parser.add_argument("--jobs", type=int, default=2, help="models at a time")
    options = parser.parse_args()
    target, comparisons = console(), []
    boards = options.board or list(BOARDS)
    for board in boards:
        counting = cycles.parsed(["--core", COUNTED_CORES[board]])
        runner = cycles.runner_of(COUNTED_CORES[board], counting)

        def attempt(path, board=board, runner=runner, counting=counting):
            try:
                return compare(path, board, runner, counting)
            except TflmError as error:
                return error

        with ThreadPoolExecutor(options.jobs) as pool:
            for path, each in zip(options.model, pool.map(attempt, options.model), strict=True):
                if isinstance(each, TflmError):
                    target.print(Text(f"{path.stem} on {board}: {each}", style="red"))
                    continue
                comparisons.append(each)
                if options.layers and each.is_wrong:
                    print_layers(each, target)
                files.write(options.output, _rows(comparisons).encode())
    print_table(comparisons, boards, target)


if __name__ == "__main__":
    try:
        main()
    except TflmError as error:
        sys.exit(f"estimates: {error}")
