# Tests of a Learner on an emulated Pico with waits for flash: time, memory, and the host's answers
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
import tflm_tools as tt
from session import Session
from support import learning_data
from tflm_tools.board import profiles, romfs_image
from tflm_tools.model.arrays import quantize
from tflm_tools.model.model_file import open_model

_METHODS = ("prototypes", "neighbours", "sgd")
_FLASH = 2 << 20
_MOST_US, _MOST_BYTES = 100_000, 8192

_SETUP = """
import gc, micropython, time, tflm
from tflm.learner import Learner

file = open("/rom/inputs", "rb")
interp = tflm.Interpreter("/rom/model.tflm")
interp.allocate_tensors()
raw = interp.input(0).raw


def see(i):
    file.seek(i * len(raw))
    file.readinto(raw)
    interp.invoke()


# Microseconds of the slowest add(), bytes of the heap, of predict(), and what it answers.
def teach(method, asked):
    gc.collect()
    before = gc.mem_alloc()
    learner = Learner(interp, method=method, classes=4, examples=20)
    slowest = 0
    for i in range(20):
        see(i)
        begin = time.ticks_us()
        learner.add(i % 4)
        slowest = max(slowest, time.ticks_diff(time.ticks_us(), begin))
    gc.collect()
    taken = gc.mem_alloc() - before
    found, spent = [], 0
    for i in range(20, 20 + asked):
        see(i)
        micropython.heap_lock()
        begin = time.ticks_us()
        label = learner.predict()
        spent = time.ticks_diff(time.ticks_us(), begin)
        micropython.heap_unlock()
        found.append(label)
    return slowest, taken, spent, found
"""


@pytest.mark.parametrize("name", learning_data.NAMES)
def test_figures(emulated, repository, tmp_path, name):
    model, x, y = learning_data.load(repository, name)
    # Learn five examples of each class in turn, then predict some of the other examples.
    learnt = [np.flatnonzero(y == c)[i] for i in range(5) for c in range(4)]
    asked = np.setdiff1d(np.flatnonzero(y < 4), learnt)[:24]
    flat = tt.flatten(model, target="armv6m", feature=("last",)).data
    if x.dtype != np.int8:
        x = quantize(x, open_model(model).inputs[0])
    inputs = np.concatenate([x[learnt], x[asked]]).tobytes()
    image = romfs_image.image({"model.tflm": flat, "inputs": inputs})
    flash = bytearray(b"\xff" * _FLASH)
    begin = profiles.named("RPI_PICO").tflm.romfs[0]
    flash[begin : begin + len(image)] = image
    (tmp_path / "flash.bin").write_bytes(flash)
    board = emulated("RPI_PICO", flash=tmp_path / "flash.bin", fast=True, xip=48)
    with Session(board) as session:
        session.exec(_SETUP)
        for method in _METHODS:
            answer = eval(session.exec(f"print(teach({method!r}, {len(asked)}))"))
            slowest, taken, spent, found = answer
            print(f"{name} {method}: add {slowest} us, {taken} bytes, predict {spent} us")
            assert slowest <= _MOST_US and taken <= _MOST_BYTES
            wanted = tt.learn(model, {"x": x[learnt], "y": y[learnt]}, method=method,
                              test={"x": x[asked], "y": y[asked]})  # fmt: skip
            right = int((np.array(found) == y[asked]).sum())
            assert right == wanted.score.right
