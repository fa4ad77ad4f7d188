# Tests of tflm_tools as a library: its functions, and the notebook in examples/
# MIT license; Copyright (c) 2026 the tflm authors

import json

import numpy as np
import pytest
import tflm_tools as tt
from tflm_tools.errors import ToolError


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
