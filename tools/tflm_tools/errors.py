# tflm_tools: errors of the host side; each text is one sentence: what, where, what to do
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.errors import TflmError


# Base of what a command reports and ends with exit code 1.
class ToolError(TflmError):
    """Something outside the model is wrong: a file, an input array, or a missing package."""


# The MicroPython side did not do what it was asked.
class DeviceError(ToolError):
    """An error of MicroPython: `kind` is its exception's name, "crash" or "timeout".

    Of a board also how it failed: see is_of_board().
    """

    def __init__(self, text, kind=""):
        super().__init__(text)
        self.kind = kind

    def is_of_board(self):
        """True where the board or its cable is at fault, so that another board may do better."""
        return self.kind in ("absent", "busy", "silent", "endless", "garbage", "lost", "crc")
