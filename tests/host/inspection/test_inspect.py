# Tests of `tflm inspect`
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import csv
import re
import struct

import pytest
from optimize.network import Network
from support.builder import ModelBuilder
from support.single_op import Tensor, single_op
from tflm import format as layout
from tflm_tools.cli.command import cli
from tflm_tools.flat.flatten import flatten
from tflm_tools.image.custom import _COMMANDS_WITH_CUSTOM
from tflm_tools.inspection.inspection import MAX_PLANNED_OPERATORS, inspect
from tflm_tools.inspection.model_type import FLOAT32, Int8Gains, command_for
from tflm_tools.inspection.survey import _gather
from tflm_tools.model.flat_file import FlatFile

# (MACs, bytes of TFLM's head if no operator has a scratch buffer) of the shared models.
_REAL = {
    "hello_world_float": (288, 128),
    "hello_world_int8": (288, 32),
    "keyword_scrambled_8bit": (21056, None),
    "micro_speech_int8": (336000, 5968),
    "microwakeword_okay_nabu": (36480, None),
    "mlperf_ad01_int8": (264192, 768),
    "mlperf_kws_int8": (2656768, 16000),
    "mlperf_resnet8_int8": (12501632, 49152),
    "mlperf_vww96_int8": (7489664, 73728),
    "mnist_lstm_int8": (113120, None),
    "person_detect_int8": (7157888, 55296),
}


def test_json_has_shapes_and_costs(tflm, layers):
    found = tflm("inspect", layers, "--json")
    assert (found.code, found.err) == (0, "")
    report = found.json()
    assert [(t["name"], t["shape"], t["dtype"]) for t in report["inputs"]] == [
        ("input", [1, 8], "int8")
    ]
    assert report["inputs"][0]["scale"] == pytest.approx(0.1)
    assert report["inputs"][0]["zero_point"] == 3
    ops = report["ops"]
    assert [op["name"] for op in ops] == ["FULLY_CONNECTED"] * 3
    assert [op["output_shape"] for op in ops] == [[1, 40], [1, 6], [1, 5]]
    assert [op["macs"] for op in ops] == [320, 240, 30]
    assert [op["weights_bytes"] for op in ops] == [320 + 160, 240 + 24, 30 + 20]
    assert report["macs"] == 590
    assert report["weights_bytes"] == 794
    assert report["missing"] == []
    flat = flatten(layers.read_bytes())
    assert report["flat_bytes"] == len(flat)
    assert report["tflm_head_bytes"] == 48 + 16
    assert report["peak_op"] == max(ops, key=lambda op: op["live_bytes"])["index"]
    assert report["arena_bytes"] == FlatFile(flat).arena_bytes <= report["tflm_head_bytes"] + 4096
    assert [(fit["board"], fit["fits"]) for fit in report["boards"]] == [
        ("Pico", True),
        ("Pico 2", True),
        ("ESP32", True),
    ]


def test_table_for_people(tflm, layers):
    found = tflm("inspect", layers)
    assert found.code == 0
    assert "\x1b" not in found.out
    lines = [line for line in found.out.splitlines() if not line.startswith("next")]  # a command
    assert max(map(len, lines)) <= 80
    for text in ("layers.tflite", "1x40", "320", "fully_connected", "as .tflm", "Pico 2", "ESP32"):
        assert text in found.out
    assert "does not run" not in found.out


# All missing operators are listed, and the table is printed.
def test_all_missing_operators(tflm, lacking):
    found = tflm("inspect", lacking, "--json")
    assert found.code == 1
    report = found.json()
    missing = {
        (entry["op"], tuple(entry["nodes"])): entry["reason"] for entry in report["missing"]
    }
    assert set(missing) == {("Sparkle", (0, 1)), ("LSH_PROJECTION", (2,)), ("RELU", (3,))}
    assert "Sparkle" in missing["Sparkle", (0, 1)]
    assert "float64" in missing["RELU", (3,)]
    assert len(report["ops"]) == 4
    assert report["flat_bytes"] is None
    text = tflm("inspect", lacking).out
    assert "does not run on tflm" in text
    assert re.search(r"2 × Sparkle: .*\(op 0, 1\)", text.replace("\n", " "))
    assert "1 × LSH_PROJECTION" in text


# Operators that compilers and converters add have a remedy in all commands. Scratch tensors of
# compilers are never written.
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ethos-u", "from before vela"),
        ("NeutronGraph", "compiled for the Neutron NPU of NXP: use the file from before"),
        ("XC_conv2d_v2", "compiled for XMOS: use the file from before"),
        ("edgetpu-custom-op", "compiled for an Edge TPU: use the file from before"),
        ("FlexCast", "OpsSet.TFLITE_BUILTINS only"),
        ("ONNX_PRELU", "replace this layer in the ONNX model"),
        ("tftext:WhitespaceTokenizer", "do this step in Python"),
    ],
)
def test_operators_of_model_compilers(tflm, tmp_path, name, words):
    model = ModelBuilder(name)
    x, scratch, y = (model.tensor((1, 8), "int8", scale=1, zero_point=0) for _ in range(3))
    model.custom(name, [scratch, x], [y])
    model.io([x], [y])
    path = tmp_path / "model.tflite"
    path.write_bytes(model.build())
    for command in ("inspect", "plan", "flatten", "verify"):
        output = ("-o", tmp_path / "model.tflm") if command == "flatten" else ()
        found = tflm(command, path, *output)
        text = " ".join((found.out + found.err).split())
        assert words in text and "damaged" not in text, command
    assert "missing" in tflm("ops", path).out
    assert "does not run" in tflm("report", path, "-o", tmp_path / "report.html").out
    assert words in (tmp_path / "report.html").read_text()


# The error that names the commands with --custom names all of them.
def test_commands_with_custom():
    names = {n for n, c in cli.commands.items() if any("--custom" in p.opts for p in c.params)}
    assert names == set(_COMMANDS_WITH_CUSTOM.replace(" and", ",").split(", "))


# All commands that wait for a board, MicroPython or an oracle have --timeout, which errors name.
def test_commands_with_timeout():
    names = {n for n, c in cli.commands.items() if any("--timeout" in p.opts for p in c.params)}
    with_boards = {n for n, c in cli.commands.items() if any("--on" in p.opts for p in c.params)}
    others = {
        "convert", "deploy", "doctor", "flash", "learn", "measure", "requantize", "transform"
    }  # fmt: skip
    assert names == with_boards | others


def test_model_too_large_for_boards(tmp_path, tflm):
    from support.single_op import Tensor, single_op

    shape = (1, 400, 400, 3)
    source = Tensor(shape, "int8", scale=1.0, zero_point=0)
    target = Tensor(shape, "int8", scale=1.0, zero_point=0)
    path = tmp_path / "large.tflite"
    path.write_bytes(single_op("RELU", [source], [target]))
    report = tflm("inspect", path, "--json").json()
    assert not any(fit["fits"] for fit in report["boards"])
    assert "arena 468.8 KB" in report["boards"][0]["advice"]


def test_flat_model(tflm, layers, tmp_path):
    flat = tmp_path / "layers.tflm"
    flat.write_bytes(flatten(layers.read_bytes()))
    report = tflm("inspect", flat, "--json").json()
    other = tflm("inspect", layers, "--json").json()
    assert report["kind"] == "tflm"
    for key in ("arena_bytes", "flat_bytes", "inputs", "outputs"):
        assert report[key] == other[key]
    assert [op["kernels"] for op in report["ops"]] == [op["kernels"] for op in other["ops"]]
    assert tflm("inspect", flat).code == 0


def test_plan_option(tflm, layers, tmp_path):
    found = tflm("inspect", layers, "--plan")
    assert "▲ peak: op" in found.out
    assert "written by" in found.out
    flat = tmp_path / "layers.tflm"
    flat.write_bytes(flatten(layers.read_bytes()))
    refused = tflm("inspect", flat, "--plan")
    assert refused.code == 2
    assert "--plan requires a .tflite" in refused.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file"),
        (b"", "is empty"),
        (b"hello world, no model", "neither a .tflite nor a .tflm"),
        (b"\x20\0\0\0TFL3", "damaged"),
        (b"TFLM" + bytes(60), "damaged"),
    ],
)
def test_bad_files(tflm, tmp_path, content, words):
    path = tmp_path / "bad.tflite"
    if content is not None:
        path.write_bytes(content)
    found = tflm("inspect", path)
    assert found.code == 1
    assert found.out == ""
    assert words in found.err
    assert len(found.err.splitlines()) == 1


# A .tflm with a valid CRC and invalid tables.
def test_flat_model_with_damaged_tables(tflm, layers, tmp_path):
    flat = bytearray(flatten(layers.read_bytes()))
    names = struct.unpack_from("<I", flat, layout.SECTIONS_OFFSET + 8 * layout.NAMES)[0]
    kernels = struct.unpack_from("<I", flat, layout.SECTIONS_OFFSET + 8 * layout.KERNELS)[0]
    path = tmp_path / "mangled.tflm"
    for at, value in ((kernels, b"\xff\xff\xff\x7f"), (names + 1, b"\xff\xff")):
        mangled = bytearray(flat)
        mangled[at : at + len(value)] = value
        crc = binascii.crc32(memoryview(mangled)[layout.CRC_START :])
        struct.pack_into("<I", mangled, layout.CRC_OFFSET, crc)
        path.write_bytes(mangled)
        found = tflm("inspect", path)
        assert found.code == 1
        assert "damaged" in found.err
        assert len(found.err.splitlines()) == 1


# A truncated model gives an error of one line, or is still complete.
def test_truncated_model(tflm, layers):
    data = layers.read_bytes()
    for length in range(8, len(data), 97):
        layers.write_bytes(data[:length])
        found = tflm("inspect", layers, "--json")
        assert found.code in (0, 1)
        assert len(found.err.splitlines()) == found.code


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", _REAL)
def test_macs_and_head_of_shared_models(shared_models, name):
    report = inspect(shared_models / f"{name}.tflite")
    macs, head = _REAL[name]
    assert report.macs == macs
    if head is not None:
        assert report.tflm_head_bytes == head


# A note warns of float multiplications, which are slow on boards; quantized models have no note.
def test_note_on_float_operators(tflm, repository, layers):
    models = repository / "tests" / "beyond" / "models"
    found = tflm("inspect", models / "hybrid_dynamic.tflite")
    assert "operators multiply floats" in found.out and "docs/how-to/quantize.md" in found.out
    assert (repository / "docs" / "how-to" / "quantize.md").exists()
    assert "multiply floats" not in tflm("inspect", layers).out


# A trained model is recognized by its content or its name.
@pytest.mark.parametrize("name", ["model.keras", "model.h5", "saved"])
def test_error_for_unconverted_model(name, tflm, tmp_path):
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04" if name.endswith("keras") else b"\x89HDF\r\n\x1a\n")
    found = tflm("inspect", path)
    assert found.code == 1 and f"tflm convert {path} --data" in found.err


# The first lines: number types, time, and the command that makes the model fast.
@pytest.mark.parametrize(
    "name, words",
    [
        ("digits/digits_int8", ["type      int8\n", "on a Pico, which", "tflm deploy {path}\n"]),
        (
            "hello_world/hello_world_float",
            ["type      float32", ". As int8 about", "tflm convert {path} --data"],
        ),
    ],
)
def test_overview(tflm, repository, name, words):
    path = repository / "models" / f"{name}.tflite"
    found = tflm("inspect", path)
    head = "\n".join(found.out.splitlines()[:6]) + "\n"
    for word in words:
        assert word.format(path=path) in head, head
    report = tflm("inspect", path, "--json").json()
    assert report["pico_ms"] > 0 and bool(report["int8_ms"]) == ("int8" not in name)


def test_overview_of_a_hybrid_model(tflm, repository):
    path = repository / "tests" / "beyond" / "models" / "hybrid_dynamic.tflite"
    head = tflm("inspect", path).out[:400]
    assert "hybrid: integer weights, float32 activations" in head
    assert "tflm convert FLOAT_MODEL --data DATA" in head


# The estimates of measured models; docs/data has the cycles.
def test_estimated_time(repository):
    rows = csv.DictReader((repository / "docs" / "data" / "pico.csv").read_text().splitlines())
    cycles = {row["model"]: int(row["cycles_model_in_ram"] or 0) for row in rows}
    for name in ("digits/digits_int8", "keywords/keywords_int8", "hello_world/hello_world_float"):
        found = inspect(repository / "models" / f"{name}.tflite")
        assert found.is_copied and found.pico_ms == pytest.approx(
            cycles[name.split("/")[1]] / 125e3, rel=0.3
        )


# The memory of a model with many operators is planned only with --exact.
def test_many_operators(tflm, tmp_path):
    net = Network("many operators", (8, 8, 4))
    x = net.inputs[0]
    for _ in range(MAX_PLANNED_OPERATORS + 1):
        x = net.conv(x, 4)
    path = tmp_path / "many.tflite"
    path.write_bytes(net.build(x))
    quick = tflm("inspect", path)
    assert "without bands, which --exact plans as tflm flatten does" in quick.out
    assert "--exact" not in tflm("inspect", path, "--exact").out


@pytest.mark.parametrize("gains, command, reason", [
    (Int8Gains(["pico"], [], True), "tflm convert", "int8 is faster and smaller"),
    (Int8Gains(["pico"], ["pico2"], False), "tflm convert",
     "int8 is faster on a Pico; float32 is faster on a Pico 2"),
    (Int8Gains([], ["pico", "esp32"], True), "tflm convert",
     "int8 is smaller; float32 is faster on a Pico and an ESP32"),
    (Int8Gains([], ["pico"], False), "tflm deploy",
     "flattens the model with kernels for your board"),
])  # fmt: skip
def test_reason_follows_the_estimates(gains, command, reason):
    found = command_for("model.tflite", {FLOAT32: 3}, True, gains)
    assert found[0].startswith(command) and found[1] == reason


# A model without weights gains nothing as int8. A long command stays on one line.
@pytest.mark.parametrize("dtype, wanted", [("float32", "float32"), ("int32", "int32")])
def test_first_lines(tflm, tmp_path, dtype, wanted):
    path = tmp_path / f"{'long_' * 20}name.tflite"
    path.write_bytes(single_op("NEG", [Tensor((2,), dtype)], [Tensor((2,), dtype)]))
    out = tflm("inspect", path).out
    assert f"\ntype      {wanted}\n" in out and f"\nnext      tflm deploy {path}\n" in out


# An unknown shape is one reason, and the operators after it are only counted.
def test_one_cause_for_unknown_shapes():
    depends = "the shape of its output depends on %s, which is known only at run time; convert it"
    unknown = [("ADD", i, f"the shape of t{i} is not known") for i in range(2, 7)]
    refused = [("RANGE", 0, depends % "n"), ("RANGE", 1, depends % "m"), *unknown]
    (entry,) = _gather(refused)
    assert (entry.op, entry.nodes) == ("RANGE", [0, 1])
    assert "depends on a value that is known only at run time" in entry.reason
    assert entry.reason.endswith("; operators that depend on that: 5")
    assert len(_gather(unknown)) == 5


# A kernel for a custom operator with text cannot be registered.
def test_operators_with_text(tflm, tmp_path):
    model = ModelBuilder("text")
    x = model.tensor((1,), "string", name="x")
    y = model.tensor((1, 4), "int32", name="y")
    model.custom("Tokens", [x], [y])
    model.io([x], [y])
    path = tmp_path / "text.tflite"
    path.write_bytes(model.build())
    found = " ".join(tflm("inspect", path).out.split())
    assert "it computes with text" in found and "--custom" not in found
