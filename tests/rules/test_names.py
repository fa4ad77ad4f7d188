# Rules for names and parameters: codes of operators and fields of options are the schema's
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import functools
import inspect
import re

import pytest
from rules.sources import PACKAGE, REPOSITORY, consts, files, tree
from support.schema import schema
from tflm_tools.model.schema import BuiltinOperator

_FILES = {
    str(path.relative_to(PACKAGE)): path
    for path in files(PACKAGE)
    if not {"kernels", "access_checks", "wake", "microphone", "camera", "motion"} & {*path.parts}
    and path.stem not in ("op_names", "dtypes", "tensor")  # these have codes of types
}
_TOOLS = {
    str(path.relative_to(REPOSITORY)): path
    for path in files(REPOSITORY / "tools" / "tflm_tools")
    if "device" not in path.parts and path.stem != "schema"
}
_READS = ("get", "numbers", "vector", "string")
_CODES = {name: code for name, code in vars(schema.BuiltinOperator).items() if name.isupper()}


# The schema's classes as text: inspect.getsource() of one class parses its whole file each time.
@functools.cache
def class_sources():
    _, *pieces = re.split(r"^class (\w+)\b", inspect.getsource(schema), flags=re.M)
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


# Return the fields of a table of options by their names in capitals: {"STRIDE_W": 1}.
@functools.cache
def fields_of(table):
    pattern = r"def (\w+)\(self[^)]*\):\s+o = .*?self\._tab\.Offset\((\d+)\)"
    found = {}
    for name, offset in re.findall(pattern, class_sources()[table]):
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
        found.setdefault(snake.upper(), (int(offset) - 4) // 2)
    return found


# Return the tables of options in the comments of a file, {name: number}, and shared ones.
def tables_of(text):
    named = re.findall(r"^_\w*OPTIONS = const\((\d+)\)  # (\w+)$", text, re.M)
    shared = re.findall(r"\b\w+Options\b", " ".join(re.findall(r"^# Of (.*)$", text, re.M)))
    return {table: int(number) for number, table in named}, shared


# Yield calls like `options.get(FIELD, ...)`, for all names of the variable.
def reads(path):
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _READS:
            source = ast.unparse(node.func.value)
            if "options" in source and node.args and "custom" not in source:
                yield node


def test_tables_of_options():
    seen = set()
    for name, path in _FILES.items():
        for table, number in tables_of(path.read_text())[0].items():
            second = getattr(schema.BuiltinOptions2, table, None)  # read as 256 + its number
            found = getattr(schema.BuiltinOptions, table, second and 256 + second)
            assert found == number, name
            seen.add(table)
    assert len(seen) > 30


@pytest.mark.parametrize("name", [n for n in _FILES if "options." in _FILES[n].read_text()])
def test_fields_of_options(name):
    path = _FILES[name]
    if name.startswith("prepare/signal") or "custom_values" in path.read_text():
        return  # their options are not tables
    named, shared = tables_of(path.read_text())
    tables = [fields_of(table) for table in [*named, *shared]]
    values = consts(path)
    for node in reads(path):
        field, where = node.args[0], f"{name} line {node.lineno}"
        if isinstance(field, ast.Name) and field.id.islower():
            continue  # a parameter or a loop over names
        assert isinstance(field, ast.Name), f"{where}: a field without a name"
        known = [table[field.id[1:]] for table in tables if field.id[1:] in table]
        assert known, f"{where}: {field.id} is no field of {[*named, *shared]}"
        assert set(known) == {values[field.id]}, f"{where}: {field.id}"


# Return the numbers and the groups of a file's own names: {"_RELU6": 21}, {"_POOLS": [nodes]}.
def own_names(path):
    numbers, groups = consts(path), {}
    for node in tree(path).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            if isinstance(value, ast.Constant) and type(value.value) is int:
                numbers[name] = value.value
            elif isinstance(value, ast.Dict):
                groups[name] = value.keys
            elif isinstance(value, (ast.Tuple, ast.Set)):
                groups[name] = value.elts
    return numbers, groups


# Yield the nodes that builtin_code is compared with, searched in or looked up in.
def code_operands(path):
    groups = own_names(path)[1]
    is_of_operators = "builtin" in path.read_text()  # otherwise `code` may be an exit code

    def is_code(node):
        text = ast.unparse(node)
        if text == "code":
            return is_of_operators
        return text.endswith(".builtin_code") or "code_of(" in text or ".node_code(" in text

    def flat(node):
        if isinstance(node, ast.Name) and node.id in groups:
            node = ast.Tuple(groups[node.id])
        if isinstance(node, ast.BinOp):
            yield from [*flat(node.left), *flat(node.right)]
        elif isinstance(node, (ast.Tuple, ast.Set)):
            for element in node.elts:
                yield from flat(element)
        else:
            yield node

    for node in ast.walk(tree(path)):
        found = []
        if isinstance(node, ast.Compare) and is_code(node.left):
            found = node.comparators
        elif isinstance(node, ast.Subscript) and is_code(node.slice):
            found = [node.value]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get":
            found = [node.func.value] if node.args and is_code(node.args[0]) else []
        for operand in found:
            yield from flat(operand)


# `node.builtin_code == _RELU6` uses the operator's name, and the constant has its code. Each file
# repeats the number, because MicroPython's const is local to a file and an import takes heap.
@pytest.mark.parametrize("name", _FILES)
def test_codes_of_operators(name):
    numbers = own_names(_FILES[name])[0]
    for node in code_operands(_FILES[name]):
        where = f"{name}: {ast.unparse(node)}"
        assert not isinstance(node, ast.Constant) or node.value is None, where
        if isinstance(node, ast.Name) and node.id in numbers:
            assert numbers[node.id] == _CODES[node.id.removeprefix("_")], where


# The host tools define these names once: BuiltinOperator, and option() for fields of options.
@pytest.mark.parametrize("name", _TOOLS)
def test_no_numbers_of_the_schema_on_the_host(name):
    path = _TOOLS[name]
    numbers = own_names(path)[0]
    for node in code_operands(path):
        where = f"{name}: {ast.unparse(node)}"
        assert not isinstance(node, ast.Constant) or node.value is None, where
        assert not isinstance(node, ast.Name) or node.id not in numbers, where
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "options":
            assert not isinstance(node.args[0], ast.Constant), f"{name}: {ast.unparse(node)}"


def test_the_host_has_the_names_of_the_schema():
    assert {code.name: code.value for code in BuiltinOperator} == _CODES


# The rules above check nothing unless names are found.
def test_names_are_found():
    named = [n for path in _FILES.values() for n in consts(path) if n[1:] in _CODES]
    assert len(named) > 50
    checked = [
        n
        for path in [*_FILES.values(), *_TOOLS.values()]
        for n in code_operands(path)
        if ast.unparse(n).split(".")[-1].removeprefix("_") in _CODES
    ]
    assert len(checked) > 100


# Functions of the tools with more parameters take a frozen dataclass of options.
_MAX_PARAMETERS = 7


def test_number_of_parameters():
    folders = [REPOSITORY / name for name in ("tools/tflm_tools", "firmware", "bench", "release")]
    checked, longer = 0, []
    for path in (path for folder in folders for path in files(folder)):
        for node in ast.walk(tree(path)):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            if node.name.startswith("_") and node.name != "__init__":
                continue
            parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            count = len([each for each in parameters if each.arg not in ("self", "cls")])
            checked += 1
            if count > _MAX_PARAMETERS:
                longer.append(f"{path}:{node.lineno}: {node.name}() has {count} parameters")
    assert checked > 1000 and not longer, longer
