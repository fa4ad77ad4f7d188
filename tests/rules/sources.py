# Data for the rules: the sources of the package, and the records that Prepare writes in the tests
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import contextlib
import functools
from pathlib import Path

from support.check import Cases
from support.kernel_tests import module_of
from tflm import dtypes
from tflm.errors import TflmError
from tflm.learn.model_file import LAYOUTS
from tflm.tflite.context import MicroContext
from tflm_tools.bands.operators import gru_loop, reduced_rows
from tflm_tools.flat.flatten import prepare
from tflm_tools.model.schema import op_name
from tflm_tools.optimize import attention, norm
from tflm_tools.targets import PACKING_TARGETS

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "modules" / "tflm"
KERNELS = PACKAGE / "kernels"
TESTS = REPOSITORY / "tests" / "kernels"


# All .py files below a folder, with and without subfolders.
def files(folder, pattern="**/*.py"):
    return sorted(path for path in folder.glob(pattern) if path.name != "__init__.py")


# Kernel files by the names in error messages: conv, x64/conv. The folder gen/ is not in a name.
KERNEL_FILES = {
    str(p.relative_to(KERNELS).with_suffix("")).replace("/gen/", "/"): p for p in files(KERNELS)
}


@functools.cache
def tree(path):
    return ast.parse(path.read_text())


# The functions of a kernel file that a record can name.
def eval_functions(path):
    functions = {node.name: node for node in tree(path).body if isinstance(node, ast.FunctionDef)}
    found = [name for name in functions if name.startswith("eval")]
    found += [name for other, name in _other_names(path) if other.startswith("eval")]
    return [functions[name] for name in dict.fromkeys(found) if name in functions]


# Yield (other name, name) of functions with two names: `eval_int16 = eval_int8`.
def _other_names(path):
    for node in tree(path).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            yield node.targets[0].id, node.value.id


# All names of these functions.
def eval_names(path):
    names = {function.name for function in eval_functions(path)}
    names |= {name for name, function in _other_names(path) if function in names}
    return {name for name in names if name.startswith("eval")}


# The indices of a kernel file: {name: value} of `_NAME = const(value)`.
def consts(path):
    found = {}
    for node in tree(path).body:
        value = getattr(node, "value", None)
        if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "const":
            expression = compile(ast.Expression(value.args[0]), str(path), "eval")
            found[node.targets[0].id] = eval(expression, {}, dict(found))
    return found


# Modules that a file imports at its top level; relative ones with their dots.
def top_imports(path):
    found = []
    for node in tree(path).body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append("." * node.level + (node.module or ""))
            if not node.module:
                found += ["." * node.level + alias.name for alias in node.names]
    return found


# The cases without an error of one file of tests/kernels, of every collector in it.
def valid_cases(path):
    for value in vars(module_of(path.stem)).values():
        if isinstance(value, Cases):
            yield from (case for case in value if not case.error)


# Every record that Prepare writes for the valid models of tests/kernels:
# {kernel "file.function": {layout: length of the longest table}}.
def emitted():
    return _emissions()[0]


# The nodes of these records: {file: {(operator, types of a node's tensors)}}.
def used():
    return _emissions()[1]


# The operator of a node, and the names of the types of its tensors.
def _described(node):
    tensors = [t for t in (*node.inputs, *node.outputs) if t is not None]
    return op_name(node), frozenset(dtypes.name(tensor.dtype) for tensor in tensors)


@functools.cache
def _emissions():
    found, nodes = {}, {}
    emit = MicroContext.emit

    def recorded(self, kernel, layout, units, work=0, table=b"", **fields):
        layouts = found.setdefault(kernel, {})
        layouts[tuple(layout)] = max(len(table), layouts.get(tuple(layout), 0))
        nodes.setdefault(kernel.partition(".")[0], set()).add(_described(self.node))
        return emit(self, kernel, layout, units, work, table, **fields)

    MicroContext.emit = recorded
    try:
        for path in files(TESTS, "test_*.py"):
            chooser = PACKAGE / "prepare" / path.name.removeprefix("test_")
            chooses = chooser.exists() and "context.target_packing" in chooser.read_text()
            targets = PACKING_TARGETS if chooses else (None,)
            for case in valid_cases(path):
                for target in targets:
                    with contextlib.suppress(TflmError):  # the case itself reports it
                        prepare(case.build(), target=target)
                if any("compressed" in path_name for path_name in case.paths):
                    prepare(case.build(), target="armv6m", compress_weights=True)
    finally:
        MicroContext.emit = emit
    for function, words in LAYOUTS.items():  # a Learner writes these records
        found[f"learnt.{function}"] = {words: 0}
        nodes.setdefault("learnt", set()).add(("learnt", frozenset(["int8", "int32"])))
    for kernel, words in attention.LAYOUTS.items():  # only this pass writes these records
        found[kernel] = {words: 0}
        file = kernel.partition(".")[0]
        types = ["float32", "bool"] if "float" in file else ["int8", "int32"]
        nodes.setdefault(file, set()).add(("BATCH_MATMUL", frozenset(types)))
    for kernel, words in norm.LAYOUTS.items():  # only this pass writes these records
        found[kernel] = {words: 0}
        file, _, dtype = kernel.partition(".eval_")
        nodes.setdefault(file, set()).add(("L2_NORMALIZATION", frozenset([dtype])))
    for kernel, words in gru_loop.LAYOUTS.items():  # only the pass gru writes these records
        found[kernel] = {words: 0}
        nodes.setdefault("gru_float", set()).add(("WHILE", frozenset(["float32", "int32"])))
    for kernel, words in reduced_rows.LAYOUTS.items():  # only banded execution has these records
        found[kernel] = {words: 0}
        file = kernel.partition(".")[0]
        kind = "FULLY_CONNECTED" if "connected" in file else "MEAN"
        types = ["float32"] if "float" in file else ["int8"]
        nodes.setdefault(file, set()).add((kind, frozenset([*types, "int32"])))
    return found, nodes
