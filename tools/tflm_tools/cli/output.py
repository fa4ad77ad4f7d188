# tflm_tools: cli: prints results of commands and shows their progress
# MIT license; Copyright (c) 2026 the tflm authors

import os
import sys
from contextlib import ExitStack, contextmanager
from importlib import import_module
from threading import Timer

_QUIET_SECONDS = 1.0  # a command that takes longer shows what it does


def show(data, as_json, file, name, **options):
    """Print `data` as JSON, or with the function `name` of the file `file` of render/."""
    from ..render import common

    if as_json:
        common.print_json(data)
        return
    function = getattr(import_module(f"..render.{file}", __package__), name)
    function(data, common.console(), **options)


@contextmanager
def working(command, model):
    """Show the command's name on standard error while the body runs, if that is a terminal.

    The message appears after _QUIET_SECONDS.
    """
    from ..render.common import console

    target = console(sys.stderr)
    if not target.is_terminal:
        yield
        return
    status = target.status(f"{command} {os.path.basename(model)}")
    timer = Timer(_QUIET_SECONDS, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


@contextmanager
def transfer_bar(title, as_json):
    """Yield a function (bytes done, bytes in all) that shows a progress bar; None with --json."""
    from ..render.board import progress_bar

    with progress_bar(title, not as_json) as progress:
        yield progress


@contextmanager
def work_bar(command, is_shown, otherwise=None):
    """Yield a function (done, total) that shows a progress bar, or None.

    otherwise: a context manager that is entered instead if the bar is not shown.
    """
    from ..render.board import progress_bar

    with ExitStack() as stack:
        if otherwise is not None and not is_shown:
            stack.enter_context(otherwise)
        yield stack.enter_context(progress_bar(command, is_shown, counts=True))
