# Tests of `tflm flatten`
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import pairwise

import pytest
from optimize.network import Network
from support.builder import ModelBuilder
from tflm.errors import UnsupportedError
from tflm_tools.arena.arena_plan import tflm_head_bytes
from tflm_tools.board.flatten_for_board import flatten_for_board
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline, flatten
from tflm_tools.model.flat_file import FlatFile
from tflm_tools.model.model_file import open_model
from tflm_tools.optimize.memory import levels
from tflm_tools.targets import TARGETS


def test_written_file_and_sizes(tflm, layers, tmp_path):
    target = tmp_path / "made.tflm"
    target.write_bytes(b"an old file")
    found = tflm("flatten", layers, "-o", target, "--json")
    assert (found.code, found.err) == (0, "")
    flat = flatten(layers.read_bytes())
    assert target.read_bytes() == flat
    report = found.json()
    assert report["flat_bytes"] == len(flat)
    assert report["tflite_bytes"] == layers.stat().st_size
    assert report["tflm_head_bytes"] <= report["arena_bytes"] <= report["tflm_head_bytes"] + 1024
    assert sorted(p.name for p in tmp_path.iterdir()) == ["layers.tflite", "made.tflm"]
    assert "made.tflm" in tflm("flatten", layers, "-o", target).out


def test_keep_tensors(tflm, layers, tmp_path):
    target = tmp_path / "kept.tflm"
    assert tflm("flatten", layers, "-o", target, "--keep-tensors").code == 0
    assert target.read_bytes() == flatten(layers.read_bytes(), keep_tensors=True)


# The report lists what each pass saved, --without excludes passes, and for a target the report
# lists the costs of each weight layout.
def test_reported_savings_and_packing(tflm, tmp_path):
    net = Network("savings", (6, 6, 4))
    x = net.conv(net.inputs[0], 16, 3, dead=range(12), bias=[300] * 16)
    x = net.reshape(net.conv(x, 8), (1, 288))
    source, target = tmp_path / "net.tflite", tmp_path / "net.tflm"
    source.write_bytes(net.build(net.dense(x, 4)))
    report = tflm("flatten", source, "-o", target, "--json", "--target", "armv6m").json()
    assert [(s["what"], s["nodes"]) for s in report["savings"]] == [
        ("dead_channels", [0]),
        ("dead_channels", [1]),
        ("aliases", [2]),
    ]
    # 12 of 16 channels are removed from the first layer's output and the second layer's input.
    assert [s["macs"] for s in report["savings"]] == [12 * 36 * 36, 12 * 8 * 36, 0]
    layers = report["packing"]
    # Weights that are used only once per invoke stay bytes.
    chosen = [(0, "lanes"), (1, "lanes"), (3, "bytes")]
    assert [(p["node"], p["chosen"]) for p in layers] == chosen
    kernels = {op.node: op.kernel for op in FlatFile(target.read_bytes()).ops}
    assert all(layer["kernel"] == kernels[layer["node"]] for layer in layers)
    assert kernels[3].startswith("dense.")
    for layer in layers:
        assert layer["flash"]["lanes"] > layer["flash"]["bytes"] >= layer["flash"]["in place"]
        assert layer["cycles"]["lanes"] < layer["cycles"]["bytes"] < layer["cycles"]["in place"]
    printed = tflm("flatten", source, "-o", target, "--target", "armv6m").out
    assert "dead-channels" in printed
    assert "* marks the written .tflm" in " ".join(printed.split())
    options = "--without", "dead-channels", "--without", "aliases", "--json"
    report = tflm("flatten", source, "-o", target, *options).json()
    assert report["savings"] == report["packing"] == []
    assert target.read_bytes() == flatten(source.read_bytes(), without=("all",))
    assert tflm("flatten", source, "-o", target, "--without", "everything").code == 2


# The .tflm fits the flash budget, and the report agrees with the file.
def test_packing_within_a_flash_budget(tflm, layers, tmp_path):
    target = tmp_path / "made.tflm"
    options = "flatten", layers, "-o", target, "--json", "--target", "armv6m"
    whole = tflm(*options).json()
    report = tflm(*options, "--flash-budget", whole["flat_bytes"] - 40).json()
    assert report["flat_bytes"] <= whole["flat_bytes"] - 40
    before, after = (
        [p["flash"][p["chosen"]] for p in each["packing"]] for each in (whole, report)
    )
    assert sum(before) - sum(after) >= 40
    chosen = ([p["chosen"] for p in each["packing"]] for each in (whole, report))
    assert next(chosen) != next(chosen)


def test_failure_leaves_the_old_file(tflm, layers, lacking, tmp_path):
    target = tmp_path / "made.tflm"
    target.write_bytes(b"an old file")
    before = sorted(p.name for p in tmp_path.iterdir())
    refused = tflm("flatten", lacking, "-o", target)
    assert refused.code == 1
    assert "Sparkle" in refused.err
    again = tflm("flatten", layers, "-o", tmp_path / "no folder" / "x.tflm")
    assert again.code == 1
    assert "cannot write" in again.err
    assert target.read_bytes() == b"an old file"
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert tflm("flatten", layers, "-o", tmp_path).code == 1  # a folder
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    flat = tmp_path / "flat.tflm"
    tflm("flatten", layers, "-o", flat)
    assert "already" in tflm("flatten", flat, "-o", target).err


# --input-shape with the name of an input, or without a name for the only input.
def test_input_shapes(tflm, tmp_path):
    model = ModelBuilder()
    x = model.tensor((1, 4), "float32", shape_signature=(-1, 4), name="x")
    y = model.tensor((1, 4), "float32", shape_signature=(-1, 4))
    model.operator("NEG", [x], [y])
    model.io([x], [y])
    source, target = tmp_path / "net.tflite", tmp_path / "net.tflm"
    source.write_bytes(model.build())
    for word in ("3,4", "x=3,4"):
        assert tflm("flatten", source, "-o", target, "--input-shape", word).code == 0
        assert target.read_bytes() == flatten(source.read_bytes(), input_shapes={0: (3, 4)})
        target.unlink()
    for word, text in [
        ("y=3,4", "names no input; the model has x"),
        ("x=3,a", "is not a shape"),
        ("x=3", "cannot have the shape"),
    ]:
        refused = tflm("flatten", source, "-o", target, "--input-shape", word)
        assert refused.code == 1 and text in refused.err
        assert not target.exists()


# The table of packed layers fits a terminal of 80 columns without cutting operator names.
def test_packing_table_fits_80_columns(tflm, repository, tmp_path):
    digits = repository / "models" / "digits" / "digits_int8.tflite"
    found = tflm("flatten", digits, "-o", tmp_path / "x.tflm", "--target", "armv6m")
    table = found.out[found.out.index("in place") :]
    assert table.count("DEPTHWISE_CONV_2D") == 2 and "FULLY_CONNECTED" in table
    assert "…" not in table and max(map(len, found.out.splitlines())) <= 80


# The result is the fastest plan within the budget, or an error with the smallest possible size.
def test_arena_budget(tflm, repository, tmp_path):
    source, target = repository / "models" / "digits" / "digits_int8.tflite", tmp_path / "x.tflm"
    found = tflm("flatten", source, "-o", target, "--arena-budget", 900)
    assert found.code == 1 and not target.exists()
    assert "no plan of this model keeps to 900 bytes of arena, the least needs" in found.err
    least = int(found.err.split("the least needs ")[1].split()[0])
    assert tflm("flatten", source, "-o", target, "--arena-budget", least, "--json").json()[
        "arena_bytes"
    ] == least  # fmt: skip
    printed = tflm("flatten", source, "-o", target, "--arena-budget", least + 100).out
    assert "* budget" in printed and "speed" in printed
    assert f"--arena-budget {least}" in tflm("plan", source, "--arena-budget", least).out
    both = tflm("flatten", source, "-o", target, "--arena-budget", least, "--optimize", "ram")
    assert both.code == 1 and "leave --optimize out" in both.err
    with pytest.raises(ToolError, match="deploy the .tflite it was made from"):
        flatten_for_board(open_model(target), None, arena_budget=least - 1)
    with pytest.raises(UnsupportedError, match="cannot be planned again"):
        flatten(source.read_bytes(), keep_tensors=True, arena_budget=least)
    with pytest.raises(ToolError, match="leave --optimize out"):
        flatten(source.read_bytes(), optimize="speed", arena_budget=least)


# A level whose search is slow is skipped unless --optimize names it, and the table says so.
def test_slow_level_is_skipped(tflm, tmp_path):
    model = ModelBuilder()
    tensors = [model.tensor((1, 4), "float32") for _ in range(82)]
    for x, y in pairwise(tensors):
        model.operator("NEG", [x], [y])
    model.io(tensors[:1], tensors[-1:])
    source, target = tmp_path / "net.tflite", tmp_path / "net.tflm"
    source.write_bytes(model.build())
    found = tflm("flatten", source, "-o", target)
    assert "slow: --optimize ram" in " ".join(found.out.split()) and "* balanced" in found.out
    flat = target.read_bytes()
    report = tflm("flatten", source, "-o", target, "--optimize", "ram", "--json").json()
    assert [each["level"] for each in report["levels"]] == ["ram", "balanced", "speed"]
    assert report["unit"] == "cycles of a Cortex-M0+"
    assert report["skipped_levels"] == [] and target.read_bytes() == flat


# A level is also skipped when the search of a small model reaches its limit of candidates.
def test_level_is_skipped_at_the_search_limit(tflm, repository, tmp_path, monkeypatch):
    source, target = repository / "models" / "digits" / "digits_int8.tflite", tmp_path / "net.tflm"
    words = "flatten", source, "-o", target, "--input-by-rows", "--target", "armv7em", "--json"

    def flattened(*more):
        report = tflm(*words, *more).json()
        found = [each["level"] for each in report["levels"]]
        return report["skipped_levels"], found, target.read_bytes()

    everything = ["ram", "balanced", "speed"]
    ram, usual = flattened("--optimize", "ram"), flattened()
    assert ram[:2] == usual[:2] == ([], everything)
    monkeypatch.setattr(levels, "MAX_TENSORS", 400)
    assert flattened() == (["ram"], everything[1:], usual[2])
    assert flattened("--optimize", "ram") == ram
    monkeypatch.setattr(levels, "MAX_TENSORS", 20_000)
    assert flattened() == usual


# Small models whose kernels need large scratch buffers for some targets: {name: Network.build()}.
def _small_models():
    speech = Network("speech", (49, 40, 1))
    image = speech.depthwise(speech.inputs[0], (10, 8), 2, multiplier=8)
    anomaly = Network("anomaly", (1, 1, 640))
    flat = anomaly.reshape(anomaly.inputs[0], (1, 640))
    return {
        "speech": speech.build(speech.dense(image, 4)),
        "anomaly": anomaly.build(anomaly.dense(anomaly.dense(flat, 64), 640)),
    }


# By default a model needs at most 1 KB more than TFLM's head, with the kernels of each target,
# unless that takes 1.5 times the cycles.
@pytest.mark.parametrize("name", ["speech", "anomaly"])
def test_default_arena_is_near_tflm_head(name):
    data = _small_models()[name]
    exceeding, slow = set(), set()
    for target in (None, *TARGETS):
        pipeline = FlattenPipeline(data, FlattenOptions(target=target))
        limit = tflm_head_bytes(pipeline.source) + levels.MAX_ABOVE_TFLM
        sizes = [
            pipeline.at_level(level).storage.head_bytes
            for level in (levels.RAM, levels.BALANCED, levels.SPEED)
        ]
        assert sizes == sorted(sizes) and sizes[0] <= limit, (target, sizes, limit)
        if sizes[2] > limit:
            exceeding.add(target)
        if sizes[1] > limit:
            slow.add(target)
    assert exceeding >= ({"armv6m", "mac16"} if name == "speech" else {"mac16"})
    assert slow == ({"pie"} if name == "speech" else {"mac16", "rv32imc", "xtensawin"})
