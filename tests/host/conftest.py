# Fixtures of the host tests: the command `tflm` in this process, and small models
# MIT license; Copyright (c) 2026 the tflm authors

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from support.builder import ModelBuilder


# The result of a call of the command.
@dataclass
class Outcome:
    code: int
    out: str
    err: str

    def json(self):
        return json.loads(self.out)


@pytest.fixture
def tflm(capsys, monkeypatch):
    """Return tflm(*arguments), which calls the command and returns an Outcome."""
    from tflm_tools.cli import main

    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(end.value.code or 0, captured.out, captured.err)

    return call


# Return a .tflite of fully connected int8 layers. The first width is the input's.
def build_layers(*widths):
    random = np.random.default_rng(7)
    model = ModelBuilder("layers")
    tensors = [model.tensor((1, widths[0]), "int8", scale=0.1, zero_point=3, name="input")]
    for i, (depth, width) in enumerate(zip(widths, widths[1:], strict=False)):
        values = random.integers(-127, 128, (width, depth))
        weights = model.tensor((width, depth), "int8", values, scale=0.02, zero_point=0)
        bias = model.tensor((width,), "int32", random.integers(-500, 500, width), scale=0.002,
                            zero_point=0)  # fmt: skip
        tensors.append(
            model.tensor((1, width), "int8", scale=0.1, zero_point=-2, name=f"layer{i}")
        )
        model.operator("FULLY_CONNECTED", [tensors[-2], weights, bias], [tensors[-1]])
    model.io([tensors[0]], [tensors[-1]])
    return model.build()


@pytest.fixture
def layers(tmp_path):
    """Path of a .tflite with three fully connected layers, 8 -> 40 -> 6 -> 5."""
    path = tmp_path / "layers.tflite"
    path.write_bytes(build_layers(8, 40, 6, 5))
    return path


@pytest.fixture
def lacking(tmp_path):
    """Path of a .tflite with unknown custom operators, a missing operator, and an unknown type."""
    model = ModelBuilder("lacking")
    tensors = [model.tensor((1, 4), "float32", name=f"t{i}") for i in range(5)]
    model.custom("Sparkle", tensors[:1], tensors[1:2])
    model.custom("Sparkle", tensors[1:2], tensors[2:3])
    model.operator("LSH_PROJECTION", [tensors[2]], [tensors[3]])
    odd = model.tensor((1, 4), "float64")
    model.operator("RELU", [odd], [tensors[4]])
    model.io([tensors[0], odd], [tensors[3], tensors[4]])
    path = tmp_path / "lacking.tflite"
    path.write_bytes(model.build())
    return path


@pytest.fixture
def changed_modules(tmp_path, repository, monkeypatch):
    """Return add(file, text), which appends code to a file in a copy of tflm for MicroPython."""
    folder = tmp_path / "overlay"
    shutil.copytree(
        repository / "modules" / "tflm",
        folder / "tflm",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    monkeypatch.setenv("TFLM_MODULES", str(folder))

    def add(file, text):
        path = Path(folder) / "tflm" / file
        path.write_text(path.read_text() + text)
        for override in path.parent.glob(f"*/{path.name}"):  # would run instead of the file
            override.unlink()

    return add
