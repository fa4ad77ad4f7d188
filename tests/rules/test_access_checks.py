# Rules for extents: they call the words of a record as Prepare's layouts do, like kernels
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import functools

import pytest
from rules.record_words import EXTENTS, FUNCTIONS, Words, parts


@functools.cache
def words():
    return Words()


# The names of word `number` in the layouts; what is behind a layout is its table.
def names_at(places):
    for layout, number in places:
        if number <= len(layout):
            yield layout[number - 1].upper() if number > 0 else ""
        else:
            yield "TABLE" if number == len(layout) + 1 else ""


# A number in a word's place; that of `3 * level` only counts.
def is_bare(node):
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mult):
        return is_bare(node.left) or is_bare(node.right)
    return isinstance(node, ast.Constant)


# What is wrong with a number of a word, or "". A word has the name that all layouts give it, at
# the end: `_CONV_DEPTH` is a "depth", too, in a file with several records. A word of a block that
# begins elsewhere in each record is `at + _TO_DEPTH`, where "depth" is the end of each layout's
# name. Tables have no layout: nothing holds the names of what is in them.
def complaint(function, node):
    first, added = parts(node)
    if any(map(is_bare, [first, *added])):
        return "a bare number; name the word as the layout does"
    if words().value(function, first) is not None:
        for name in set(names_at(words().places(function, first))):
            if not name or not first.id.endswith("_" + name):
                return f"{first.id} is {name.lower() or 'no word'}"
    base = first
    for name in added:
        base = ast.BinOp(base, ast.Add(), name)
        if words().value(function, name) is None:
            return ""  # some item of several: only the first has a place
        for word in set(names_at(words().places(function, base))):
            if word not in ("", "TABLE") and not word.endswith(name.id.removeprefix("_TO_")):
                return f"{name.id} is {word.lower()}"
    return ""


@pytest.mark.parametrize("file", EXTENTS)
def test_words_go_by_their_names(file):
    wrong = []
    for key, nodes in words().nodes.items():
        for node in nodes if key[0] == file else ():
            said = complaint(FUNCTIONS[key], node)
            if said:
                wrong.append(f"{file}.py line {node.lineno}: {ast.unparse(node)}: {said}")
    assert not wrong, "\n".join(sorted(set(wrong)))


# Else the rule would hold nothing.
def test_words_are_followed_into_other_files():
    held = {
        key
        for key, nodes in words().nodes.items()
        for node in nodes
        if parts(node)[1] and words().places(FUNCTIONS[key], node)
    }
    assert {("windows", "windows"), ("sums_int16", "sums"), ("sigmoid", "curve")} <= held
    assert sum(len(nodes) for nodes in words().nodes.values()) > 300
