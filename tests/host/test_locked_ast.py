# Tests of locked_ast: several threads parse at the same time, as in `deploy --all`
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from tflm_tools import locked_ast

_SOURCE = "def f(x):\n    return [(x, {'a': x[1:2]}), (x + 1) * 2]\n" * 100


# An object in a reference cycle, whose finalizer runs during parsing and lets Python switch
# threads.
class _Cycle:
    def __init__(self):
        self.itself = self

    def __del__(self):
        sum(range(50))


@pytest.fixture
def fast_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_parse_at_the_same_time(fast_switches):
    def read(_):
        _Cycle()
        return ast.dump(locked_ast.parse(_SOURCE)), locked_ast.literal_eval(
            str([list(range(50))] * 50)
        )

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(read, range(60)))
    assert found == [(ast.dump(ast.parse(_SOURCE)), [list(range(50))] * 50)] * 60
