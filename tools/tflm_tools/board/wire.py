# tflm_tools: board: a serial port of which no wait is endless and no reply too long
# MIT license; Copyright (c) 2026 the tflm authors

import time
from contextlib import suppress

MOST = 1 << 20  # bytes of one reply
_STEP = 0.2  # seconds that one read waits; the port is opened with it


# Why a wire gave nothing.
class WireError(Exception):
    """`kind` is "silent" (nothing came), "late" (no end), "endless" (too much) or "lost"."""

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind


class Wire:
    """What mpremote takes for its serial port; start() gives each exchange its time."""

    def __init__(self, serial):
        serial.timeout = _STEP
        serial.write_timeout = 10
        self._serial = serial
        self._buffer = bytearray()
        self._deadline = 0.0
        self._received = 0

    def start(self, seconds):
        """Begin an exchange that must be done in so many seconds."""
        self._deadline = time.monotonic() + seconds
        self._received = 0

    def cancel(self):
        """End the exchange that goes on, from another thread."""
        self._deadline = 0.0

    # Take what has come, or wait for a byte.
    def _fill(self):
        if time.monotonic() > self._deadline:
            raise WireError("late" if self._received else "silent")
        try:
            data = self._serial.read(self._serial.in_waiting or 1)
        except (OSError, TypeError):  # pyserial has a closed port's descriptor as None
            raise WireError("lost") from None
        self._buffer += data
        self._received += len(data)
        if self._received > MOST:
            raise WireError("endless")

    # How many bytes can be read at once.
    def inWaiting(self):
        try:
            return len(self._buffer) + self._serial.in_waiting
        except (OSError, TypeError):
            raise WireError("lost") from None

    def read(self, count=1):
        """Exactly `count` bytes."""
        while len(self._buffer) < count:
            self._fill()
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data

    def read_until(self, ending):
        """All bytes up to and with `ending`."""
        begin = 0
        while (at := self._buffer.find(ending, begin)) < 0:
            begin = max(len(self._buffer) - len(ending) + 1, 0)
            self._fill()
        return self.read(at + len(ending))

    def write(self, data):
        """Send bytes; a board that does not take them is silent."""
        try:
            self._serial.write(data)
        except OSError as error:
            silent = "timeout" in str(error).lower()
            raise WireError("silent" if silent else "lost") from None

    def close(self):
        """Give the port back."""
        with suppress(OSError):  # it may be gone
            self._serial.close()

    # mpremote lets the lines go when it closes; a port that is gone has none.
    def __setattr__(self, name, value):
        if name not in ("rts", "dtr"):
            object.__setattr__(self, name, value)
            return
        with suppress(OSError):
            setattr(self._serial, name, value)
