# Tests of whole flat models on emulated boards against TFLM, and of memory budgets
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

import numpy as np
import pytest
from session import Session
from tflm_tools.board import profiles, romfs_image
from tflm_tools.check import oracle
from tflm_tools.check.cases import make_cases
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.model_file import open_model

_RUN = """
import binascii, gc, tflm
gc.collect()
free = gc.mem_free()
interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
interpreter.allocate_tensors()
with open("/rom/inputs", "rb") as file:
    if by_rows:
        interpreter.invoke(memoryview(file) if by_rows == "in place" else file)
    else:
        for i in range(interpreter.inputs_size()):
            file.readinto(interpreter.input(i).raw)
        interpreter.invoke()
for i in range(interpreter.outputs_size()):
    print(binascii.hexlify(bytes(interpreter.output(i).raw)).decode())
"""


# Compare a model on a board with the wheel, for one random input.
def _check(emulated, board, path, tmp_path, by_rows=False, **options):
    model = open_model(path)
    inputs = make_cases(model.inputs, 1, 0)[0].inputs
    wanted = oracle.run(model.data, [inputs]).outputs[0]
    image = romfs_image.image(
        {
            "model.tflm": flatten(
                model.data, target=profiles.named(board).target, by_rows=bool(by_rows)
            ),
            "inputs": b"".join(array.tobytes() for array in inputs),
        }
    )
    (tmp_path / "romfs.img").write_bytes(image)
    with Session(emulated(board, romfs=tmp_path / "romfs.img", **options)) as session:
        lines = session.exec(f"by_rows = {by_rows!r}\n{_RUN}", timeout=600).split()
    assert [binascii.unhexlify(line) for line in lines] == [array.tobytes() for array in wanted]


@pytest.mark.parametrize("board", ["QEMU_M3", "QEMU_RV32", "QEMU_XTENSA"])
@pytest.mark.parametrize(
    "name", ["mlperf_kws_int8", "mlperf_resnet8_int8", "mlperf_ad01_int8", "mnist_lstm_int8",
             "keyword_scrambled_8bit", "microwakeword_okay_nabu", "person_detect_int8"]
)  # fmt: skip
def test_models(board, name, emulated, shared_models, tmp_path):
    _check(emulated, board, shared_models / f"{name}.tflite", tmp_path)


@pytest.mark.parametrize("name", ["mlperf_kws_int8", "mlperf_ad01_int8", "micro_speech_int8"])
def test_models_on_a_cortex_m0(name, emulated, shared_models, tmp_path):
    _check(emulated, "QEMU_M0", shared_models / f"{name}.tflite", tmp_path)


@pytest.mark.parametrize("source", ["file", "in place"])
def test_rows_on_a_cortex_m0(source, emulated, repository, tmp_path):
    path = repository / "models" / "digits" / "digits_int8.tflite"
    _check(emulated, "QEMU_M0", path, tmp_path, by_rows=source)


# On a Pico, the image includes the model. Its outputs for zeros equal the wheel's outputs.
_ZEROS = """
import binascii, gc, time
import tflm
gc.collect()
interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
interpreter.allocate_tensors()
for i in range(interpreter.inputs_size()):
    raw = interpreter.input(i).raw
    for j in range(len(raw)):
        raw[j] = 0
interpreter.invoke()
for i in range(interpreter.outputs_size()):
    print(binascii.hexlify(bytes(interpreter.output(i).raw)).decode())
"""


@pytest.mark.parametrize("name", ["mlperf_kws_int8", "person_detect_int8"])
def test_models_on_a_pico(name, emulated, shared_models):
    path = shared_models / f"{name}.tflite"
    model = open_model(path)
    zeros = [np.zeros(info.shape, info.numpy_dtype()) for info in model.inputs]
    wanted = oracle.run(model.data, [zeros]).outputs[0]
    board = emulated("RPI_PICO", model=str(path), fast=True)
    with Session(board) as session:
        lines = session.exec(_ZEROS, timeout=900).split()
    assert [binascii.unhexlify(line) for line in lines] == [array.tobytes() for array in wanted]


# Heap and time of digits on a Pico stay within the budgets of docs/how-to/firmware.md.
_BUDGET = """
import gc, time
gc.collect()
free = gc.mem_free()
import tflm
begin = time.ticks_us()
interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm", copy=False))
interpreter.allocate_tensors()
interpreter.invoke()
took = time.ticks_diff(time.ticks_us(), begin)
gc.collect()
print(free - gc.mem_free(), interpreter.arena_used_bytes(), took)
"""


def test_budgets_on_a_pico(emulated, repository):
    board = emulated("RPI_PICO", model=str(repository / "models/digits/digits_int8.tflite"))
    with Session(board) as session:
        heap, arena, took = map(int, session.exec(_BUDGET).split())
    assert heap - arena <= 12_416, f"{heap - arena} bytes of heap beyond the arena"
    assert took <= 55_000, f"{took} us from load to the first result"


# The runtime and all int8 kernels fit in their budget of flash.
def test_flash_of_runtime_and_int8_kernels(firmware, monkeypatch, tmp_path):
    import build

    firmware("RPI_PICO")  # installs compilers and sources
    # Build in another folder than the image that other tests use at the same time.
    monkeypatch.setattr(build, "FIRMWARE", tmp_path)
    small = build.build("RPI_PICO", kernels="int8", prepare=False, checks=False)
    tflm = sum(size.flash for size in small.sizes if size.part.startswith(("kernels", "runtime")))
    assert tflm <= 120 * 1024, f"{tflm} bytes"
