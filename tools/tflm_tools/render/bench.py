# tflm_tools: render: prints the results of `tflm bench`
# MIT license; Copyright (c) 2026 the tflm authors

import time
from pathlib import Path

from rich.text import Text

from .common import UNKNOWN, microseconds, number, show, size, table

_NOISE = 0.05  # smaller changes are not coloured


# Return a number of multiply-accumulates, in millions if it is large.
def _millions(count):
    return f"{count / 1e6:.1f} M" if count >= 1e6 else number(count)


def print_bench(rows, target):
    """Print one line for each model, then the meaning of the columns."""
    grid = table("model", ">MACs", ">tflm", ">TFLM", ">ratio", ">arena", ">head", ">flash")
    for row in rows:
        grid.add_row(
            row.model,
            _millions(row.macs),
            microseconds(row.tflm_us),
            UNKNOWN if row.wheel_us is None else microseconds(row.wheel_us),
            _figure(row.ratio),
            number(row.arena),
            number(row.tflm_head),
            number(row.flash),
        )
    show(grid, target, "model")
    for text in dict.fromkeys(row.refused for row in rows if row.refused):
        target.print(Text(text, style="yellow"))
    target.print(
        Text(
            "tflm: an invoke in the MicroPython unix port; TFLM: in the tflite-micro wheel (C++); "
            "ratio above 1: tflm is faster. Bytes: arena of the .tflm; head: TFLM's plan for the "
            "tensors; flash: the .tflm."
        )
    )


# Return the change from an earlier time in percent, coloured if it is more than noise.
def _change(now, before):
    if not before:
        return Text(UNKNOWN)
    change = now / before - 1
    style = "" if abs(change) < _NOISE else "red" if change > 0 else "green"
    return Text(f"{100 * change:+.0f} %", style=style)


# Return the time of an operator, which may be below one microsecond.
def _time(us):
    return f"{us:.2f} µs" if us < 10 else microseconds(us)


# Return a number with two decimals; a dash for None.
def _figure(value):
    return UNKNOWN if value is None else f"{value:.2f}"


def print_ops(results, target):
    """Print a table of operators for each ModelBench, then the time of the whole invoke."""
    for result in results:
        clock = f" at {result.frequency / 1e6:g} MHz" if result.frequency else ""
        title = Text(Path(result.model).name, style="bold")
        target.print(title.append(f"  {result.where}{clock}", style="default not bold"))
        cycles = bool(result.frequency)
        per = ">cycles/MAC" if cycles else ">ns/MAC"
        with_last = result.last_us is not None
        grid = table(">op", "name", ">time", ">share", ">MACs", per, ">arena",
                     *([">change"] if with_last else []))  # fmt: skip
        for row in result.ops:
            grid.add_row(
                str(row.node), Text(row.op), _time(row.us), f"{100 * row.share:.1f} %",
                number(row.macs), _figure(row.cycles_per_mac if cycles else row.ns_per_mac),
                number(row.arena), *([_change(row.us, row.last_us)] if with_last else []),
            )  # fmt: skip
        show(grid, target, "name")
        _print_invoke(result, target)


# Print time and memory of the whole model, and the comparisons.
def _print_invoke(result, target):
    text = f"{microseconds(result.best_us)}, best of {result.invokes}; mean "
    text += microseconds(result.mean_us)
    if result.frequency:
        text += f"; {number(round(result.best_us * result.frequency / 1e6))} cycles"
    rows = [("invoke", Text(text))]
    if result.wheel_us is not None:
        ratio = result.wheel_us / max(result.best_us, 1)
        rows.append(("TFLM", Text(f"{microseconds(result.wheel_us)} in the wheel (C++): tflm "
                                  f"runs at {ratio:.2f} times its speed")))  # fmt: skip
    elif result.refused:
        rows.append(("note", Text(result.refused, style="yellow")))
    if result.last_us is not None:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(result.last_when))
        line = Text(f"{microseconds(result.last_us)} on {when}: ")
        line.append_text(_change(result.best_us, result.last_us))
        if result.changed:
            line.append("; the model has changed since", style="yellow")
        rows.append(("last run", line))
    memory = f"{number(result.arena_bytes)} bytes of arena"
    if result.flat_bytes is not None:
        memory += f", {size(result.flat_bytes)} of flash"
    rows.append(("memory", Text(memory)))
    for label, line in rows:
        target.print(Text(f"{label:<10}").append_text(line))
