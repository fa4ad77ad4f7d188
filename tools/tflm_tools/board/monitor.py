# tflm_tools: board: shows the output of a board after a reset, for `tflm flash --monitor`
# MIT license; Copyright (c) 2026 the tflm authors

import time
from contextlib import suppress

from ..errors import DeviceError
from .ports import missing_package, resolve

_BAUD = 115200
_RESTART_SECONDS = 15  # limit for a board whose chip has native USB to appear again


# Open a board's serial port. The port of a chip with native USB disappears while it resets.
def _open(port):
    try:
        from serial import SerialException, serial_for_url
    except ImportError:
        raise missing_package("pyserial") from None
    end = time.monotonic() + _RESTART_SECONDS
    while True:
        try:
            return serial_for_url(resolve(port), _BAUD, timeout=0.2)
        except (DeviceError, SerialException, OSError) as error:
            if time.monotonic() > end:
                raise DeviceError(
                    f"the board did not reappear ({error}); unplug it, plug it in again, and "
                    "check it with: tflm doctor",
                    "absent",
                ) from None
            time.sleep(0.2)


# Reset the board by the line that most ESP boards use, so that its output is complete.
def _reset(serial):
    with suppress(OSError):  # a pty, or a converter without that line
        serial.dtr = False
        serial.rts = True
        time.sleep(0.1)
        serial.rts = False


def monitor(port, write):
    """Pass the output of the board at a port to write(bytes) until write() or Ctrl-C raises.

    port: as for Link. Raises DeviceError when the port is lost.
    """
    with _open(port) as serial:
        _reset(serial)
        try:
            while True:
                write(serial.read(serial.in_waiting or 1))
        except (OSError, TypeError):  # TypeError: a closed port's descriptor is None in pyserial
            raise DeviceError(
                f"the board at {serial.port} was unplugged; plug it in again", "lost"
            ) from None
