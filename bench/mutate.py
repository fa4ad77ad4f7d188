# Mutation testing: changes one token of a source file and reports whether its tests notice
# MIT license; Copyright (c) 2026 the tflm authors

"""Usage: mutate.py [--count N] [--seed TEXT] [--tests PATH...] [--seconds N] FILE...

A mutant is a copy of a file of modules/tflm with one operator, number or keyword changed. It is
killed if a test of the file fails, and survives if all of them pass. A survivor either shows a
missing case, or it is equivalent: no test could notice the change. A person must decide which.

1. Copy all files that git tracks to a temporary folder, so that the repository stays unchanged.
2. Find the tests of each file: tests/kernels/test_NAME.py, or the files in _TESTS.
3. Run the tests once without a change. They must pass.
4. Choose --count mutants of the file with the fixed --seed, and run the tests on each of them.
   A run that takes longer than --seconds counts as killed: the mutant hangs.
"""

import argparse
import ast
import io
import keyword
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tokenize
from pathlib import Path
from typing import NamedTuple

from tflm_tools.locked_ast import parse

_REPOSITORY = Path(__file__).resolve().parents[1]
_PACKAGE = Path("modules") / "tflm"
_OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
    "*": "+", "//": "*", "%": "*", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<",
    "+=": "-=", "-=": "+=",
}  # fmt: skip
_NAMES = {"and": "or", "or": "and", "not": "", "True": "False", "False": "True"}
_NAMES |= {"min": "max", "max": "min"}
# {file below modules/tflm, without .py: test files}, where the name does not lead to its tests.
_TESTS = {
    "access_checks/*": (
        "tests/fuzz/test_access_conditions.py", "tests/fuzz/test_kernel_tracer.py",
        "tests/fuzz/test_forged.py",
    ),
    "access_checks/bands": (
        "tests/fuzz/test_forged_control.py", "tests/fuzz/test_kernel_tracer.py",
    ),
    "kernels/activations_float": ("tests/kernels/test_unary_float.py",),
    "kernels/add_table": ("tests/kernels/test_lanes.py",),
    "kernels/arithmetic_float": ("tests/kernels/test_arithmetic_float.py",),
    "kernels/conv_unsigned": ("tests/kernels/test_unsigned.py",),
    "kernels/copy": ("tests/kernels/test_reshape.py",),
    "kernels/fixed_point": ("tests/kernels/test_add.py", "tests/kernels/test_svdf.py"),
    "kernels/fully_connected_lanes": ("tests/kernels/test_lanes.py",),
    "kernels/lanes": ("tests/kernels/test_lanes.py",),
    "kernels/lanes_multiply": ("tests/kernels/test_lanes.py",),
    "kernels/lookup": ("tests/kernels/test_logistic.py", "tests/kernels/test_tanh.py"),
    "kernels/mac16_multiply": ("tests/kernels/test_mac16.py",),
    "kernels/matrix": ("tests/kernels/test_svdf.py", "tests/kernels/test_transpose_conv.py"),
    "kernels/rescale": ("tests/kernels/test_quantize.py", "tests/kernels/test_leaky_relu.py"),
    "kernels/strided_copy": (
        "tests/kernels/test_transpose.py", "tests/kernels/test_strided_slice.py",
        "tests/kernels/test_broadcast_to.py",
    ),
    "prepare/add_table": ("tests/kernels/test_lanes.py",),
    "prepare/common": ("tests/kernels/test_conv.py", "tests/kernels/test_activations.py"),
    "prepare/conv_float": (
        "tests/kernels/test_conv_float.py", "tests/kernels/test_depthwise_conv_float.py",
    ),
    "prepare/conv_int16": (
        "tests/kernels/test_conv_int16.py", "tests/kernels/test_depthwise_conv_int16.py",
    ),
    "prepare/conv_dsp": ("tests/kernels/test_dsp.py",),
    "prepare/conv_lanes": ("tests/kernels/test_lanes.py",),
    "prepare/convolution": ("tests/kernels/test_conv.py", "tests/kernels/test_depthwise_conv.py"),
    "prepare/depthwise_column": ("tests/kernels/test_lanes.py",),
    "prepare/depthwise_dsp": ("tests/kernels/test_dsp.py",),
    "prepare/depthwise_lanes": ("tests/kernels/test_lanes.py",),
    "prepare/folding": ("tests/kernels/test_dsp.py",),
    "prepare/reduce": ("tests/kernels/test_reduce.py", "tests/kernels/test_reduce_float.py"),
    "prepare/rescale": ("tests/kernels/test_quantize.py", "tests/kernels/test_leaky_relu.py"),
    "prepare/scale": ("tests/unit/test_scale.py",),
    "prepare/strided": ("tests/kernels/test_transpose.py", "tests/kernels/test_strided_slice.py"),
}  # fmt: skip


class Mutant(NamedTuple):
    """A change of one token: line number, first column, old token, new token."""

    line: int
    column: int
    old: str
    new: str

    def applied(self, source):
        """Return the source with the change."""
        lines = source.splitlines(keepends=True)
        text, end = lines[self.line - 1], self.column + len(self.old)
        lines[self.line - 1] = text[: self.column] + self.new + text[end:]
        return "".join(lines)


# Lines that have no behaviour of their own: imports, decorators, and constants of type str.
def _skipped_lines(source):
    skipped = set()
    for node in ast.walk(parse(source)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            skipped.update(range(node.lineno, node.end_lineno + 1))
        for decorator in getattr(node, "decorator_list", ()):
            skipped.add(decorator.lineno)
    return skipped


# Return the tokens that may replace a token; `before` is the token before it.
def _replacements(token, before):
    text = token.string
    if token.type == tokenize.OP and text in _OPERATORS:
        # A unary operator keeps its meaning only for minus; *arguments cannot be changed.
        binary = before.type in (tokenize.NAME, tokenize.NUMBER, tokenize.STRING)
        binary = binary and not keyword.iskeyword(before.string) or before.string in (")", "]")
        return [_OPERATORS[text]] if binary or text == "-" else []
    if token.type == tokenize.NUMBER and "." not in text and text[-1] not in "jJ":
        try:
            number = int(text, 0)
        except ValueError:
            return []  # a float like 1e9
        return [str(number + 1)] + ([str(number - 1)] if number else [])
    return [_NAMES[text]] if token.type == tokenize.NAME and text in _NAMES else []


def mutants(source):
    """Return all mutants of a source, in its order. All of them are valid Python."""
    skipped, found, before = _skipped_lines(source), [], None
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if before is not None and token.start[0] not in skipped:
            for new in _replacements(token, before):
                mutant = Mutant(*token.start, token.string, new)
                try:
                    parse(mutant.applied(source))
                except SyntaxError:
                    continue
                found.append(mutant)
        if token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT):
            before = token
    return found


def tests_of(name):
    """Return the test files of a file, by its path below modules/tflm without .py."""
    folder, _, stem = name.partition("/")
    if name in _TESTS:
        return _TESTS[name]
    path = f"tests/kernels/test_{stem}.py"
    if folder in ("kernels", "prepare") and (_REPOSITORY / path).is_file():
        return (path,)
    return _TESTS.get(f"{folder}/*", ())


# Copy all tracked files to a folder.
def _copy_repository(folder):
    names = subprocess.check_output(["git", "ls-files"], cwd=_REPOSITORY, text=True).splitlines()
    for name in names:
        if (_REPOSITORY / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(_REPOSITORY / name, folder / name)


# Run tests in the copy. Return True if they pass, False if one fails or they take too long.
def _passes(folder, tests, seconds):
    paths = [str(folder / name) for name in ("modules", "tools", "tests")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
    process = subprocess.Popen(
        [*command, *tests],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(timeout=seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)  # pytest and the MicroPython that it runs
        process.wait()
        return False


# Test one file. Return (number of mutants, survivors).
def _run_file(path, folder, arguments):
    name = path.relative_to(_REPOSITORY / _PACKAGE).with_suffix("").as_posix()
    tests = arguments.tests or tests_of(name)
    if not tests:
        raise SystemExit(f"mutate: no tests are known for {name}; give --tests or extend _TESTS")
    source = path.read_text()
    if not _passes(folder, tests, arguments.seconds):
        raise SystemExit(f"mutate: {' '.join(tests)} fails without a change")
    chosen = mutants(source)
    if arguments.line:
        chosen = [mutant for mutant in chosen if mutant.line in arguments.line]
    elif len(chosen) > arguments.count:
        chosen = sorted(random.Random(f"{arguments.seed} {name}").sample(chosen, arguments.count))
    target, survivors = folder / path.relative_to(_REPOSITORY), []
    for mutant in chosen:
        target.write_text(mutant.applied(source))
        if _passes(folder, tests, arguments.seconds):
            survivors.append(mutant)
            line = source.splitlines()[mutant.line - 1].strip()
            change = f"{mutant.old} -> {mutant.new or 'nothing'}"
            print(
                f"{name}.py:{mutant.line}:{mutant.column + 1}: {change} survives: {line}",
                flush=True,
            )
    target.write_text(source)
    print(f"{name}.py: {len(chosen) - len(survivors)} of {len(chosen)} killed", flush=True)
    return len(chosen), survivors


def main():
    """Run the command; exit with 1 if a mutant survives."""
    parser = argparse.ArgumentParser(prog="mutate.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10, help="mutants of each file")
    parser.add_argument("--seed", default="1", help="chooses other mutants")
    parser.add_argument(
        "--line", type=int, action="append", help="all mutants of this line instead"
    )
    parser.add_argument("--tests", nargs="*", help="test files, for all of FILE")
    parser.add_argument("--seconds", type=float, default=300, help="limit of a run")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    total, survivors = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        _copy_repository(Path(folder))
        for path in arguments.files:
            count, survived = _run_file(path.resolve(), Path(folder), arguments)
            total, survivors = total + count, survivors + len(survived)
    print(f"{total - survivors} of {total} killed")
    sys.exit(survivors > 0)


if __name__ == "__main__":
    main()
