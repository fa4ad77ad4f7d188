# tflm: The exceptions of tflm. Each message says what failed, where, and the remedy.
# MIT license; Copyright (c) 2026 the tflm authors


class TflmError(Exception):
    """Base class of all errors of tflm; `except tflm.TflmError` catches all of them."""


class ModelError(TflmError):
    """The model cannot be used: it is no model, cut off, damaged or inconsistent."""


class UnsupportedError(TflmError):
    """The model needs an operator, type, version or parameter that tflm does not have."""


class ArenaError(TflmError):
    """The arena or the heap is too small. `needed` and `available` are bytes, 0 if unknown."""

    def __init__(self, message, needed=0, available=0):
        super().__init__(message)
        self.needed = needed
        self.available = available


class StateError(TflmError):
    """The call is not allowed now, such as invoke() during invoke_async()."""


class InputError(TflmError):
    """An argument or value of the caller is invalid: wrong type, count, shape or range."""


# Raise InputError unless an argument is right; `wanted` says what it must be.
def check(name, value, is_right, wanted):
    if not is_right:
        raise InputError("%s is %r; it must be %s" % (name, value, wanted))


# Raise InputError unless an argument is a whole number of at least `least`.
def check_count(name, value, least=1):
    is_right = isinstance(value, int) and value >= least
    check(name, value, is_right, "an int >= %d" % least)


# What invoke() returns when an operator ended the run before the last operator (TFLM's
# kTfLiteAbort, the same number as in TFLM's Python interpreter). A kernel returned it.
ABORTED = 15


# Return the error for a .tflm that contradicts itself; `what` says where.
def damaged(what):
    return ModelError("the .tflm is damaged: %s; copy it or flatten the model again" % what)


# Return a name (bytes) as a text that is safe to print: "?" replaces characters that control a
# terminal or change the direction of writing. Raises UnicodeError.
def printable(raw):
    text = raw.decode()
    if raw and (min(raw) < 32 or max(raw) > 126):
        text = "".join(["?" if _is_control(ord(c)) else c for c in text])
    return text


# Return a name in a .tflm as a printable text; raises ModelError if it is not UTF-8.
def checked_name(raw):
    try:
        return printable(raw)
    except UnicodeError:
        pass
    raise damaged("a name is not UTF-8")


_MARKS = (0x61C, 0xFEFF)  # control characters outside the ranges below


def _is_control(c):
    return c < 32 or 127 <= c < 160 or 0x200B <= c < 0x2010 or 0x2028 <= c < 0x2070 or c in _MARKS
