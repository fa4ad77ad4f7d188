# Tests of the pass attention: one step that ends at the position of the token
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.check import Cases
from tflm.introspection.op_names import name as op_name
from tflm_tools.flat.flatten import optimized_model
from tflm_tools.optimize.passes import passes_without

PATHS = ("saved", "saved armv6m", "saved armv7em", "tflite")
cases = Cases()
steps = {}  # name of a case: whether the pattern becomes one step


# Attention of one token. scores: scale and zero point; a small scale gives later positions a
# weight. change: what differs from the pattern.
def attention(kv=2, group=2, size=8, positions=32, scores=(0.1, 20), beta=1.0, change=""):
    builder = ModelBuilder("attention")
    lowest_zero = 1 if change == "zero point" else 0

    def tensor(shape, scale=0.05, zero_point=0, dtype="int8", data=None):
        options = {"scale": scale, "zero_point": zero_point} if dtype == "int8" else {}
        return builder.tensor(shape, dtype, data, **options)

    query = tensor((kv, group, size))
    keys = tensor((kv, positions, size), zero_point=lowest_zero)
    values = tensor((kv, size, positions))
    position = tensor((1,), dtype="int32")
    numbers = np.arange(positions) + (change == "numbers")
    numbers = tensor((1, 1, positions), dtype="int32", data=numbers)
    mask = tensor((1, 1, positions), dtype="bool")
    builder.operator("LESS_EQUAL", [numbers, position], [mask])
    shape = (kv, group, positions)
    products, masked, weights = (
        tensor(shape, *scores), tensor(shape, *scores), tensor(shape, 1 / 256, -128)
    )  # fmt: skip
    builder.operator("BATCH_MATMUL", [query, keys], [products], adj_y=True)
    lowest = tensor((1,), *scores, data=[-127 if change == "mask" else -128])
    builder.operator("SELECT_V2", [mask, products, lowest], [masked])
    builder.operator("SOFTMAX", [masked], [weights], beta=beta)
    output = tensor((kv, group, size), 0.03)
    builder.operator("BATCH_MATMUL", [weights, values], [output], adj_y=True)
    seen = [weights] if change == "output" else []
    builder.io([query, keys, values, position], [output, *seen])
    return builder.build()


def add(name, is_step=True, runs=6, **options):
    positions = options.get("positions", 32)
    cases.add(
        name, attention(**options), paths=PATHS, runs=runs, ranges={3: (-2, positions + 2)}
    )  # fmt: skip
    steps[name] = is_step


add("typical", scores=(0.08, 30), beta=0.5)
add("one head", kv=1, group=1)
add("long", kv=1, group=2, size=4, positions=200, runs=3)
add("wide heads", kv=1, group=2, size=40, positions=12, scores=(0.2, 0))
add("later positions have a weight", scores=(0.004, -100), beta=0.1)
add("all positions are equal", scores=(0.01, 0), beta=0.001)
add("sharp", scores=(0.3, 0), beta=4.0)
add("saturated", scores=(0.001, 0))
for change in ("zero point", "numbers", "mask", "output"):
    add(f"no pattern: {change}", False, change=change)
add("no pattern: positions", False, positions=30)
add("no pattern: size", False, size=6)


@cases.parametrize
def test_results(case):
    case.check()


@pytest.mark.parametrize("name", steps)
def test_operators(name):
    case = next(case for case in cases if case.name == name)
    graph, savings = optimized_model(case.build(), passes=passes_without())
    operators = [op_name(node.builtin_code) for node in graph.running()[0].nodes]
    whole = ["LESS_EQUAL", "BATCH_MATMUL", "SELECT_V2", "SOFTMAX", "BATCH_MATMUL"]
    assert operators == (["BATCH_MATMUL"] if steps[name] else whole)
    assert any(saving.what == "attention" for saving in savings) == steps[name]
