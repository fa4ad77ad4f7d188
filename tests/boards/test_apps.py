# Tests of the apps of firmware/apps on emulated boards from power-on (digits: also test_boot.py)
# MIT license; Copyright (c) 2026 the tflm authors

import math
import os
import re

import pytest
from on_pico import with_romfs
from session import Session
from terminal import listen
from tflm_tools.board import profiles, romfs_image
from tflm_tools.flat.flatten import flatten


# Return start(app, model, **options): a Pico that runs an app at boot, with the model in ROMFS.
# The app is a file there, because building firmware with a frozen app takes a minute.
@pytest.fixture
def start(firmware, repository, tmp_path):
    import emulators

    boards = []

    def begin(app, model, **options):
        flat = flatten((repository / "models" / model).read_bytes(), target="armv6m")
        contents = romfs_image.image({"model.tflm": flat})
        image = with_romfs(firmware("RPI_PICO"), contents, tmp_path / "firmware.uf2")
        board = emulators.start("RPI_PICO", image, fast=True, **options)
        boards.append(board)
        code = (repository / "firmware" / "apps" / app / "main.py").read_text()
        with Session(board) as session:
            session.exec(f"with open('main.py', 'w') as file: file.write({code!r})")
        write(board, b"\x04")
        return board

    yield begin
    for board in boards:
        board.stop()


def write(board, data):
    port = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
    os.write(port, data)
    os.close(port)


# The app prints the sine and dims the LED by PWM. Ctrl-C leads to the prompt.
def test_hello_world(start):
    board = start("hello_world", "hello_world/hello_world_int8.tflite")
    said = listen(board, r"x \d.*\n", 50)
    points = re.findall(r"x (\d\.\d+)  sine +(-?\d\.\d+)", said)
    assert len(points) >= 49
    for x, y in points:
        assert abs(math.sin(float(x)) - float(y)) < 0.12
    write(board, b"\x03")
    assert "stopped" in listen(board, r">>> ")
    # Registers of the LED's PWM: it is enabled, and its level is below its top.
    code = "for i in (0, 12, 16): print('PWM', machine.mem32[0x40050050 + i] & 0xFFFFFFFF)"
    write(board, f"{code}\r\r".encode())
    said = listen(board, r"PWM \d+\n", 3)
    enabled, level, top = (int(word) for word in re.findall(r"PWM (\d+)\n", said))
    assert enabled & 1 and 0 <= level >> 16 <= top + 1 and top > 1000


def test_bench(start):
    said = listen(start("bench", "digits/digits_int8.tflite"), r"load: \d+ us; .*\n")
    rows = re.findall(r"^ +\d+  \w+ +\w+\.\w+ +(\d+) +(\d+) +\d+\.\d%", said, re.M)
    invoke = int(re.search(r"invoke: (\d+) us", said)[1])
    assert len(rows) == 9  # RESHAPE has no step
    assert sum(int(us) for us, _ in rows) == pytest.approx(invoke, abs=len(rows))
    assert all(int(cycles) == 125 * int(us) for us, cycles in rows)


# The app also runs on boards of qemu, without clock and pins.
def test_digits_in_qemu(emulated):
    board = emulated("QEMU_M3", app="digits")
    said = listen(board, r"this is \d", 10)
    assert re.findall(r"this is (\d)", said)[:10] == list("0123456789")
    write(board, b"\x03")
    assert "stopped" in listen(board, r">>> ")
    with Session(board) as session:
        code = "import time\nbegin = time.ticks_ms()\ntime.sleep_ms(70)\n"
        assert session.exec(f"{code}print(time.ticks_diff(time.ticks_ms(), begin))") == "70\n"


# A board that is turned off stops, and its written flash is kept.
def test_turned_off(firmware, tmp_path):
    import emulators

    flash = tmp_path / "flash.bin"
    board = emulators.start("RPI_PICO", firmware("RPI_PICO").image, flash=flash)
    with open(f"/proc/{board.process.pid}/exe", "rb") as program:
        assert program.read(4) == b"\x7fELF"
    with open(f"/proc/{board.process.pid}/task/{board.process.pid}/children") as children:
        assert children.read() == ""
    Session(board).close()  # it has booted
    board.stop()
    assert not os.path.exists(f"/proc/{board.process.pid}")
    assert flash.stat().st_size == profiles.named("RPI_PICO").flash_bytes


# The app writes a story; Enter begins the next one, Ctrl-C while it writes leads to the prompt.
def test_story(emulated):
    board = emulated("RPI_PICO", app="story", fast=True)
    said = listen(board, r"\d+ tokens in \d+\.\d s\. .*\n")
    assert "Every day" not in said and re.search(r"^(There once was|Once upon a time)", said, re.M)
    assert len(said) > 200 and "without the delegate" not in said  # weights are streamed
    write(board, b"\r")
    assert "tokens in" in listen(board, r"\d+ tokens in \d+\.\d s\. .*\n")
    write(board, b"\r")
    assert "tokens in" not in listen(board, r"[a-z]+ [a-z]+ [a-z]+ ")
    write(board, b"\x03")  # between two tokens
    said = listen(board, r">>> ")
    assert "stopped" in said and "tokens in" not in said
