# tflm_tools: cli: opens the boards that --on names, and checks options for parallel work
# MIT license; Copyright (c) 2026 the tflm authors

from contextlib import contextmanager

import rich_click as click


@contextmanager
def board_at(port, timeout=None):
    """Yield the BoardDevice at a port, or None without a port."""
    if port is None:
        yield None
        return
    from ..board.board_device import board_device

    with board_device(port, timeout) as device:
        yield device


@contextmanager
def boards_at(ports, timeout=None):
    """Yield the device of these ports, or None without ports.

    Boards that were lost are reported at the end.
    """
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


def check_workers(ports, jobs, backend, scheduler):
    """Raise UsageError for conflicting values of the options options.workers and --jobs."""
    if ports and (jobs or backend == "dask"):
        option = "--backend dask" if backend == "dask" else "--jobs"
        raise click.UsageError(
            f"{option} is for the unix port, --on is for boards, which share the work among "
            "themselves; leave out one of the two"
        )
    if (backend == "dask") != (scheduler is not None):
        raise click.UsageError(
            "--backend dask and --scheduler go together; give both, as in --backend dask "
            "--scheduler tcp://HOST:8786"
        )
