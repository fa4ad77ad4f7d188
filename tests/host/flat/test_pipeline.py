# Tests that all commands and functions make the same .tflm of a model with the same options
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace

import pytest
import tflm_tools as tt
from kernels.test_dense_lut import INT4
from support.kernel_tests import module_of
from tflm_tools.board.flatten_for_board import flatten_for_board
from tflm_tools.execution.device_model import model_for_device
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline, flatten
from tflm_tools.inspection.model_plan import plan_model
from tflm_tools.inspection.report import report
from tflm_tools.model.flat_file import FlatFile
from tflm_tools.model.model_file import open_model
from tflm_tools.model_search.costs import costs_of
from tflm_tools.optimize.memory.levels import BALANCED, OFF, RAM, SPEED
from tflm_tools.port.invocation import InvokeOptions

REPOSITORY = Path(__file__).resolve().parents[3]
_MAX_BYTES = 16 << 10  # of a model: larger ones take long, and have no other code path
# Models with weights of fewer than 8 bits, which flatten compresses for armv6m.
_DECODE = {c.name: c.build() for c in module_of("test_decode").cases if c.name == "CONV_2D"}
PACKED = {"int4": INT4["int4"], "decode": _DECODE["CONV_2D"]}


def _models():
    for folder in (REPOSITORY / "models", REPOSITORY / "tests" / "beyond" / "models"):
        yield from sorted(folder.rglob("*.tflite"))
    yield from sorted((REPOSITORY.parent / "shared" / "models").glob("*.tflite"))


MODELS = [path for path in _models() if path.stat().st_size <= _MAX_BYTES] + [*PACKED]
# (model, target): every third model without a target, too.
CASES = [(model, "armv6m") for model in MODELS] + [(model, None) for model in MODELS[::3]]


@pytest.fixture
def model(request, tmp_path):
    """The path of a model in MODELS."""
    if request.param not in PACKED:
        return request.param
    path = tmp_path / f"{request.param}.tflite"
    path.write_bytes(PACKED[request.param])
    return path


@pytest.fixture
def flats(monkeypatch):
    """A list of all .tflm files that pipelines make during the test."""
    found, original = [], FlattenPipeline.flat.func

    def flat(pipeline):
        found.append(original(pipeline))
        return found[-1]

    spy = cached_property(flat)
    spy.__set_name__(FlattenPipeline, "flat")
    monkeypatch.setattr(FlattenPipeline, "flat", spy)
    return found


@pytest.fixture
def page_tools(monkeypatch):
    """The web page's tools, without an image of a board."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "page" / "python"))
    monkeypatch.chdir(REPOSITORY)
    import page_tools

    monkeypatch.setattr(page_tools, "image", lambda firmware, contents: b"")
    yield page_tools
    del sys.modules["page_tools"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("model", "target"),
    CASES,
    indirect=["model"],
    ids=lambda value: Path(value).name if value else "portable",
)
def test_all_commands_make_the_same_flat_model(model, target, tflm, tmp_path, flats, page_tools):
    data, written = model.read_bytes(), tmp_path / "written.tflm"
    options = ("--target", target) if target else ()
    assert tflm("flatten", model, "-o", written, *options).code == 0
    expected = written.read_bytes()
    assert tt.flatten(model, target=target).data == expected
    opened = open_model(model)
    assert model_for_device(opened, InvokeOptions(), target).data == expected
    assert flatten_for_board(opened, SimpleNamespace(target=target)) == expected
    flats.clear()
    costs = costs_of(data, target)
    assert (costs.flash, costs.ram) == (len(expected), FlatFile(expected).arena_bytes)
    described = report(model, target=target)
    assert flats == [expected] * 2
    assert described.flat_bytes == len(expected) and described.arena_bytes == costs.ram
    assert plan_model(model, BALANCED, target).plan.arena_bytes == costs.ram
    if target == page_tools.TARGET:
        page = page_tools.Model(model.name, data)
        page.make(b"", {}, quick=False)
        assert page.flat == expected


# Flatten unpacks or compresses the weights of these models, so no kernel unpacks them at invoke.
@pytest.mark.parametrize("name", PACKED)
def test_packed_weights_are_not_unpacked_at_invoke(name):
    pipeline = FlattenPipeline(PACKED[name], FlattenOptions("armv6m"))
    kernels = {record.kernel for record in pipeline.storage.records}
    assert not [name for name in kernels if name.startswith(("decode", "unpack"))]
    plain = FlattenPipeline(PACKED[name], FlattenOptions("armv6m", without=("all",)))
    assert plain.flat != pipeline.flat


# Pipelines of several levels share the search, and each level is the same as without sharing.
@pytest.mark.parametrize("level", [RAM, SPEED, OFF])
def test_levels_share_the_search(level, repository):
    data = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    pipeline = FlattenPipeline(data, FlattenOptions("armv6m"))
    assert pipeline.flat == flatten(data, target="armv6m")
    other = pipeline.at_level(level)
    assert other.levels is pipeline.levels and other.optimized is pipeline.optimized
    assert other.flat == flatten(data, target="armv6m", optimize=level)
    assert pipeline.flat == flatten(data, target="armv6m")
