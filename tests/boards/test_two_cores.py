# Tests of models on two cores of an emulated Pico: equal outputs, speed, and no core left running
# MIT license; Copyright (c) 2026 the tflm authors

import time

import numpy as np
import pytest
from session import Session
from support.model_info import input_infos
from support.oracle import shared_oracle
from tflm_tools.board import profiles, romfs_image
from tflm_tools.flat.flatten import flatten

_ROMFS_AT = 0x110000  # in boards/RPI_PICO
_FLASH = 2 << 20

# Speed-up that the best model must reach; see docs/generated/benchmarks.md.
_SPEEDUPS = {"mlperf_kws_int8": 1.85, "mlperf_resnet8_int8": 1.9, "person_detect_int8": 1.85}

_SETUP = """
import gc
import micropython
import time
import tflm


def make(name, **options):
    gc.collect()
    interp = tflm.Interpreter("/rom/%s.tflm" % name, **options)
    interp.allocate_tensors()
    return interp


def run(interp, name):
    with open("/rom/%s.in" % name, "rb") as file:
        file.readinto(interp.input(0).raw)
    begin = time.ticks_us()
    micropython.heap_lock()
    interp.invoke()
    micropython.heap_unlock()
    spent = time.ticks_diff(time.ticks_us(), begin)
    return bytes(interp.output(0).raw).hex(), spent
"""


@pytest.fixture
def pico(emulated, shared_models, tmp_path):
    """Return pico(name, ...): a Session on a Pico with these models in ROM, and TFLM's outputs."""
    sessions = []

    def start(*names):
        contents, wanted = {}, {}
        for name in names:
            model = (shared_models / f"{name}.tflite").read_bytes()
            shape = input_infos(model)[0].shape
            values = np.random.default_rng(7).integers(-128, 128, shape, np.int8)
            contents[f"{name}.tflm"] = flatten(
                model, target=profiles.named("RPI_PICO").target, optimize="off"
            )
            contents[f"{name}.in"] = values.tobytes()
            wanted[name] = shared_oracle().run(model, [[values]])[0][0].tobytes().hex()
        flash = bytearray(b"\xff" * _FLASH)
        image = romfs_image.image(contents)
        flash[_ROMFS_AT : _ROMFS_AT + len(image)] = image
        path = tmp_path / "flash.bin"
        path.write_bytes(flash)
        sessions.append(Session(emulated("RPI_PICO", flash=path)))
        sessions[-1].exec(_SETUP)
        return sessions[-1], wanted

    yield start
    for session in sessions:
        session.close()


@pytest.mark.parametrize(
    "names", [("mlperf_kws_int8", "mlperf_resnet8_int8"), ("person_detect_int8",)]
)
def test_models(pico, names):
    session, wanted = pico(*names)
    for name in names:
        code = f"interp = make({name!r}, cores=%d); print(interp.delegate_error)\n"
        code += f"for _ in range(3): print(*run(interp, {name!r}))\ninterp.free()"
        best = []
        for cores in (1, 2):
            error, *lines = session.exec(code % cores).split("\n")[:4]
            assert error == "None"
            assert {line.split()[0] for line in lines} == {wanted[name]}, (name, cores)
            best.append(min(int(line.split()[1]) for line in lines))
        assert best[0] / best[1] >= _SPEEDUPS[name], (name, best)


# Ctrl-C ends a loop of invokes after both cores are done, and the next invoke works. After a soft
# reset, core 1 is free.
def test_nothing_is_left_running(pico):
    name = "mlperf_kws_int8"
    session, wanted = pico(name)
    session.exec(f"interp = make({name!r}, cores=2)")
    for wait in (0.3, 0.37, 0.52):
        transport = session._transport
        transport.exec_raw_no_follow("while True:\n    interp.invoke()")
        time.sleep(wait)
        transport.serial.write(b"\x03")
        _, error = transport.follow(20)
        assert b"KeyboardInterrupt" in error, error
        assert session.exec(f"print(run(interp, {name!r})[0])").strip() == wanted[name]
    transport.enter_raw_repl(soft_reset=True)
    session.exec(_SETUP)
    found = session.exec(f"interp = make({name!r}, cores=2); print(run(interp, {name!r})[0])")
    assert found.strip() == wanted[name]
    # A garbage-collected interpreter also frees it.
    lines = session.exec(
        "import _thread\n"
        "def drop():\n"
        f"    run(make({name!r}, cores=2), {name!r})\n"
        "def clear(depth=12):\n"
        "    return depth and clear(depth - 1)\n"
        "interp.free(); drop(); clear(); gc.collect(); seen = []\n"
        "_thread.start_new_thread(lambda: seen.append('core 1 is free'), ())\n"
        "time.sleep_ms(20)\n"
        "print(*seen)\n"
        f"interp = make({name!r}, cores=2)\n"
    ).splitlines()
    assert lines == ["core 1 is free"]
    # Core 1 is free again. If it is in use, the model runs on one core.
    lines = session.exec(
        "import _thread\n"
        "def spin():\n    while not stop: pass\n"
        "interp.free(); stop = False; _thread.start_new_thread(spin, ())\n"
        f"interp = make({name!r}, cores=2)\n"
        f"print(run(interp, {name!r})[0])\n"
        "stop = True"
    ).splitlines()
    assert lines == [
        "tflm: the model runs without the delegate cores: OSError: core1 in use", wanted[name]
    ]  # fmt: skip
