# tflm_tools: cli: the command group `tflm`, its exit codes and error messages
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import signal
import sys
from contextlib import suppress

import rich_click as click
from tflm.errors import TflmError
from tflm.version import __version__

from . import analyze, board, execute, fleet, models, speech, wake
from .panels import in_panels

# The error of a missing operator; its remedy is for programs that use an OpResolver.
_MISSING = re.compile(r"(.*tflm has no operator (\w+)) \(builtin code \d+\);", re.DOTALL)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tflm")
def cli():
    """Tools for TensorFlow Lite Micro in pure MicroPython."""


for _module in (models, execute, analyze, board, wake, speech, fleet):
    for _command in _module.COMMANDS:
        cli.add_command(_command)
in_panels(cli)


# The message and the exit code of an error.
def _message(error):
    if isinstance(error, click.ClickException):
        text = error.format_message().rstrip(".")
        command = getattr(getattr(error, "ctx", None), "command_path", "tflm")
        return f"{text[:1].lower()}{text[1:]}; see: {command} --help", error.exit_code
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'the system'}: {error.strerror}", 1
    missing = _MISSING.match(str(error))
    if missing:
        from ..inspection.advice import advice_for

        advice = advice_for(missing[2])
        return f"{missing[1]}; {advice}" if advice else str(error), 1
    if isinstance(error, MemoryError):
        return "this computer has not enough memory for that; give a smaller file", 1
    return str(error), 1


# SIGTERM ends the command like an error, so that it removes its temporary files.
def _terminate(number, _frame):
    sys.exit(128 + number)


def main(arguments=None):
    """Run the command `tflm`; exit with code 0, 1 for errors, 2 for usage, 130 for Ctrl-C."""
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, _terminate)
    try:
        code = cli.main(arguments, prog_name="tflm", standalone_mode=False) or 0
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the output has ended, like head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except (click.exceptions.Abort, KeyboardInterrupt):
        print("tflm: stopped", file=sys.stderr)
        code = 130
    except (click.ClickException, TflmError, OSError, ValueError, MemoryError) as error:
        from ..render.common import printable

        text, code = _message(error)
        print(f"tflm: {printable(' '.join(text.splitlines()))}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
