# App mlperf_tiny: ports for commands and timestamps, with and without an energy monitor
# MIT license; Copyright (c) 2026 the tflm authors

import select
import sys
import time

import settings

_LOW_MS = 1  # of the pin; the monitor requires 1 us


def open_port():
    """Return the port that settings.py selects."""
    return EnergyPort() if settings.ENERGY else ConsolePort()


class ConsolePort:
    """The port of the REPL, USB or UART; timestamps are lines with microseconds."""

    mode = "performance"

    def __init__(self):
        # read_byte(buffer) waits for a byte, and returns 0 at the end of the input.
        self.read_byte = sys.stdin.buffer.readinto
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._output = sys.stdout.buffer
        self._start = time.time_ns()

    def waiting(self):
        """Return whether there is a byte to read."""
        for _ in self._poll.ipoll(0):
            return True
        return False

    def write(self, data):
        """Send bytes."""
        self._output.write(data)

    def timestamp(self):
        """Send the time to the runner; ticks_us() would wrap around after minutes."""
        self.write(b"m-lap-us-%d\r\n" % ((time.time_ns() - self._start) // 1000))


class EnergyPort:
    """A UART to the interface board; timestamps are falling edges of a pin."""

    mode = "energy"

    def __init__(self):
        import machine

        self._uart = machine.UART(
            settings.UART,
            settings.BAUD_RATE,
            tx=machine.Pin(settings.TX_PIN),
            rx=machine.Pin(settings.RX_PIN),
        )
        self._pin = machine.Pin(settings.TIMESTAMP_PIN, machine.Pin.OPEN_DRAIN, value=1)

    def read_byte(self, buffer):
        """Wait for a byte; the input has no end."""
        while not self._uart.readinto(buffer):
            pass
        return 1

    def waiting(self):
        """Return whether there is a byte to read."""
        return self._uart.any() > 0

    def write(self, data):
        """Send bytes; wait until all are written, as the UART's write() may write only some."""
        rest = memoryview(data)
        while len(rest):
            rest = rest[self._uart.write(rest) or 0 :]

    def timestamp(self):
        """Pull the pin low for _LOW_MS."""
        self._pin.value(0)
        time.sleep_ms(_LOW_MS)
        self._pin.value(1)
