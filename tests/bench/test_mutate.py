# Tests of bench/mutate.py: which tokens it changes, and which tests it runs
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import pytest
from support.runner import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "bench"))

import mutate

_SOURCE = '''\
"""A docstring with 1 < 2."""
from micropython import const

_ONE = const(1)


@decorated(2)
def smallest(*values, limit: int = 0x10):
    # A comment with 3 + 4.
    if values and not limit < -1:
        return min(values) >> 2
    return None
'''
_CHANGES = [
    (4, "1", "2"), (4, "1", "0"), (8, "0x10", "17"), (8, "0x10", "15"), (10, "and", "or"),
    (10, "not", ""), (10, "<", "<="), (10, "-", "+"), (10, "1", "2"), (10, "1", "0"),
    (11, "min", "max"), (11, ">>", "<<"), (11, "2", "3"), (11, "2", "1"),
]  # fmt: skip


def test_mutants_change_operators_numbers_and_keywords():
    found = mutate.mutants(_SOURCE)
    assert [(mutant.line, mutant.old, mutant.new) for mutant in found] == _CHANGES
    for mutant in found:
        changed = mutant.applied(_SOURCE)
        assert changed != _SOURCE and len(changed.splitlines()) == len(_SOURCE.splitlines())
        compile(changed, "mutant", "exec")


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("kernels/prelu", ("tests/kernels/test_prelu.py",)),
        ("prepare/dsp", ("tests/kernels/test_dsp.py",)),
        ("access_checks/axis", mutate._TESTS["access_checks/*"]),
        ("kernels/no_such_kernel", ()),
    ],
)
def test_tests_of_a_file(name, tests):
    assert mutate.tests_of(name) == tests


def test_known_test_files_exist():
    for tests in mutate._TESTS.values():
        assert all((REPOSITORY / test).is_file() for test in tests), tests


# A run without CPU time of its own, as on a busy machine, is no hang; one that computes is.
@pytest.mark.long
def test_hanging_tests_fail(tmp_path):
    files = {"passes": "time.sleep(2)", "fails": "assert False", "hangs": "while True:\n    pass"}
    for name, code in files.items():
        lines = code.replace("\n", "\n    ")
        (tmp_path / f"test_{name}.py").write_text(f"import time\n\n\ndef test():\n    {lines}\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    limits = mutate._Limits(10, 600)
    found = {name: mutate._run(tmp_path, [f"test_{name}.py"], limits) for name in files}
    assert [run.passed for run in found.values()] == [True, False, False]
    assert found["passes"].seconds > 2 and found["hangs"].cpu_seconds > 5
    slow = mutate._limits(mutate._Run(True, 3.0, 100.0), 4)
    assert slow.cpu_seconds == 22 and slow.seconds > 1000
