# tflm_tools: render: prints the results of boards, doctor, deploy and flash, and progress bars
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from contextlib import contextmanager
from pathlib import Path

from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from .common import UNKNOWN, console, milliseconds, number, show, size, table

_COLOURS = {"ok": "green", "note": "yellow", "problem": "bold red"}


@contextmanager
def progress_bar(title, show=True, counts=False):
    """Yield a function (done, total) that draws a bar on standard error.

    Yields None if standard error is no terminal or `show` is False. counts: the bar counts steps,
    not bytes.
    """
    target = console(sys.stderr)
    if not show or not target.is_terminal:
        yield None
        return
    amount = MofNCompleteColumn() if counts else DownloadColumn()
    columns = (TextColumn(title), BarColumn(), amount, TimeRemainingColumn())
    with Progress(*columns, console=target, transient=True) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def print_boards(result, target):
    """Print the known boards, then the ports."""
    grid = table("board", "name", "arch", ">heap", ">flash", ">ROMFS", "times")
    for board in result.known:
        romfs = size(board.romfs) if board.romfs else UNKNOWN
        grid.add_row(board.id, board.name, board.arch, size(board.heap), size(board.flash),
                     romfs, board.times)  # fmt: skip
    show(grid, target, "name")
    if not result.ports:
        words = result.unknown and f"Ports are not listed: {result.unknown}."
        target.print(Text(words or "No board is connected over USB."))
        return
    grid = table("port", "serial number", "USB", "what")
    for port in result.ports:
        grid.add_row(port.device, port.serial_number, port.usb_id, port.description)
    show(grid, target)


def print_diagnosis(result, target):
    """Print each fact of a Diagnosis, with a next step for each problem, then the models."""
    target.print(Text(result.port, style="bold"))
    for line in result.lines:
        word = f"{line.state}: " if line.state != "ok" else ""
        target.print(Text(f"{line.what:<10}{word}", style=_COLOURS[line.state]).append(
            line.found, style="default not bold"
        ))  # fmt: skip
        if line.step:
            target.print(Text(f"{'':<10}→ {line.step}"))
    if not result.models:
        return
    grid = table("model", ">flash", ">arena", "fits", "how")
    for fit in result.models:
        verdict = Text("yes", style="green") if fit.fits else Text("no", style="red")
        how = fit.how if fit.fits else ""
        grid.add_row(fit.model, size(fit.flat_bytes), size(fit.arena_bytes), verdict, how)
    show(grid, target, "how", "model")
    for fit in result.models:
        if not fit.fits:
            target.print(Text(f"{fit.model}: {fit.how}"))


_STORAGE = {
    "romfs": "in ROMFS, read in place",
    "flash": "in free flash, read in place",
    "files": "in a file, loaded into RAM",
}


def print_deployment(result, target):
    """Print a Deployment, and the lines of Python that load the model."""
    head = Text(f"{result.name} on {result.board} at {result.port}", style="bold")
    target.print(head)
    storage = _STORAGE[result.place]
    if result.is_copied:
        storage = storage.replace("read in place", "copied to RAM by load()")
    model = f"{size(result.flat_bytes)} {storage}"
    if result.weights in ("bytes", "in place"):
        model += "; weights are single bytes, as packed ones do not fit"
    if result.unchanged:
        model += ", was already there"
    free = f"{size(result.free)} of heap stay free"
    if result.code_free is not None:
        free += f", {size(result.code_free)} for machine code"
    lines = [
        ("model", model),
        ("arena", f"{number(result.arena_bytes)} bytes; {free}"),
        ("runtime", result.runtime),
    ]
    if result.ms is not None:
        lines.append(("time", f"about {milliseconds(result.ms)} per invoke (estimate)"))
    for label, text in lines:
        target.print(Text(f"{label:<9}{text}"))
    target.print()
    for line in result.use:
        target.print(Text("  " + line), soft_wrap=True)
    for hint in result.hints:
        target.print(Text(f"\nNote: {hint}"), soft_wrap=True)
    if result.fits_ram:
        loaded = next(line for line in result.use if line.startswith("model ="))
        target.print("\nRAM can hold a copy of the model, which avoids waits for flash:")
        target.print(Text(f"  {loaded[:-1]}, copy=True)"), soft_wrap=True)
    if result.faster is not None:
        kept, *cycles = result.faster.kept, result.faster.cycles, result.faster.cycles_before
        text = "{:.1f} M cycles in place of {:.1f} M".format(*(each / 1e6 for each in cycles))
        text = f"streamed, with {number(kept)} bytes in RAM, it takes {text} by estimate"
        text = f"Reading weights limits its speed: {text}; see docs/how-to/faster.md"
        target.print(Text("\n" + text), soft_wrap=True)


def print_board_result(served, target):
    """Print one line for a Served."""
    if served.error:
        target.print(Text(f"{served.port}: {served.error}", style="red"), soft_wrap=True)
        return
    done = served.deployment
    sent = f"{number(done.sent)} bytes sent" if done.sent else "all files were already there"
    text = f"{served.port}: {done.name} on {done.board} {_STORAGE[done.place]}, {sent}"
    target.print(Text(text), soft_wrap=True)


def print_flashing(result, target):
    """Print a Flashing."""
    image = Path(result.image).name
    target.print(Text(f"{result.board}: {image}, {size(result.bytes)}, to {result.where}"))
    if result.verified:
        target.print(Text(f"Verified: {result.verified}.", style="green"))
    else:
        target.print(Text("Not verified: the board did not come back; see: tflm doctor"))
