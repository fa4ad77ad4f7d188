# Test support: the errors of the fake tflm
# MIT license; Copyright (c) 2026 the tflm authors


# Base of all errors.
class TflmError(Exception):
    pass


# The arena is too small.
class ArenaError(TflmError):
    pass
