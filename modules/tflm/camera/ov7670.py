# tflm.camera: OV7670: OmniVision's camera without FIFO, with eight wires of data.
# MIT license; Copyright (c) 2026 the tflm authors

import time

from ..errors import InputError
from .frames import Frames

_ADDRESS = 0x21
_PRODUCT = 0x0A
_MODEL = 0x76
_SENSOR = 160, 120  # columns and lines of 640x480 after scaling 4:1
_CLOCK_HZ = 10_000_000  # of XCLK; a pixel has four periods

# Registers and values: QQVGA as in the implementation guide, brightness and colour alternating.
_SETTINGS = (
    b"\x11\x00"  # CLKRC: the clock undivided
    b"\x3a\x04\x3d\x88"  # TSLB, COM13: brightness before colour
    b"\x12\x00"  # COM7: brightness and colour, scaled as follows
    b"\x0c\x04\x3e\x1a\x72\x22\x73\xf2"  # COM3, COM14, DCW: a quarter of the columns and lines
    b"\x17\x16\x18\x04\x32\xa4"  # HSTART, HSTOP, HREF: which columns
    b"\x19\x02\x1a\x7a\x03\x0a"  # VSTART, VSTOP, VREF: which lines
    b"\x15\x20"  # COM10: no clock between lines
    b"\x40\xc0"  # COM15: 0 to 255
)


class OV7670(Frames):
    """Grey pictures of an OV7670: the middle of its frame, each pixel of 4x4.

    i2c: a machine.I2C of 100 kHz. data: number of the pin at D0; D1 to D7 are at the next pins.
    pclk, href, vsync, xclk: numbers of the other pins; xclk: None if the clock is not the board's.
    size: (width, height), up to (158, 118). signed: pixels for an int8 input. state_machine: a
    free one, 0 to 7. Raises InputError for invalid arguments, and if no such camera answers.
    """

    def __init__(
        self, i2c, data=6, pclk=14, href=15, vsync=16, xclk=17, size=(96, 96), signed=True,
        state_machine=0, address=_ADDRESS,
    ):  # fmt: skip
        self._clock = None
        if xclk is not None:
            import machine

            self._clock = machine.PWM(machine.Pin(xclk), freq=_CLOCK_HZ, duty_u16=32768)
        try:
            _set_up(i2c, address)
        except OSError:
            raise InputError(
                "no OV7670 answers at the address 0x%02x of the I2C bus; check its wires, its "
                "clock, and that RESET is at 3.3 V and PWDN at ground" % address
            )
        super().__init__(size, _SENSOR, False, 0, (data, pclk, href, vsync), state_machine, signed)

    def close(self):
        """Stop the state machine and the clock, release the DMA channel."""
        super().close()
        if self._clock is not None:
            self._clock.deinit()


# Check and set up the camera; it then streams frames. Its bus needs a stop between writing the
# number of a register and reading the register.
def _set_up(i2c, address):
    i2c.writeto(address, b"\x12\x80")  # reset
    time.sleep_ms(10)
    i2c.writeto(address, bytes((_PRODUCT,)))
    model = i2c.readfrom(address, 1)[0]
    if model != _MODEL:
        raise InputError(
            "the camera at the address 0x%02x is 0x%02x, no OV7670; use the class of that camera"
            % (address, model)
        )
    for i in range(0, len(_SETTINGS), 2):
        i2c.writeto(address, _SETTINGS[i : i + 2])
