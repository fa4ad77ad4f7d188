# tflm_tools: the commands that meet a board: boards, doctor, deploy, flash, and the option --on
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import contextmanager, nullcontext, suppress

import rich_click as click

PORT_HELP = (
    "A board instead of the unix port, named as in mpremote: a0, u0, id:…, /dev/…, "
    "socket://HOST:PORT, auto."
)
ON = click.option("--on", "on", metavar="PORT", help=PORT_HELP)
TIMEOUT = click.option(
    "--timeout",
    type=click.FloatRange(min=1),
    metavar="SECONDS",
    help="For each answer of MicroPython, or of TFLM. [default: 600]",
)
PIXELS = click.option(
    "--pixels",
    type=(float, float),
    metavar="BLACK WHITE",
    help="What black and white of images stand for. [default: what the model's metadata "
    "says; else the least and the greatest that a quantized input holds; 0 1 for float32]",
)
_PORT = click.argument("port", required=False)
_FIRST_ANSWER = click.option(
    "--timeout",
    type=click.FloatRange(min=1),
    metavar="SECONDS",
    help="At least, for each answer of the board. [default: 60 for the first one]",
)


@contextmanager
def device_on(port, timeout=None):
    """The BoardDevice at a port, None for no port."""
    if port is None:
        yield None
        return
    from ..board.board_device import board_device

    with board_device(port, timeout) as device:
        yield device


# A progress bar, but not beside JSON.
def _bar(title, as_json):
    if as_json:
        return nullcontext()
    from ..render.board import progress_bar

    return progress_bar(title)


# Show what a board prints, until Ctrl-C, where somebody wants to see it.
def _listen(port, wanted):
    if not wanted:
        return
    from ..board.monitor import monitor

    with suppress(KeyboardInterrupt):
        monitor(port, lambda data: click.echo(data, nl=False))


def register(cli, show, model, as_json_option, custom_option):
    """Add the commands to a click group; `show` prints data, the rest are options it shares."""

    @cli.command()
    @as_json_option
    def boards(as_json):
        """List the boards that tflm knows, and the ports with something behind them."""
        from ..board.listing import boards

        show(boards(), as_json, "board", "print_boards")

    @cli.command()
    @_PORT
    @click.option(
        "--model", "models", multiple=True, type=click.Path(), help="Would it fit? Any number."
    )
    @_FIRST_ANSWER
    @as_json_option
    def doctor(port, models, timeout, as_json):
        """Look at the board at PORT: firmware, heap, flash, tflm, and what is wrong.

        PORT is named as in mpremote (a0, u0, id:…, a path, socket://…); without it, the only one
        there is. The exit code is 1 when there is a problem.
        """
        from ..board.doctor import doctor

        result = doctor(port, models, timeout)
        show(result, as_json, "board", "print_diagnosis")
        if not result.healthy():
            raise SystemExit(1)

    @cli.command()
    @model
    @click.argument("ports", nargs=-1, metavar="[PORT]...")
    @click.option("--all", "every", is_flag=True, help="All boards that USB has, at once.")
    @click.option(
        "--to",
        type=click.Choice(["auto", "romfs", "flash", "files"]),
        default="auto",
        show_default=True,
        help="ROMFS, free flash of an RP2 board, or a file that is loaded into RAM.",
    )
    @click.option("--name", help="What it is called on the board. [default: the file's name]")
    @click.option("--board", help="Refuse any board but this one, like RP2040.")
    @click.option(
        "--replace",
        is_flag=True,
        help="Let the old model go first, where flash has no room for both.",
    )
    @click.option(
        "--arena-budget",
        type=click.IntRange(min=1),
        metavar="BYTES",
        help="As for tflm flatten, where MODEL is a .tflite.",
    )
    @_FIRST_ANSWER
    @custom_option
    @as_json_option
    def deploy(model, ports, every, as_json, **options):
        """Put MODEL on the board at PORT, with the kernels it needs, if those are not there.

        With several PORTs, or with --all, on all of them at once: a line for each.

        The old model of this name stays until the new one is whole and its CRC is right; a
        transfer that was cut is taken up again by the same command.
        """
        from ..board.deploy import deploy

        if every or len(ports) > 1:
            from ..board.deploy_all import deploy_all

            if every and ports:
                raise click.UsageError("--all takes every board; leave the ports out")
            boards = []
            for served in deploy_all(model, ports, **options):
                boards.append(served)
                if not as_json:
                    show(served, as_json, "board", "print_served")
            if as_json:
                show(boards, as_json, "board", "print_served")
            if any(served.error for served in boards):
                raise SystemExit(1)
            return
        with _bar("deploy", as_json) as progress:
            result = deploy(model, *ports, progress=progress, **options)
        show(result, as_json, "board", "print_deployment")

    @cli.command()
    @click.argument("board")
    @_PORT
    @click.option("--image", type=click.Path(), help="[default: what make firmware has built]")
    @click.option("--volume", type=click.Path(), help="The folder of the boot loader's drive.")
    @click.option("--monitor", is_flag=True, help="Then show what the board prints, to Ctrl-C.")
    @_FIRST_ANSWER
    @as_json_option
    def flash(board, port, monitor, as_json, **options):
        """Put firmware on a BOARD of boards/, over its boot loader, and compare it after."""
        from ..board.flash import flash

        with _bar("flash", as_json) as progress:
            result = flash(board, port, progress=progress, **options)
        show(result, as_json, "board", "print_flashing")
        _listen(port, monitor)
