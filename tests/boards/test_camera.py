# Tests of tflm.camera and its apps on an emulated Pico with cameras at its pins
# MIT license; Copyright (c) 2026 the tflm authors

import json
import re

import numpy as np
import pytest
import tflm_tools as tt
from PIL import Image
from session import Session
from terminal import listen
from tflm_tools.check import oracle

_PINS = 6, 14, 15, 16  # data, pclk, hsync, vsync: defaults of the classes
_SENSORS = {"hm01b0": (244, 324, 2), "ov7670": (480, 640, 4)}  # lines, columns, binning

# Prints checksums of pictures, captured without heap allocation. The last picture is read by rows.
_CAPTURE = """
import json, machine, micropython, time
from binascii import crc32
from tflm.camera import %s as driver

i2c = machine.I2C(0, sda=machine.Pin(4), scl=machine.Pin(5), freq=%d)
camera = driver.%s(i2c, size=%r, state_machine=5)
picture = bytearray(camera.width * camera.height)
checks, times = [], []
camera.capture_into(picture)
checks.append(crc32(picture))
begin = time.ticks_ms()
micropython.heap_lock()
camera.capture_into(picture)
micropython.heap_unlock()
times.append(time.ticks_diff(time.ticks_ms(), begin))
checks.append(crc32(picture))
give = camera.rows()
for y in range(camera.height):
    give(memoryview(picture)[y * camera.width : (y + 1) * camera.width])
checks.append(crc32(picture))
camera.close()
print(json.dumps([checks, times]))
"""


# Return the picture (uint8) that a camera makes of a frame: the middle of the binned pixels.
def _seen(name, frame, size):
    step = _SENSORS[name][2]
    lines, columns = frame.shape[0] // step, frame.shape[1] // step
    means = frame.reshape(lines, step, columns, step).sum(axis=(1, 3)) // step**2
    top, left = (lines - size[1]) // 2, (columns - size[0]) // 2
    return means[top : top + size[1], left : left + size[0]].astype(np.uint8)


@pytest.fixture
def person_model(shared_models):
    return str(shared_models / "person_detect_int8.tflite")


@pytest.mark.parametrize("name, size", [("hm01b0", (96, 96)), ("ov7670", (96, 64))])
def test_pictures(emulated, person_model, tmp_path, name, size):
    from binascii import crc32

    lines, columns, _ = _SENSORS[name]
    frames = np.random.RandomState(3).randint(0, 256, (3, lines, columns)).astype(np.uint8)
    (tmp_path / "frames").write_bytes(frames.tobytes())
    camera = name, 0, *_PINS, tmp_path / "frames"
    board = emulated("RPI_PICO", app="person", model=person_model, fast=True, camera=camera)
    with Session(board) as session:
        code = _CAPTURE % (name, 100_000, name.upper(), size)
        checks, times = json.loads(session.exec(code))
    wanted = [crc32((_seen(name, frame, size) ^ 0x80).tobytes()) for frame in frames]
    print(times)
    assert checks == wanted


# Return a drawn figure before a wall, uint8 [96, 96], which the model classifies as a person.
def _figure():
    y, x = np.mgrid[:96, :96] / 96
    body = ((x - 0.35) / 0.1386) ** 2 + ((y - 0.376) / 0.144) ** 2 < 1
    head = ((x - 0.35) / 0.06) ** 2 + ((y - 0.16) / 0.078) ** 2 < 1
    picture = np.where(body, 55, 215 + 25 * y)
    picture = np.where(head, 85, picture)
    return np.where(head & (y < 0.13), 104, picture).astype(np.uint8)


# Return the frame of an HM01B0 that shows a picture: each pixel twice in both directions, centred.
def _frame_with(picture):
    frame = np.full((244, 324), 128, np.uint8)
    frame[26 : 26 + 192, 66 : 66 + 192] = np.repeat(np.repeat(picture, 2, axis=0), 2, axis=1)
    return frame


# From power-on, with waits for flash: the app prints the results of two pictures and sets the LED.
def test_app_equals_the_host(emulated, shared_models, tmp_path):
    nobody = np.random.RandomState(3).randint(0, 256, (96, 96)).astype(np.uint8)
    pictures = [nobody, _figure()]
    (tmp_path / "frames").write_bytes(np.stack([_frame_with(p) for p in pictures]).tobytes())
    model = shared_models / "person_detect_int8.tflite"
    board = emulated(
        "RPI_PICO", app="person", model=str(model), fast=True, led=True, xip=48,
        camera=("hm01b0", 0, *_PINS, tmp_path / "frames"),
    )  # fmt: skip
    said = listen(board, r"model \d+ ms\n", len(pictures)).splitlines()
    runs = [[(picture ^ 0x80).view(np.int8).reshape(1, 96, 96, 1)] for picture in pictures]
    scores = [outputs[0][0] for outputs in oracle.run(model.read_bytes(), runs).outputs]
    wanted = [
        f"{('no person', 'person')[each.argmax()]:10} {100 * (int(each.max()) + 128) / 256:3.0f} %"
        for each in scores
    ]
    assert [line.partition(",")[0] for line in said[:2]] == wanted
    assert [line.split()[0] for line in wanted] == ["no", "person"]
    assert len(re.findall("led on", board.log)) == 1
    print(said[1])
    assert sum(map(int, re.findall(r"(\d+) ms", said[1]))) <= 400


# The app prints the boxes that `tflm run --detect` finds, and draws them.
def test_boxes_equal_the_host(emulated, repository, tmp_path):
    shapes = repository / "models" / "shapes"
    with Image.open(shapes / "example.png") as image:
        picture = np.asarray(image)
    (tmp_path / "frames").write_bytes(_frame_with(picture).tobytes())
    board = emulated(
        "RPI_PICO", app="objects", fast=True, led=True, xip=48,
        camera=("hm01b0", 0, *_PINS, tmp_path / "frames"),
    )  # fmt: skip
    said = listen(board, r"boxes [\d.]+ ms\n", 2)
    found = tt.run(shapes / "shapes_int8.tflite", shapes / "example.png", detect="fomo").detections
    wanted = [
        (each.label, f"{100 * each.score:.0f}", each.x, each.y, each.width, each.height)
        for each in found
    ]
    assert len(wanted) == 3
    first = said.split(" objects, ")[0]
    printed = re.findall(r"(\w+) +(\d+) % at (\d+), (\d+), (\d+) x (\d+) pixels", first)
    assert printed == [tuple(map(str, row)) for row in wanted]
    sketch = [line for line in first.splitlines() if re.fullmatch(r"[.cst]{48}", line)]
    assert len(sketch) == 24
    for label, _, x, y, width, height in wanted:
        box = [line[x // 2 : (x + width) // 2] for line in sketch[y // 4 : (y + height) // 4]]
        edges = box[0] + box[-1] + "".join(line[0] + line[-1] for line in box)
        assert set(edges) == {label[0]}
        assert "".join(sketch).count(label[0]) == len(edges) - 4
    assert "led on" in board.log
    print(said.splitlines()[-1])
