# tflm_tools: board: monitor: what a board prints once firmware has been put on it
# MIT license; Copyright (c) 2026 the tflm authors

import time
from contextlib import suppress

from ..errors import DeviceError
from .ports import missing_package, resolve

_BAUD = 115200
_BACK_SECONDS = 15  # that a board with USB of its own has to be there again


# A board's serial port; the one of a chip with USB of its own goes away when that is reset.
def _opened(port):
    try:
        from serial import SerialException, serial_for_url
    except ImportError:
        raise missing_package("pyserial") from None
    end = time.monotonic() + _BACK_SECONDS
    while True:
        try:
            return serial_for_url(resolve(port), _BAUD, timeout=0.2)
        except (DeviceError, SerialException, OSError) as error:
            if time.monotonic() > end:
                raise DeviceError(
                    f"the board did not come back ({error}); unplug it, plug it in again, and "
                    "look with: tflm doctor",
                    "absent",
                ) from None
            time.sleep(0.2)


# Pull the line that resets most ESP boards, so that nothing of what it prints is missed.
def _reset(serial):
    with suppress(OSError):  # a pty, or a converter without that line
        serial.dtr = False
        serial.rts = True
        time.sleep(0.1)
        serial.rts = False


def monitor(port, write):
    """Hand what the board at a port prints to write(bytes), until that or Ctrl-C ends it.

    port: as in Link. Raises DeviceError when the port is lost.
    """
    with _opened(port) as serial:
        _reset(serial)
        try:
            while True:
                write(serial.read(serial.in_waiting or 1))
        except (OSError, TypeError):  # pyserial has a closed port's descriptor as None
            raise DeviceError(
                f"the board at {serial.port} is gone; plug it in again", "lost"
            ) from None
