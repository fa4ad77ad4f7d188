# Rules for extents: they call the words of a record as Prepare's layouts do, like kernels
# MIT license; Copyright (c) 2026 the tflm authors

import ast

import pytest
from rules.sources import PACKAGE, consts, emitted, files, tree

_FILES = {path.stem: path for path in files(PACKAGE / "extents") if path.stem != "record"}
# Methods of extents/record.py whose first argument is the number of a word; both, for apart().
_METHODS = ("reads", "writes", "has", "numbers", "signed", "constant", "is_offset", "requantize")
_METHODS += ("limits", "halfwords", "table", "apart")


# Functions of a file by name, and which of them each calls.
def functions_of(path):
    found = {n.name: n for n in tree(path).body if isinstance(n, ast.FunctionDef)}
    calls = {
        name: {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and n.id in found}
        for name, function in found.items()
    }
    return found, calls


# The layouts that each function of a file is used for: by CHECKS, and by what calls it.
def layouts_of(path):
    found, calls = functions_of(path)
    kernels = {name: set() for name in found}
    for node in tree(path).body:
        if not isinstance(node, ast.Assign) or ast.unparse(node.targets[0]) != "CHECKS":
            continue
        for key, value in zip(node.value.keys, node.value.values, strict=True):
            reached = {n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id in found}
            while reached:
                name = reached.pop()
                if key.value not in kernels[name]:
                    kernels[name].add(key.value)
                    reached |= calls[name]
    layouts = emitted()
    return {
        name: {layout for kernel in used for layout in layouts.get(kernel, ())}
        for name, used in kernels.items()
    }


# Numbers of words in a function: nodes that stand for one.
def word_nodes(function):
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "r":
            yield node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            method = node.func.attr
            if method in _METHODS and getattr(node.func.value, "id", "") == "r":
                yield from node.args[: 2 if method == "apart" else 1]


# The name of word `i` in all of these layouts, or None where they differ or have none.
def word_name(layouts, i):
    names = {layout[i - 1] if 0 < i <= len(layout) else None for layout in layouts}
    return names.pop() if len(names) == 1 else None


# A word that has one name in all records that a function looks at goes by it; `_CONV_DEPTH` is a
# "depth", too, in a file with several records.
@pytest.mark.parametrize("name", _FILES)
def test_words_go_by_their_names(name):
    found, _ = functions_of(_FILES[name])
    layouts, values = layouts_of(_FILES[name]), consts(_FILES[name])
    for function in found.values():
        used = layouts[function.name]
        for node in word_nodes(function):
            where = f"{name}.py line {node.lineno}"
            if isinstance(node, ast.Constant) and used:
                word = word_name(used, node.value)
                assert word is None, f"{where}: word {node.value} is {word}"
            elif isinstance(node, ast.Name) and node.id in values:
                word = word_name(used, values[node.id])
                assert word and node.id.endswith(f"_{word.upper()}"), f"{where}: {node.id}"


def test_words_have_names():
    named = [n for path in _FILES.values() for n in consts(path)]
    assert len(named) > 150
