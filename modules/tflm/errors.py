# tflm: the exceptions; every text says what, where, and what to do
# MIT license; Copyright (c) 2026 the tflm authors


# Base of everything that tflm raises on purpose.
class TflmError(Exception):
    """Base of all errors of tflm; `except tflm.TflmError` catches every one of them."""


# The file is no model, or is damaged, or contradicts itself.
class ModelError(TflmError):
    """The model cannot be used: not a model, truncated, mangled, or inconsistent."""


# The model is sound but asks for something that is not there.
class UnsupportedError(TflmError):
    """An operator, data type, version or parameter that tflm does not have."""


# The arena cannot hold the model.
class ArenaError(TflmError):
    """The arena is too small; `needed` and `available` are in bytes."""

    def __init__(self, message, needed=0, available=0):
        super().__init__(message)
        self.needed = needed
        self.available = available


# A call that the current phase does not allow.
class StateError(TflmError):
    """A call in the wrong phase, e.g. asking for a scratch buffer during invoke."""


# What the caller handed over does not fit the tensor.
class InputError(TflmError):
    """Values of the wrong count, type or range for a tensor."""


# Refuse an argument that is not what it must be.
def check(name, value, is_right, wanted):
    if not is_right:
        raise InputError("%s is %r; it must be %s" % (name, value, wanted))


# The same for a number of things.
def check_count(name, value, least=1):
    is_right = isinstance(value, int) and value >= least
    check(name, value, is_right, "a whole number, %d or more" % least)


# No exception: what invoke() gives when an operator ended the run before the last one (TFLM's
# kTfLiteAbort, as its Python interpreter spells it). The kernel has returned it.
ABORTED = 15


# The error for a .tflm that contradicts itself.
def damaged(what):
    return ModelError("the .tflm is damaged: %s; flatten or copy the model again" % what)


# A name (bytes) as errors and listings may print it: what commands a terminal, or turns the
# direction of writing, comes out as "?". Raises UnicodeError.
def plain(raw):
    text = raw.decode()
    if raw and (min(raw) < 32 or max(raw) > 126):
        text = "".join(["?" if _is_control(ord(c)) else c for c in text])
    return text


# The same for a name in a .tflm; raises ModelError.
def intact(raw):
    try:
        return plain(raw)
    except UnicodeError:
        pass
    raise damaged("a name is not UTF-8")


_MARKS = (0x61C, 0xFEFF)  # of writing, far from the others


def _is_control(c):
    return c < 32 or 127 <= c < 160 or 0x200B <= c < 0x2010 or 0x2028 <= c < 0x2070 or c in _MARKS
