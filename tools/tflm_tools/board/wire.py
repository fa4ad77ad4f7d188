# tflm_tools: board: limits the time and the size of each exchange over a serial port
# MIT license; Copyright (c) 2026 the tflm authors

import time
from contextlib import suppress

MAX_REPLY_BYTES = 1 << 20
_READ_SECONDS = 0.2  # timeout of the serial port
# What a board sends when it starts: MicroPython's prompt, or the first lines of an ESP chip.
_STARTS = (b"\r\n>>> ", b"\r\nrst:0x")
_MAX_START_BYTES = 8


class WireError(Exception):
    """An exchange over a Wire that failed.

    kind: "silent" (no byte was received), "late" (the time was over), "endless" (more than
    MAX_REPLY_BYTES), "lost" (the port does not exist any more) or "reset" (the board has started
    again and shows its prompt).
    """

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind


class Wire:
    """A serial port for mpremote with a time limit for each exchange, which start() sets."""

    def __init__(self, serial):
        serial.timeout = _READ_SECONDS
        serial.write_timeout = 10
        self._serial = serial
        self._buffer = bytearray()
        self._deadline = 0.0
        self._received = 0
        self._runs = False

    def start(self, seconds, runs=False):
        """Begin an exchange that must end within `seconds`.

        runs: the board runs a command in the raw REPL, so its prompt means that it was reset.
        """
        self._deadline = time.monotonic() + seconds
        self._received = 0
        self._runs = runs

    def cancel(self):
        """Make the exchange of another thread fail."""
        self._deadline = 0.0

    # Read all bytes that have arrived, or wait for one.
    def _fill(self):
        if time.monotonic() > self._deadline:
            raise WireError("late" if self._received else "silent")
        try:
            data = self._serial.read(self._serial.in_waiting or 1)
        except (OSError, TypeError):  # TypeError: a closed port's descriptor is None in pyserial
            raise WireError("lost") from None
        self._buffer += data
        self._received += len(data)
        if self._received > MAX_REPLY_BYTES:
            raise WireError("endless")
        tail = self._buffer[-len(data) - _MAX_START_BYTES :]
        if self._runs and any(start in tail for start in _STARTS):
            raise WireError("reset")

    def inWaiting(self):
        """Return the number of bytes that can be read without waiting."""
        try:
            return len(self._buffer) + self._serial.in_waiting
        except (OSError, TypeError):
            raise WireError("lost") from None

    def read(self, count=1):
        """Read exactly `count` bytes. Raises WireError."""
        while len(self._buffer) < count:
            self._fill()
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data

    def read_until(self, ending):
        """Read all bytes up to and including `ending`. Raises WireError."""
        begin = 0
        while (at := self._buffer.find(ending, begin)) < 0:
            begin = max(len(self._buffer) - len(ending) + 1, 0)
            self._fill()
        return self.read(at + len(ending))

    def write(self, data):
        """Send bytes. Raises WireError, "silent" if the board does not receive them."""
        try:
            self._serial.write(data)
        except OSError as error:
            silent = "timeout" in str(error).lower()
            raise WireError("silent" if silent else "lost") from None

    def close(self):
        """Close the port."""
        with suppress(OSError):  # the board may be unplugged
            self._serial.close()

    # mpremote sets the control lines when it closes; a port that was unplugged has none.
    def __setattr__(self, name, value):
        if name not in ("rts", "dtr"):
            object.__setattr__(self, name, value)
            return
        with suppress(OSError):
            setattr(self._serial, name, value)
