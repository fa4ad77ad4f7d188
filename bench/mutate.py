# Mutation testing: changes one token of a source file and reports whether its tests notice
# MIT license; Copyright (c) 2026 the tflm authors

"""Usage: mutate.py [--count N] [--seed TEXT] [--tests PATH...] [--times N] FILE...

A mutant is a copy of a file of modules/tflm with one operator, number or keyword changed. It is
killed if a test of the file fails, and survives if all of them pass. A survivor either shows a
missing case, or it is equivalent: no test could notice the change. A person must decide which.

1. Copy all files that git tracks to a temporary folder, so that the repository stays unchanged.
2. Find the tests of each file: tests/kernels/test_NAME.py, or the files in _TESTS.
3. Run the tests once without a change. They must pass, and their CPU time is measured.
4. Choose --count mutants of the file with the fixed --seed, and run the tests on each of them.
   A mutant hangs, and counts as killed, if one process of its run uses --times as much CPU time
   as the whole run of step 3. Other programs on this machine do not change CPU time.
"""

import argparse
import ast
import io
import keyword
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
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
    "detect/*": (
        "tests/detect/test_decoders.py", "tests/detect/test_normalization.py",
        "tests/detect/test_shapes.py",
    ),
    "features/*": ("tests/features/test_blocks.py", "tests/features/test_settings.py"),
    "kernels/activations_float": ("tests/kernels/test_unary_float.py",),
    "kernels/add_int16": ("tests/kernels/test_add.py", "tests/kernels/test_sub.py"),
    "kernels/add_table": ("tests/kernels/test_lanes.py",),
    "kernels/arithmetic_float": ("tests/kernels/test_arithmetic_float.py",),
    "kernels/batch_matmul_int16": ("tests/kernels/test_batch_matmul.py",),
    "kernels/conv_unsigned": ("tests/kernels/test_unsigned.py",),
    "kernels/copy": ("tests/kernels/test_reshape.py",),
    "kernels/fixed_point": ("tests/kernels/test_add.py", "tests/kernels/test_svdf.py"),
    "kernels/fully_connected_lanes": ("tests/kernels/test_lanes.py",),
    "kernels/hybrid_quantize": (
        "tests/kernels/test_hybrid.py", "tests/kernels/test_hybrid_recurrent.py",
    ),
    "kernels/hybrid_transpose": ("tests/kernels/test_hybrid.py",),
    "kernels/lanes": ("tests/kernels/test_lanes.py",),
    "kernels/lanes_multiply": ("tests/kernels/test_lanes.py",),
    "kernels/lookup": ("tests/kernels/test_logistic.py", "tests/kernels/test_tanh.py"),
    "kernels/mac16_multiply": ("tests/kernels/test_mac16.py",),
    "kernels/matrix": ("tests/kernels/test_svdf.py", "tests/kernels/test_transpose_conv.py"),
    "kernels/mul_int16": ("tests/kernels/test_mul.py",),
    "kernels/pooling_int16": ("tests/kernels/test_pooling.py",),
    "kernels/reduce_int16": ("tests/kernels/test_reduce.py",),
    "kernels/requantize_int16": ("tests/kernels/test_quantize.py",),
    "kernels/rescale": ("tests/kernels/test_quantize.py", "tests/kernels/test_leaky_relu.py"),
    "kernels/strided_copy": (
        "tests/kernels/test_transpose.py", "tests/kernels/test_strided_slice.py",
        "tests/kernels/test_broadcast_to.py",
    ),
    "kernels/unidirectional_sequence_lstm_hybrid": ("tests/kernels/test_hybrid_recurrent.py",),
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
    "prepare/lstm_hybrid": ("tests/kernels/test_hybrid_recurrent.py",),
    "prepare/reduce": ("tests/kernels/test_reduce.py", "tests/kernels/test_reduce_float.py"),
    "prepare/requantize_int16": ("tests/kernels/test_quantize.py",),
    "prepare/rescale": ("tests/kernels/test_quantize.py", "tests/kernels/test_leaky_relu.py"),
    "prepare/scale": ("tests/unit/test_scale.py",),
    "prepare/strided": ("tests/kernels/test_transpose.py", "tests/kernels/test_strided_slice.py"),
    "prepare/svdf_hybrid": ("tests/kernels/test_hybrid_recurrent.py",),
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


# A run of tests: whether they passed, and what all of its processes used.
class _Run(NamedTuple):
    passed: bool
    cpu_seconds: float
    seconds: float


# The limits of a run: CPU seconds of each process, and seconds of a run whose processes only wait.
class _Limits(NamedTuple):
    cpu_seconds: int
    seconds: float


# The limits of the run without a change, which nothing was measured for.
_UNMEASURED = _Limits(3600, 7200)
_SPARE_SECONDS = 10  # beside a multiple of a run, which may be short


# Return the limits of a mutant's run, by the run without a change.
def _limits(run, times):
    # A process that waits for another one uses no CPU time. It may also be slow because of other
    # programs, so its limit is large.
    cpu_seconds = int(times * run.cpu_seconds) + _SPARE_SECONDS
    return _Limits(cpu_seconds, 10 * times * run.seconds + 60 * _SPARE_SECONDS)


# Run tests in the copy. Tests also fail that exceed a limit.
def _run(folder, tests, limits):
    paths = [str(folder / name) for name in ("modules", "tools", "tests")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
    start = time.monotonic()
    process = subprocess.Popen(
        [*command, *tests],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, 2 * (limits.cpu_seconds,)),
    )
    # pytest and the MicroPython that it runs end together.
    timer = threading.Timer(limits.seconds, os.killpg, (process.pid, 9))
    timer.start()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    timer.cancel()
    return _Run(status == 0, used.ru_utime + used.ru_stime, time.monotonic() - start)


# Test one file. Return (number of mutants, survivors).
def _run_file(path, folder, arguments):
    name = path.relative_to(_REPOSITORY / _PACKAGE).with_suffix("").as_posix()
    tests = arguments.tests or tests_of(name)
    if not tests:
        raise SystemExit(f"mutate: no tests are known for {name}; give --tests or extend _TESTS")
    source = path.read_text()
    unchanged = _run(folder, tests, _UNMEASURED)
    if not unchanged.passed:
        raise SystemExit(f"mutate: {' '.join(tests)} fails without a change")
    chosen = mutants(source)
    if arguments.line:
        chosen = [mutant for mutant in chosen if mutant.line in arguments.line]
    elif len(chosen) > arguments.count:
        chosen = sorted(random.Random(f"{arguments.seed} {name}").sample(chosen, arguments.count))
    limits = _limits(unchanged, arguments.times)
    target, survivors = folder / path.relative_to(_REPOSITORY), []
    for mutant in chosen:
        target.write_text(mutant.applied(source))
        if _run(folder, tests, limits).passed:
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
    parser.add_argument(
        "--times", type=float, default=4, help="limit: a multiple of the run without a change"
    )
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
