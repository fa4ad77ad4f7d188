# Tests of the test support: each check can fail, and crashes end only their job
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

import numpy as np
import pytest
from flatbuffers import flexbuffers

from support import inputs, runner
from support.builder import ModelBuilder, flexbuffer, tensor_bytes
from support.check import Cases
from support.compare import difference, undefined
from support.model_info import input_infos, repetition
from support.oracle import Oracle, OracleError
from support.runner import Job
from support.script import run_script
from support.single_op import Tensor, single_op

_FAKE = Path(__file__).parent / "device" / "fake"
_INPUT = np.array([[1, -2, 3, -128]], np.int8)


# A RESHAPE of 4 bytes, which the fake tflm runs with the defect named in its description.
def reshape_model(defect: str = "") -> bytes:
    model = ModelBuilder(f"fake:{defect};")
    x = model.tensor((1, 4), "int8", scale=0.5, zero_point=7)
    y = model.tensor((4,), "int8", scale=0.5, zero_point=7)
    shape = model.tensor((1,), "int32", [4])
    model.operator("RESHAPE", [x, shape], [y], new_shape=[4])
    model.io([x], [y])
    return model.build()


# A collector over the fake; it has no flat models.
def fake_cases(*defects: str, **options) -> Cases:
    cases = Cases(modules=_FAKE, timeout=3.0)
    for defect in defects:
        cases.add(defect, reshape_model(defect), paths=("tflite",), **options)
    return cases


@pytest.fixture(scope="module")
def oracle():
    oracle = Oracle(timeout=20.0)
    yield oracle
    oracle.close()


# The oracle returns TFLM's outputs.
def test_oracle_runs(oracle):
    assert oracle.run(reshape_model(), [[_INPUT], [-_INPUT]])[0][0].tolist() == [1, -2, 3, -128]
    assert oracle.statuses == [0, 0]


# For a refused model the oracle returns the wheel's message, and continues.
def test_oracle_reports_errors(oracle):
    unknown = single_op("GELU", [Tensor((1,), "float32")], [Tensor((1,), "float32")])
    with pytest.raises(OracleError, match="Didn't find op for builtin opcode 'GELU'") as caught:
        oracle.run(unknown, [])
    assert caught.value.kind == "error"
    assert oracle.run(reshape_model(), [[_INPUT]])


# A model that kills the wheel does not kill the tests: EQUAL aborts when a scale is 1 or more.
def test_oracle_survives_crash(oracle):
    x = Tensor((1, 4), "int8", scale=2.0, zero_point=0)
    model = single_op("EQUAL", [x, x], [Tensor((1, 4), "bool")])
    with pytest.raises(OracleError, match="SIG") as caught:
        oracle.run(model, [[_INPUT, _INPUT]])
    assert caught.value.kind == "crash"
    assert oracle.run(reshape_model(), [[_INPUT]])


# The time limit ends the child, and a new one answers.
def test_oracle_survives_hang():
    oracle = Oracle(timeout=0.2)
    with pytest.raises(OracleError) as caught:
        oracle._ask({"sleep": 30})
    assert caught.value.kind == "timeout"
    oracle.timeout = 20.0
    assert oracle.run(reshape_model(), [[_INPUT]])
    oracle.close()


# Right outputs pass.
def test_right_outputs_pass():
    cases = fake_cases("none", "noise")
    assert cases.failure("none") == ""
    assert cases.failure("noise") == ""


# Each check of run_cases.py and of the comparison can fail and reports its reason.
@pytest.mark.parametrize(
    ("defect", "words"),
    [
        ("wrong", r"run 0 output 0: 1 of 4 elements differ, first at \[2\]"),
        ("below", "invoke.. wrote outside the arena of 32 bytes, at byte -3"),
        ("above", "invoke.. wrote outside the arena of 32 bytes, at byte 32"),
        ("model", "the model was written to"),
        ("allocate", "MemoryError"),
        ("drift", "when invoked again run 0 differs in byte 0 of output 0: 2 instead of 1"),
        ("slices", "with slices of 1 units run 0 differs"),
        ("memory", "with slices of 1 units run 0 differs"),
        ("greedy", "an arena of 16 bytes was not refused"),
        ("refuse", "TflmError: the fake refuses this model"),
        ("raise", "ValueError: an error that is no TflmError"),
        ("crash", "crash: ended with SIGSEGV"),
    ],
)
def test_defects_are_found(defect, words):
    cases = fake_cases(defect)
    with pytest.raises(pytest.fail.Exception, match=words):
        cases.check()


# A crash and a hang are reported for their jobs; all others still run.
def test_crash_and_hang_are_reported():
    defects = ["none", "crash", "none", "hang", "crash", "none"]
    jobs = [Job(defect, reshape_model(defect), [[_INPUT.tobytes()]]) for defect in defects]
    outcomes = runner.run(jobs, timeout=1.0, modules=_FAKE)
    assert [o.kind for o in outcomes] == ["ok", "crash", "ok", "hang", "crash", "ok"]
    assert outcomes[5].outputs == [[_INPUT.tobytes()]]


# A batch that cannot start is an error, not an endless loop.
def test_broken_start_is_an_error():
    with pytest.raises(RuntimeError, match="itself failed"):
        runner.run([Job("x", b"", [])], executable="/bin/false")


# A package that cannot be imported fails each job with the reason.
def test_missing_package_is_an_error(tmp_path):
    (outcome,) = runner.run([Job("x", reshape_model(), [])], modules=tmp_path)
    assert (outcome.kind, outcome.error) == ("error", "ImportError")
    assert not outcome.is_tflm


# A script that fails makes the test fail, with its output.
def test_script(tmp_path):
    assert run_script("import tflm; print(tflm.errors.TflmError.__name__)") == "TflmError\n"
    with pytest.raises(AssertionError, match="(?s)ended with 1.*ValueError: no"):
        run_script("raise ValueError('no')")
    file = tmp_path / "script.py"
    file.write_text("import sys; print(sys.argv[1:])")
    assert run_script(file, "a") == "['a']\n"


# Cases that expect an error accept only this error.
def test_expected_errors():
    assert fake_cases("refuse", error="fake refuses").failure("refuse") == ""
    assert "does not match" in fake_cases("refuse", error="other").failure("refuse")
    assert "had to be refused" in fake_cases("none", error="fake").failure("none")
    assert "ValueError" in fake_cases("raise", error="no TflmError").failure("raise")


# Wrong shapes, types and expectations are differences too.
def test_expected_outputs():
    given = {"inputs": [[_INPUT]]}
    right = fake_cases("none", expected=[[_INPUT]], **given)
    assert right.failure("none") == ""
    wrong = fake_cases("none", expected=[[_INPUT + np.int8(1)]], **given)
    assert "4 of 4 elements differ" in wrong.failure("none")


# A case whose model the wheel refuses fails with this reason.
def test_oracle_refusal_fails_case():
    cases = Cases()
    cases.add("gelu", single_op("GELU", [Tensor((1,), "float32")], [Tensor((1,), "float32")]))
    assert "the oracle does not run this model" in cases.failure("gelu")


# An output that TFLM does not write is found: the framer's first frame is not complete.
def test_undefined_outputs_are_noticed():
    framer = single_op(
        "SignalFramer",
        [Tensor((1, 4), "int16")],
        [Tensor((1, 1, 6), "int16"), Tensor((), "bool")],
        custom={"frame_size": 6, "frame_step": 4, "prefill": False},
    )
    assert repetition(framer) == "reset"
    cases = Cases()
    cases.add("framer", framer)
    assert "TFLM leaves outputs of run 0 undefined" in cases.failure("framer")


# Differences: tolerance for floats only, NaN and infinity, types and shapes.
def test_difference():
    ones = np.ones((2, 3), np.float32)
    off = ones.copy()
    off[1, 2] += 1e-3
    assert difference(ones, ones.copy()) == ""
    assert "1 of 6 elements differ, first at [1, 2]" in difference(off, ones, 1e-4)
    assert difference(off, ones, rtol=2e-3) == ""
    assert difference(off, ones, atol=2e-3) == ""
    integers = np.array([1, 2], np.int32)
    assert difference(integers + 1, integers, 1.0, 9.0) != ""
    special = np.array([np.nan, np.inf, -np.inf], np.float32)
    assert difference(special, special.copy(), 1e-5) == ""
    assert difference(special[::-1].copy(), special, 1e-5, 1.0).startswith("3 of 3") is False
    assert difference(np.float32([1.0]), np.float32([np.inf]), 1e-5) != ""
    assert difference(np.float32([1.0]), np.float32([np.nan]), 1e-5, 9.0) != ""
    assert "shape" in difference(ones, ones.T)
    assert "type" in difference(ones, ones.astype(np.float64))
    wide = np.array([-(2**63)], np.int64)
    assert "9223372036854775807 instead" in difference(wide - 1, wide)
    assert difference(off, ones, ignore=off != ones) == ""
    assert undefined(ones, off).sum() == 1


# Generated inputs are equal in each process, and within the type or the given range.
def test_inputs():
    infos = input_infos(reshape_model())
    first = inputs.random_inputs(infos, inputs.generator("a"), {})
    again = inputs.random_inputs(infos, inputs.generator("a"), {})
    other = inputs.random_inputs(infos, inputs.generator("b"), {})
    assert first[0].tolist() == again[0].tolist() != other[0].tolist()
    assert first[0].dtype == np.int8 and first[0].shape == (1, 4)
    values = [lists[0].ravel().tolist() for lists in inputs.extreme_inputs(infos, {})]
    assert values == [[-128] * 4, [127] * 4, [7] * 4, [-128, 127, -128, 127]]
    narrow = inputs.random_inputs(infos, inputs.generator("a"), {0: (3, 3)})
    assert narrow[0].tolist() == [[3, 3, 3, 3]]


# Buffers are aligned, int4 is packed low nibble first, optional tensors are -1.
def test_builder(oracle):
    assert tensor_bytes([1, -1, 7], "int4") == bytes([0xF1, 0x07])
    options = {"size": 1, "fast": True, "scale": 0.5, "type": "int16", "axes": [1, 2]}
    assert flexbuffers.Loads(flexbuffer(options)) == options
    weights = np.arange(8).reshape(2, 4)
    layer = single_op(
        "FULLY_CONNECTED",
        [
            Tensor((1, 4), "int8", scale=0.5, zero_point=0),
            Tensor((2, 4), "int8", weights, scale=[0.5, 0.25], zero_point=0),
            None,
        ],
        [Tensor((1, 2), "int8", scale=0.5, zero_point=0)],
        fused_activation_function="RELU",
    )
    assert layer.find(weights.astype(np.int8).tobytes()) % 16 == 0
    assert oracle.run(layer, [[np.int8([[1, 2, 3, 4]])]])[0][0].tolist() == [[10, 15]]
    with pytest.raises(ValueError, match="has no field stride"):
        single_op("FULLY_CONNECTED", [], [], stride=1)
    with pytest.raises(ValueError, match="3 values for"):
        ModelBuilder().tensor((2,), "int8", [1, 2, 3])
