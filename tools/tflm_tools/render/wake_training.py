# tflm_tools: render: prints progress and result of `tflm wake train`
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from .common import console, number, show, table

_SHOWN = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99)  # cutoffs of the table


@contextmanager
def stages():
    """Yield a function (stage, done, total) that reports progress on standard error.

    On a terminal it draws a bar for each stage; otherwise it prints a line for each tenth.
    """
    target = console(sys.stderr)
    if not target.is_terminal:
        yield _Lines(target)
        return
    columns = (TextColumn("{task.description:20}"), BarColumn(), MofNCompleteColumn(),
               TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=target) as progress:
        tasks = {}

        def report(what, done, total):
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=total)
            progress.update(tasks[what], completed=done, total=total)

        yield report


# Prints a line for each tenth of a stage.
class _Lines:
    def __init__(self, target):
        self._target = target
        self._last = None

    def __call__(self, what, done, total):
        tenth = (what, 10 * done // total)
        if tenth != self._last:
            self._last = tenth
            self._target.print(f"{what}: {done} of {total}")


def _percent(share):
    return f"{100 * share:.1f} %"


def print_trained(result, target):
    """Print a Trained: files, rates at each cutoff, and the test result at the chosen cutoff."""
    target.print(
        Text(result.manifest, style="bold").append(
            f"  {number(result.model_bytes)} bytes as .tflite, {number(result.flat_bytes)} as "
            f".tflm; {number(result.macs)} multiply-accumulates in 30 ms, "
            f"{number(result.arena_bytes)} bytes of arena",
            style="default not bold",
        )
    )
    test, chosen = result.test, result.chosen
    target.print(
        f"cutoff {chosen.cutoff:.2f}, chosen on the validation voices. On the test voices, "
        f"{_percent(test.recall)} of {number(result.said)} phrases are detected, with "
        f"{test.alarms_per_hour:.2f} false alarms per hour in {result.hours:.2f} hours of other "
        f"speech; {_percent(test.near)} of similar phrases are accepted"
    )
    grid = table(">cutoff", ">heard", ">alarms/h", ">near", ">test: heard", ">alarms/h", ">near")
    for mine, tests in zip(result.validation_curve, result.test_curve, strict=True):
        if mine.cutoff in _SHOWN or mine == chosen:
            cells = [f"{mine.cutoff:.2f}"]
            for point in (mine, tests):
                cells += [_percent(point.recall), f"{point.alarms_per_hour:.2f}"]
                cells += [_percent(point.near)]
            grid.add_row(*cells, style="bold" if mine == chosen else None)
    show(grid, target)
    target.print(Text(f"picture    {result.picture}"))
    for note in result.notes:
        target.print(Text(f"note: {note}", style="yellow"))
