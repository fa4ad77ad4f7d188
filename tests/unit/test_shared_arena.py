# Tests of one Arena for several Interpreters: shared heads, separate tails, right results
# MIT license; Copyright (c) 2026 the tflm authors

import itertools

import pytest
from unit import sample_models
from unit.on_device import device, model_files

_SETUP = """
# The results of a model by itself, for each run.
def results(interp, runs):
    found = []
    for n in range(runs):
        raw = interp.input(0).raw
        for i in range(len(raw)):
            raw[i] = (i * 31 + n * 17) & 0x7F
        interp.invoke()
        found.append(bytes(interp.output(0).raw))
    return found

wanted = [results(tflm.Interpreter(path), 3) for path in PATHS]
assert all([len(set(w)) == 3 for w in wanted])
arena = tflm.Arena(bytearray(b"\\xa7" * 8192))
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name, model in (
        ("classifier", sample_models.classifier()),
        ("wide", sample_models.classifier(width=90, seed=4)),
        ("counter", sample_models.counter()),
        ("counter2", sample_models.counter(33)),
    ):
        files = model_files(folder, model, name)
        found |= {(name, "flat"): files["FLAT"], (name, "tflite"): files["TFLITE"]}
    return found


# Two or three models in turn: each invoke gives the result of the model by itself.
@pytest.mark.parametrize(
    "names",
    [
        ("classifier", "wide"),
        ("wide", "classifier"),
        ("counter", "classifier"),
        ("classifier", "counter", "counter2"),
        ("counter2", "wide", "counter"),
    ],
)
def test_results(models, names):
    for file_formats in itertools.product(("flat", "tflite"), repeat=len(names)):
        paths = [
            models[name, file_format]
            for name, file_format in zip(names, file_formats, strict=True)
        ]
        device(
            _SETUP
            + """
interps = [tflm.Interpreter(path, arena=arena) for path in PATHS]
for interp in interps:
    interp.allocate_tensors()
found = [[] for _ in PATHS]
for n in range(3):
    for k, interp in enumerate(interps):
        raw = interp.input(0).raw
        for i in range(len(raw)):
            raw[i] = (i * 31 + n * 17) & 0x7F
        interp.invoke()
        found[k].append(bytes(interp.output(0).raw))
assert found == wanted
""",
            PATHS=paths,
        )


# The head is as large as the largest head, the tail as all tails together.
def test_sizes(models):
    for file_format in ("flat", "tflite"):
        device(
            _SETUP
            + """
heads, tails = [], []
for path in PATHS:
    alone = tflm.Arena(8192)
    tflm.Interpreter(path, arena=alone).allocate_tensors()
    heads.append(alone.sections.head_used_bytes())
    tails.append(alone.sections.tail_used_bytes())
for n, path in enumerate(PATHS):
    interp = tflm.Interpreter(path, arena=arena)
    interp.allocate_tensors()
    sections = arena.sections
    assert sections.head_used_bytes() == max(heads[: n + 1])
    assert abs(sections.tail_used_bytes() - sum(tails[: n + 1])) < 16 * (n + 1)
    assert interp.arena_used_bytes() == arena.used_bytes()
print(heads, tails)
""",
            PATHS=[
                models[name, file_format] for name in ("classifier", "counter", "wide", "counter2")
            ],
        )


# A model that does not fit leaves the arena unchanged; the error says what all of them need.
def test_model_that_does_not_fit(models):
    for first, second in itertools.product(("flat", "tflite"), repeat=2):
        device(
            _SETUP
            + """
one, two = PATHS
def fit(size):
    arena = tflm.Arena(size)
    first = tflm.Interpreter(one, arena=arena)
    first.allocate_tensors()
    before = arena.sections.positions()
    second = tflm.Interpreter(two, arena=arena)
    try:
        second.allocate_tensors()
    except ArenaError as error:
        assert arena.sections.positions() == before
        results(first, 1)
        return error
    first.reset()
    assert [results(first, 3), results(second, 3)] == wanted
    return None

arena = tflm.Arena(4096)
tflm.Interpreter(one, arena=arena).allocate_tensors()
alone = arena.used_bytes()
error = fit(alone)
assert error.available == alone and error.needed > alone
assert "needed %d bytes, available %d" % (error.needed, alone) in str(error)
assert fit(error.needed) is None
assert fit(error.needed - 32) is not None
""",
            PATHS=[models["counter", first], models["counter2", second]],
        )
