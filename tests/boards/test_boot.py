# Tests that firmware boots: the digits app on a Pico and on qemu's boards, faults, the REPL
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import subprocess
import sys

import numpy as np
import pytest
import toolchain
from host.conftest import build_layers
from session import BoardGone, Session
from terminal import listen
from tflm.micropython_port import ARCHS
from tflm.version import __version__
from tflm_tools.board import profiles, romfs_image
from tflm_tools.check import oracle
from tflm_tools.flat.flatten import flatten
from tflm_tools.model import arrays
from tflm_tools.model.model_file import open_model

QEMU = ["QEMU_M0", "QEMU_M3", "QEMU_RV32", "QEMU_XTENSA"]


# Return TFLM's outputs for the images of the digits app.
def _wanted(repository):
    model = open_model(repository / "models" / "digits" / "digits_int8.tflite")
    images = (repository / "firmware" / "apps" / "digits" / "rom" / "images").read_bytes()
    runs = []
    for pixels in np.frombuffer(images, np.uint8).reshape(-1, 1, 8, 8, 1):
        runs.append([arrays.quantize(pixels.astype(np.float32), model.inputs[0])])
    return [int(np.argmax(run[0])) for run in oracle.run(model.data, runs).outputs]


# After power-on the app prints digits and blinks. Ctrl-C leads to the prompt.
@pytest.mark.quick_boards
def test_digits_on_a_pico(emulated, repository):
    board = emulated("RPI_PICO", app="digits", led=True, fast=True)
    wanted = _wanted(repository)
    said = listen(board, r"this is \d", len(wanted))
    assert [int(digit) for digit in re.findall(r"this is (\d)", said)][: len(wanted)] == wanted
    assert board.log.count("led on") >= sum(wanted[:-1])
    port = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
    os.write(port, b"\x03")
    os.close(port)
    assert "stopped" in listen(board, r">>> ")


# A Cortex-M0+ misreads constants of machine code that is not aligned to 4 bytes.
@pytest.mark.quick_boards
def test_machine_code_is_aligned(firmware):
    built = firmware("RPI_PICO", app="digits")
    command = [toolchain.have("arm-none-eabi-nm"), built.elf]
    symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^(\w+) . fun_data_tflm\w*_dot_py\d*$", symbols, re.M)
    assert len(found) > 200
    assert {int(address, 16) % 4 for address in found} == {0}


# The largest apps fit; objects is the largest one that reads .tflite files, too.
@pytest.mark.quick_boards
@pytest.mark.parametrize("app", ["mlperf_tiny", "wake", "objects"])
def test_every_app_fits(firmware, app):
    built = firmware("RPI_PICO", app=app)
    _, size = profiles.named("RPI_PICO").tflm.firmware
    assert built.bin.stat().st_size <= size - 4000


# The heap of the Pico's profile, which `tflm inspect` and other commands use, is right.
def test_heap_after_boot(emulated):
    with Session(emulated("RPI_PICO", fast=True)) as session:
        free = int(session.exec("import gc; gc.collect(); print(gc.mem_free())"))
    firmware = profiles.named("RPI_PICO").tflm
    assert firmware.heap <= free < firmware.heap + 4096


# The images are from the test set of the digits, one of each class.
def test_images_of_the_digits_app(repository):
    with np.load(repository / "models" / "digits" / "digits_test.npz") as file:
        x, y = file["x"].astype(np.uint8).reshape(-1, 64), file["y"]
    images = (repository / "firmware" / "apps" / "digits" / "rom" / "images").read_bytes()
    for digit in range(10):
        assert images[digit * 64 : digit * 64 + 64] == x[np.flatnonzero(y == digit)[0]].tobytes()


# On other cores, the same model in ROM equals TFLM bit for bit.
@pytest.mark.parametrize("board", QEMU)
def test_digits(board, emulated, repository, tmp_path):
    assert _digits(emulated, board, repository, tmp_path) == _wanted(repository)


_CLASSIFY = """
import tflm
interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
interpreter.allocate_tensors()
with open("/rom/images", "rb") as file:
    images = file.read()
for start in range(0, len(images), 64):
    interpreter.input(0).quantize(images[start : start + 64])
    interpreter.invoke()
    values = interpreter.output(0).dequantize()
    print(values.index(max(values)))
"""


def _digits(emulated, board, repository, tmp_path):
    tflite = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    images = (repository / "firmware" / "apps" / "digits" / "rom" / "images").read_bytes()
    model = flatten(tflite, target=profiles.named(board).target)
    path = tmp_path / "romfs.img"
    path.write_bytes(romfs_image.image({"model.tflm": model, "images": images}))
    with Session(emulated(board, romfs=path)) as session:
        return [int(line) for line in session.exec(_CLASSIFY).split()]


# Unaligned access stops these real chips, so it must stop the emulated ones.
_UNALIGNED = """
@micropython.viper
def read(p: ptr32) -> int:
    return p[0]

import uctypes
buffer = bytearray(16)
print(read(uctypes.addressof(buffer) + 1))
"""


@pytest.mark.parametrize("board", ["RPI_PICO", "QEMU_M0", "QEMU_XTENSA"])
def test_unaligned_access_is_fatal(board, emulated):
    with Session(emulated(board)) as session:
        assert session.exec(_UNALIGNED.replace("+ 1", "+ 4")).strip() == "0"
        # The Xtensa stops without a message.
        with pytest.raises(BoardGone, match="fault|HardFault" if "XTENSA" not in board else None):
            session.exec(_UNALIGNED, timeout=20)


# The command `mpremote` works with the emulated boards.
@pytest.mark.parametrize("board", ["RPI_PICO", *QEMU])
def test_repl_through_mpremote(board, emulated):
    port = emulated(board).port
    command = [sys.executable, "-m", "mpremote", "connect", port, "exec"]
    code = "import sys, tflm; print(tflm.__version__, sys.implementation._mpy >> 10 & 15)"
    answer = subprocess.run([*command, code], capture_output=True, text=True, timeout=120)
    assert answer.returncode == 0, answer.stderr
    version, arch = answer.stdout.split()
    assert version == __version__
    assert ARCHS[int(arch)] == profiles.named(board).arch


# Files on a Pico outlast a reset and a power cut.
def test_files_on_a_pico(emulated, tmp_path):
    flash = tmp_path / "flash.bin"
    board = emulated("RPI_PICO", flash=flash)
    with Session(board) as session:
        session.exec("with open('note', 'w') as file: file.write('kept' * 500)")
    board.stop()
    with Session(emulated("RPI_PICO", flash=flash)) as session:
        assert session.exec("print(open('note').read() == 'kept' * 500)").strip() == "True"


# Firmware for 16 MB of flash reads a model of more than 2 MB in place.
def test_large_flash(firmware, tmp_path):
    import emulators

    path, flash = tmp_path / "large.tflite", tmp_path / "flash.bin"
    path.write_bytes(build_layers(1024, 1024, 1024, 32))
    image = firmware("RPI_PICO", model=path, flash_mb=16).image
    code = """
import tflm
interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
interpreter.input(0).raw[:] = bytes(1024)
interpreter.invoke()
print(list(interpreter.output(0).data))
"""
    wanted = oracle.run(path.read_bytes(), [[np.zeros((1, 1024), np.int8)]]).outputs[0][0]
    for _ in range(2):  # the second time from the flash that the first one stored
        board = emulators.start("RPI_PICO", image, flash=flash, fast=True)
        with board, Session(board) as session:
            assert session.exec(code).strip() == str(wanted.reshape(-1).tolist())
        assert flash.stat().st_size > 2 << 20


# The second core runs in parallel.
def test_second_core_of_a_pico(emulated):
    code = """
import _thread, time
seen = []
_thread.start_new_thread(lambda: seen.append(time.ticks_ms()), ())
while not seen:
    pass
print("seen")
"""
    with Session(emulated("RPI_PICO")) as session:
        assert "seen" in session.exec(code, timeout=30)
