# tflm_tools: render: prints the result of `tflm measure`
# MIT license; Copyright (c) 2026 the tflm authors

from rich.text import Text

from .common import UNKNOWN, number, show, size, table
from .hardware import print_record

_ISSUE = "docs/how-to/measure-a-board.md"


def _figure(value):
    return UNKNOWN if value is None else f"{value:.3g}" if value < 100 else number(round(value))


def print_measurement(result, target, written):
    """Print the models, the kernels, and each measured value beside its estimate."""
    print_record(result.board, target)
    memory = f"heap {size(result.heap)} free, largest block {size(result.block)}"
    if result.file_system is not None:
        memory += f"; files {size(result.file_system)} free"
    if result.code is not None:
        memory += f"; machine code {size(result.code)} free"
    target.print(Text(memory))
    grid = table("kernels", ">run", ">wrong", ">not run")
    for check in result.kernels:
        wrong = Text(str(len(check.wrong)), style="bold red" if check.wrong else "")
        grid.add_row(check.package, str(check.kernels), wrong, str(len(check.refused)))
    show(grid, target)
    for check in result.kernels:
        for name in check.wrong:
            target.print(Text(f"{name}: NOT the stored result", style="bold red"))
        for name, reason in check.refused.items():
            target.print(Text(f"{name}: {reason}", style="yellow"))
    grid = table("", ">measured", ">estimated", ">factor", ">cycles", "estimate of")
    for row in result.compared:
        unit = "" if "," in row.what else ", ms"
        grid.add_row(
            row.what + unit, _figure(row.measured), _figure(row.estimated),
            UNKNOWN if row.factor is None else f"{row.factor:.2f}",
            UNKNOWN if row.cycles is None else number(row.cycles), row.source,
        )  # fmt: skip
    show(grid, target)
    if not result.seconds_per_second:
        target.print(Text("This board has no clock, so it has no times.", style="yellow"))
    elif result.is_emulated():
        text = f"A second of this board takes {1 / result.seconds_per_second:.2f} s: "
        target.print(Text(text + "it is an emulator, or its clock is wrong.", style="yellow"))
    target.print(Text(f"{written} has all values. To send it: {_ISSUE}"))
