# page: rewrites messages of the host's tools, which advise options and commands, for the page
# MIT license; Copyright (c) 2026 the tflm authors

import re

# Advice for a command line, and the page's control that does the same.
_CONTROLS = {
    "delete the old model first with --replace": (
        'tick "Delete the old model first if space is short"'
    ),
    "use: tflm deploy --to files": 'choose "files" at "Where to put it"',
    "use: --to files": 'choose "files" at "Where to put it"',
    "tflm deploy MODEL": '"Send it to my board"',
    " with: tflm flash": "",
    ": tflm flash": "",
    " (tflm flash)": "",
}
_COMMANDS = (
    "boards bench convert deploy doctor eval flash flatten fleet inspect report run search tune "
    "verify wake"
)
_COMMAND_LINE = re.compile(
    rf"(?<!\w)--[a-z]|\btflm ({_COMMANDS.replace(' ', '|')})\b|\bmake [a-z]+$|\b[A-Z]+="
)

_CONVERT = re.compile(r"convert it: tflm convert .*")  # a trained model
_NAME_ONE = re.compile(r"name one, like .*#.*")  # of several models in a file


def plain(message):
    """Return a message; advice for a command line becomes the page's control, or is left out.

    Each line has a failure, then remedies after semicolons. A remedy can be several, separated by
    ", or". Those that are left out are remedies.
    """
    return "\n".join(_plain_line(line) for line in message.split("\n"))


def _plain_line(line):
    for advice, control in _CONTROLS.items():
        line = line.replace(advice, control)
    line = _CONVERT.sub("convert it to a .tflite on a computer, then drop that", line)
    line = _NAME_ONE.sub("unpack it, and drop one of them", line)
    failure, *remedies = line.split("; ")
    kept = []
    for remedy in remedies:
        choices = re.split(r", or |, (?=or )", remedy)
        choices = [choice for choice in choices if not _COMMAND_LINE.search(choice)]
        if choices:
            kept.append(", or ".join(choices))
    return "; ".join([failure, *kept])
