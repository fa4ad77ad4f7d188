# tflm_tools: render: prints the results of `tflm bench --all` and `tflm bench --compare`
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text

from .common import UNKNOWN, microseconds, number, show, table


# Return a formatted number; a dash for None.
def _figure(value, pattern="{:.2f}"):
    return UNKNOWN if value is None else pattern.format(value)


def _count(value):
    return UNKNOWN if value is None else number(round(value))


# Return the title: "Raspberry Pi Pico with RP2040, MicroPython 1.26.1, 125 MHz, flash at 62.5 MHz"
def _head(result):
    facts = [result.machine, f"MicroPython {result.firmware}"]
    if result.frequency:
        facts.append(f"{result.frequency / 1e6:g} MHz")
    if result.frequency and result.flash_divider:
        facts.append(f"flash at {result.frequency / 1e6 / result.flash_divider:g} MHz")
    return Text(", ".join(facts), style="bold")


# Return whether the outputs were equal to the reference, in words.
def _bits(model):
    right = f"as {model.compared}"
    return Text(right, style="green") if model.equal else Text(f"NOT {right}", style="bold red")


def print_record(result, target):
    """Print one line for each model, then each model that the board refused."""
    target.print(_head(result))
    grid = table("model", ">invoke", ">misses", ">arena", ">flash", "place", "bits")
    for model in result.models:
        if not model.refused:
            grid.add_row(
                model.model, microseconds(model.best_us), _count(model.misses),
                number(model.arena_bytes), number(model.flat_bytes), model.place, _bits(model),
            )  # fmt: skip
    show(grid, target, "model")
    for model in result.models:
        if model.refused:
            target.print(Text(f"{model.model}: {model.refused}", style="yellow"))


def print_comparison(result, target):
    """Print each model's layers: measured and predicted time, misses, and cycles per miss."""
    target.print(_head(result))
    for model in result.models:
        target.print()
        target.print(Text(model.model, style="bold"))
        if model.note:
            target.print(Text(model.note, style="yellow"))
        if model.total is None:
            continue
        target.print(Text("bits: ").append_text(_bits(model)))
        grid = table("layer", "op", ">board", ">predicted", ">ratio", ">misses", ">predicted",
                     ">cycles/miss")  # fmt: skip
        for layer in model.layers:
            grid.add_row(str(layer.layer), layer.op, *_cells(layer))
        grid.add_section()
        grid.add_row("TOTAL", "", *_cells(model.total))
        show(grid, target, "op")


def _cells(layer):
    predicted = layer.predicted_us
    return (
        microseconds(layer.us), UNKNOWN if predicted is None else microseconds(predicted),
        _figure(layer.ratio), _count(layer.misses), _count(layer.predicted_misses),
        _figure(layer.miss, "{:.0f}"),
    )  # fmt: skip
