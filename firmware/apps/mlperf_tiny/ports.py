# App mlperf_tiny: where commands come from and how time is told, with an energy monitor or not
# MIT license; Copyright (c) 2026 the tflm authors

import select
import sys
import time

import settings

_LOW_MS = 1  # of the pin; the monitor wants a microsecond at least


def open_port():
    """The port that settings.py asks for."""
    return EnergyPort() if settings.ENERGY else ConsolePort()


class ConsolePort:
    """The port of the prompt, USB or UART; timestamps are lines with microseconds."""

    mode = "performance"

    def __init__(self):
        # read_byte(buffer) waits for a byte; returns 0 at the end of the input.
        self.read_byte = sys.stdin.buffer.readinto
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._output = sys.stdout.buffer
        self._start = time.time_ns()

    def waiting(self):
        """Whether read_byte() would not have to wait."""
        for _ in self._poll.ipoll(0):
            return True
        return False

    def write(self, data):
        """Send bytes, as they are."""
        self._output.write(data)

    def timestamp(self):
        """Tell the runner the time. ticks_us() would not do: it wraps after minutes."""
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
        """Wait for a byte; there is no end."""
        while not self._uart.readinto(buffer):
            pass
        return 1

    def waiting(self):
        """Whether read_byte() would not have to wait."""
        return self._uart.any() > 0

    def write(self, data):
        """Send bytes, as they are; waits for room, where the UART's own write() would give up."""
        left = memoryview(data)
        while len(left):
            left = left[self._uart.write(left) or 0 :]

    def timestamp(self):
        """Pull the pin low for a moment."""
        self._pin.value(0)
        time.sleep_ms(_LOW_MS)
        self._pin.value(1)
