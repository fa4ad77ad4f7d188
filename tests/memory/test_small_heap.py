# Tests of memory: models load and run in the heap of a small board
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import pytest
from support.script import run_script
from tflm_tools.flat.flatten import flatten

_REPOSITORY = Path(__file__).resolve().parents[2]
_OWN = sorted(_REPOSITORY.glob("models/*/*.tflite")) + sorted(
    _REPOSITORY.glob("tools/tflm_tools/wake/*.tflite")
)
# Without words.tflite and decoder.tflite, whose weights fill this heap, and story_int8.tflite,
# whose inputs are a token and a position.
_SMALL = [model for model in _OWN if model.stem not in ("story_int8", "words", "decoder")]
# For these models, Prepare compiled from source needs too much heap. Precompiled, it fits.
_FLAT_ONLY = (
    "audio_frontend_int8", "denoise", "hey_pico", "keywords_int8", "micro_frontend_int16",
)  # fmt: skip
# Objects are twice as large here as on a board, where the heap of a Pico has 202 KB. Prepare,
# compiled from source on the heap, needs more: up to 400 KB, which depends on the length of paths.
# MicroPython never frees two kinds of objects, which it allocates while it compiles: chunks of 128
# bytes with the names of the source, and on the unix port a record of 32 bytes for each function
# of machine code. After a run of digits_int8.tflite in 448 KB, without modules and interpreter,
# 776 new names in 31 KB and 20 records remain. They are spread over the heap: 407 KB are free, but
# the largest free block has 141 KB. Where they are depends on all sizes before, paths included.
# Frozen modules have their names in flash.
_HEAPS = {"flat": "224k", "tflite": "448k"}

_INVOKE = """
import gc, sys, tflm

interpreter = tflm.Interpreter(tflm.load(sys.argv[1]))
raw = interpreter.input(0).raw
for run in range(2):
    for i in range(len(raw)):
        raw[i] = i * 7 & 0xFF
    interpreter.reset()
    interpreter.invoke()
    print(bytes(interpreter.output(0).raw))
gc.collect()
print(gc.mem_free())
"""


# Return the outputs of a model in a heap of this size; two invokes must be equal.
def invoke(path, folder, heap):
    script = folder / "invoke.py"
    script.write_text(_INVOKE)
    lines = run_script(script, str(path), heap=heap).splitlines()
    assert lines[0] == lines[1]
    return lines[0]


# Check that .tflm and .tflite give the same outputs in a small heap as in a large one.
def check(model, folder, kinds):
    flat = folder / "model.tflm"
    flat.write_bytes(flatten(model.read_bytes()))
    wanted = invoke(flat, folder, "32M")
    for kind in kinds:
        assert invoke({"flat": flat, "tflite": model}[kind], folder, _HEAPS[kind]) == wanted


@pytest.mark.parametrize("model", _SMALL, ids=[model.stem for model in _SMALL])
def test_own_models(model, tmp_path):
    check(model, tmp_path, ("flat",) if model.stem in _FLAT_ONLY else ("flat", "tflite"))


# Weights of 52 KB and an arena of 16 KB. The .tflite also needs Prepare, which fits in the heap if
# it is frozen or precompiled, but not as source.
def test_keyword_spotting(shared_models, tmp_path):
    check(shared_models / "mlperf_kws_int8.tflite", tmp_path, ("flat",))


# A model that is too large raises an error that says so.
def test_model_that_is_too_large(shared_models):
    path = str(shared_models / "mlperf_vww96_int8.tflite")
    script = f"""
import tflm
try:
    tflm.Interpreter(tflm.load({path!r})).invoke()
except tflm.TflmError as error:
    print(error)
"""
    message = run_script(script, heap=_HEAPS["flat"])
    assert message.startswith("not enough heap for the 333288 bytes of ")


# In a heap of each size, a model runs or raises an error of tflm with a remedy.
def test_every_heap_between():
    model = next(str(path) for path in _OWN if path.stem == "digits_int8")
    script = f"""
import tflm
try:
    tflm.Interpreter(tflm.load({model!r})).invoke()
    print("runs")
except tflm.TflmError as error:
    print(error)
"""
    found = [run_script(script, heap=f"{size}k") for size in range(128, 449, 32)]
    assert any(text.startswith("not enough heap to read a .tflite") for text in found)
    assert found[-1] == "runs\n"
    more = "; or: micropython -X heapsize=64M\n"
    assert all(text == "runs\n" or text.endswith(more) for text in found)
