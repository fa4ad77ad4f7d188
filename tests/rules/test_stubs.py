# Rules for modules/tflm/__init__.pyi: it describes the public API of the code
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
# With docstrings, but not part of the public API.
_NOT_SHOWN = {"Tensor.__init__", "Tensor.prefetch"}


# Return a class or function of the code by its name.
def _code(name):
    return _INNER.get(name) or getattr(tflm, name)


# Return the parameters of a stub: (name, default, whether it has none, keyword only).
def _parameters(node):
    given = node.args.args
    defaults = [None] * (len(given) - len(node.args.defaults)) + node.args.defaults
    parameters = [(*each, False) for each in zip(given, defaults, strict=True)]
    keywords = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    parameters += [(*each, True) for each in keywords]
    return [(a.arg, None if d is None else ast.literal_eval(d), d is None, keyword)
            for a, d, keyword in parameters]  # fmt: skip


# Return the parameters of a function of the code: (name, default, whether it has none, keyword
# only).
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
    # `hints` is an attribute that load() looks for, but no name to import.
    assert public - {"hints"} | {"__version__"} == set(tflm.__all__) | set(_INNER)


@pytest.mark.parametrize("name", _CLASSES)
def test_parameters_match_the_code(name):
    there = _code(name)
    for method, node in _methods(name).items():
        found = inspect.getattr_static(there, method)
        if isinstance(found, property):
            assert [ast.unparse(d) for d in node.decorator_list] == ["property"]
            continue
        assert _parameters(node) == _signature(found), f"{name}.{method}"
        assert isinstance(node, ast.AsyncFunctionDef) == inspect.iscoroutinefunction(found)


# Public methods have docstrings, and each of them is in the stubs.
@pytest.mark.parametrize("name", _CLASSES)
def test_public_methods_are_in_the_stubs(name):
    public = {
        method
        for method, value in vars(_code(name)).items()
        if getattr(value, "__doc__", None) and (inspect.isfunction(value))
        and not method.startswith("_")
    }  # fmt: skip
    shown = set(_methods(name))
    assert {f"{name}.{method}" for method in public - shown} <= _NOT_SHOWN


# The class sets each attribute of the stubs.
@pytest.mark.parametrize("name", _CLASSES)
def test_attributes_are_set(name):
    source = inspect.getsource(_code(name))
    for node in _CLASSES[name].body:
        if isinstance(node, ast.AnnAssign):
            assert re.search(rf"self\.{node.target.id}\b.*=", source), f"{name}.{node.target.id}"


def test_base_classes_match_the_code():
    for name, node in _CLASSES.items():
        if node.bases and ast.unparse(node.bases[0]) != "Exception":
            assert issubclass(_code(name), _code(ast.unparse(node.bases[0])))


def test_signature_of_load():
    node = next(n for n in _TREE.body if isinstance(n, ast.FunctionDef) and n.name == "load")
    assert _parameters(node) == _signature(tflm.load)


# Programs of users pass the type checker.
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
