# Tests of weights that an emulated Pico streams from flash: bytes, time, and conflicts
# MIT license; Copyright (c) 2026 the tflm authors

import time

import numpy as np
import pytest
from host.conftest import build_layers
from session import Session
from support.model_info import input_infos
from support.oracle import shared_oracle
from tflm_tools.board import profiles, romfs_image
from tflm_tools.flat.flatten import flatten

_NAME = "mlperf_ad01_int8"
_FLASH = 2 << 20

_SETUP = """
import gc, machine, micropython, rp2, time, tflm
from tflm.run.streaming import Streaming

STREAM_ADDR, STREAM_CTR, STREAM_FIFO = 0x14000014, 0x14000018, 0x1400001c


def make(kept=None):
    gc.collect()
    delegates = [] if kept is None else [Streaming(kept)]
    interp = tflm.Interpreter("/rom/model.tflm", delegates=delegates)
    interp.allocate_tensors()
    return interp


def run(interp):
    with open("/rom/inputs", "rb") as file:
        file.readinto(interp.input(0).raw)
    begin = time.ticks_us()
    micropython.heap_lock()
    interp.invoke()
    micropython.heap_unlock()
    spent = time.ticks_diff(time.ticks_us(), begin)
    return bytes(interp.output(0).raw).hex(), spent


def channels():
    taken = []
    try:
        while True:
            taken.append(rp2.DMA())
    except OSError:
        return taken


def free_channels():
    taken = channels()
    for channel in taken:
        channel.close()
    return len(taken)
"""


@pytest.fixture
def model(shared_models, request):
    """The bytes of a model: by default one whose weights are used as they are stored."""
    if hasattr(request, "param"):
        return build_layers(*request.param)
    return (shared_models / f"{_NAME}.tflite").read_bytes()


@pytest.fixture
def pico(emulated, model, tmp_path):
    """A Session on a Pico with the model in ROM, and the expected output."""
    values = np.random.default_rng(7).integers(-128, 128, input_infos(model)[0].shape, np.int8)
    flat = flatten(model, target=profiles.named("RPI_PICO").target, optimize="speed")
    image = romfs_image.image({"model.tflm": flat, "inputs": values.tobytes()})
    flash = bytearray(b"\xff" * _FLASH)
    begin = profiles.named("RPI_PICO").tflm.romfs[0]
    flash[begin : begin + len(image)] = image
    (tmp_path / "flash.bin").write_bytes(flash)
    board = emulated("RPI_PICO", flash=tmp_path / "flash.bin", fast=True, xip=48)
    with Session(board) as session:
        session.exec(_SETUP)
        yield session, shared_oracle().run(model, [[values]])[0][0].tobytes().hex()


# Streaming needs three quarters of the time without RAM for weights, little more than half of it
# with some.
def test_time_and_bytes(pico):
    session, wanted = pico
    lines = session.exec(
        "for kept in (None, 0, 90000):\n"
        "    interp = make(kept); run(interp); print(*run(interp)); interp.free()\n"
        "print(free_channels())"
    ).split()
    assert set(lines[:6:2]) == {wanted}
    plain, streamed, with_kept = map(int, lines[1:6:2])
    assert streamed / plain < 0.73 and with_kept / plain < 0.55
    assert lines[6] == "12"


# Weights that are widened to lanes before they are used: the depth is no multiple of 4.
@pytest.mark.parametrize("model", [(126, 510, 126, 8)], indirect=True)
def test_lanes(pico):
    session, wanted = pico
    lines = session.exec(
        "for kept in (0, 20000):\n"
        "    interp = make(kept); print(run(interp)[0], len(interp._program.graphs[0][0][1]))\n"
        "    interp.free()"
    ).splitlines()
    assert lines == [f"{wanted} 3"] * 2  # 3: the record is a job of Streaming


# Other users of the stream or of the DMA channels keep them, before and while a model streams. A
# stream that stops is given up. The outputs are right in each case.
def test_conflicts(pico):
    session, wanted = pico
    lines = session.exec(
        """
taken = channels(); interp = make(0); print(run(interp)[0])
for channel in taken: channel.close()
machine.mem32[STREAM_ADDR] = 0x10000000; machine.mem32[STREAM_CTR] = 100
interp = make(0); print(run(interp)[0])
machine.mem32[STREAM_CTR] = 0
interp = make(20000); print(interp.delegate_error)
machine.mem32[STREAM_CTR] = 100; print(run(interp)[0], machine.mem32[STREAM_CTR] > 90)
machine.mem32[STREAM_CTR] = 0
numbers = interp._program.graphs[0][0][1][2]
control = numbers[9]
numbers[9] = control & ~(63 << 15) | 36 << 15  # words come when the ADC has one
print(run(interp)[0], machine.mem32[STREAM_CTR])
numbers[9] = control
print(run(interp)[0])
interp.free(); print(free_channels())
"""
    ).splitlines()
    without = "tflm: the model runs without the delegate streaming: OSError: "
    assert lines[0].startswith(without) and lines[1] == wanted
    assert lines[2] == without + "another program reads the stream of the XIP block; end it"
    assert lines[3:] == [wanted, "None", f"{wanted} True", f"{wanted} 0", wanted, "12"]


# Between two invokes nothing is streamed, so Ctrl-C, writing files, and bytecode on the other core
# do not disturb the next invoke.
def test_other_activity(pico):
    session, wanted = pico
    session.exec("interp = make(20000)")
    for wait in (0.3, 0.37):
        transport = session._transport
        transport.exec_raw_no_follow("while True:\n    interp.invoke()")
        time.sleep(wait)
        transport.serial.write(b"\x03")
        _, error = transport.follow(20)
        assert b"KeyboardInterrupt" in error, error
        said = session.exec("print(run(interp)[0], machine.mem32[STREAM_CTR])").split()
        assert said == [wanted, "0"]
    said = session.exec(
        "import _thread\n"
        "def spin():\n    global count\n    while not stop: count += 1\n"
        "stop = False; count = 0; _thread.start_new_thread(spin, ())\n"
        "print(run(interp)[0], count > 100); stop = True; time.sleep_ms(20)\n"
        "with open('note', 'w') as file: file.write('kept' * 2000)\n"
        "print(run(interp)[0], open('note').read() == 'kept' * 2000)"
    ).split()
    assert said == [wanted, "True"] * 2
