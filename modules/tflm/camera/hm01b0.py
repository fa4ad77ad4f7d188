# tflm.camera: HM01B0: Himax's grey low-power camera, with one wire of data.
# MIT license; Copyright (c) 2026 the tflm authors

import time

from ..errors import InputError
from .frames import Frames

_ADDRESS = 0x24
_MODEL = b"\x01\xb0"
_SENSOR = 162, 122  # columns and lines of 324x244 after binning 2x2

_MODE = 0x0100
_RESET = 0x0103
# (register, value): standby and reset first, then the format of a frame with one wire of data.
_SETTINGS = (
    (_MODE, 0),
    (_RESET, 0),
    (0x3010, 0x01),  # 244 lines, not 324
    (0x0383, 0x03),  # bin columns 2:1
    (0x0387, 0x03),  # bin lines 2:1
    (0x0390, 0x03),  # use means
    (0x0340, 0x00),  # lines of a frame with its dark lines: 132
    (0x0341, 0x84),
    (0x0342, 0x01),  # pixels of a line with the pause: 376
    (0x0343, 0x78),
    (0x2100, 0x01),  # automatic exposure
    (0x2105, 0x00),  # of 130 lines at most
    (0x2106, 0x82),
    (0x3059, 0x22),  # one wire
    (0x3060, 0x30),  # the highest bit first; its clock runs while there are pixels
    (0x0104, 0x01),  # use these settings
    (_MODE, 1),  # stream frames
)


class HM01B0(Frames):
    """Grey pictures of an HM01B0: the middle of its frame, each pixel the mean of 2x2.

    i2c: a machine.I2C. data, pclk, hsync, vsync: numbers of the pins at D0, PCLKO, LVLD and FVLD.
    size: (width, height), up to (160, 120). signed: pixels for an int8 input. state_machine: a
    free one, 0 to 7. MCLK is the camera's own or the board's. Raises InputError for invalid
    arguments, and if no such camera answers.
    """

    def __init__(
        self, i2c, data=6, pclk=14, hsync=15, vsync=16, size=(96, 96), signed=True,
        state_machine=0, address=_ADDRESS,
    ):  # fmt: skip
        try:
            _set_up(i2c, address)
        except OSError:
            raise InputError(
                "no HM01B0 answers at the address 0x%02x of the I2C bus; check its wires" % address
            )
        super().__init__(size, _SENSOR, True, 1, (data, pclk, hsync, vsync), state_machine, signed)


# Check and set up the camera; it then streams frames.
def _set_up(i2c, address):
    model = i2c.readfrom_mem(address, 0, 2, addrsize=16)
    if model != _MODEL:
        raise InputError(
            "the camera at the address 0x%02x is %s, no HM01B0; use the class of that camera"
            % (address, model.hex())
        )
    for register, value in _SETTINGS:
        i2c.writeto_mem(address, register, bytes((value,)), addrsize=16)
        if register == _RESET:
            time.sleep_ms(10)
