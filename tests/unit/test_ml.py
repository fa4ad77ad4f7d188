# Tests of tflm.ml: one script in CPython and in MicroPython, compared with an Interpreter
# MIT license; Copyright (c) 2026 the tflm authors

import json
import subprocess
import sys

import pytest
from support.script import run_script
from tflm_tools.flat.flatten import flatten

# In the style of OpenMV's examples; PIXELS is an 8x8 image of 0..16.
SCRIPT = """
import json
import tflm.ml as ml

said = []
model = ml.Model(MODEL)
said.append([model.len, model.ram, model.labels, repr(model)])
said.append([model.input_shape, model.input_dtype, model.input_scale, model.input_zero_point])
said.append([model.output_shape, model.output_dtype, model.output_scale, model.output_zero_point])
image = [[[[value] for value in PIXELS[8 * row : 8 * row + 8]] for row in range(8)]]
scores = model.predict([image])
said.append(scores[0].flatten().tolist())
label, score = max(zip(model.labels, scores[0].flatten().tolist()), key=lambda pair: pair[1])
said.append([label, score])


class Source:
    def __call__(self, buffer, shape, dtype):
        said.append([list(shape), dtype, len(buffer)])
        for i, value in enumerate(PIXELS):
            buffer[i] = (value * 16 - 128) & 0xFF if value < 16 else 127


said.append(model.predict([Source()])[0].tolist())


def best(model, inputs, outputs):
    row = outputs[0].flatten().tolist()
    return [len(inputs), row, row.index(max(row))]


said.append(model.predict([image], callback=best))
said.append(ml.Model(MODEL, best, load_to_fb=True).predict([Source()]))
for wrong in ([], [image, image], [[1, 2]]):
    try:
        model.predict(wrong)
        said.append("nothing was raised")
    except Exception as error:
        said.append([type(error).__name__, str(error)])
print(json.dumps(said))
"""


# Round printed floats to six digits: on a board with 32-bit words floats have 30 bits.
def _rounded(said):
    if isinstance(said, list):
        return [_rounded(each) for each in said]
    return float(f"{said:.6g}") if isinstance(said, float) else said


@pytest.mark.parametrize("file_format", ["tflite", "tflm"])
def test_script(repository, tmp_path, file_format):
    import numpy as np

    data = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    path = tmp_path / f"digits.{file_format}"
    path.write_bytes(data if file_format == "tflite" else flatten(data))
    names = [f"digit {i}" for i in range(10)]
    path.with_suffix(".txt").write_text("\n".join(names) + "\n")
    digits = np.load(repository / "models" / "digits" / "digits_test.npz")
    pixels, label = digits["x"][3].reshape(-1).tolist(), int(digits["y"][3])
    script = f"MODEL = {str(path)!r}\nPIXELS = {pixels}\n{SCRIPT}"
    on_board = json.loads(run_script(script))
    command = [sys.executable, "-c", script]
    here = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert _rounded(here) == _rounded(on_board)
    facts, inputs, outputs, scores, (best, score), called, source, raw, *rest = on_board
    assert facts[0] == path.stat().st_size and facts[2] == names
    assert inputs[:2] == [[[1, 8, 8, 1]], ["b"]] and outputs[:2] == [[[1, 10]], ["b"]]
    assert best == f"digit {label}" and score == max(scores) > 0.9
    assert called == [[1, 8, 8, 1], "b", 64] and source == [scores]
    assert raw[0] == 1 and raw[2] == label
    scale, zero_point = outputs[2][0], outputs[3][0]
    assert scores == pytest.approx([scale * (q - zero_point) for q in raw[1]], rel=1e-6)
    assert rest[1] == raw
    assert [name for name, _ in rest[2:]] == ["ValueError", "ValueError", "InputError"]


def test_labels_in_the_metadata(repository, tmp_path):
    path = tmp_path / "model"
    path.write_bytes((repository / "models" / "digits" / "digits_int8.tflite").read_bytes())
    said = run_script(f"import tflm.ml as ml\nprint(ml.Model({str(path)!r}).labels)")
    assert said.split() == ["None"]
