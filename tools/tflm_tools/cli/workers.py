# tflm_tools: options that say where a command does its work: cores, boards, a Dask cluster
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import ExitStack, contextmanager

import rich_click as click

from .board import PORT_HELP

_OPTIONS = (
    click.option(
        "--on",
        "ports",
        multiple=True,
        metavar="PORT",
        help=f"{PORT_HELP} Several boards share the work: give it for each.",
    ),
    click.option(
        "--backend",
        type=click.Choice(["local", "dask"]),
        default="local",
        show_default=True,
        help="Cores of this machine, or the workers of a Dask cluster.",
    ),
    click.option(
        "--scheduler", metavar="tcp://HOST:PORT", help="With --backend dask: the cluster's."
    ),
)


def jobs_option(default):
    """The option --jobs of a command."""
    return click.option(
        "--jobs", type=click.IntRange(min=1), help=f"Processes at once. [default: {default}]"
    )


def workers_options(command):
    """Add --on, --backend and --scheduler to a command; see check() and boards_on()."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check(ports, jobs, backend, scheduler):
    """Raise UsageError for options that do not go together."""
    if ports and (jobs or backend == "dask"):
        word = "--backend dask" if backend == "dask" else "--jobs"
        raise click.UsageError(
            f"{word} is for the unix port, and --on for boards, which hang on this machine and "
            "share the work by themselves; leave one of the two out"
        )
    if (backend == "dask") != (scheduler is not None):
        raise click.UsageError(
            "--backend dask and --scheduler go together; give both, as in --backend dask "
            "--scheduler tcp://HOST:8786"
        )


@contextmanager
def boards_on(ports, timeout=None):
    """The device of these ports: None for none. It tells of boards that were lost, at the end."""
    if not ports:
        yield None
        return
    from ..board.device_pool import open_boards
    from ..render.common import printable

    with open_boards(ports, timeout) as device:
        yield device
        for sentence in getattr(device, "lost", {}).values():
            text = f"tflm: {sentence} (the other boards have done its work)"
            click.echo(printable(text), err=True)


@contextmanager
def bar_of(command, wanted, otherwise=None):
    """A progress bar over all that is done, as a function (done, total), or None.

    otherwise: a sign of life where no bar is wanted.
    """
    from ..render.board import progress_bar

    with ExitStack() as stack:
        if otherwise is not None and not wanted:
            stack.enter_context(otherwise)
        yield stack.enter_context(progress_bar(command, wanted, counts=True))
