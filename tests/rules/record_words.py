# Finds the expressions in access_checks/ that are indices of record words, and their layouts
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import functools
import importlib
from typing import NamedTuple

from rules.sources import PACKAGE, consts, emitted, files, tree

CHECK_FILES = {path.stem: path for path in files(PACKAGE / "access_checks")}

# Methods of Record whose first argument is the index of a word; both arguments of apart().
_METHODS = ("reads", "writes", "has", "numbers", "signed", "constant", "is_offset", "requantize")
_METHODS += ("limits", "halfwords", "table", "apart")
_RECORDS = ("r", "self")
_BLOCKS = ("limits", "requantize")  # methods of Record that read words of a layout


class Function(NamedTuple):
    """A function of a file. For an entry of its CHECKS the name is the name of the kernel."""

    file: str
    name: str
    node: ast.AST
    entry: bool = False

    @property
    def parameters(self):
        return [argument.arg for argument in self.node.args.args]


# Return all functions, {(file, name): Function}. Entries of CHECKS are found by line number.
def _functions():
    found = {}
    for file, path in CHECK_FILES.items():
        lines = {}
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef) and (file != "record" or node.name in _BLOCKS):
                found[file, node.name] = Function(file, node.name, node)
                lines[node.lineno] = ast.parse(f"lambda r: {node.name}(r)").body[0].value
            elif isinstance(node, ast.Lambda):
                assert node.lineno not in lines, f"{path} line {node.lineno}: two lambdas"
                lines[node.lineno] = node
        checks = getattr(importlib.import_module(f"tflm.access_checks.{file}"), "CHECKS", {})
        for kernel, check in checks.items():
            node = lines[check.__code__.co_firstlineno]
            found[file, kernel] = Function(file, kernel, node, True)
    return found


FUNCTIONS = _functions()


# Return {name in a file: (file, name) of the function}, also for `from .file import name`.
def _names(file):
    found = {name: (file, name) for owner, name in FUNCTIONS if owner == file}
    for node in tree(CHECK_FILES[file]).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module in CHECK_FILES:
            for alias in node.names:
                found[alias.asname or alias.name] = (node.module, alias.name)
    return found


_NAMES = {file: _names(file) for file in CHECK_FILES}


# Return the calls of other functions in a function: [(function, {parameter: argument})].
@functools.cache
def calls(function):
    return list(_calls(function))


def _calls(function):
    for node in ast.walk(function.node):
        if not isinstance(node, ast.Call):
            continue
        called, arguments = node.func, list(node.args)
        if isinstance(called, ast.Name):
            if arguments and getattr(arguments[0], "id", "") not in _RECORDS:
                continue  # words of a constant do not belong to the record
            key = _NAMES[function.file].get(called.id)
        elif isinstance(called, ast.Attribute) and getattr(called.value, "id", "") in _RECORDS:
            key = "record", called.attr
            arguments.insert(0, called.value)
        else:
            continue
        if key in FUNCTIONS:
            other = FUNCTIONS[key]
            given = dict(zip(other.parameters, arguments, strict=False))
            yield other, given | {k.arg: k.value for k in node.keywords}


# Return the layouts of the records that each function reads, by CHECKS and by its callers.
def _layouts():
    layouts = {key: set() for key in FUNCTIONS}
    emissions = emitted()
    for function in FUNCTIONS.values():
        reached, found = [function] if function.entry else [], set()
        while reached:
            other = reached.pop()
            if other[:2] not in found:
                found.add(other[:2])
                reached += [called for called, _ in calls(other)]
        for key in found:
            layouts[key] |= set(emissions.get(function.name, ()))
    return layouts


# Return the expressions that are assigned to a local name of a function.
@functools.cache
def _sources(function, name):
    return list(_assigned(function, name))


def _assigned(function, name):
    for node in ast.walk(function.node):
        if isinstance(node, ast.Assign):
            targets, values = node.targets[0], [node.value]
        elif isinstance(node, ast.For):
            targets, values = node.target, _items(node.iter)
        else:
            continue
        if getattr(targets, "id", "") == name:
            yield from values
        elif isinstance(targets, ast.Tuple):
            names = [getattr(target, "id", "") for target in targets.elts]
            for value in values if name in names else ():
                if isinstance(value, ast.Tuple):
                    yield value.elts[names.index(name)]


# Return the first values of a loop: each item of a tuple, or the start of a range.
def _items(node):
    if isinstance(node, ast.Tuple):
        return node.elts
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range":
        return node.args[:1] if len(node.args) > 1 else [ast.Constant(0)]
    return []


# Return the first term of an index, and the terms that are added; halfwords are `2 * _TABLE`.
def terms(node):
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        first, added = terms(node.left)
        return first, [*added, node.right]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return node.right, []
    return node, []


# Return all expressions in a function that are indices of words. `parameters`: {function: its
# parameters that are known to be indices}.
def _word_nodes(function, parameters):
    found = []
    for node in ast.walk(function.node):
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") in _RECORDS:
            found.append(node.slice)
        method = getattr(getattr(node, "func", None), "attr", "")
        if method in _METHODS and getattr(node.func.value, "id", "") in _RECORDS:
            found += node.args[: 2 if method == "apart" else 1]
    for other, given in calls(function):
        found += [given[p] for p in parameters.get(other[:2], ()) if p in given]
    done = set()
    for node in found:
        name = getattr(terms(node)[0], "id", "")
        if name not in done:
            done.add(name)
            found += _sources(function, name)  # these may be names, too
    return found


def _all_word_nodes():
    parameters, before = {}, None
    while parameters != before:
        before = dict(parameters)
        nodes = {key: _word_nodes(f, parameters) for key, f in FUNCTIONS.items()}
        for key, function in FUNCTIONS.items():
            first = {getattr(terms(node)[0], "id", "") for node in nodes[key]}
            parameters[key] = [p for p in function.parameters if p in first]
    return nodes


class Words:
    """The indices of words in all functions, and their names in the layouts."""

    def __init__(self):
        self.layouts = _layouts()
        self.nodes = _all_word_nodes()
        self._consts = {file: consts(path) for file, path in CHECK_FILES.items()}

    def value(self, function, node):
        """Return the value of a const name of a function's file; None for other nodes."""
        return self._consts[function.file].get(getattr(node, "id", ""))

    def words_at(self, function, node, seen=()):
        """Return the words that a node may index, as far as known: a set of (layout, number)."""
        first, added = terms(node)
        offsets = [self.value(function, name) or 0 for name in added]
        number = self.value(function, first)
        if number is not None:
            found = {(layout, number) for layout in self.layouts[function[:2]]}
        elif isinstance(first, ast.Name) and (function[:2], first.id) not in seen:
            seen = (*seen, (function[:2], first.id))
            found = set()
            for value in _sources(function, first.id):
                found |= self.words_at(function, value, seen)
            if first.id in function.parameters:
                for caller in FUNCTIONS.values():
                    for other, given in calls(caller):
                        if other[:2] == function[:2] and first.id in given:
                            found |= self.words_at(caller, given[first.id], seen)
        else:
            found = set()
        return {(layout, number + sum(offsets)) for layout, number in found}
