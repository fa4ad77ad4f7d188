# Rules for modules/tflm/__init__.pyi: what it says of the public API is what the code has
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import importlib.util
import inspect
import re
import subprocess
import sys

import pytest
import tflm
from rules.sources import PACKAGE, REPOSITORY
from tflm.introspection.signature import Signature
from tflm.model import FlatModel
from tflm.tflite.reader import TfliteModel

_PATH = PACKAGE / "__init__.pyi"
_TREE = ast.parse(_PATH.read_text())
_CLASSES = {
    node.name: node
    for node in _TREE.body
    if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
}
_INNER = {"FlatModel": FlatModel, "Signature": Signature, "TfliteModel": TfliteModel}
# With docstrings, but not to be made or called by users.
_NOT_SHOWN = {"Tensor.__init__", "Tensor.prefetch"}


# A class or function of the code by its name.
def _code(name):
    return _INNER.get(name) or getattr(tflm, name)


# Parameters of a stub: (name, default, has none, by keyword only).
def _parameters(node):
    given = node.args.args
    defaults = [None] * (len(given) - len(node.args.defaults)) + node.args.defaults
    parameters = [(*each, False) for each in zip(given, defaults, strict=True)]
    keywords = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    parameters += [(*each, True) for each in keywords]
    return [(a.arg, None if d is None else ast.literal_eval(d), d is None, keyword)
            for a, d, keyword in parameters]  # fmt: skip


# The same of the code.
def _signature(function):
    empty = inspect.Parameter.empty
    return [
        (
            p.name,
            None if p.default is empty else p.default,
            p.default is empty,
            p.kind is p.KEYWORD_ONLY,
        )
        for p in inspect.signature(function).parameters.values()
        if p.kind is not p.VAR_KEYWORD
    ]


def _methods(name):
    return {
        node.name: node
        for node in _CLASSES[name].body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def test_all_names_have_types():
    names = set(_CLASSES) | {
        node.name if isinstance(node, ast.FunctionDef) else node.target.id
        for node in _TREE.body
        if isinstance(node, (ast.FunctionDef, ast.AnnAssign))
    }
    public = {name for name in names if not name.startswith("_")}
    assert public | {"__version__"} == set(tflm.__all__) | set(_INNER)


@pytest.mark.parametrize("name", _CLASSES)
def test_methods(name):
    there = _code(name)
    for method, node in _methods(name).items():
        found = inspect.getattr_static(there, method)
        if isinstance(found, property):
            assert [ast.unparse(d) for d in node.decorator_list] == ["property"]
            continue
        assert _parameters(node) == _signature(found), f"{name}.{method}"
        assert isinstance(node, ast.AsyncFunctionDef) == inspect.iscoroutinefunction(found)


# Methods that users are told of have docstrings; each is in the stubs.
@pytest.mark.parametrize("name", _CLASSES)
def test_no_method_is_missing(name):
    told = {
        method
        for method, value in vars(_code(name)).items()
        if getattr(value, "__doc__", None) and (inspect.isfunction(value))
        and not method.startswith("_")
    }  # fmt: skip
    shown = set(_methods(name))
    assert {f"{name}.{method}" for method in told - shown} <= _NOT_SHOWN


# The attributes that the stubs promise are set somewhere in the class.
@pytest.mark.parametrize("name", _CLASSES)
def test_attributes(name):
    source = inspect.getsource(_code(name))
    for node in _CLASSES[name].body:
        if isinstance(node, ast.AnnAssign):
            assert re.search(rf"self\.{node.target.id}\b.*=", source), f"{name}.{node.target.id}"


def test_bases():
    for name, node in _CLASSES.items():
        if node.bases and ast.unparse(node.bases[0]) != "Exception":
            assert issubclass(_code(name), _code(ast.unparse(node.bases[0])))


def test_load():
    node = next(n for n in _TREE.body if isinstance(n, ast.FunctionDef) and n.name == "load")
    assert _parameters(node) == _signature(tflm.load)


# Programs of the kind that users write, through the type checker.
_GOOD = """
import tflm

model = tflm.load("model.tflm")
labels: list[str] = model.labels()
interp = tflm.Interpreter(model, arena=bytearray(4096), profiler=tflm.Profiler())
x = interp.input(0)
x.quantize([[0.5, 1], [2, 3]])
x.data[0] = 3
if interp.invoke() is None:
    scores: list[float] = interp.output(0).dequantize()
interp.summary()
try:
    tflm.Interpreter("model.tflm", arena=16).invoke()
except tflm.ArenaError as error:
    print(error.needed - error.available)

async def watch() -> None:
    await interp.invoke_async(pause_ms=0)
"""
_BAD = (
    ("tflm.Interpreter('m', aren=1)", 'Unexpected keyword argument "aren"'),
    ("tflm.Interpreter('m', None, None)", "Too many positional arguments"),
    ("tflm.Interpreter('m').invok()", 'has no attribute "invok"'),
    ("tflm.Interpreter('m').input('x')", "incompatible type"),
    ("tflm.load()", "Missing positional argument"),
)


def test_type_checker(tmp_path):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed; it comes with: pip install -e '.[test]'")
    (tmp_path / "good.py").write_text(_GOOD)
    (tmp_path / "bad.py").write_text("import tflm\n" + "\n".join(line for line, _ in _BAD))
    example = REPOSITORY / "examples" / "atan" / "main.py"
    command = [
        sys.executable, "-m", "mypy", "--ignore-missing-imports", "--no-incremental",
        "--follow-imports=silent", "--no-error-summary",
    ]  # fmt: skip
    done = subprocess.run(
        [*command, str(tmp_path / "good.py"), str(tmp_path / "bad.py"), str(example)],
        env={"MYPYPATH": str(PACKAGE.parent), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    lines = done.stdout.splitlines()
    errors = [line for line in lines if ": error: " in line]
    assert len(errors) == len(_BAD), done.stdout + done.stderr
    for i, (_, words) in enumerate(_BAD):
        assert f"bad.py:{i + 2}: error: " in errors[i] and words in errors[i], errors[i]
