# Tests of a short fuzzing campaign, which `make -C tests fuzz` runs for longer
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from fuzz.campaign import campaign, kernel_tests, seeds_of
from fuzz.graph_mutations import mutated_copies, pack, unpack
from unit import sample_models

_COPIES = 2  # of each of a few models of each kernel's tests


# Each damaged model raises one TflmError or runs; none crashes, hangs or writes outside.
@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(4))
def test_damaged_operators(number, tmp_path):
    sources = [model for name in kernel_tests()[number::4] for model in seeds_of(name, 2)]
    outcome = campaign(sources, _COPIES, tmp_path, f"tests {number}")
    assert not outcome.failures, [what for _, what in outcome.failures]
    assert outcome.counts["ran"] > 10 and outcome.counts["ModelError"] > 10


def test_damaged_graphs(tmp_path):
    sources = [sample_models.classifier(), sample_models.counter(), sample_models.custom()]
    outcome = campaign(sources, 60, tmp_path, "graphs")
    assert not outcome.failures, [what for _, what in outcome.failures]
    assert outcome.counts["ran"] and outcome.counts["ModelError"]


# The corpus has models of every file with cases, for all names of their collectors.
def test_corpus_has_models_of_every_file():
    without = {name for name in kernel_tests() if not seeds_of(name, 2)}
    assert without == {
        "test_float32", "test_float32_functions", "test_requantize", "test_x64_hybrid",
    }  # fmt: skip


# The mutations change models, and are the same in each run.
def test_mutations_differ_and_repeat():
    model = sample_models.classifier()
    assert pack(unpack(model)) == pack(unpack(pack(unpack(model))))
    models = mutated_copies(model, "seed", 40)
    assert models == mutated_copies(model, "seed", 40)
    assert len({*models, model}) > 30


# A model on which the host tools hang is reported.
def test_campaign_reports_a_hang(tmp_path, monkeypatch):
    def endless(*_arguments, **_options):
        while True:
            pass

    monkeypatch.setattr("fuzz.campaign.flatten", endless)
    monkeypatch.setattr("fuzz.campaign._MAX_HOST_SECONDS", 0.05)
    outcome = campaign([sample_models.classifier()], 2, tmp_path, "hang")
    assert [what for _, what in outcome.failures] == ["flatten took more than 0.05 s"] * 3


# A model that crashes the device is reported.
def test_campaign_reports_a_crash(tmp_path, monkeypatch):
    crash = tmp_path / "crash.py"
    crash.write_text("import sys\nprint('model 0')\nsys.exit(3)\n")
    monkeypatch.setattr("fuzz.campaign._DEVICE", crash)
    outcome = campaign([sample_models.classifier()], 3, tmp_path, "crash")
    assert len(outcome.failures) >= 3
    assert outcome.failures[0][1].startswith("exit 3")
