# Tests of a board that answers with wrong values: the command prints one error, or a result
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import random
import re

import numpy as np
import pytest
from host.conftest import tflm as tflm  # the command as a fixture
from support.standin import Board
from tflm_tools.board.link import Link
from tflm_tools.board.replies import Nullable, matches

_EVIL = (
    None, True, -1, 0, 1 << 31, 1 << 4000, 1.5, float("inf"), "", "\x1b[31mX", "a" * 3000, b"",
    b"\xff", b"!!!", [], [None], (), (1, 2, 3), {}, {"a": 1}, [("a", 1)], ...,
)  # fmt: skip
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MODEL = "models/hello_world/hello_world_int8.tflite"
_COPIES = 3  # of each command


# Return a value with one item changed, or another value.
def changed(value, rng):
    if isinstance(value, (list, tuple)) and value and rng.random() < 0.8:
        items = list(value)
        i = rng.randrange(len(items))
        items[i] = changed(items[i], rng)
        return type(value)(items)
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value, key=str))
        return {**value, key: changed(value[key], rng)}
    return rng.choice(_EVIL)


# Return the output of a board with its value changed.
def falsified(text, rng):
    try:
        return repr(changed(ast.literal_eval(text.strip()), rng)).replace("inf", "1e999")
    except (ValueError, SyntaxError):
        return rng.choice(("", "\x1b[2J", "x" * 5000, "None", "AAAA", "="))


@pytest.mark.parametrize(
    "command",
    [
        "doctor PORT --model MODEL",
        "run MODEL --on PORT --input x.npy --output-dir out",
        "verify MODEL --on PORT --runs 1 --layers",
        "bench MODEL --on PORT --invokes 1",
        "deploy MODEL PORT",
        "deploy MODEL PORT --to files --json",
    ],
)
def test_wrong_reply_ends_in_one_error(command, tflm, tmp_path, repository, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.zeros((1, 1), np.int8))
    rng = random.Random(command)
    state = {"count": 0, "wrong": 0}
    original = Link.exec

    def exec_(link, code, seconds=20.0):
        text = original(link, code, seconds)
        state["count"] += 1
        return falsified(text, rng) if state["count"] == state["wrong"] else text

    monkeypatch.setattr(Link, "exec", exec_)
    exchanges = 0
    for i in range(1 + _COPIES):
        state["count"], state["wrong"] = 0, rng.randint(1, exchanges) if i else 0
        with Board(tmp_path / f"board{i}", library=repository / "modules", rom=1 << 17) as board:
            words = {"PORT": board.port, "MODEL": str(repository / _MODEL)}
            found = tflm(*[words.get(word, word) for word in command.split()])
        exchanges = exchanges or state["count"]
        assert found.code in ((0, 1) if i else (0,)), found
        assert not _CONTROL.search(found.out + found.err)
        assert found.err.count("\n") <= 1 and len(found.err) < 400


def test_matches_compares_types_and_ranges():
    shape = {"a": [int], "b": Nullable((str, 9)), "c": {str: bool}}
    valid = {"a": [1, -2], "b": ("x", 9), "c": {"y": True}}
    assert matches(valid, shape) and matches({**valid, "b": None, "c": {}}, shape)
    for key, value in (
        ("a", (1,)), ("a", [True]), ("a", [1 << 63]), ("b", ("x", 10)), ("b", ("x", -1)),
        ("b", ("x",)), ("b", "x1"), ("c", {1: True}), ("c", {"y": 1}), ("c", []),
    ):  # fmt: skip
        assert not matches({**valid, key: value}, shape), (key, value)
    assert not matches({**valid, "d": 1}, shape) and not matches([], shape)
