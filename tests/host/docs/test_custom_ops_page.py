# Tests that run the code of docs/how-to/custom-operator.md and examples/atan
# MIT license; Copyright (c) 2026 the tflm authors

import importlib.util
import math
import re
import shlex

import numpy as np
import pytest
import tflm as device_tflm
from support.builder import ModelBuilder
from support.script import run_script
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten
from tflm_tools.image.custom import load_resolver


@pytest.fixture
def example(repository):
    return repository / "examples" / "atan"


# Import a module of the example in CPython.
def _import(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Return the blocks of the page in order: (language, text).
def blocks(repository):
    page = (repository / "docs" / "how-to" / "custom-operator.md").read_text()
    return re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)


def test_script_makes_the_models(example):
    make_model = _import(example / "make_model.py")
    assert (example / "atan.tflite").read_bytes() == make_model.make_float()
    assert (example / "atan_int8.tflite").read_bytes() == make_model.make_int8()


# All blocks in one run, in a folder with copies of the example.
def test_page(tflm, repository, example, tmp_path, monkeypatch):
    for path in example.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    script, wanted = "import sys\nsys.path.insert(0, '.')\n", ""
    shown = (example / "atan.py").read_text()
    for language, text in blocks(repository):
        if language == "sh":
            command = shlex.split(text)
            assert command.pop(0) == "tflm"
            assert tflm(*command).code == 0
        elif language == "text":
            wanted += text
        elif "class Atan:" in text:
            assert text == shown
        else:
            script += text
    assert wanted.count("\n") == 2
    assert run_script(script) == wanted


# The example with state: each output is the median of the last three inputs, also after a reset.
def test_median(example):
    lines = run_script(
        f"""
import sys
sys.path.append({str(example)!r})
import median, tflm
resolver = tflm.OpResolver()
median.register(resolver)
interp = tflm.Interpreter({str(example / "atan_int8.tflite")!r}, resolver=resolver)
for value in (10, 90, 30, None, 50):
    if value is None:
        interp.reset()
        continue
    interp.input(0).data[0] = value
    interp.invoke()
    print(interp.output(0).data[0])
"""
    )
    assert lines.split() == ["0", "10", "30", "0"]


@pytest.mark.parametrize("path", ["flat", "tflite"])
@pytest.mark.parametrize("name", ["atan", "atan_int8"])
def test_run(tflm, example, tmp_path, path, name):
    values = np.linspace(-6, 6, 8).reshape(1, 8).astype(np.float32)
    np.save(tmp_path / "x.npy", values)
    found = tflm("run", example / f"{name}.tflite", "--input", tmp_path / "x.npy", "--quantize",
                 "--output-dir", tmp_path, "--path", path,
                 "--custom", example / f"{name}.py")  # fmt: skip
    assert (found.code, found.err) == (0, "")
    got = np.load(tmp_path / "output_0.npy")
    if name == "atan":
        np.testing.assert_allclose(got, np.arctan(values + 0.5), rtol=1e-6)
    else:
        quantized = np.round(values * 16).astype(int)
        wanted = [round(math.atan(q / 16 + 0.5) * 80) for q in quantized[0]]
        assert got[0].tolist() == wanted


# The model of LiteRT's tutorial: ADD of a trained offset, then an Atan without options.
@pytest.mark.parametrize("suffix", ["tflm", "tflite"])
def test_tutorial(example, tmp_path, suffix):
    model = ModelBuilder()
    x, sum_, y = (model.tensor((4,), "float32") for _ in range(3))
    offset = model.tensor((), "float32", -0.25)
    model.operator("ADD", [x, offset], [sum_])
    model.custom("Atan", [sum_], [y])
    model.io([x], [y])
    data = model.build()
    path = tmp_path / f"sine.{suffix}"
    if suffix == "tflm":
        data = flatten(data, load_resolver([example / "atan.py"]))
    path.write_bytes(data)
    lines = run_script(
        f"""
import sys
sys.path.append({str(example)!r})
import atan, tflm
resolver = tflm.OpResolver()
atan.register(resolver)
interp = tflm.Interpreter({str(path)!r}, resolver=resolver)
interp.input(0).quantize([-1, 0, 0.25, 7])
interp.invoke()
print(interp.output(0).dequantize())
"""
    )
    np.testing.assert_allclose(
        eval(lines), np.arctan(np.array([-1.25, -0.25, 0, 6.75])), rtol=1e-6
    )


def test_inspect(tflm, example):
    model = example / "atan.tflite"
    report = tflm("inspect", model, "--json").json()
    assert [(m["op"], m["nodes"]) for m in report["missing"]] == [("Atan", [0])]
    assert "unresolved custom op: Atan" in report["missing"][0]["reason"]
    report = tflm("inspect", model, "--custom", example / "atan.py", "--json").json()
    assert report["missing"] == []
    assert report["ops"][0]["kernels"] == ["custom.Atan"]


def test_bench(tflm, example, tmp_path, monkeypatch):
    monkeypatch.setenv("TFLM_CACHE", str(tmp_path))
    options = (example / "atan.tflite", "--custom", example / "atan.py", "--invokes", 1, "--json")
    [row] = tflm("bench", *options).json()
    assert row["tflm_us"] > 0 and "TFLM itself does not run" in row["refused"]
    [row] = tflm("bench", "--per-op", *options).json()
    assert [op["kernel"] for op in row["ops"]] == ["custom.Atan"]


# verify compares the user's kernels for builtin operators with TFLM's.
def test_verify(tflm, layers, tmp_path):
    own = tmp_path / "own.py"
    text = """
from tflm.prepare import fully_connected

class Own:
    @staticmethod
    def prepare(context, node):
        fully_connected.prepare(context, node)%s

def register(resolver):
    resolver.add_builtin(9, Own)
"""
    own.write_text(text % "")
    options = (layers, "--custom", own, "--runs", 1, "--layers")
    found = tflm("verify", *options)
    assert (found.code, found.err) == (0, "")
    own.write_text(text % "\n        raise ValueError('own')")
    found = tflm("verify", *options)
    assert found.code == 1 and "own" in found.err


def test_flatten_names_the_option(tflm, example, tmp_path):
    found = tflm("flatten", example / "atan.tflite", "-o", tmp_path / "x.tflm")
    assert found.code == 1
    assert found.err == (
        "tflm: unresolved custom op: Atan; register it with --custom FILE, an option "
        "of inspect, flatten, run, verify, bench, plan, report, ops, eval, convert and deploy\n"
    )


# Invalid files for --custom.
def test_bad_files(tflm, example, tmp_path):
    for text, message in (
        ("import nothing_like_this", "cannot be imported by this Python (ModuleNotFoundError"),
        ("raise RuntimeError('no')", "(RuntimeError: no)"),
        ("import sys; sys.exit(0)", "(SystemExit: 0)"),
        ("x = 1", "has no function register(resolver)"),
        ("def register(resolver): 1 / 0", "register(resolver) ended with ZeroDivisionError"),
        ("def register(): pass", "register(resolver) ended with TypeError: register() takes 0"),
        ("def register(resolver): raise SystemExit", "register(resolver) ended with SystemExit"),
    ):
        path = tmp_path / "ops.py"
        path.write_text(text)
        found = tflm("flatten", example / "atan.tflite", "-o", tmp_path / "x", "--custom", path)
        assert found.code == 1 and message in found.err and found.err.count("\n") == 1, found.err
    with pytest.raises(ToolError, match="no such file"):
        load_resolver([tmp_path / "absent.py"])


# Exceptions of its functions on the host are reported with their line, exit() included.
@pytest.mark.parametrize("command", ["inspect", "flatten"])
def test_functions_that_fail(tflm, example, tmp_path, command):
    path = tmp_path / "ops.py"
    rest = ("-o", tmp_path / "x") if command == "flatten" else ()
    for name, line, said in (
        ("init", "1 / 0", "init() ended with ZeroDivisionError: division by zero in line 3"),
        ("prepare", "node.x", "no attribute 'x' in line 3; fix it"),
        ("prepare", "raise SystemExit", "prepare() ended with SystemExit in line 3"),
    ):
        path.write_text(
            f"class Op:\n    def {name}(self, context, node):\n        {line}\n"
            "    def invoke(self, context, node):\n        pass\n"
            "def register(resolver):\n    resolver.add_custom('Atan', Op())\n"
        )
        found = tflm(command, example / "atan.tflite", *rest, "--custom", path)
        assert found.code == 1 and said in found.err and found.err.count("\n") == 1, found.err


# On the host, imports of MicroPython's modules work, and modules beside the file are found.
def test_kernels_of_a_file(tmp_path):
    (tmp_path / "beside_it.py").write_text("import micropython\nSEVEN = micropython.const(7)\n")
    path = tmp_path / "ops.py"
    path.write_text(
        "import micropython\nimport beside_it\n"
        "@micropython.viper\ndef f(x: ptr8, n: int):\n    pass\n"
        "class Op:\n    number = beside_it.SEVEN\n"
        "    def invoke(self, context, node):\n        pass\n"
        "def register(resolver):\n    resolver.add_custom('Op', Op())\n"
    )
    assert load_resolver([path]).custom("Op").number == 7
    assert isinstance(load_resolver([]), device_tflm.OpResolver)


# The error for an unregistered custom operator names all commands with --custom.
def test_commands_with_custom_operators(lacking):
    import re

    import pytest
    from tflm.errors import UnsupportedError
    from tflm_tools.cli.command import cli
    from tflm_tools.flat.flatten import flatten

    with pytest.raises(UnsupportedError) as caught:
        flatten(lacking.read_bytes())
    named = (
        re.search(r"an option of (.*)", str(caught.value))[1].replace(" and ", ", ").split(", ")
    )
    with_option = [n for n, c in cli.commands.items() if any(p.name == "custom" for p in c.params)]
    assert sorted(named) == sorted(with_option)
