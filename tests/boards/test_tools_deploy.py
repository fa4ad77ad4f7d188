# Tests of `tflm deploy`, doctor, verify and bench on emulated boards; power cuts at random times
# MIT license; Copyright (c) 2026 the tflm authors

import functools
import http.server
import random
import subprocess
import sys
import threading
import time

import pytest
from on_pico import with_romfs
from tflm_tools.board import doctor as doctor_file
from tflm_tools.board.bench import bench_on
from tflm_tools.board.board_device import BoardDevice
from tflm_tools.board.deploy import deploy
from tflm_tools.board.flash import flash
from tflm_tools.board.link import Link
from tflm_tools.board.rom_directory import image
from tflm_tools.check.verify import verify
from tflm_tools.errors import DeviceError
from tflm_tools.flat.flatten import flatten
from tflm_tools.packages import dist

_CUTS = 3
_LOAD = ["interpreter = tflm.Interpreter(tflm.load('/rom/net.tflm'))"]


# Two models with 10 and 1 outputs, which identify them.
@pytest.fixture
def models(repository):
    folder = repository / "models"
    return [
        folder / "digits" / "digits_int8.tflite",
        folder / "hello_world" / "hello_world_int8.tflite",
    ]


# Return the number of outputs of the model that the board loads with these lines. It must run.
def loaded(port, use):
    with Link(port) as link:
        link.exec("\n".join([*use, "interpreter.allocate_tensors()"]), seconds=60)
        return link.eval("interpreter.output(0).shape[-1]")


# Runs a program that uses a model; measures microseconds and heap.
_FIRST_MINUTE = """
import gc, time
gc.collect()
free, start = gc.mem_free(), time.ticks_us()
import tflm
import_us = time.ticks_diff(time.ticks_us(), start)
gc.collect()
import_heap = free - gc.mem_free()
{use}
x = interpreter.input(0)
start = time.ticks_us()
interpreter.invoke()
invoke_us = time.ticks_diff(time.ticks_us(), start)
"""


def first_minute(link, use):
    link.reset()
    link.exec(_FIRST_MINUTE.format(use="\n".join(use[1:])), seconds=60)
    return link.eval("dict(import_us=import_us, import_heap=import_heap, invoke_us=invoke_us)")


# Turns a board off `seconds` after the first byte was sent, when the port is certainly open.
class Cut:
    def __init__(self, board, seconds):
        self._timer = threading.Timer(seconds, board.stop)
        self._started = False

    def __call__(self, done, total):
        if not self._started:
            self._timer.start()
        self._started = True

    def wait(self):
        if self._started:
            self._timer.join()


# Firmware with frozen tflm and ROMFS; stock firmware with the model in free flash, and in files.
@pytest.mark.parametrize("stock, storage", [(False, "romfs"), (True, "flash"), (True, "files")])
def test_power_cuts(emulated, tmp_path, models, stock, storage):
    kept = tmp_path / "flash.bin"
    board = emulated("RPI_PICO", stock=stock, flash=kept)
    use = deploy(models[0], board.port, to=storage, name="net").use
    assert loaded(board.port, use) == 10
    second = deploy(models[1], board.port, to=storage, name="other")  # installs its kernels
    assert second.place == storage
    times = []
    deploy(models[1], board.port, to=storage, name="net",
           progress=lambda *_: times.append(time.monotonic()))  # fmt: skip
    seconds = time.monotonic() - times[0]
    board.stop()
    chance = random.Random(11)
    seen = set()
    for i in range(_CUTS):
        board = emulated("RPI_PICO", stock=stock, flash=kept)
        cut = Cut(board, chance.uniform(0, 1) * seconds)
        try:
            deploy(models[i % 2], board.port, to=storage, name="net", progress=cut)
        except DeviceError as error:
            assert error.kind in ("lost", "silent", "late"), error
        cut.wait()
        board.stop()
        board = emulated("RPI_PICO", stock=stock, flash=kept)
        seen.add(loaded(board.port, use))
        board.stop()
    assert seen <= {10, 1}
    board = emulated("RPI_PICO", stock=stock, flash=kept)
    done = deploy(models[0], board.port, to=storage, name="net")
    assert loaded(board.port, done.use) == 10
    assert loaded(board.port, second.use) == 1  # other models stay


# A model that replaced the image's model survives a restart, until another image is flashed.
def test_over_the_model_of_the_image(firmware, tmp_path, models):
    import emulators

    def loads(name, update=None):
        with emulators.start("RPI_PICO", tmp_path / name, flash=tmp_path / "flash.bin") as board:
            if update:
                deploy(update, board.port, name="net")
            return loaded(board.port, ["import tflm", *_LOAD])

    for number, model in enumerate([models[0], models[1]]):
        contents = image({"net.tflm": flatten(model.read_bytes(), target="armv6m")})
        with_romfs(firmware("RPI_PICO"), contents, tmp_path / f"{number}.uf2")
    assert loads("0.uf2") == 10
    assert loads("0.uf2", update=models[1]) == loads("0.uf2") == 1
    assert loads("0.uf2", update=models[0]) == loads("0.uf2") == 10
    assert loads("1.uf2") == 1


def test_stock_pico(emulated, models):
    board = emulated("RPI_PICO", stock=True)
    found = {line.what: line for line in doctor_file.doctor(board.port, models).lines}
    assert found["tflm"].step == "tflm deploy MODEL installs it"
    assert "RPI_PICO" in found["board"].found and found["ROMFS"].found == "none"
    with Link(board.port) as link:
        begin = link.eval("__import__('time').ticks_ms()")
    done = deploy(models[0], board.port)
    assert (done.place, done.arch) == ("flash", "armv6m")
    with Link(board.port) as link:
        assert link.eval("__import__('time').ticks_ms()") - begin < 30_000
        first = first_minute(link, done.use)
        assert first["import_us"] < 80_000 and first["import_heap"] < 16_384
        assert first["invoke_us"] < 60_000
        device = BoardDevice(link)
        assert verify(models[0], runs=1, device=device).mismatch is None
        row = bench_on([models[0]], device, invokes=2)[0]
    assert row.frequency == 125_000_000
    assert 100_000 < row.cycles < 2_000_000  # near the result of `make -C bench cycles`
    assert sum(op.cycles for op in row.ops) == pytest.approx(row.cycles, rel=0.6)


# These boards cannot store a model, as doctor reports, so verify sends it to RAM.
@pytest.mark.parametrize("board", ["QEMU_M3", "QEMU_RV32"])
def test_verify_in_ram(emulated, models, board):
    running = emulated(board)
    report = doctor_file.doctor(running.port, models)
    assert [fit.how.partition(":")[0] for fit in report.models] == ["flash", "flash"]
    with Link(running.port) as link:
        assert verify(models[0], runs=1, device=BoardDevice(link)).mismatch is None


def test_wrong_board(emulated, models, tmp_path):
    board = emulated("QEMU_M3")
    with pytest.raises(DeviceError, match="not RP2040; name another port"):
        deploy(models[0], board.port, board="RP2040")
    with pytest.raises(DeviceError, match="use: --to files"):
        deploy(models[0], board.port, to="flash")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


# mpremote installs packages of `make dist` on a stock Pico, which runs a model with them.
def test_mip_on_a_stock_pico(emulated, tmp_path, models, monkeypatch):
    monkeypatch.setattr(dist, "PACKAGES", ("cnn",))  # one package saves time
    dist.make_dist(tmp_path / "dist", ["armv6m"], report=lambda line: None)
    handler = functools.partial(_Quiet, directory=tmp_path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    board = emulated("RPI_PICO", stock=True)
    flat = tmp_path / "digits.tflm"
    flat.write_bytes(flatten(models[0].read_bytes(), target="armv6m"))
    url = f"http://127.0.0.1:{server.server_port}/dist/armv6m_6.3/cnn.json"
    try:
        for command in (["mip", "install", url], ["fs", "cp", str(flat), ":digits.tflm"]):
            done = subprocess.run(
                [sys.executable, "-m", "mpremote", "connect", board.port, *command],
                capture_output=True,
                text=True,
                timeout=300,
            )
            assert done.returncode == 0, done.stdout + done.stderr
    finally:
        server.shutdown()
        server.server_close()
    use = ["import tflm", "interpreter = tflm.Interpreter(tflm.load('digits.tflm'))"]
    assert loaded(board.port, use) == 10


# `tflm flash` copies the built image to a drive of the boot loader.
def test_flash_what_was_built(firmware, tmp_path):
    built = firmware("RPI_PICO")
    drive = tmp_path / "RPI-RP2"
    drive.mkdir()
    (drive / "INFO_UF2.TXT").write_text("Board-ID: RPI-RP2\n")
    done = flash("RPI_PICO", image=built.image, volume=drive)
    assert done.verified and (drive / built.image.name).read_bytes() == built.image.read_bytes()


# The estimate of streaming in the result of deploy is right: heap and cycles. Its lines stream.
def test_streaming_estimate(emulated, shared_models):
    board = emulated("RPI_PICO", fast=True, xip=48)
    result = deploy(shared_models / "mlperf_ad01_int8.tflite", board.port, name="net")
    estimate = result.faster
    assert not (result.fits_ram or result.is_copied) and estimate.kept > 100_000
    cycles = _cycles(board.port, result.use)
    use = [line for line in result.use if "Streaming" not in line]
    before = _cycles(board.port, [*use, "interpreter = tflm.Interpreter(model)"])
    assert 0.8 < estimate.cycles / cycles < 1.1 and 0.8 < estimate.cycles_before / before < 1.1


# A small model in flash is copied to RAM, and the estimate of its time knows it.
def test_small_model_is_copied(emulated, shared_models):
    board = emulated("RPI_PICO", fast=True, xip=48)
    result = deploy(shared_models / "microwakeword_okay_nabu.tflite", board.port, name="net")
    assert result.place == "romfs" and result.is_copied and not result.fits_ram
    cycles = _cycles(board.port, result.use)
    assert 0.8 < 125_000 * result.ms / cycles < 1.25 and cycles < 500_000


# Return the cycles of an invoke after these lines, with all delegates of the interpreter.
def _cycles(port, use):
    with Link(port) as link:
        link.reset()
        lines = [*use, "interpreter.invoke()", "assert interpreter.delegate_error is None"]
        lines += ["import machine, time", "start = time.ticks_us()", "interpreter.invoke()"]
        link.exec("\n".join([*lines, "us = time.ticks_diff(time.ticks_us(), start)"]), seconds=120)
        return link.eval("us * machine.freq() // 1000000")
