# tflm_tools: cli: command `tflm`; command.py has it, the files beside hold more of its commands
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import signal
import sys
from _thread import interrupt_main
from threading import Timer

# Objects between two searches for garbage: commands keep most of what they make, so these searches
# are in vain, and took a fifth of the time of flatten.
_NEW_OBJECTS = 100_000
_SOON = 0.01  # seconds


# What ends a process by default would leave its temporary folders and its children.
def _end(_number, _frame):
    sys.exit(128 + signal.SIGTERM)


# Ctrl-C that comes in a callback of the collector or of an import, where nobody could catch what
# it raises: Python would print a traceback and go on. It comes again when that is over.
def _told(unraisable):
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    timer = Timer(_SOON, interrupt_main)
    timer.daemon = True
    timer.start()


def main(arguments=None):
    """Entry point of the command `tflm`: exit code 0, 1 for errors, 2 for usage, 130 for Ctrl-C.

    SIGTERM, which gives 143, ends it in order, too. What the command needs is imported here: that
    takes long enough to be interrupted.
    """
    signal.signal(signal.SIGTERM, _end)
    gc.set_threshold(_NEW_OBJECTS)
    sys.unraisablehook = _told
    try:
        from .command import main as command

        command(arguments)
    except KeyboardInterrupt:
        _stopped()
    except RuntimeError as error:
        # Python 3.11 makes one of whatever ends the making of a class, an interrupt, too.
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        _stopped()


def _stopped():
    print("tflm: stopped", file=sys.stderr)
    sys.exit(130)
