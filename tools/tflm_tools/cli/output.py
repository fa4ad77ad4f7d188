# tflm_tools: cli: prints results of commands and shows their progress
# MIT license; Copyright (c) 2026 the tflm authors

import os
import sys
import time
from contextlib import ExitStack, contextmanager
from importlib import import_module
from threading import Event, Thread, Timer

_QUIET_SECONDS = 1.0  # a command that takes longer shows what it does
_LINE_SECONDS = 10.0  # between two lines if standard error is no terminal


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
    """Show on standard error what runs while the body runs.

    A terminal shows it after _QUIET_SECONDS. Otherwise a line with the time so far is printed
    every _LINE_SECONDS.
    """
    from ..render.common import console

    target = console(sys.stderr)
    if not target.is_terminal:
        with _time_lines(f"{command} {os.path.basename(model)}"):
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
def _time_lines(title):
    start, ended = time.monotonic(), Event()

    def print_lines():
        while not ended.wait(_LINE_SECONDS):
            print(f"tflm: {title}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)

    thread = Thread(target=print_lines, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def transfer_bar(title, as_json):
    """Yield a function (bytes done, bytes in all) that shows a progress bar; None with --json."""
    from ..render.board import progress_bar

    with progress_bar(title, not as_json) as progress:
        yield progress


@contextmanager
def work_bar(command, is_shown, otherwise=None):
    """Yield a function (done, total) that shows a progress bar, or None.

    otherwise: a context manager that is entered instead if the bar is not shown, or if standard
    error is no terminal.
    """
    from ..render.board import progress_bar

    with ExitStack() as stack:
        if otherwise is not None and not (is_shown and sys.stderr.isatty()):
            stack.enter_context(otherwise)
        yield stack.enter_context(progress_bar(command, is_shown, counts=True))
