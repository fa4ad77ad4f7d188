# Tests of `tflm verify`: equal models pass, and a kernel with a defect is named
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.single_op import Tensor, single_op
from tflm.prepare import fully_connected
from tflm_tools.check import oracle
from tflm_tools.check.cases import make_cases
from tflm_tools.check.comparison import first_difference
from tflm_tools.flat.flatten import flatten
from tflm_tools.inspection.inspection import inspect
from tflm_tools.model.flat_file import FlatFile
from tflm_tools.model.model_file import open_model

# A kernel that calls the correct one, then changes the byte at `offset` in the arena if the
# operator has the depth `depth`.
_BROKEN = """

_right = eval_int8


@micropython.viper
def _change(op, arena):
    record = ptr32(op)
    if record[{depth_word}] == {depth}:
        memory = ptr8(int(ptr8(arena)) + {offset})
        memory[0] = memory[0] ^ 1


def eval_int8(op, arena, rom, start, stop):
    _right(op, arena, rom, start, stop)
    _change(op, arena)
"""


# The index of a word in FULLY_CONNECTED's record.
def _word(name):
    return 1 + fully_connected.INT8.index(name)


def test_equal_models(tflm, layers):
    found = tflm("verify", layers, "--runs", 3, "--json")
    assert (found.code, found.err) == (0, "")
    report = found.json()
    assert report["mismatch"] is None
    assert [(entry["path"], entry["cases"]) for entry in report["paths"]] == [
        ("flat", 7),
        ("tflite", 7),
    ]
    # The device needs the arena sizes of `tflm inspect`.
    inspection = inspect(layers)
    assert [inspection.arena_bytes, inspection.arena_tflite_bytes] == [
        entry["arena_bytes"] for entry in report["paths"]
    ]
    text = tflm("verify", layers, "--runs", 1, "--path", "tflite").out
    assert "all outputs are equal to TFLM's" in text
    assert "flat" not in text


# The flat model equals the result of `tflm flatten` with the same options.
def test_options_of_the_memory_plan(tflm, repository):
    source = repository / "models/digits/digits_int8.tflite"
    needed = []
    for options in (("--optimize", "off"), ("--optimize", "ram"), ("--arena-budget", 1750)):
        report = tflm("verify", source, "--runs", 1, "--path", "flat", *options, "--json").json()
        flat = flatten(source.read_bytes(), **{options[0][2:].replace("-", "_"): options[1]})
        assert report["mismatch"] is None
        needed.append(report["paths"][0]["arena_bytes"])
        assert needed[-1] == FlatFile(flat).arena_bytes
    assert needed[0] > 1.5 * needed[1] and needed[2] <= 1750
    refused = tflm("verify", source, "--arena-budget", 100)
    assert refused.code == 1 and "the least needs" in refused.err
    for options in (("--optimize", "ram"), ("--arena-budget", 9000), ("--input-by-rows",)):
        refused = tflm("verify", source, "--path", "tflite", *options)
        assert refused.code == 1 and "or give --path flat" in refused.err, options


@pytest.mark.parametrize("name", ["hello_world_int8", "hello_world_float"])
def test_models_of_the_repository(tflm, repository, name):
    found = tflm("verify", repository / "models" / "hello_world" / f"{name}.tflite")
    assert (found.code, found.err) == (0, "")


@pytest.mark.parametrize("path", ["flat", "tflite"])
def test_broken_kernel_is_named(tflm, layers, changed_modules, path):
    offset = f"(record[{_word('output')}] >> 2) + 4"
    changed_modules(
        "kernels/fully_connected.py",
        _BROKEN.format(depth_word=_word("depth"), depth=40, offset=offset),
    )
    found = tflm("verify", layers, "--path", path, "--runs", 2, "--json")
    assert found.code == 1
    mismatch = found.json()["mismatch"]
    assert mismatch["path"] == path
    op = mismatch["op"]
    assert (op["node"], op["op"], op["kernel"]) == (
        1,
        "FULLY_CONNECTED",
        "fully_connected.eval_int8",
    )
    assert op["tensor"] == "layer1"
    assert op["difference"]["index"] == [0, 4]
    assert (op["difference"]["count"], op["difference"]["total"]) == (1, 6)
    assert op["difference"]["got"] ^ op["difference"]["wanted"] == 1
    text = tflm("verify", layers, "--path", path, "--runs", 2).out
    assert "First differing op: 1 FULLY_CONNECTED" in text
    assert f"[0, 4]: tflm {op['difference']['got']}, TFLM {op['difference']['wanted']}" in text


# The kernel changes a byte that is in the first layer's output if tensors share memory, and unused
# if they do not.
def test_write_outside_of_tensors_names_no_operator(tflm, layers, changed_modules):
    offset = next(b.offset for b in inspect(layers).plan.blocks if b.name == "layer0")
    code = _BROKEN.format(depth_word=_word("depth"), depth=8, offset=offset)
    changed_modules("kernels/fully_connected.py", code.replace("^ 1", "^ 0x40"))
    found = tflm("verify", layers, "--path", "flat")
    assert found.code == 1
    assert "no operator differs when tensors do not share memory" in found.out


def test_kernel_that_allocates_is_an_error(tflm, layers, changed_modules):
    changed_modules(
        "kernels/fully_connected.py",
        "\n\ndef eval_int8(op, arena, rom, start, stop):\n    return bytearray(100)\n",
    )
    found = tflm("verify", layers)
    assert found.code == 1
    assert "a kernel allocated memory in invoke" in found.err


# Formatting an error message allocates memory, which is allowed.
def test_error_of_a_kernel_is_reported(tflm, layers, changed_modules):
    changed_modules(
        "kernels/fully_connected.py",
        "\n\ndef eval_int8(op, arena, rom, start, stop):\n"
        "    from ..errors import InputError\n"
        "    raise InputError('its %s words' % 'own')\n",
    )
    found = tflm("verify", layers)
    assert found.code == 1
    assert "its own words" in found.err and "allocated" not in found.err


def test_error_without_the_wheel(tflm, layers, monkeypatch):
    monkeypatch.setattr(oracle.importlib.util, "find_spec", lambda name: None)
    found = tflm("verify", layers)
    assert found.code == 1
    assert "-m pip install tflite-micro==" in found.err
    assert len(found.err.splitlines()) == 1


def test_models_that_cannot_be_verified(tflm, layers, lacking, tmp_path):
    assert "Sparkle" in tflm("verify", lacking).err
    flat = tmp_path / "layers.tflm"
    tflm("flatten", layers, "-o", flat)
    found = tflm("verify", flat)
    assert found.code == 1
    assert "verify needs the .tflite" in found.err


# A model that crashes TFLM ends a child process, and causes an error of one line.
def test_crash_and_timeout_of_the_oracle(layers):
    with pytest.raises(oracle.OracleError, match="TFLM itself does not run this model"):
        oracle.run(layers.read_bytes()[:200], [[np.zeros((1, 8), np.int8)]])
    with pytest.raises(oracle.OracleError, match="did not finish within"):
        oracle.run(layers.read_bytes(), [[np.zeros((1, 8), np.int8)]], timeout=0.001)


# Both modes of reading TFLM's tensors give equal arrays.
def test_tensor_modes_of_the_oracle(layers):
    inputs = [case.inputs for case in make_cases(open_model(layers).inputs, 2, 5)]
    preserved, added = (
        oracle.run(layers.read_bytes(), inputs, tensors=mode).tensors
        for mode in oracle.TENSOR_MODES
    )
    assert len(preserved) == 3
    assert preserved.keys() == added.keys()
    for number, values in preserved.items():
        np.testing.assert_array_equal(values, added[number])


def test_cases_are_random_and_extreme(layers):
    inputs = open_model(layers).inputs
    cases = {case.name: case.inputs[0] for case in make_cases(inputs, 2, 9)}
    assert (cases["all lowest"] == -128).all()
    assert (cases["all highest"] == 127).all()
    assert (cases["all zero"] == 3).all()
    assert not (cases["random 0"] == cases["random 1"]).all()
    again = {case.name: case.inputs[0] for case in make_cases(inputs, 2, 9)}
    np.testing.assert_array_equal(cases["random 1"], again["random 1"])


# A model whose input is an index of a table (after CAST for float32), as Keras writes Embedding.
def embedding(kind):
    model = ModelBuilder(kind)
    table = model.tensor((3, 4), "float32", np.arange(12))
    x, y = model.tensor((1, 5), kind), model.tensor((1, 5, 4), "float32")
    index = x
    if kind == "float32":
        index = model.tensor((1, 5), "int32")
        model.operator("CAST", [x], [index], in_data_type="float32", out_data_type="int32")
    model.operator("GATHER", [table, index], [y], axis=0)
    model.io([x], [y])
    return model.build()


@pytest.mark.parametrize("kind", ["float32", "int32"])
def test_cases_have_valid_indices(tmp_path, kind):
    path = tmp_path / "embedding.tflite"
    path.write_bytes(embedding(kind))
    cases = [case.inputs[0] for case in make_cases(open_model(path).inputs, 8, 0)]
    assert {value for case in cases for value in case.flat} == {0, 1, 2}


# Boxes that are computed from inputs may be empty, which TFLM refuses, too. With few detections
# TFLM leaves some rows of its outputs unwritten.
def test_refused_inputs_and_unwritten_outputs(tflm, tmp_path):
    model = ModelBuilder("boxes")
    x, boxes = (model.tensor((1, 4, 4), "float32") for _ in range(2))
    scores = model.tensor((1, 4, 2), "float32")
    anchors = model.tensor((4, 4), "float32", np.tile([0.5, 0.5, 1, 1], (4, 1)))
    model.operator("NEG", [x], [boxes])
    outputs = [model.tensor(shape, "float32") for shape in ((1, 3, 4), (1, 3), (1, 3), (1,))]
    options = {"y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0}
    options |= {"max_detections": 3, "num_classes": 2, "max_classes_per_detection": 1,
                "nms_iou_threshold": 0.5, "nms_score_threshold": 0.1,
                "detections_per_class": 3, "use_regular_nms": False}  # fmt: skip
    model.custom("TFLite_Detection_PostProcess", [boxes, scores, anchors], outputs, options)
    model.io([x, scores], outputs)
    path = tmp_path / "boxes.tflite"
    path.write_bytes(model.build())
    found = tflm("verify", path, "--json")
    assert (found.code, found.err) == (0, "")
    report = found.json()
    assert set(report["refused"]) == {"all highest", "lowest and highest"}
    assert report["unwritten"] == [0, 1, 2]
    assert "TFLM refuses them: all highest" in tflm("verify", path).out


# GELU runs in LiteRT, but not in TFLM.
def test_litert_as_the_oracle(tflm, tmp_path):
    model = ModelBuilder("gelu")
    x, y = (model.tensor((3, 5), "float32") for _ in range(2))
    model.operator("GELU", [x], [y])
    model.io([x], [y])
    path = tmp_path / "gelu.tflite"
    path.write_bytes(model.build())
    error = tflm("verify", path).err
    assert "TFLM itself does not run" in error and "LiteRT: --oracle litert" in error
    found = tflm("verify", path, "--oracle", "litert", "--layers")
    assert found.code == 0
    assert "all outputs are equal to LiteRT's" in found.out


# Adding the number of rows (3) wraps negative indices and does not change the limits; adding 1
# shifts them.
@pytest.mark.parametrize(("added", "limits"), [(3, (0, 2)), (1, (-1, 1))])
def test_limits_of_indices_after_an_addition(tmp_path, added, limits):
    model = ModelBuilder("added")
    x, index = (model.tensor((5,), "int32") for _ in range(2))
    model.operator("ADD", [model.tensor((), "int32", added), x], [index])
    y = model.tensor((5, 4), "float32")
    model.operator("EMBEDDING_LOOKUP", [index, model.tensor((3, 4), "float32", np.ones(12))], [y])
    model.io([x], [y])
    path = tmp_path / "added.tflite"
    path.write_bytes(model.build())
    assert open_model(path).inputs[0].limits == limits


def test_comparison_of_floats():
    wanted = np.array([1.0, np.nan, np.inf, 0.0], np.float32)
    assert first_difference(np.array([1.000009, np.nan, np.inf, 9e-7], np.float32), wanted) is None
    for i, value in ((0, 1.00002), (1, 0.0), (2, 1e30), (3, 2e-6), (0, np.nan)):
        got = wanted.copy()
        got[i] = value
        assert first_difference(got, wanted).index == (i,)


def _binary(tmp_path, op, dtype):
    model = ModelBuilder(op)
    x, y, z = (model.tensor((1, 4), dtype) for _ in range(3))
    model.operator(op, [x, y], [z])
    model.io([x, y], [z])
    path = tmp_path / f"{op}.tflite"
    path.write_bytes(model.build())
    return path


# TFLM refuses divisions of integers, and a division of floats by zero; LiteRT's refuse the latter.
def test_divisors(tflm, tmp_path):
    floor_mod = _binary(tmp_path, "FLOOR_MOD", "int32")
    assert "Type 'INT32' is not supported by FLOOR_MOD" in tflm("verify", floor_mod).err
    found = tflm("verify", floor_mod, "--oracle", "litert", "--path", "flat", "--json").json()
    assert found["mismatch"] is None and found["cases"] == 12 and found["refused"] == {}
    found = tflm("verify", _binary(tmp_path, "FLOOR_DIV", "float32"), "--path", "flat", "--json")
    assert found.code == 0 and set(found.json()["refused"]) == {"all zero"}


# TFLM's SPACE_TO_BATCH_ND pads with a number that it never sets.
def test_padding_of_space_to_batch(tflm, tmp_path):
    model = ModelBuilder("padded")
    x = model.tensor((1, 5, 1, 4), "int8", scale=0.1, zero_point=-3)
    blocks = model.tensor((2,), "int32", [2, 1])
    pads = model.tensor((2, 2), "int32", [[1, 2], [0, 0]])
    y = model.tensor((2, 4, 1, 4), "int8", scale=0.1, zero_point=-3)
    z = model.tensor((2, 4, 1, 4), "int8", scale=0.1, zero_point=-3)
    model.operator("SPACE_TO_BATCH_ND", [x, blocks, pads], [y])
    model.operator("RELU", [y], [z])
    model.io([x], [z])
    path = tmp_path / "padded.tflite"
    path.write_bytes(model.build())
    found = tflm("verify", path, "--path", "flat", "--json").json()
    assert found["mismatch"] is None and found["unwritten"] == []


# LiteRT does not show the handles of resource variables, which are not numbers.
def test_resource_variables_with_litert(tflm, tmp_path):
    model = ModelBuilder("state")
    x, y, z = (model.tensor((1, 4), "float32") for _ in range(3))
    handle = model.tensor((1,), "resource")
    model.operator("VAR_HANDLE", [], [handle], shared_name="v", container="")
    model.operator("ASSIGN_VARIABLE", [handle, x], [])
    model.operator("READ_VARIABLE", [handle], [y])
    model.operator("NEG", [y], [z])
    model.io([x], [z])
    path = tmp_path / "state.tflite"
    path.write_bytes(model.build())
    found = tflm("verify", path, "--oracle", "litert", "--path", "flat", "--layers")
    assert found.code == 0 and "all outputs are equal to LiteRT's" in found.out
    assert "TFLM" not in found.out


# LiteRT's FULLY_CONNECTED of int8 rounds some values to the next step.
def test_values_that_litert_rounds(tflm, layers, monkeypatch):
    run = oracle.run

    def changed(*given, **options):
        found = run(*given, **{**options, "name": oracle.TFLM})
        values = found.outputs[0][0]
        values[0, 0] += 1 if values[0, 0] < 127 else -1
        return found

    monkeypatch.setattr(oracle, "run", changed)
    called = "verify", layers, "--oracle", "litert", "--path", "flat", "--runs", 16
    found = tflm(*called, "--json")
    assert found.code == 0 and found.json()["rounded"] == {"0": 1}
    text = " ".join(tflm(*called).out.split())
    assert "1 element of all cases off by one step" in text
    assert "all outputs are at most one step from LiteRT's" in text

    def too_far(*given, **options):
        found = run(*given, **{**options, "name": oracle.TFLM})
        found.outputs[0][0][0, 0] ^= 2
        return found

    monkeypatch.setattr(oracle, "run", too_far)
    found = tflm(*called)
    assert found.code == 1 and ", LiteRT " in found.out and "TFLM" not in found.out


# LiteRT's reference kernels can differ from its optimized ones: one of them is enough.
@pytest.mark.parametrize("wrong", [oracle.REFERENCE, oracle.OPTIMIZED, ""])
def test_two_kinds_of_kernels(tflm, layers, monkeypatch, wrong):
    run = oracle.run

    def changed(*given, **options):
        found = run(*given, **{**options, "name": oracle.TFLM})
        found.kernels = options["kernels"]
        if found.kernels == wrong or not wrong:
            found.outputs[0][0][0, 0] ^= 2
        return found

    monkeypatch.setattr(oracle, "run", changed)
    found = tflm("verify", layers, "--oracle", "litert")
    text = " ".join(found.out.split())
    assert found.code == (0 if wrong else 1)
    if wrong == oracle.REFERENCE:
        said = "LiteRT ran its optimized kernels; its reference kernels give other results"
    else:
        said = "LiteRT ran its reference kernels"
    assert said in text and ("other results" in text) == (wrong == oracle.REFERENCE)


# TFLM reads only the first scale of these tables.
def test_scales_that_tflm_ignores(tflm, tmp_path):
    rows = np.random.default_rng(1).integers(-99, 99, (4, 4))
    scales = {"scale": [0.01, 0.02, 0.05, 0.1], "zero_point": [0] * 4, "quantized_dimension": 0}
    path = tmp_path / "rows.tflite"
    path.write_bytes(
        single_op(
            "EMBEDDING_LOOKUP",
            [Tensor((3,), "int32"), Tensor((4, 4), "int8", rows, **scales)],
            [Tensor((3, 4), "float32")],
        )
    )
    found = tflm("verify", path)
    assert found.code == 1 and "only the first of 4 scales" in found.err
    assert found.err.rstrip().endswith("compare with LiteRT: --oracle litert")
    assert tflm("verify", path, "--oracle", "litert").code == 0


def test_operators_of_tensorflow(tflm, tmp_path):
    model = ModelBuilder("flex")
    x, y = (model.tensor((1, 4), "float32") for _ in range(2))
    model.custom("FlexErf", [x], [y])
    model.io([x], [y])
    path = tmp_path / "flex.tflite"
    path.write_bytes(model.build())
    for name in ("tflm", "litert"):
        found = tflm("verify", path, "--oracle", name, "--custom", tmp_path / "erf.py")
        assert found.code == 1 and "has operators of TensorFlow (FlexErf), which" in found.err
