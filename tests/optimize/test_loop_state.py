# Tests of the pass loop-state: a loop's values share memory with its body's values
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.builder import ModelBuilder
from support.check import Cases
from support.kernel_tests import module_of
from tflm_tools.flat.flatten import optimized_model
from tflm_tools.image.prepare import prepare_graph
from tflm_tools.optimize.passes import passes_without

cases = Cases()
PATHS = ("saved", "saved armv6m")

for case in module_of("test_control_flow").cases:
    if not case.error and case.expected is None:
        cases.add(
            case.name,
            case.build(),
            inputs=case.inputs,
            runs=case.runs,
            ranges=case.ranges,
            paths=PATHS[:1],
        )


# A recurrent layer of converters: state = relu(state - x[i]) for all rows of x. again: x is also
# an output of the model. source: the operator that computes x from the input.
def recurrent(rows=7, depth=12, again=False, source="RELU", changes=False):
    model = ModelBuilder("recurrent")
    kinds = [((), "int32"), ((rows, depth), "float32"), ((1, depth), "float32")]
    given = model.tensor(*kinds[1])
    x = given
    if source:
        x = model.tensor(*kinds[1])
        model.operator(source, [given], [x])
    inputs = [model.tensor((), "int32", 0), x, model.tensor((1, depth), "float32", [0.5] * depth)]
    outputs = [model.tensor(*kind) for kind in kinds]
    condition, body = model.subgraph("condition"), model.subgraph("body")
    i, *others = (condition.tensor(*kind) for kind in kinds)
    less = condition.tensor((), "bool")
    condition.operator("LESS", [i, condition.tensor((), "int32", rows)], [less])
    condition.io([i, *others], [less])
    i, x, state = (body.tensor(*kind) for kind in kinds)
    more, row, after, last = (body.tensor(*kinds[k]) for k in (0, 2, 2, 2))
    start = body.tensor((2,), "int32")
    body.operator("PACK", [i, body.tensor((), "int32", 0)], [start], axis=0, values_count=2)
    body.operator("SLICE", [x, start, body.tensor((2,), "int32", [1, depth])], [row])
    body.operator("SUB", [row, state], [after])
    body.operator("RELU", [after], [last])
    body.operator("ADD", [i, body.tensor((), "int32", 1)], [more])
    follows = x
    if changes:
        follows = body.tensor(*kinds[1])
        body.operator("ADD", [x, last], [follows])
    body.io([i, x, state], [more, follows, last])
    model.operator("WHILE", inputs, outputs, cond_subgraph_index=1, body_subgraph_index=2)
    model.io([given], [outputs[2], outputs[1]] if again else [outputs[2]])
    return model.build()


cases.add("recurrent", recurrent(), inputs="random", runs=2, paths=PATHS)
cases.add("of the input", recurrent(source=None), inputs="random", runs=2, paths=PATHS)
cases.add("that changes", recurrent(changes=True), inputs="random", runs=2, paths=PATHS)
for source in ("RELU", None):
    model = recurrent(again=True, source=source)
    cases.add(f"given again, {source}", model, inputs="random", runs=2, paths=PATHS)


# A loop that swaps two values, one of which is larger.
def exchanged(first):
    model = ModelBuilder("exchanged")
    kinds = [((), "int32"), ((4,), "int32"), ((4,), "int32")]
    given, outputs = ([model.tensor(*kind) for kind in kinds] for _ in range(2))
    condition, body = model.subgraph("condition"), model.subgraph("body")
    i, *others = (condition.tensor(*kind) for kind in kinds)
    less = condition.tensor((), "bool")
    condition.operator("LESS", [i, condition.tensor((), "int32", 5)], [less])
    condition.io([i, *others], [less])
    i, x, y = (body.tensor(*kind) for kind in kinds)
    more, grown = (body.tensor(*kinds[k]) for k in (0, 1))
    body.operator("ADD", [y if first else x, i], [grown])
    body.operator("ADD", [i, body.tensor((), "int32", 1)], [more])
    body.io([i, x, y], [more, grown, x] if first else [more, y, grown])
    model.operator("WHILE", given, outputs, cond_subgraph_index=1, body_subgraph_index=2)
    model.io(given, outputs)
    return model.build()


for first in (True, False):
    options = {"runs": 4, "ranges": {0: (0, 5), 1: (-99, 99), 2: (-99, 99)}, "paths": PATHS}
    cases.add(f"exchanged, {first}", exchanged(first), inputs="random", **options)


@cases.parametrize
def test_results(case):
    case.check()


# Return the head's bytes (without the pass, with the pass).
def heads(model):
    models = [optimized_model(model, passes=passes_without(w))[0] for w in (("loop-state",), ())]
    return [prepare_graph(model).head_bytes for model in models]


@pytest.mark.parametrize(
    ("options", "tensors"),
    [
        ({}, 2),
        ({"source": None}, 1),
        ({"again": True}, 2),
        ({"changes": True}, 2),
    ],
)
def test_bytes(options, tensors):
    before, after = heads(recurrent(100, 20, **options))  # 8000 bytes of x
    assert before > 3 * 8000
    assert tensors * 8000 <= after < tensors * 8000 + 800


def test_nothing_is_copied_onto_itself():
    model, _ = optimized_model(recurrent(), passes=passes_without())
    records = prepare_graph(model).records
    copies = [r.words for r in records if r.kernel == "copy.eval_bytes"]
    assert len(copies) == 6 and all(words[1] != words[2] for words in copies)
