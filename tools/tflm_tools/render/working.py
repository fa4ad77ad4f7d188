# tflm_tools: render: a sign of life on standard error, for what takes longer than a second
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from contextlib import contextmanager
from threading import Timer

from .common import console

_AFTER = 1.0  # seconds; what is done sooner needs no sign


@contextmanager
def working(what):
    """Show what goes on while the body runs; nothing where standard error is no terminal."""
    target = console(sys.stderr)
    if not target.is_terminal:
        yield
        return
    status = target.status(what)
    timer = Timer(_AFTER, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
