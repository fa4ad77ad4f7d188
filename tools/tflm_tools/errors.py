# tflm_tools: errors: the exceptions of the host tools; each message ends with a remedy
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.errors import TflmError


class ToolError(TflmError):
    """An error outside the model: in a file, an input array, or a missing package.

    A command prints its message and ends with exit code 1.
    """


class DeviceError(ToolError):
    """An error of MicroPython.

    kind: the name of its exception, "crash" or "timeout"; for a board also one of the kinds in
    is_of_board().
    """

    def __init__(self, text, kind=""):
        super().__init__(text)
        self.kind = kind

    def is_of_board(self):
        """True for an error of the board or its cable; the same work may succeed on another."""
        return self.kind in (
            "absent",
            "busy",
            "silent",
            "endless",
            "garbage",
            "lost",
            "reset",
            "crc",
        )
