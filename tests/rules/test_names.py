# Rules for names: codes of operators and fields of their options are those of the schema
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import inspect
import re

import pytest
from rules.sources import PACKAGE, consts, files, tree
from support.schema import schema

_FILES = {
    str(path.relative_to(PACKAGE)): path
    for folder in ("prepare", "tflite", "run", "tell")
    for path in files(PACKAGE / folder)
}
_READS = ("get", "numbers", "vector", "string")
_CODES = {name: code for name, code in vars(schema.BuiltinOperator).items() if name.isupper()}


# The fields of a table of options by their names in capitals: {"STRIDE_W": 1}.
def fields_of(table):
    pattern = r"def (\w+)\(self[^)]*\):\s+o = .*?self\._tab\.Offset\((\d+)\)"
    found = {}
    for name, offset in re.findall(pattern, inspect.getsource(getattr(schema, table))):
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
        found.setdefault(snake.upper(), (int(offset) - 4) // 2)
    return found


# Tables of options that the comments of a file name, and the numbers that it gives them.
def tables_of(text):
    named = re.findall(r"^_\w*OPTIONS = const\((\d+)\)  # (\w+)$", text, re.M)
    shared = re.findall(r"\b\w+Options\b", " ".join(re.findall(r"^# Of (.*)$", text, re.M)))
    return {table: int(number) for number, table in named}, shared


# Calls of `options.get(FIELD, ...)` and the like, whatever the variable is called.
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
            assert getattr(schema.BuiltinOptions, table) == number, name
            seen.add(table)
    assert len(seen) > 30


@pytest.mark.parametrize("name", [name for name in _FILES if list(reads(_FILES[name]))])
def test_fields_of_options(name):
    path = _FILES[name]
    if name.startswith("prepare/signal") or "custom_values" in path.read_text():
        return  # their options are no tables
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


# What builtin_code is compared with, looked for in or looked up by.
def code_operands(path):
    module = tree(path)
    tables = {}
    for node in module.body:
        named = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if named and isinstance(node.value, (ast.Dict, ast.Tuple)):
            items = node.value.keys if isinstance(node.value, ast.Dict) else node.value.elts
            tables[node.targets[0].id] = items

    def is_code(node):
        text = ast.unparse(node)
        return text.endswith(".builtin_code") or ".node_code(" in text or text == "code"

    for node in ast.walk(module):
        found = []
        if isinstance(node, ast.Compare) and is_code(node.left):
            found = node.comparators
        elif isinstance(node, ast.Subscript) and is_code(node.slice):
            found = [node.value]
        for operand in found:
            if isinstance(operand, ast.Name) and operand.id in tables:
                yield from tables[operand.id]
            elif isinstance(operand, ast.Tuple):
                yield from operand.elts
            else:
                yield operand


# `node.builtin_code == _RELU6`: by the operator's name, and with its code.
@pytest.mark.parametrize("name", _FILES)
def test_codes_of_operators(name):
    if name == "tell/op_names.py":
        return
    values = consts(_FILES[name])
    for node in code_operands(_FILES[name]):
        where = f"{name} line {node.lineno}"
        if isinstance(node, ast.Constant):
            assert not isinstance(node.value, int) or node.value < 0, f"{where}: {node.value}"
        elif isinstance(node, ast.Name) and node.id[1:] in _CODES and node.id in values:
            assert values[node.id] == _CODES[node.id[1:]], f"{where}: {node.id}"


# Names of operators stand for their codes wherever a file gives them as numbers.
def test_there_are_names():
    named = [n for path in _FILES.values() for n in consts(path) if n[1:] in _CODES]
    assert len(named) > 50
