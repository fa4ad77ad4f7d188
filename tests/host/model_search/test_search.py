# Tests of `tflm search`: costs of networks, the Pareto front, and resumed searches
# MIT license; Copyright (c) 2026 the tflm authors

import importlib.util
import json
import os
import signal
import subprocess
import sys
import xml.dom.minidom

import numpy as np
import pytest
import tflm_tools as tt
from tflm_tools.errors import ToolError
from tflm_tools.model_search.costs import costs_of
from tflm_tools.model_search.sketch import Network
from tflm_tools.model_search.study import Candidate, front_of

pytest.importorskip("optuna")

_SPACE = """
from tflm_tools.model_search.sketch import Network


def build(trial):
    width = trial.suggest_int("width", 4, 24, step=4)
    depth = trial.suggest_int("depth", 0, 2)
    if width == 8:
        raise ValueError("eight is unlucky")
    network = Network(16, 16, 1).conv(width, stride=2)
    for _ in range(depth):
        network.depthwise().conv(width, kernel=1)
    return network.mean().dense(5).softmax()
"""


@pytest.fixture
def space(tmp_path):
    path = tmp_path / "space.py"
    path.write_text(_SPACE)
    return path


# A sketch with layers of each kind is a valid model that computes what TFLM computes.
def test_sketch_is_a_valid_model(tmp_path):
    network = Network(17, 16, 3).conv(8, stride=2)
    mark = network.here()
    network.depthwise().conv(8, kernel=1).add(mark).max_pool().conv(4, (2, 3), padding="valid")
    assert network.shape == (3, 2, 4)
    network.dense(9, relu=True).dense(4).softmax()
    (tmp_path / "net.tflite").write_bytes(network.tflite())
    assert tt.verify(tmp_path / "net.tflite", runs=2).is_equal()
    mean = Network(8, 8, 2).depthwise((1, 3)).mean()
    assert mean.shape == (2,)
    for call in (mean.mean, lambda: Network(8, 8, 1).conv(2, 9, padding="valid"),
                 lambda: network.add(mark)):  # fmt: skip
        with pytest.raises(ToolError, match="; "):
            call()


# RAM and flash are the values of `tflm flatten`. `bench/cycles.py --core pico` counts the times:
# it copies weights to RAM, as a Pico does.
@pytest.mark.parametrize("name, ms", [("digits", 4.21), ("keywords", 5.57)])
def test_costs(repository, name, ms):
    path = repository / "models" / name / f"{name}_int8.tflite"
    costs = costs_of(path.read_bytes(), "armv6m")
    flat = tt.flatten(path, target="armv6m")
    assert (costs.ram, costs.flash) == (flat.arena_bytes, flat.flat_bytes)
    assert costs.ms == pytest.approx(ms, rel=0.25)
    assert costs.macs == tt.inspect(path).macs
    assert costs_of(path.read_bytes(), "rv32imc").ms > 0


# A network is on the front unless another one is better in one value and worse in none.
def test_front():
    def candidate(number, score, ram, flash, ms, fits=True):
        costs = costs_like(ram, flash, ms)
        return Candidate(number, {}, costs, score, {"ram": -0.1 if fits else 0.1})

    def costs_like(ram, flash, ms):
        from tflm_tools.model_search.costs import Costs

        return Costs(ram, flash, ms, 0, 0)

    found = front_of([
        candidate(0, 5.0, 10, 10, 10), candidate(1, 5.0, 10, 10, 11),
        candidate(2, 6.0, 20, 10, 10), candidate(3, 9.0, 10, 10, 10, fits=False),
        candidate(4, 4.0, 9, 10, 10), candidate(5, 5.0, 10, 10, 10),
        Candidate(6, {}, error="no"),
    ])  # fmt: skip
    assert [each.number for each in found] == [2, 0, 4]


def test_search_is_resumed(tflm, space, tmp_path):
    called = ("search", space, "--ram", 3000, "--ms", 20, "--json", "--seed", 3)
    whole = tflm(*called, "--trials", 7).json()
    for name in ("study.db", "study.log"):
        kept = "--storage", tmp_path / name
        first = tflm(*called, "--trials", 3, *kept).json()
        found = tflm(*called, "--trials", 7, *kept)
        assert found.code == 0 and found.json() == whole
        assert first["networks"] == whole["networks"][:3]
    assert len(whole["networks"]) == 7
    pairs = [tuple(each["parameters"].values()) for each in whole["networks"]]
    assert len(set(pairs)) == 7  # no repeats
    for each in whole["networks"]:
        if each["parameters"]["width"] == 8:
            assert "build() ended with ValueError: eight is unlucky in line 9" in each["error"]
            continue
        costs = each["costs"]
        is_fit = costs["ram"] <= 3000 and costs["ms"] <= 20
        assert (each["score"] == costs["weights"]) if is_fit else (each["score"] is None)
        assert is_fit or each["number"] not in whole["front"]
    refused = tflm("search", space, "--ram", 4000, *kept)
    assert refused.code == 1 and "another ram, ms" in refused.err
    space.write_text(_SPACE + "\n# other\n")
    again = tflm(*called, "--trials", 7, *kept).json()
    assert "has changed since" in again["notes"][0] and again["front"] == whole["front"]


# Changed values of one network in a study of somebody else: {key: value}, or another value.
_CHANGED = [
    5, [], "text", {}, {"costs": None}, {"costs": []}, {"costs": {"ram": 1}}, {"score": None},
    {"score": "1"}, {"score": 1e999}, {"score": 10**400}, {"excess": {}}, {"excess": None},
    {"excess": {"ram": "<b>"}}, {"error": 5}, {"repeats": 2}, {"other": 1},
    {"costs": {"ram": 10**400, "flash": 1, "ms": 1, "macs": 1, "weights": 1}},
    {"costs": {"ram": -1, "flash": 1, "ms": 1, "macs": 1, "weights": 1}},
    {"costs": {"ram": True, "flash": 1, "ms": "x", "macs": 1, "weights": 1}},
]  # fmt: skip


def test_changed_study(tflm, space, tmp_path):
    stored = tmp_path / "study.log"
    called = "search", space, "--trials", 3, "--storage", stored
    assert tflm(*called).code == 0
    whole = stored.read_text().splitlines()
    at, entry = [
        (i, json.loads(line)) for i, line in enumerate(whole) if '"costs"' in line
    ][-1]  # fmt: skip
    tried = entry["user_attr"]["tried"]
    for change in _CHANGED:
        entry["user_attr"]["tried"] = {**tried, **change} if isinstance(change, dict) and change \
            else change  # fmt: skip
        stored.write_text("\n".join([*whole[:at], json.dumps(entry), *whole[at + 1 :]]) + "\n")
        for trials in (3, 5):
            found = tflm(*called[:3], trials, *called[4:])
            assert (found.code, found.out) == (1, ""), change
            assert "is damaged; give another --storage" in found.err, change
    # Lines of Optuna itself: other operations, numbers, states, values and distributions.
    random = np.random.default_rng(1)
    for _ in range(60):
        lines = list(whole)
        k = int(random.integers(len(lines)))
        fields = json.loads(lines[k])
        key = str(random.choice(sorted(fields)))
        fields[key] = [None, -1, 10**30, "x", [], {"a": {}}, [1e999]][random.integers(7)]
        lines[k] = json.dumps(fields)
        stored.write_text("\n".join(lines) + "\n")
        found = tflm(*called[:3], 4, *called[4:])
        assert found.code in (0, 1), lines[k]


# The space has 18 networks, so more trials find no others.
def test_table_and_picture(tflm, space, tmp_path):
    found = tflm("search", space, "--trials", 30, "-o", tmp_path / "front.svg", "--ram", 4000)
    assert (found.code, found.err) == (0, "")
    for word in ("on RPI_PICO", "of them on the front", "width=", "eight is unlucky", "wrote ",
                 "only these 18 networks"):  # fmt: skip
        assert word in " ".join(found.out.split()), word
    text = (tmp_path / "front.svg").read_text()
    assert xml.dom.minidom.parseString(text) and "ms, estimated" in text and "depth=" in text
    refused = tflm("search", space, "-o", tmp_path / "front.gif")
    assert refused.code == 1 and "neither .svg, .png nor .html" in refused.err


# score() is called only for networks that fit, and decides the front. The nearest network that
# does not fit is printed with its excess.
def test_score_of_the_user(tflm, tmp_path):
    asked = []

    def build(trial):
        return Network(8, 8, 1).conv(trial.suggest_int("width", 1, 12)).mean()

    def score(trial, network):
        asked.append(trial.params["width"])
        return -abs(trial.params["width"] - 3)

    flash = [
        costs_of(Network(8, 8, 1).conv(width).mean().tflite(), "armv6m").flash
        for width in range(1, 13)
    ]
    fitting = {width for width, size in enumerate(flash, 1) if size <= flash[3]}
    found = tt.search(build, trials=12, flash=flash[3], score=score)
    assert found.is_scored and len(fitting) < 12
    assert set(asked) <= fitting and len(asked) == len(set(asked))
    assert found.network(found.front[0]).parameters == {"width": 3}
    assert "score" in found._repr_html_()
    space = tmp_path / "space.py"
    space.write_text(_SPACE)
    found = tflm("search", space, "--trials", 3, "--ram", 1000)
    assert found.code == 1
    said = " ".join(found.out.split())
    assert "No network fits. The nearest one: trial" in said and "RAM is" in said
    assert "too much" in said


@pytest.mark.parametrize(
    "text, words",
    [
        ("x = 1\n", "has no build(trial)"),
        ("1 / 0\n", "ended with ZeroDivisionError: division by zero in line 1"),
        ("def build(trial:\n", "ended with SyntaxError"),
    ],
)
def test_errors_of_spaces(tflm, tmp_path, text, words):
    path = tmp_path / "bad.py"
    path.write_text(text)
    found = tflm("search", path)
    assert found.code == 1 and words in found.err and found.err.count("\n") == 1
    found = tflm("search", path, "--board", "arduino")
    assert found.code == 1 and "there is no board arduino; take one of" in found.err
    found = tflm("search", path, "--board", "esp32s3", "--ms", 5)
    assert found.code == 1 and "there is no estimate of time for ESP32" in found.err


def test_networks_of_every_kind(repository, tmp_path):
    path = repository / "models" / "digits" / "digits_int8.tflite"
    data = path.read_bytes()
    for given in (data, memoryview(data), path, str(path)):
        found = tt.search(lambda trial, given=given: given, trials=1)
        assert found.networks[0].costs == costs_of(data, "armv6m")
    for given, words in ((7, "build() returned int"), (b"none", "is no .tflite"),
                         (tmp_path / "none", "cannot read")):  # fmt: skip
        found = tt.search(lambda trial, given=given: given, trials=1)
        assert words in found.networks[0].error and not found.front and found.nearest is None


class _Keras:
    def to_json(self):
        return ""


@pytest.mark.skipif(importlib.util.find_spec("tensorflow"), reason="TensorFlow is installed")
def test_keras_without_tensorflow():
    found = tt.search(lambda trial: _Keras(), trials=1)
    assert "TensorFlow, which converts it, is not installed" in found.networks[0].error


# After Ctrl-C the storage and the table have all finished trials.
def test_stopped_search(space, tmp_path, repository):
    space.write_text(_SPACE.replace("    width =", "    if trial.number == 3:\n        "
                                    "print('third', flush=True)\n        __import__('time')"
                                    ".sleep(30)\n    width =", 1))  # fmt: skip
    path = os.pathsep.join(str(repository / folder) for folder in ("tools", "modules"))
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from tflm_tools.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "search", space, "--storage", tmp_path / "study.log"],
        env={**os.environ, "PYTHONPATH": path}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout.readline() == "third\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130 and err.strip() == "tflm: stopped"
    assert "3 networks tried" in out and "stopped before the requested 50" in " ".join(out.split())
    space.write_text(_SPACE)
    assert len(tt.search(space, trials=4, storage=tmp_path / "study.log").networks) == 4


def test_without_optuna(tflm, space, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: name != "optuna" and find(name, *rest)
        or None,
    )  # fmt: skip
    found = tflm("search", space)
    assert found.code == 1 and "the package optuna is missing; install it with:" in found.err
