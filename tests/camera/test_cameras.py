# Tests of tflm.camera: cameras of a simulated board
# MIT license; Copyright (c) 2026 the tflm authors

import textwrap
from pathlib import Path

from camera import boards
from tflm_tools.flat.flatten import flatten
from unit.on_device import device

_CAMERAS = """
    from tflm.camera.hm01b0 import HM01B0
    from tflm.camera.ov7670 import OV7670

    Board.answers = b"\\x01\\xb0"
    i2c = I2C()
    camera = HM01B0(i2c, size=(4, 3), state_machine=6)
    assert i2c.written[0] == (0x0100, 0) and i2c.written[-1] == (0x0100, 1)
    assert {(0x3059, 0x22), (0x0390, 3), (0x3010, 1)} <= set(i2c.written)
    Board.frame = bytes([0, 1, 127, 128, 129, 255, 7, 8, 9, 10, 11, 12])
    picture = bytearray(12)
    camera.capture_into(picture)
    print(list(picture), Board.given)
    give, row = camera.rows(), bytearray(4)
    for _ in range(3):
        give(row)
    print(list(row))
    for wrong in (row, bytearray(5)):
        print(raises(InputError, give, wrong))
    print(raises(InputError, camera.capture_into, row))
    print(Board.made)
    # A model, by rows and at once.
    digits = HM01B0(i2c, size=(8, 8))
    Board.frame = bytes([i * 37 & 255 for i in range(64)])
    found = []
    for path in PATHS:
        interp = tflm.Interpreter(tflm.load(path))
        interp.invoke(digits.rows())
        found.append(bytes(interp.output(0).raw))
    digits.capture_into(interp.input(0).data)
    interp.invoke()
    print(found == [bytes(interp.output(0).raw)] * 2, len(set(found[0])) > 2)
    del Board.made[:]
    Board.frame = b""
    print(raises(InputError, camera.capture_into, picture), Board.now >= 1000)
    camera.close()
    print(Board.made)
    del Board.made[:]

    Board.answers, Board.frame = b"\\x76", bytes(12)
    i2c = I2C()
    camera = OV7670(i2c, size=(4, 3), signed=False, state_machine=1)
    print(i2c.written[:3], len(i2c.written))
    camera.capture_into(picture)
    print(list(picture) == [0] * 12, Board.given)
    camera.close()
    print(Board.made)

"""

_WRONG = """
    ANSWERS = {HM01B0: b"\\x01\\xb0", OV7670: b"\\x76"}
    for make, options in (
        (HM01B0, {"size": 96}), (HM01B0, {"size": (161, 96)}), (OV7670, {"size": (96, 119)}),
        (HM01B0, {"size": (96.5, 96)}), (HM01B0, {"state_machine": 8}), (OV7670, {"pclk": 30}),
        (OV7670, {"data": 23}),
    ):
        Board.answers = ANSWERS[make]
        print(raises(InputError, make, i2c, **options))
    for Board.answers in (b"xx", b""):
        for make in ANSWERS:
            print(raises(InputError, make, i2c))
"""

_SAYS = """
    [128, 129, 255, 0, 1, 127, 135, 136, 137, 138, 139, 140] [58, 631, 31]
    [137, 138, 139, 140]
    the model reads rows that a picture of 4x3 does not have; use pictures of the input's size
    the model reads rows that a picture of 4x3 does not have; use pictures of the input's size
    the view has 4 elements, a picture of 4x3 has 12; pass one of that size
    [6, 14, 15, 16, 6, ('0x50300028', 14)]
    True True
    the camera sends no frame; check its wires and its pins True
    ['closed']
    [(18, 128), (10,), (17, 0)] 18
    True [57, 155, 3]
    [17, {'duty_u16': 32768, 'freq': 10000000}, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 6, ('0x50200024', 5), 'closed', 'no clock']
    a picture cannot have the size 96; pass (width, height) up to (160, 120)
    a picture cannot have the size (161, 96); pass (width, height) up to (160, 120)
    a picture cannot have the size (96, 119); pass (width, height) up to (158, 118)
    a picture cannot have the size (96.5, 96); pass (width, height) up to (160, 120)
    there is no state machine 8; pass 0 to 7
    there is no pin 30; pass GPIOs from 0 to 29
    there is no pin 23; pass GPIOs from 0 to 22
    the camera at the address 0x24 is 7878, no HM01B0; use the class of that camera
    the camera at the address 0x21 is 0x78, no OV7670; use the class of that camera
    no HM01B0 answers at the address 0x24 of the I2C bus; check its wires
    no OV7670 answers at the address 0x21 of the I2C bus; check its wires, its clock, and that RESET is at 3.3 V and PWDN at ground
"""  # noqa: E501


def test_cameras(repository, tmp_path):
    model = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    paths = []
    for by_rows in (True, False):
        paths.append(str(tmp_path / f"{by_rows}.tflm"))
        Path(paths[-1]).write_bytes(flatten(model, by_rows=by_rows))
    code = boards.SOURCE + textwrap.dedent(_CAMERAS) + textwrap.dedent(_WRONG)
    lines = device(code, PATHS=paths)
    assert lines == textwrap.dedent(_SAYS).strip().splitlines()
