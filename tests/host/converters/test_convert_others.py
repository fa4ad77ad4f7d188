# Tests of `tflm convert` with a .pt2 (needs litert-torch) and an .onnx (needs onnx2tf)
# MIT license; Copyright (c) 2026 the tflm authors

import subprocess

import numpy as np
import pytest
import tflm_tools as tt
from tflm_tools.converters import process
from tflm_tools.errors import ToolError

_PYTORCH = """
import torch

class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.last = torch.nn.Linear(128, 10)

    def forward(self, x):
        x = torch.nn.functional.max_pool2d(torch.relu(self.first(x)), 2)
        return self.last(x.flatten(1))

torch.manual_seed(1)
program = torch.export.export(Network().eval(), (torch.randn(1, 3, 8, 8),))
torch.export.save(program, "model.pt2")
"""
_ONNX = """
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(1)
shapes = {"w": (8, 3, 3, 3), "b": (8,), "v": (10, 128), "c": (10,)}
constants = [
    numpy_helper.from_array(random.normal(size=shape).astype(np.float32), name)
    for name, shape in shapes.items()
]
nodes = [
    helper.make_node("Conv", ["x", "w", "b"], ["1"], pads=[1] * 4, kernel_shape=[3, 3]),
    helper.make_node("Relu", ["1"], ["2"]),
    helper.make_node("MaxPool", ["2"], ["3"], kernel_shape=[2, 2], strides=[2, 2]),
    helper.make_node("Flatten", ["3"], ["4"]),
    helper.make_node("Gemm", ["4", "v", "c"], ["y"], transB=1),
]
value = helper.make_tensor_value_info
graph = helper.make_graph(
    nodes, "graph", [value("x", TensorProto.FLOAT, ["N", 3, 8, 8])],
    [value("y", TensorProto.FLOAT, ["N", 10])], constants,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
model.ir_version = 8
onnx.save(model, "model.onnx")
"""


@pytest.mark.parametrize(
    "framework, script, name",
    [(process.PYTORCH, _PYTORCH, "model.pt2"), (process.ONNX, _ONNX, "model.onnx")],
    ids=["pytorch", "onnx"],
)
def test_convert(tmp_path, framework, script, name):
    pytest.importorskip("litert_quantizer")
    try:
        python = process.python(framework)
    except ToolError:
        pytest.skip(f"{framework.name} is not installed")
    subprocess.run([python, "-c", script], cwd=tmp_path, check=True, capture_output=True)
    images = np.random.default_rng(1).random((60, 8, 8, 3))
    result = tt.convert(tmp_path / name, {"x": images}, tmp_path / "model.tflite")
    assert [(t.dtype, t.shape) for t in result.made.inputs] == [("int8", (1, 8, 8, 3))]
    assert [(t.dtype, t.shape) for t in result.made.outputs] == [("int8", (1, 10))]
    assert result.made.float_ops == {} and result.made.per_channel == 2
    (tmp_path / f"bad{name[5:]}").write_bytes(b"no model")
    with pytest.raises(ToolError, match=f"{framework.name} cannot read .*bad.*; see docs"):
        tt.convert(tmp_path / f"bad{name[5:]}", {"x": images}, tmp_path / "bad.tflite")


@pytest.mark.parametrize("framework", [process.PYTORCH, process.ONNX], ids=["pytorch", "onnx"])
def test_converter_that_is_not_installed(tflm, tmp_path, monkeypatch, framework):
    monkeypatch.delenv(framework.variable, raising=False)
    monkeypatch.setattr(process.importlib.util, "find_spec", lambda name: None)
    name = "model.pt2" if framework is process.PYTORCH else "model.onnx"
    (tmp_path / name).write_bytes(b"model")
    found = tflm("convert", tmp_path / name, "--dynamic", "-o", tmp_path / "o.tflite")
    assert found.code == 1 and f"{framework.name}, which reads and converts" in found.err
    assert f"name a Python that has it in {framework.variable}" in found.err
