# Tests of models from TensorFlow's converter with open shapes, loops and narrow weights
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import numpy as np
import pytest
from support import litert, runner
from support.check import Cases
from support.inputs import generator
from support.script import run_script
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import flatten, optimized_model
from tflm_tools.image.flat_image import image_of
from tflm_tools.image.prepare import prepare_graph

FOLDER = Path(__file__).parent
MODELS = sorted((FOLDER / "models").glob("*.tflite"))
_RTOL, _ATOL = 1e-5, 2e-6
# LiteRT's int8 kernels round differently than TFLM's here; outputs may differ by these steps.
_STEPS = {"lstm_unrolled_int8": 3, "gru_unrolled_int8": 3, "attention_int8": 3}
_BATCH = 3

cases = Cases()
for path in MODELS:
    if path.stem in _STEPS:
        continue
    cases.add(
        path.stem,
        path.read_bytes(),
        rtol=_RTOL,
        atol=2e-2 if "dynamic" in path.stem else _ATOL,
        inputs="random",
        expected=litert.outputs,
        slices=(1,) if "shape_" in path.stem else (3,),
        paths=("flat", "saved balanced", "tflite"),
    )


@pytest.mark.sampled(2)
@litert.needs_litert
@cases.parametrize
def test_as_converted(case):
    case.check()


# Return the shape of the first input with `batch` for open dimensions; None if none is open.
def _shape(model, batch):
    subgraph = model.subgraphs[0]
    signature = subgraph.signature(subgraph.inputs[0])
    if not signature or signature[0] != -1:
        return None
    return tuple(batch if d == -1 else d for d in signature)


RESIZED = [
    (path, batch)
    for path in MODELS
    for batch in ((1, _BATCH) if path.stem in _STEPS else (_BATCH,))
    if _shape(TfliteModel(path.read_bytes()), batch)
]


@pytest.mark.sampled(2)
@litert.needs_litert
@pytest.mark.parametrize("path, batch", RESIZED, ids=lambda value: getattr(value, "stem", value))
def test_resized(path, batch, tmp_path):
    data = path.read_bytes()
    model = TfliteModel(data)
    shape = _shape(model, batch)
    tensor = model.subgraphs[0].tensor(model.subgraphs[0].inputs[0])
    random = generator(path.stem)
    values = random.normal(size=shape).astype("f")
    if tensor.dtype != 0:
        values = random.integers(-128, 128, shape).astype(np.int8)
    wanted = litert.outputs(data, [[values]], {0: shape})[0]

    file_formats = {
        "flat": image_of(data, *_prepared(data, shape)),
        "saved": flatten(data, input_shapes={0: shape}),
    }
    jobs = [
        runner.Job(name, file_format, [[values.tobytes()]], slices=(2,))
        for name, file_format in file_formats.items()
    ]
    for outcome in runner.run(jobs):
        assert outcome.kind == "ok", outcome
        assert not outcome.problems
        _compare(path.stem, outcome.outputs[0], outcome.shapes, wanted)

    (tmp_path / "input").write_bytes(values.tobytes())
    words = (",".join(map(str, shape)),)
    printed = run_script(
        FOLDER / "device" / "resize.py", str(path), str(tmp_path / "input"), *words
    )
    lines = [line.split(" ") for line in printed.splitlines()]
    shapes = [tuple(int(d) for d in line[0].split(",") if d) for line in lines]
    _compare(path.stem, [bytes.fromhex(line[1]) for line in lines], shapes, wanted)


def _prepared(data, shape):
    model, _ = optimized_model(data, input_shapes={0: shape})
    return model, prepare_graph(model)


def _compare(name, outputs, shapes, wanted):
    assert len(outputs) == len(wanted)
    for raw, shape, array in zip(outputs, shapes, wanted, strict=True):
        assert tuple(shape) == array.shape
        got = np.frombuffer(raw, array.dtype).reshape(array.shape)
        if name in _STEPS:
            assert np.max(np.abs(got.astype(int) - array.astype(int))) <= _STEPS[name]
        elif array.dtype.kind == "f":
            atol = 2e-2 if "dynamic" in name else _ATOL
            np.testing.assert_allclose(got, array, rtol=_RTOL, atol=atol)
        else:
            np.testing.assert_array_equal(got, array)
