# Tests of `tflm flash`: UF2 images on a drive, and esptool with a mock of the boot loader
# MIT license; Copyright (c) 2026 the tflm authors

import os
import pty
import random
import struct
import subprocess
import sys
import threading
import time
import tty
from contextlib import contextmanager

import pytest
from support.standin import Board
from tflm_tools.board import flash as flash_file
from tflm_tools.board import monitor as monitor_file
from tflm_tools.board import profiles, uf2
from tflm_tools.board.flash import flash
from tflm_tools.board.monitor import monitor
from tflm_tools.errors import DeviceError, ToolError

_CHIP_IDS = {
    "ESP32_GENERIC": 0,
    "ESP32_GENERIC_S2": 2,
    "ESP32_GENERIC_C3": 5,
    "ESP32_GENERIC_S3": 9,
    "ESP32_GENERIC_C6": 13,
}


# A UF2 image of random bytes for a family.
def uf2_image(family, size=2048, seed=1):
    data, blocks = random.Random(seed).randbytes(size), []
    for i in range(0, size, 256):
        head = struct.pack(
            "<8I", 0x0A324655, 0x9E5D5157, 0x2000, 0x10000000 + i, 256, i // 256, size // 256,
            family,
        )  # fmt: skip
        blocks.append((head + data[i : i + 256]).ljust(508, b"\0") + struct.pack("<I", 0x0AB16F30))
    return b"".join(blocks)


# A folder that looks like the drive of a boot loader.
@pytest.fixture
def drive(tmp_path):
    folder = tmp_path / "RPI-RP2"
    folder.mkdir()
    (folder / "INFO_UF2.TXT").write_text(
        "UF2 Bootloader v2.0\nModel: Raspberry Pi RP2\nBoard-ID: RPI-RP2\n"
    )
    return folder


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "firmware.uf2"
    path.write_bytes(uf2_image(profiles.named("RPI_PICO").flashing["family"]))
    return path


def test_uf2_to_a_drive(drive, image):
    seen = []
    done = flash("RPI_PICO", image=image, volume=drive, progress=lambda *n: seen.append(n))
    assert (drive / "firmware.uf2").read_bytes() == image.read_bytes()
    assert done.verified == "the file on the drive has the same bytes"
    assert seen[-1] == (done.bytes, done.bytes) == (image.stat().st_size,) * 2


def test_flash_finds_the_drive(drive, image, monkeypatch):
    monkeypatch.setattr(uf2, "_MOUNTS", (str(drive.parent / "{}"),))
    assert flash("RPI_PICO", image=image).where == str(drive)


def test_flash_refuses_wrong_images(drive, image, tmp_path):
    other = tmp_path / "pico2.uf2"
    other.write_bytes(uf2_image(profiles.named("RPI_PICO2").flashing["family"]))
    damaged = tmp_path / "damaged.uf2"
    damaged.write_bytes(image.read_bytes()[:700] + bytes(512) + image.read_bytes()[1212:])
    text = tmp_path / "text.uf2"
    text.write_text("no image")
    for path, words in [
        (other, "is for another chip"),
        (damaged, "is damaged at byte"),
        (text, "is not a UF2 image"),
        (tmp_path / "none.uf2", "cannot read"),
    ]:
        with pytest.raises(ToolError, match=words):
            flash("RPI_PICO", image=path, volume=drive)
    assert [path.name for path in drive.iterdir()] == ["INFO_UF2.TXT"]


def test_flash_refuses_wrong_drives(drive, image, tmp_path):
    with pytest.raises(DeviceError, match="is not a boot loader's drive"):
        flash("RPI_PICO", image=image, volume=tmp_path)
    (drive / "INFO_UF2.TXT").write_text("Model: other\nBoard-ID: RP2350\n")
    with pytest.raises(DeviceError, match=r"another board \(Board-ID: RP2350\), not RPI-RP2"):
        flash("RPI_PICO", image=image, volume=drive)
    assert not (drive / "firmware.uf2").exists()


def test_errors_without_an_image_or_a_board(tmp_path, image, monkeypatch):
    monkeypatch.setattr(flash_file, "_BUILD", tmp_path)
    with pytest.raises(ToolError, match="make firmware BOARD=RPI_PICO"):
        flash("RPI_PICO")
    with pytest.raises(ToolError, match="there is no board PICO"):
        flash("PICO", image=image)
    with pytest.raises(ToolError, match="make emulate BOARD=QEMU_M3"):
        flash("QEMU_M3", image=image)
    monkeypatch.setattr(flash_file, "resolve", _absent)
    with pytest.raises(DeviceError, match="hold BOOTSEL"):
        flash("RPI_PICO", image=image)


def _absent(port):
    raise DeviceError("none", "absent")


# flash starts the boot loader of a board that runs MicroPython, if it is the right board.
def test_flash_starts_the_boot_loader(tmp_path, drive, image, monkeypatch):
    monkeypatch.setattr(uf2, "_MOUNTS", (str(tmp_path / "mounted" / "{}"),))
    with Board(tmp_path / "board") as board, pytest.raises(DeviceError, match="is a linux"):
        flash("RPI_PICO", board.port, image)
    (tmp_path / "mounted").mkdir()
    special = (
        "import sys, os\n"
        "class Machine:\n"
        "    def bootloader(self):\n"
        f"        os.rename({str(drive)!r}, {str(tmp_path / 'mounted' / 'RPI-RP2')!r})\n"
        "sys.modules['machine'] = Machine()\n"
    )
    monkeypatch.setattr(flash_file, "check_board", lambda facts, board: None)
    with Board(tmp_path / "other", special=special) as board:
        done = flash("RPI_PICO", board.port, image)
    assert done.where.endswith("mounted/RPI-RP2") and done.verified


# The mock has short time limits: 50 ms for each word of esptool while it sends flash,
# and 3 s after a write until it forgets that the stub runs. Both are too short on a busy machine.
_MOCK = """
import sys
from esp32_mock_bootloader import cli, server
assert (server._CLIENT_RECV_TIMEOUT, server._FLASH_END_IDLE_SEC) == (0.05, 3.0)
server._CLIENT_RECV_TIMEOUT, server._FLASH_END_IDLE_SEC = 5.0, 1e9
sys.exit(cli.main())
"""


# A mock of an ESP chip's boot loader on a pty; yields its port.
@contextmanager
def mock_boot_loader(chip, folder):
    file = folder / f"{chip}.port"
    command = [sys.executable, "-c", _MOCK, "run", "--pty", "--chip", chip]
    process = subprocess.Popen(
        [*command, "--port-file", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + 20
        while time.monotonic() < end and not (file.exists() and file.read_text().strip()):
            time.sleep(0.05)
        yield file.read_text().strip()
    finally:
        process.terminate()
        process.wait(10)


def esp_image(board, size=40000):
    head = bytes([0xE9, 1, 2, 0x20]) + bytes(8) + struct.pack("<H", _CHIP_IDS[board])
    return head.ljust(24, b"\0") + random.Random(2).randbytes(size)


@pytest.mark.parametrize("board", list(_CHIP_IDS))
def test_flash_with_esptool(board, tmp_path):
    table = profiles.named(board).flashing
    path = tmp_path / "firmware.bin"
    path.write_bytes(esp_image(board))
    seen = []
    with mock_boot_loader(table["chip"], tmp_path) as port:
        done = flash(board, port, path, progress=lambda *n: seen.append(n))
        assert "compared" in done.verified and seen[-1] == (100, 100)
        back = tmp_path / "back.bin"
        command = [sys.executable, "-m", "esptool", "--chip", table["chip"], "--port", port,
                   "--after", "no-reset", "read-flash",
                   hex(table["offset"]), str(done.bytes), str(back)]  # fmt: skip
        read = subprocess.run(command, capture_output=True, text=True)
        assert read.returncode == 0, read.stdout + read.stderr
    assert back.read_bytes() == path.read_bytes()


# monitor() passes the port's output to a function until the board is unplugged.
def test_monitor():
    board, port = pty.openpty()
    tty.setraw(port)
    output = []

    def print_until_read():
        while not output:
            os.write(board, b"ready\r\n")
            time.sleep(0.05)
        os.close(board)

    threading.Thread(target=print_until_read, daemon=True).start()
    with pytest.raises(DeviceError, match="was unplugged; plug it in"):
        monitor(os.ttyname(port), lambda data: output.append(data) if data else None)
    os.close(port)
    assert b"ready\r\n" in b"".join(output)


def test_flash_command_with_monitor(tflm, monkeypatch):
    def listen(port, write):
        write(f"{port} says >>> ".encode())
        raise KeyboardInterrupt

    done = flash_file.Flashing("ESP32_GENERIC", "firmware.bin", 1, "/dev/ttyUSB9", "compared")
    monkeypatch.setattr(flash_file, "flash", lambda *arguments, **options: done)
    monkeypatch.setattr(monitor_file, "monitor", listen)
    found = tflm("flash", "ESP32_GENERIC", "u9", "--monitor")
    assert found.code == 0 and "u9 says >>> " in found.out


def test_esptool_errors(tmp_path):
    path = tmp_path / "firmware.bin"
    path.write_bytes(esp_image("ESP32_GENERIC_S3"))
    with pytest.raises(ToolError, match="is for esp32s3, the board has esp32c3"):
        flash("ESP32_GENERIC_C3", "/dev/null", path)
    with (
        mock_boot_loader("esp32", tmp_path) as port,
        pytest.raises(DeviceError, match="esptool could not"),
    ):
        flash("ESP32_GENERIC_S3", port, path)
    path.write_bytes(b"\xe8" * 100)
    with pytest.raises(ToolError, match="is not an image for an ESP chip"):
        flash("ESP32_GENERIC", "/dev/null", path)
