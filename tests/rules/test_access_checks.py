# Rules for access checks: words of records have the names of Prepare's layouts
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import functools

import pytest
from rules.record_words import CHECK_FILES, FUNCTIONS, Words, terms


@functools.cache
def words():
    return Words()


# Yield the names of words in their layouts; the words after a layout are its table.
def names_at(found):
    for layout, number in found:
        if number <= len(layout):
            yield layout[number - 1].upper() if number > 0 else ""
        else:
            yield "TABLE" if number == len(layout) + 1 else ""


# Whether an index has a number without a name; the factor in `3 * level` only counts.
def is_bare(node):
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mult):
        return is_bare(node.left) or is_bare(node.right)
    return isinstance(node, ast.Constant)


# Return a complaint about the index of a word, or "". The name of a constant must end with the
# word's name in all layouts: in a file with several records `_CONV_DEPTH` is the word "depth". A
# word of a block whose start depends on the record is `at + _TO_DEPTH`; then the word's names in
# all layouts end with "depth". Tables have no layout, so that the names of their words are not
# checked.
def complaint(function, node):
    first, added = terms(node)
    if any(map(is_bare, [first, *added])):
        return "a bare number; name the word as the layout does"
    if words().value(function, first) is not None:
        for name in set(names_at(words().words_at(function, first))):
            if not name or not first.id.endswith("_" + name):
                return f"{first.id} is {name.lower() or 'no word'}"
    base = first
    for name in added:
        base = ast.BinOp(base, ast.Add(), name)
        if words().value(function, name) is None:
            return ""  # one of several items: only the first has a name
        for word in set(names_at(words().words_at(function, base))):
            if word not in ("", "TABLE") and not word.endswith(name.id.removeprefix("_TO_")):
                return f"{name.id} is {word.lower()}"
    return ""


@pytest.mark.parametrize("file", CHECK_FILES)
def test_words_have_the_names_of_the_layout(file):
    wrong = []
    for key, nodes in words().nodes.items():
        for node in nodes if key[0] == file else ():
            text = complaint(FUNCTIONS[key], node)
            if text:
                wrong.append(f"{file}.py line {node.lineno}: {ast.unparse(node)}: {text}")
    assert not wrong, "\n".join(sorted(set(wrong)))


# The rule above checks nothing unless indices are found.
def test_indices_are_found_in_other_files():
    held = {
        key
        for key, nodes in words().nodes.items()
        for node in nodes
        if terms(node)[1] and words().words_at(FUNCTIONS[key], node)
    }
    assert {("windows", "windows"), ("sums_int16", "sums"), ("sigmoid", "curve")} <= held
    assert sum(len(nodes) for nodes in words().nodes.values()) > 300
