# tflm_tools: cli: the commands for boards: boards, doctor, deploy, flash
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import suppress
from pathlib import Path

import rich_click as click

from . import options
from .output import show, transfer_bar, work_bar, working


@click.command()
@options.as_json
def boards(as_json):
    """List the boards that tflm supports, and the connected USB serial ports."""
    from ..board.listing import boards

    show(boards(), as_json, "board", "print_boards")


@click.command()
@options.port
@click.option(
    "--model",
    "models",
    multiple=True,
    type=options.FilePath(),
    help="Check whether this model fits the board. Can be given several times.",
)
@options.board_timeout
@options.as_json
def doctor(port, models, timeout, as_json):
    """Check the board at PORT: firmware, heap, flash and tflm; report problems.

    The exit code is 1 if there is a problem.
    """
    from ..board.doctor import doctor

    result = doctor(port, models, timeout)
    show(result, as_json, "board", "print_diagnosis")
    if not result.healthy():
        raise SystemExit(1)


@click.command()
@options.model
@options.ports
@click.option("--all", "every", is_flag=True, help="Deploy to all boards on USB, at once.")
@click.option(
    "--to",
    type=click.Choice(["auto", "romfs", "flash", "files"]),
    default="auto",
    show_default=True,
    help="Storage: ROMFS, unused flash of an RP2 board, or a file that is loaded into RAM.",
)
@click.option("--name", help="Name of the model on the board. [default: the file's name]")
@click.option("--board", help="Refuse boards whose name does not contain this text, like RP2040.")
@click.option(
    "--replace",
    is_flag=True,
    help="Delete the old model first, if flash cannot hold both.",
)
@click.option(
    "--arena-budget",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="As for tflm flatten, if MODEL is a .tflite.",
)
@click.option(
    "--flash-budget",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="As for tflm flatten. [default: single-byte weights if packed ones do not fit]",
)
@click.option("--force", is_flag=True, help="Try the model even if its estimate does not fit.")
@options.board_timeout
@options.custom
@options.as_json
def deploy(model, ports, every, as_json, **deploy_options):
    """Store MODEL on the board at PORT, with the kernels that it needs and the board lacks.

    MODEL can also be the manifest (.json) of a wake word: its model and tflm.wake are stored.

    With several PORTs or --all, it is stored on all of these boards at once, and a line is printed
    for each board.

    The old model of this name remains until the new one is complete and its CRC is right. If the
    transfer is interrupted, the same command continues it.
    """
    if every or len(ports) > 1:
        if Path(model).suffix == ".json":
            raise click.UsageError("a wake word is deployed to one board; name one port")
        _deploy_all(model, ports, every, as_json, **deploy_options)
        return
    from ..board.deploy import deploy
    from ..wake.deploy import deploy_word

    deploy = deploy_word if Path(model).suffix == ".json" else deploy
    with transfer_bar("deploy", as_json) as progress:
        result = deploy(model, *ports, progress=progress, **deploy_options)
    show(result, as_json, "board", "print_deployment")


def _deploy_all(model, ports, every, as_json, **deploy_options):
    from ..board.deploy_all import deploy_all

    if every and ports:
        raise click.UsageError("--all deploys to every board; leave out the ports")
    results = []
    for result in deploy_all(model, ports, **deploy_options):
        results.append(result)
        if not as_json:
            show(result, as_json, "board", "print_board_result")
    if as_json:
        show(results, as_json, "board", "print_board_result")
    if any(result.error for result in results):
        raise SystemExit(1)


@click.command()
@click.argument("board")
@options.port
@click.option(
    "--image",
    type=options.FilePath(),
    help="File to write. [default: the image that make firmware has built]",
)
@click.option("--volume", type=options.FilePath(), help="Folder of the boot loader's drive.")
@click.option("--monitor", is_flag=True, help="Then show the board's output, until Ctrl-C.")
@options.board_timeout
@options.as_json
def flash(board, port, monitor, as_json, **flash_options):
    """Write firmware to a BOARD of boards/ with its boot loader, and compare the flash."""
    from ..board.flash import flash

    with transfer_bar("flash", as_json) as progress:
        result = flash(board, port, progress=progress, **flash_options)
    show(result, as_json, "board", "print_flashing")
    if monitor:
        _print_output(port)


# Print the output of a board until Ctrl-C.
def _print_output(port):
    from ..board.monitor import monitor

    with suppress(KeyboardInterrupt):
        monitor(port, lambda data: click.echo(data, nl=False))


@click.command()
@options.port
@click.argument("models", nargs=-1, type=options.FilePath())
@click.option(
    "-o",
    "--output",
    type=options.FilePath(),
    default="measured.json",
    show_default=True,
    help="The file for all values. It has no port, serial number or path.",
)
@options.board_timeout
@options.as_json
def measure(port, models, output, timeout, as_json):
    """Measure the board at PORT in about ten minutes: results, times, memory, clock, flash.

    Runs a model for each kernel and compares it with stored results of TFLM, times MODELS (files
    or folders, by default the project's own), and prints each value beside its estimate. How to
    send the file: docs/how-to/measure-a-board.md. The exit code is 1 if a result is wrong.
    """
    from .. import files
    from ..measure import board_measurement, hardware

    files.check_output(output, *(hardware.models_in(models) if models else ()))
    with work_bar("measure", not as_json, working("measure", "the board")) as progress:
        result = board_measurement.measure(port, models, progress, timeout)
    board_measurement.write(result, output)
    extra = {} if as_json else {"written": output}
    show(result, as_json, "measurement", "print_measurement", **extra)
    if not result.is_right():
        raise SystemExit(1)


COMMANDS = (boards, doctor, deploy, flash, measure)
