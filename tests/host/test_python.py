# Tests of tflm_tools as a library: its functions, and the notebook in examples/
# MIT license; Copyright (c) 2026 the tflm authors

import json
from contextlib import contextmanager

import numpy as np
import pytest
import tflm_tools as tt
from tflm_tools.errors import ToolError
from tflm_tools.model.flat_file import FlatFile


# Each code cell runs in the notebook folder, where Jupyter starts, and its last line is shown.
def test_notebook(repository, monkeypatch):
    pytest.importorskip("tflite_micro")
    monkeypatch.chdir(repository / "examples" / "notebook")
    notebook = json.loads((repository / "examples" / "notebook" / "digits.ipynb").read_text())
    names, shown = {}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            *lines, last = "".join(cell["source"]).splitlines()
            exec("\n".join(lines), names)
            shown.append(eval(last, names))
    assert [type(each).__name__ for each in shown] == [
        "Inspection", "Conversion", "ModelPlan", "Run", "Evaluation", "Verification",
    ]  # fmt: skip
    pages = [each._repr_html_() for each in shown]
    for page, word in zip(
        pages, ["CONV_2D", "arena", "CONV_2D", "int8", "accuracy", "equal"], strict=True
    ):
        assert page.startswith("<pre") and page.endswith("</pre>") and word in page
    assert names["evaluation"].score.accuracy > 0.9
    assert names["result"].arrays[0].argmax() == names["data"]["y"][0]


# The functions run() and plan() work after packages of similar purpose are imported.
def test_functions_beside_packages(repository, tmp_path):
    import tflm_tools.arena.planner
    import tflm_tools.execution.device_model

    model = repository / "models" / "digits" / "digits_int8.tflite"
    assert tt.plan(model).plan.columns and tflm_tools.arena.planner
    found = tt.run(model, [[[[0.5]] * 8] * 8])
    assert found.arrays[0].dtype == np.int8


def test_files_are_written_on_request(repository, tmp_path):
    model = repository / "models" / "digits" / "digits_int8.tflite"
    assert tt.flatten(model, tmp_path / "x.tflm").data == (tmp_path / "x.tflm").read_bytes()
    found = tt.run(model, np.zeros((1, 8, 8, 1)), output_dir=tmp_path / "out")
    assert (np.load(tmp_path / "out" / "output_0.npy") == found.arrays[0]).all()
    with pytest.raises(ToolError, match="the array has the shape"):
        tt.run(model, np.zeros(3))


# Functions accept the options of the command line by their long names.
def test_long_names_of_options(repository, tmp_path, monkeypatch):
    model = repository / "models" / "digits" / "digits_int8.tflite"
    found = tt.verify(model, oracle="litert", path="flat", input_by_rows=True, runs=1)
    assert found.is_equal() and found.oracle == "LiteRT"
    assert [entry.path for entry in found.paths] == ["flat"]
    assert tt.plan(model, optimize="ram", input_by_rows=True).by_rows
    digits = tt.flatten(model, input_shape="1,8,8,1", without="aliases", feature="last")
    assert FlatFile(digits.data).inputs[0].shape == (1, 8, 8, 1)
    ports = []

    @contextmanager
    def open_boards(given, timeout):
        ports.append((given, timeout))
        yield None

    monkeypatch.setattr("tflm_tools.board.device_pool.open_boards", open_boards)
    zeros = np.zeros((1, 8, 8, 1), np.float32)
    assert tt.run(model, zeros, on="a0", path="tflite").path == "tflite"
    data = {"x": zeros, "y": np.zeros(1, int)}
    assert tt.evaluate(model, data, on=["a0", "u1"], timeout=50, backend="local").count == 1
    assert tt.verify(model, on="auto", runs=1, path="flat").is_equal()
    assert ports == [(["a0"], None), (["a0", "u1"], 50), (["auto"], None)]
