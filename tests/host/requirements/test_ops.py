# Tests of `tflm ops`: models run with only the files, or only the resolver, that it lists
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.script import run_script
from support.single_op import Tensor, single_op
from tflm_tools.errors import DeviceError
from tflm_tools.execution.device_model import invoke
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.model_file import open_model
from tflm_tools.packages.dist import package_files
from tflm_tools.port.invocation import InvokeOptions
from tflm_tools.requirements.files import files_in, needs
from tflm_tools.requirements.needs import needs_of
from tflm_tools.requirements.output import manifest_source, resolver_source


# A model with int8 and float32 operators.
@pytest.fixture
def mixed(tmp_path):
    builder = ModelBuilder("mixed")
    x = builder.tensor((1, 4, 4, 2), "float32", name="x")
    q = builder.tensor((1, 4, 4, 2), "int8", scale=0.05, zero_point=1)
    pooled = builder.tensor((1, 2, 2, 2), "int8", scale=0.05, zero_point=1)
    flat = builder.tensor((1, 8), "int8", scale=0.05, zero_point=1)
    y = builder.tensor((1, 8), "float32", name="y")
    builder.operator("QUANTIZE", [x], [q])
    builder.operator("MAX_POOL_2D", [q], [pooled], stride_h=2, stride_w=2, filter_height=2,
                     filter_width=2, padding="VALID")  # fmt: skip
    builder.operator("RESHAPE", [pooled], [flat])
    builder.operator("DEQUANTIZE", [flat], [y])
    builder.io([x], [y])
    path = tmp_path / "mixed.tflite"
    path.write_bytes(builder.build())
    return path


@pytest.fixture
def delay(tmp_path):
    path = tmp_path / "delay.tflite"
    tensors = [Tensor((2,), "int16")], [Tensor((2,), "int16")]
    path.write_bytes(single_op("SignalDelay", *tensors, custom={"delay_length": 3}))
    return path


# Copy only these files of tflm to a folder.
def package(folder, repository, files):
    for file in files:
        target = folder / "tflm" / f"{file}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(repository / "modules" / "tflm" / f"{file}.py", target)
    return folder


# Check that a model has the same outputs with the package in a folder as with the whole package.
def check_package(path, folder, monkeypatch, paths=("flat", "tflite")):
    model = open_model(path)
    rng = np.random.default_rng(3)
    arrays = [(rng.random(t.shape) * 9 - 4).astype(t.numpy_dtype()) for t in model.inputs]
    wanted = invoke(model, [arrays]).outputs
    monkeypatch.setenv("TFLM_MODULES", str(folder))
    for each in paths:
        got = invoke(model, [arrays], InvokeOptions(each)).outputs
        assert [a.tobytes() for a in got[0]] == [a.tobytes() for a in wanted[0]], each


def test_printed_table(tflm, mixed):
    found = tflm("ops", mixed, "--arch", "armv6m")
    assert (found.code, found.err) == (0, "")
    rows = {line.split()[0]: line.split() for line in found.out.splitlines() if line.split()}
    assert rows["QUANTIZE"][1:] == ["1", "1", "float32", "→", "int8", "quantize.eval_float32"]
    assert rows["MAX_POOL_2D"][1:] == ["1", "1", "int8", "pooling.eval_int8"]
    assert "kernels/pooling" in rows and "prepare/quantize" in rows and "TOTAL" in rows
    assert all(len(line) <= 80 for line in found.out.splitlines())


def test_json_report(tflm, mixed, layers):
    report = tflm("ops", mixed, layers, "--arch", "armv6m", "--arch", "rv32imc", "--json").json()
    assert [len(model["ops"]) for model in report["models"]] == [4, 1]
    dense = report["models"][1]["ops"][0]
    assert (dense["name"], dense["code"], dense["count"]) == ("FULLY_CONNECTED", 9, 3)
    assert (dense["types"], dense["prepare"]) == (["int8"], "prepare/fully_connected")
    assert report["archs"] == ["armv6m", "rv32imc"]
    files = {entry["file"]: entry for entry in report["files"]}
    assert files["kernels/fully_connected"]["flash"]["armv6m"] > 500
    assert "kernels/conv" not in files and "prepare/conv" not in files
    assert files["interpreter"]["group"] == "runtime"


# A .tflm needs no files of Prepare.
def test_files_of_each_kind_of_model(mixed):
    flat = {entry.file for entry in needs([mixed], "flat", ["armv6m"]).files}
    both = {entry.file for entry in needs([mixed], "both", ["armv6m"]).files}
    assert not [file for file in flat if file.startswith(("prepare/", "tflite/"))] and flat < both
    assert {"prepare/pooling", "prepare/table", "tflite/allocator", "tflite/reader"} <= both


# Files for types that no operator has are not listed.
def test_only_files_of_the_types_are_listed(layers):
    prepare = needs_of(layers).prepare
    assert "fully_connected" in prepare
    assert not [file for file in prepare if re.search("float|int16|lanes|dsp|^conv$", file)]


@pytest.mark.parametrize("name", ["mixed", "layers", "delay"])
def test_listed_files_are_enough(request, tmp_path, repository, monkeypatch, name):
    path = request.getfixturevalue(name)
    files = files_in([needs_of(path)], "both", "")
    check_package(path, package(tmp_path / "only", repository, files), monkeypatch)


# Proves that the test above can fail.
def test_model_fails_without_a_listed_kernel(mixed, tmp_path, repository, monkeypatch):
    files = files_in([needs_of(mixed)], "both", "")
    files.remove("kernels/pooling")
    folder = package(tmp_path / "only", repository, files)
    with pytest.raises(DeviceError, match="kernel pooling.eval_int8 is not on this board"):
        check_package(mixed, folder, monkeypatch)


# The files for a .tflm only are enough to run it.
def test_files_for_a_flat_model_are_enough(mixed, tmp_path, repository, monkeypatch):
    flat = tmp_path / "mixed.tflm"
    flat.write_bytes(flatten(mixed.read_bytes()))
    files = files_in([needs_of(flat)], "flat", "")
    assert files == files_in([needs_of(mixed)], "flat", "")
    folder = package(tmp_path / "only", repository, files)
    check_package(flat, folder, monkeypatch, ["flat"])


# (path of the included manifest, files that modules/manifest.py freezes) of a written manifest.
def frozen(repository, manifest, monkeypatch):
    given = {}

    def include(path, **options):
        given.update(options, path=path)

    exec(manifest, {"include": include})
    options = SimpleNamespace()

    def defaults(**values):
        vars(options).update(values | {k: v for k, v in given.items() if k != "path"})

    options.defaults = defaults
    files = []
    monkeypatch.chdir(repository / "modules")
    source = (repository / "modules" / "manifest.py").read_text()
    names = {"options": options, "package": lambda name, found, **_: files.extend(found)}
    exec(source, names | {"freeze": lambda *_: None})
    return given["path"], [os.path.splitext(file)[0] for file in files]


@pytest.mark.parametrize("name", ["mixed", "layers", "delay"])
def test_manifest_freezes_the_listed_files(request, tmp_path, repository, monkeypatch, name):
    path = request.getfixturevalue(name)
    found = needs([path])
    where, files = frozen(repository, manifest_source(found, tmp_path / "m.py"), monkeypatch)
    assert (tmp_path / where).resolve() == repository / "modules" / "manifest.py"
    # An __init__ that contains only comments is not frozen.
    listed, wanted = (
        {f for f in names if f.startswith(("prepare/", "kernels/")) and "__init__" not in f}
        for names in (files, files_in(found.models, "both", ""))
    )
    assert listed == wanted
    if name == "delay":  # the test above runs the others with the same files
        check_package(path, package(tmp_path / "frozen", repository, files), monkeypatch)


# The firmware of the app objects is without the kernels of audio front ends.
def test_kernels_that_an_app_omits(repository, monkeypatch):
    def kernels(app):
        text = f"include('modules/manifest.py', arch='armv6m', app='{app}')"
        return {f for f in frozen(repository, text, monkeypatch)[1] if f.startswith("kernels/")}

    every, some = kernels("digits"), kernels("objects")
    omitted = every - some
    assert "kernels/armv6m/gen/signal_fft" in omitted and "kernels/signal_stacker" in omitted
    assert some < every and not [f for f in omitted if "conv" in f or "float" in f]


def test_manifest_for_an_arch(mixed, repository, tmp_path, monkeypatch):
    text = manifest_source(needs([mixed], "flat"), tmp_path / "m.py", "armv6m")
    _, files = frozen(repository, text, monkeypatch)
    assert "kernels/armv6m/gen/pooling" in files and "kernels/conv" not in files
    assert not [file for file in files if file.startswith("prepare/")]


# Access checks are frozen for the frozen kernels only, or not at all.
def test_access_checks_of_a_manifest(repository, monkeypatch):
    line = 'include("", arch="armv6m", kernels="int8", prepare=False%s)'
    _, with_checks = frozen(repository, line % "", monkeypatch)
    checks = {file for file in with_checks if file.startswith("access_checks/")}
    assert {"access_checks/__init__", "access_checks/record", "access_checks/lanes"} <= checks
    assert not checks & {
        "access_checks/dsp",
        "access_checks/unary_float",
        "access_checks/filter_bank",
    }
    _, without = frozen(repository, line % ", checks=False", monkeypatch)
    assert set(with_checks) - set(without) == checks
    # Kernels for other types, and portable kernels with an override, are not frozen.
    assert not [file for file in without if "kernels/" in file and "float" in file]
    assert "kernels/depthwise_conv_lanes" not in without


# With the resolver, its model runs on both paths, and another model is refused.
def test_resolver_runs_only_its_model(tflm, mixed, layers, tmp_path):
    file = tmp_path / "only_mixed.py"
    found = tflm("ops", mixed, "--resolver", file, "--manifest", tmp_path / "m.py")
    assert found.code == 0 and f"wrote {file}" in found.out.replace("\n", "")
    paths = []
    for path in (mixed, layers):
        flat = path.with_suffix(".tflm")
        flat.write_bytes(flatten(path.read_bytes()))
        paths += [str(flat), str(path)]
    lines = run_script(f"""
import sys
sys.path.append({str(tmp_path)!r})
import tflm
from only_mixed import Resolver
for path in {paths!r}:
    try:
        tflm.Interpreter(path, resolver=Resolver()).invoke()
        print("ran")
    except tflm.UnsupportedError as error:
        print(error)
""").splitlines()
    assert lines[:2] == ["ran", "ran"]
    assert lines[2].startswith("the resolver lacks the kernel fully_connected.eval_int8; ")
    assert lines[3].startswith("the resolver lacks the operator FULLY_CONNECTED; ")


def test_resolver_names_custom_operators(tmp_path, repository):
    path = tmp_path / "atan.tflite"
    path.write_bytes(single_op("Atan", [Tensor((6,), "float32")], [Tensor((6,), "float32")],
                               custom={"offset": 1.0}))  # fmt: skip
    custom = tmp_path / "atan.py"
    custom.write_text(
        "class Atan:\n    def invoke(self, context, node):\n        pass\n\n\n"
        "def register(resolver):\n    resolver.add_custom('Atan', Atan())\n"
    )
    source = resolver_source(needs([path], custom=[custom]))
    assert "add your operators with add_custom: Atan." in source
    names = {}
    exec(source, names)
    assert names["_BUILTIN"] == names["_SHIPPED"] == names["_KERNELS"] == ()


def test_resolver_of_custom_operators_in_tflm(delay):
    found = needs([delay])
    assert found.models[0].ops[0].prepare == "prepare/signal_delay"
    assert '"SignalDelay",' in resolver_source(found)


def test_missing_operators(tflm, lacking, tmp_path):
    found = tflm("ops", lacking, "--json")
    names = {op["name"]: op for op in found.json()["models"][0]["ops"]}
    assert names["Sparkle"]["count"] == 2 and names["Sparkle"]["prepare"] is None
    assert "missing" in tflm("ops", lacking).out
    refused = tflm("ops", lacking, "--resolver", tmp_path / "r.py")
    assert refused.code == 1 and "does not run on tflm: " in refused.err
    assert not (tmp_path / "r.py").exists()


def test_errors_of_options(tflm, mixed, tmp_path):
    assert tflm("ops", "--resolver", tmp_path / "r.py").code == 2
    arguments = ["--arch", "armv6m", "--arch", "x64", "--manifest", tmp_path / "m.py"]
    assert tflm("ops", mixed, *arguments).code == 2
    refused = tflm("ops", mixed, "--arch", "z80")
    assert refused.code == 1 and "there is no arch z80" in refused.err
    assert "CONV_2D" in tflm("ops").out
    assert Path(mixed).exists()


# The mip package contains all files that these models need.
def test_mip_package_contains_the_files(mixed, delay):
    models = [needs_of(mixed), needs_of(delay)]
    for kinds, prepare in (("both", True), ("flat", False)):
        assert set(files_in(models, kinds, "")) <= set(package_files("all", prepare=prepare))


# A model with an open batch dimension also needs the files that compute shapes.
def test_files_for_open_dimensions(tmp_path, repository, monkeypatch):
    builder = ModelBuilder()
    x, y = (builder.tensor((1, 4), "float32", shape_signature=(-1, 4)) for _ in range(2))
    builder.operator("RELU", [x], [y])
    builder.io([x], [y])
    path = tmp_path / "open.tflite"
    path.write_bytes(builder.build())
    files = files_in([needs_of(path)], "both", "")
    assert "tflite/shapes" in files and "prepare/conv" not in files
    check_package(path, package(tmp_path / "only", repository, files), monkeypatch)


def test_readme_has_the_number_of_operators(tflm, repository):
    count = len(tflm("ops", "--json").json())
    assert f"{count} operators" in tflm("ops").out
    assert f"`.tflite` with {count} operators, in RAM" in (repository / "README.md").read_text()
