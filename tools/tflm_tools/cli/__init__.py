# tflm_tools: cli: the entry point of the command `tflm`
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import signal
import sys
from _thread import interrupt_main
from threading import Timer

# Number of new objects between two runs of the garbage collector. Commands keep most of their
# objects, so frequent runs find nothing, but took a fifth of the time of `tflm flatten`.
_GC_THRESHOLD = 100_000
_INTERRUPT_DELAY = 0.01  # seconds


# Exit in order: the default action of SIGTERM would leave temporary folders and child processes.
def _exit_on_sigterm(_number, _frame):
    sys.exit(128 + signal.SIGTERM)


# Ctrl-C may be raised in a callback of the garbage collector or of an import, where it cannot be
# caught: Python would print a traceback and continue. Raise it again after the callback.
def _repeat_interrupt(unraisable):
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    timer = Timer(_INTERRUPT_DELAY, interrupt_main)
    timer.daemon = True
    timer.start()


def main(arguments=None):
    """Run the command `tflm`; exit with code 0, 1 for errors, 2 for usage, 130 for Ctrl-C.

    SIGTERM ends it in order with code 143. The commands are imported here, because the import is
    slow enough to be interrupted.
    """
    signal.signal(signal.SIGTERM, _exit_on_sigterm)
    gc.set_threshold(_GC_THRESHOLD)
    sys.unraisablehook = _repeat_interrupt
    try:
        from .command import main as command

        command(arguments)
    except KeyboardInterrupt:
        _exit_interrupted()
    except RuntimeError as error:
        # Python 3.11 converts an interrupt during the creation of a class to a RuntimeError.
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        _exit_interrupted()


def _exit_interrupted():
    print("tflm: stopped", file=sys.stderr)
    sys.exit(130)
