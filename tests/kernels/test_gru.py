# Tests of the pass gru: one step for a WHILE of Keras's GRU
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.check import Cases
from tflm.introspection.op_names import name as op_name
from tflm_tools.flat.flatten import flatten, optimized_model
from tflm_tools.optimize.passes import passes_without
from tflm_tools.port import invocation

cases = Cases()
expected = {}  # name of a case: whether the loop becomes one step


# Add the body: time and counter + 1, the next state, as a tensor of three dimensions, too.
def add_body(model, rows, size, units, weights, change):
    body = model.subgraph("body")

    def tensor(shape, dtype="float32", data=None):
        return body.tensor(shape, dtype, data)

    def computed(name, inputs, shape=(1, units), **options):
        output = tensor(shape)
        body.operator(name, inputs, [output], **options)
        return output

    counter, time = tensor((), "int32"), tensor((), "int32")
    listed, state = tensor((1, 1, units)), tensor((1, units))
    source = tensor((rows, 1, size))
    one = tensor((), "int32", 1)
    next_counter, next_time = tensor((), "int32"), tensor((), "int32")
    body.operator("ADD", [counter, one], [next_counter])
    body.operator("ADD", [one, time], [next_time])
    row = computed("GATHER", [source, time], (1, size))
    if change == "reset before":
        row = computed("MUL", [row, row], (1, size))
    gates = []
    for vector, (matrix, bias) in ((state, weights[1]), (row, weights[0])):
        constants = [tensor(m.shape, data=m) if m is not None else None for m in (matrix, bias)]
        product = computed("FULLY_CONNECTED", [vector, *constants], (1, 3 * units))
        thirds = [tensor((1, units)) for _ in range(3)]
        axis = tensor((), "int32", 1)
        body.operator("SPLIT", [axis, product], thirds, num_splits=3)
        gates.append(thirds)
    of_state, of_row = gates
    first, second = (1, 0) if change == "gates" else (0, 1)
    update = computed("LOGISTIC", [computed("ADD", [of_row[first], of_state[first]])])
    reset = computed("LOGISTIC", [computed("ADD", [of_state[second], of_row[second]])])
    candidate = computed("ADD", [of_row[2], computed("MUL", [reset, of_state[2]])])
    curve = "LOGISTIC" if change == "curve" else "TANH"
    candidate = computed(curve, [candidate])
    rest = computed("SUB", [tensor((), data=2 if change == "one" else 1), update])
    kept, added = computed("MUL", [update, state]), computed("MUL", [rest, candidate])
    options = {"fused_activation_function": 1} if change == "activation" else {}
    next_state = computed("ADD", [kept, added], **options)
    shape = tensor((3,), "int32", [1, 1, units])
    next_list = computed("RESHAPE", [next_state, shape], (1, 1, units))
    body.io(
        [counter, time, listed, state, source],
        [next_counter, next_time, next_list, next_state, source],
    )


# A GRU over the rows of the input. change: what differs from the pattern.
def loop(rows=6, size=3, units=5, biases=True, begins="zeros", reads="list", change=""):
    generator = np.random.default_rng(rows * 100 + units)
    model = ModelBuilder("gru")

    def weight(*shape):
        return generator.normal(0, 0.6, shape).astype(np.float32)

    weights = [
        (weight(3 * units, depth), weight(3 * units) if biases else None)
        for depth in (size, units)
    ]
    condition = model.subgraph("condition")
    ends = [condition.tensor((), "int32"), condition.tensor((), "int32")]
    ends += [condition.tensor(s, "float32") for s in ((1, 1, units), (1, units), (rows, 1, size))]
    limit, goes_on = condition.tensor((), "int32", rows), condition.tensor((), "bool")
    condition.operator("LESS", [ends[0], limit], [goes_on])
    condition.io(ends, [goes_on])
    add_body(model, rows, size, units, weights, change)
    source = model.tensor((rows, 1, size), "float32")
    start = model.tensor((), "int32", 0)
    initial = np.zeros((1, units), np.float32) if begins == "zeros" else None
    if begins == "numbers":
        initial = weight(1, units)
    state = model.tensor((1, units), "float32", initial)
    listed = model.tensor((1, 1, units), "float32", np.zeros((1, 1, units)))
    outputs = [model.tensor((), "int32"), model.tensor((), "int32")]
    outputs += [model.tensor(s, "float32") for s in ((1, 1, units), (1, units), (rows, 1, size))]
    model.operator(
        "WHILE", [start, start, listed, state, source], outputs,
        cond_subgraph_index=1, body_subgraph_index=2,
    )  # fmt: skip
    read = {"list": [2], "state": [3], "both": [2, 3], "time": [1, 3]}[reads]
    inputs = [source] if initial is not None else [source, state]
    model.io(inputs, [outputs[k] for k in read])
    return model.build()


def add(name, is_step=True, **options):
    cases.add(name, loop(**options), rtol=2e-6, atol=2e-6, paths=("saved", "saved armv6m"))
    expected[name] = is_step


add("typical")
add("as Keras writes it", rows=25, size=8, units=18)
add("one step", rows=1, size=1, units=1)
add("many units", rows=3, size=20, units=40)
add("no biases", biases=False)
add("initial state", begins="numbers", reads="state")
add("initial state as an input", begins="input", reads="state")
for change in ("gates", "reset before", "curve", "one", "activation"):
    add(f"no pattern: {change}", False, change=change)
for reads in ("both", "time"):
    add(f"no pattern: {reads}", False, reads=reads)


@cases.parametrize
def test_results(case):
    case.check()


@pytest.mark.parametrize("name", expected)
def test_operators(name):
    case = next(case for case in cases if case.name == name)
    graph, savings = optimized_model(case.build(), passes=passes_without())
    operators = [op_name(node.builtin_code) for node in graph.running()[0].nodes]
    assert operators == (["UNIDIRECTIONAL_SEQUENCE_LSTM"] if expected[name] else ["WHILE"])
    assert any(saving.what == "gru" for saving in savings) == expected[name]


# The step computes the same bits as the loop.
def test_bits():
    model = loop(rows=25, size=8, units=18, begins="input", reads="state")
    generator = np.random.default_rng(4)
    for scale in (1.0, 30.0, 1e30, 3e38):
        values = generator.normal(0, scale, 25 * 8 + 18).clip(-3e38, 3e38)
        values = values.astype(np.float32).tobytes()
        outputs = [
            invocation.invoke(flatten(model, without=without), values)[1]
            for without in ((), ("gru",))
        ]
        assert outputs[0] == outputs[1]
