# Tests of damaged .tflite files: each runs or gives one TflmError, on the host and on the device
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import pytest
from fuzz.campaign import kernel_tests, seeds_of
from tflm.errors import TflmError
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import flatten
from unit import sample_models
from unit.damaged_files import damaged_copies
from unit.on_device import run_all

_SAMPLES = 2  # models of each file
_COPIES = 6  # of each model; `make -C tests fuzz` tries more


# Flatten each model; return how many were refused, and the names of the errors.
def flatten_all(models):
    counts = {}
    for model in models:
        try:
            flatten(model)
            result = "ran"
        except TflmError as error:
            assert str(error)
            result = type(error).__name__
        counts[result] = counts.get(result, 0) + 1
    return counts


# Hundreds of copies of each operator's models, with random bytes and words overwritten.
@pytest.mark.parametrize("name", kernel_tests())
def test_damaged_operators(name, tmp_path):
    models = []
    for seed, model in enumerate(seeds_of(name, _SAMPLES)):
        models += damaged_copies(model, f"{name} {seed}", _COPIES)
    host = flatten_all(models)
    device = run_all(models, tmp_path)
    assert sum(host.values()) == sum(device.values()) == len(models)


@pytest.mark.parametrize("model", [sample_models.classifier(), sample_models.counter()])
def test_damaged_graphs(model, tmp_path):
    models = damaged_copies(model, "graph", 300)
    host, device = flatten_all(models), run_all(models, tmp_path)
    assert sum(host.values()) == sum(device.values()) == len(models)
    assert host["ran"] and host["ModelError"] and device["ran"] and device["ModelError"]


# Cut off anywhere: never a crash, and rarely a model that runs.
def test_truncated(tmp_path):
    whole = sample_models.classifier(width=6, inputs=4, outputs=3)
    models = [whole[:size] for size in range(0, len(whole), 3)]
    host, device = flatten_all(models), run_all(models, tmp_path)
    assert host == device == {"ModelError": len(models)}


# Each word of the tables in turn gets a value that breaks offsets and counts.
def test_every_word_overwritten(tmp_path):
    whole = sample_models.classifier(width=4, inputs=4, outputs=2)
    models = []
    for at in range(0, len(whole) - 3, 4):
        for value in (0, 0x7FFFFFFF, 0xFFFFFFFF):
            damaged = bytearray(whole)
            struct.pack_into("<I", damaged, at, value)
            models.append(bytes(damaged))
    host, device = flatten_all(models), run_all(models, tmp_path)
    assert sum(host.values()) == sum(device.values()) == len(models)


def test_damaged_digits(repository, tmp_path):
    model = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    models = damaged_copies(model, "digits", 30)
    assert sum(flatten_all(models).values()) == 30
    assert sum(run_all(models, tmp_path, invoke=False).values()) == 30


# A small file with overlapping lists must not use much memory or time.
def test_overlapping_lists():
    model = TfliteModel(sample_models.classifier())
    operators = model.subgraphs[0]._operators
    whole = bytearray(model.buffer)
    for i in range(len(operators)):
        table = operators.table(i)
        at = table.vector(1).start - 4
        struct.pack_into("<I", whole, at, (len(whole) - at) // 4 - 1)
    with pytest.raises(TflmError, match="overlap"):
        flatten(bytes(whole))
