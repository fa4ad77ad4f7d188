# Tests of lists of SELECT_TF_OPS around WHILE, against TFLM with a loop of its own operators
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support import litert, runner
from support.builder import ModelBuilder
from support.check import Cases, flat_model_for
from support.inputs import generator
from tflm.errors import TflmError, UnsupportedError
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import flatten
from tflm_tools.inspection.survey import survey

cases = Cases()
STEPS, BATCH, UNITS = 5, 2, 3


# The lists of one side of the comparison. With `flex` they use TensorFlow's operators on tensors
# of type variant; else they are tensors [items, batch, units], written by DYNAMIC_UPDATE_SLICE.
class _Lists:
    def __init__(self, flex, dtype="float32"):
        self.flex, self.dtype = flex, dtype
        self.model = ModelBuilder("lists")

    # Return a tensor for a list.
    def tensor(self, graph, items, item):
        if self.flex:
            return graph.tensor((), "variant")
        return graph.tensor((items, *item), self.dtype)

    def reserve(self, graph, items, item):
        result = self.tensor(graph, items, item)
        if self.flex:
            shape = graph.tensor((len(item),), "int32", [-1, *item[1:]])
            count = graph.tensor((), "int32", items)
            graph.custom("FlexTensorListReserve", [shape, count], [result])
        else:
            shape = graph.tensor((len(item) + 1,), "int32", [items, *item])
            graph.operator("FILL", [shape, graph.tensor((), self.dtype, 0)], [result])
        return result

    def from_tensor(self, graph, source, shape):
        result = self.tensor(graph, shape[0], shape[1:])
        if self.flex:
            wanted = graph.tensor((len(shape) - 1,), "int32", shape[1:])
            graph.custom("FlexTensorListFromTensor", [source, wanted], [result])
        else:
            graph.operator("RESHAPE", [source], [result], new_shape=shape)
        return result

    def get(self, graph, source, index, shape):
        result = graph.tensor(shape, self.dtype)
        if self.flex:
            wanted = graph.tensor((len(shape),), "int32", shape)
            graph.custom("FlexTensorListGetItem", [source, index, wanted], [result])
        else:
            graph.operator("GATHER", [source, index], [result])
        return result

    def set(self, graph, target, index, item, items, shape):
        result = self.tensor(graph, items, shape)
        if self.flex:
            graph.custom("FlexTensorListSetItem", [target, index, item], [result])
            return result
        zero = graph.tensor((), "int32", 0)
        start = graph.tensor((len(shape) + 1,), "int32")
        graph.operator("PACK", [index] + [zero] * len(shape), [start],
                       values_count=len(shape) + 1, axis=0)  # fmt: skip
        row = graph.tensor((1, *shape), self.dtype)
        graph.operator("RESHAPE", [item], [row], new_shape=(1, *shape))
        graph.operator("DYNAMIC_UPDATE_SLICE", [target, row, start], [result])
        return result

    def stack(self, graph, source, items, shape, file_shape=None):
        result = graph.tensor(file_shape or (items, *shape), self.dtype)
        if self.flex:
            wanted = graph.tensor((len(shape),), "int32", [-1, *shape[1:]])
            graph.custom("FlexTensorListStack", [source, wanted], [result])
        else:
            graph.operator("RESHAPE", [source], [result], new_shape=(items, *shape))
        return result

    # while i < STEPS: state = state * w + x[i]; list[i] = state (list[0] if it has one item).
    # Returns the outputs of the WHILE: i, list, state, x.
    def loop(self, given, items, item, read=None):
        asked, body = self.model.subgraph("condition"), self.model.subgraph("body")
        numbers = len(self.model.table.subgraphs) - 2, len(self.model.table.subgraphs) - 1
        whole = (STEPS, *item)

        def ports(graph):
            x = self.tensor(graph, STEPS, item) if read else graph.tensor(whole, self.dtype)
            return [
                graph.tensor((), "int32"),
                self.tensor(graph, items, item),
                graph.tensor(item, self.dtype),
                x,
            ]

        inputs = ports(asked)
        goes_on = asked.tensor((), "bool")
        asked.operator("LESS", [inputs[0], asked.tensor((), "int32", STEPS)], [goes_on])
        asked.io(inputs, [goes_on])

        i, target, state, x = ports(body)
        one, following = body.tensor((), "int32", 1), body.tensor((), "int32")
        body.operator("ADD", [i, one], [following])
        if read:
            now = self.get(body, x, i, item)
        else:
            now = body.tensor(item, self.dtype)
            body.operator("GATHER", [x, i], [now])
        random = generator(f"{items} {item}")
        weights = body.tensor(item, self.dtype, random.normal(size=item))
        scaled, new = body.tensor(item, self.dtype), body.tensor(item, self.dtype)
        body.operator("MUL", [state, weights], [scaled])
        body.operator("ADD", [scaled, now], [new])
        at = i if items > 1 else body.tensor((), "int32", 0)
        result = self.set(body, target, at, new, items, item)
        body.io([i, target, state, x], [following, result, new, x])

        outputs = ports(self.model.main)
        graphs = {"cond_subgraph_index": numbers[0], "body_subgraph_index": numbers[1]}
        self.model.operator("WHILE", given, outputs, **graphs)
        return outputs


# Loops over one input, all of them on the same initial list.
def _recurrent(flex, items, loops=1, item=(BATCH, UNITS), read=False):
    lists = _Lists(flex)
    model = lists.model
    x = model.tensor((STEPS, *item), "float32")
    start = model.tensor(item, "float32")
    first = lists.reserve(model.main, items, item)
    seen = lists.from_tensor(model.main, x, (STEPS, *item)) if read else x
    outputs = []
    for _ in range(loops):
        zero = model.tensor((), "int32", 0)
        result = lists.loop([zero, first, start, seen], items, item, read)
        outputs += [lists.stack(model.main, result[1], items, item), result[2]]
    model.io([x, start], outputs)
    return model.build()


for name, options in {
    "one item": {"items": 1},
    "all items": {"items": STEPS},
    "some are never set": {"items": STEPS + 2},
    "two loops": {"items": STEPS, "loops": 2},
    "items of one number": {"items": STEPS, "item": (1,)},
    "reads a list": {"items": STEPS, "read": True},
}.items():
    cases.add(
        name,
        _recurrent(True, **options),
        inputs="random",
        oracle_model=_recurrent(False, **options),
        paths=("flat", "saved balanced", "tflite"),
    )


@cases.parametrize
def test_lists(case):
    case.check()


# Converters without SELECT_TF_OPS write a list so: concatenate the items before, the new item and
# the items after it. The file does not know the steps of the result and says 1.
def _joined():
    item, unknown = (1, UNITS), (-1, -1, UNITS)
    model = ModelBuilder("joined")
    asked, body = model.subgraph("condition"), model.subgraph("body")

    def ports(graph, shape):
        return [
            graph.tensor((), "int32"),
            graph.tensor(shape, "float32", shape_signature=unknown),
            graph.tensor((STEPS, 1, UNITS), "float32", shape_signature=(STEPS, -1, UNITS)),
        ]

    inputs, goes_on = ports(asked, (STEPS, 1, UNITS)), asked.tensor((), "bool")
    asked.operator("LESS", [inputs[0], asked.tensor((), "int32", STEPS)], [goes_on])
    asked.io(inputs, [goes_on])

    def int32(values):
        return body.tensor(np.shape(values), "int32", values)

    def numbers(number, rest):
        one, all_three = body.tensor((1,), "int32"), body.tensor((3,), "int32")
        body.operator("RESHAPE", [number, int32([1])], [one], new_shape=(1,))
        body.operator("CONCATENATION", [one, int32([rest, rest])], [all_three], axis=0)
        return all_three

    def slice_of(begin, size):
        result = body.tensor((1, 1, 1), "float32", shape_signature=(-1, -1, -1))
        body.operator("SLICE", [target, begin, size], [result])
        return result

    i, target, x = ports(body, (STEPS, 1, UNITS))
    following, now, row = body.tensor((), "int32"), body.tensor(item, "float32"), None
    body.operator("ADD", [i, int32(1)], [following])
    body.operator("GATHER", [x, i], [now])
    doubled = body.tensor(item, "float32", shape_signature=(-1, UNITS))
    body.operator("ADD", [now, now], [doubled])
    row = body.tensor((1, *item), "float32", shape_signature=(1, -1, UNITS))
    body.operator("EXPAND_DIMS", [doubled, int32(0)], [row])
    before = slice_of(int32([0, 0, 0]), numbers(i, -1))
    after = slice_of(numbers(following, 0), int32([-1, -1, -1]))
    result = body.tensor((1, *item), "float32", shape_signature=unknown)
    body.operator("CONCATENATION", [before, row, after], [result], axis=0)
    body.io([i, target, x], [following, result, x])

    x = model.tensor((STEPS, 1, UNITS), "float32", shape_signature=(STEPS, -1, UNITS))
    empty = model.tensor((STEPS, 1, UNITS), "float32", np.zeros((STEPS, 1, UNITS)))
    outputs = ports(model.main, (1, 1, UNITS))
    model.operator("WHILE", [model.tensor((), "int32", 0), empty, x], outputs,
                   cond_subgraph_index=1, body_subgraph_index=2)  # fmt: skip
    y = model.tensor((1, 1, UNITS), "float32", shape_signature=unknown)
    model.operator("RELU", [outputs[1]], [y])
    model.io([x], [y])
    return model.build()


joined = Cases()
joined.add("joined", _joined(), inputs="random", expected=litert.outputs)


@litert.needs_litert
@joined.parametrize
def test_concatenated_lists(case):
    case.check()


# A list of items with open batch gets its shape from what is written to it.
def test_batches():
    item = (1, UNITS)
    lists = _Lists(True)
    model = lists.model
    x = model.tensor((STEPS, *item), "float32", shape_signature=(STEPS, -1, UNITS))
    start = model.tensor(item, "float32", shape_signature=(-1, UNITS))
    first = lists.reserve(model.main, STEPS, item)
    zero = model.tensor((), "int32", 0)
    result = lists.loop([zero, first, start, x], STEPS, item)
    # Converters write 1 for an unknown dimension.
    model.io([x, start], [lists.stack(model.main, result[1], STEPS, item, (1, 1, UNITS))])
    data = model.build()
    shapes = {0: (STEPS, BATCH, UNITS), 1: (BATCH, UNITS)}
    random = generator("batches")
    values = [random.normal(size=shapes[i]).astype("f") for i in (0, 1)]
    body = TfliteModel(data).subgraphs[2]
    weights = next(t for t in map(body.tensor, range(body.tensors_length()))
                   if t.is_constant() and t.shape == item)  # fmt: skip
    weights = np.frombuffer(bytes(weights.data), "f")
    state, wanted = values[1], []
    for row in values[0]:
        state = state * weights + row
        wanted.append(state)
    job = runner.Job(
        "batches", flatten(data, input_shapes=shapes), [[v.tobytes() for v in values]]
    )
    outcome = runner.run([job])[0]
    assert outcome.kind == "ok", outcome
    assert outcome.shapes[-1] == (STEPS, BATCH, UNITS)
    assert outcome.outputs[0][0] == np.stack(wanted).tobytes()


def _small(build, dtype="float32"):
    lists = _Lists(True, dtype)
    model = lists.model
    x = model.tensor((BATCH, UNITS), "float32")
    y = build(lists, model, x)
    model.io([x], [y])
    return model.build()


def _never_written(lists, model, x):
    result = lists.reserve(model, STEPS, (BATCH, UNITS))
    return lists.stack(model, result, STEPS, (BATCH, UNITS))


def _two_shapes(lists, model, x):
    result, zero = lists.reserve(model, STEPS, (BATCH, UNITS)), model.tensor((), "int32", 0)
    result = lists.set(model, result, zero, x, STEPS, (BATCH, UNITS))
    other = model.tensor((UNITS,), "float32", np.ones(UNITS))
    result = lists.set(model, result, zero, other, STEPS, (UNITS,))
    return lists.stack(model, result, STEPS, (BATCH, UNITS))


def _never_created(lists, model, x):
    zero = model.tensor((), "int32", 0)
    result = lists.set(model, lists.tensor(model, 0, ()), zero, x, STEPS, (BATCH, UNITS))
    return lists.stack(model, result, STEPS, (BATCH, UNITS))


def _no_items(lists, model, x):
    result, zero = lists.reserve(model, 0, (BATCH, UNITS)), model.tensor((), "int32", 0)
    result = lists.set(model, result, zero, x, 0, (BATCH, UNITS))
    return lists.stack(model, result, 0, (BATCH, UNITS))


def _other_type(lists, model, x):
    result, zero = lists.reserve(model, 1, (BATCH, UNITS)), model.tensor((), "int32", 0)
    result = lists.set(model, result, zero, x, 1, (BATCH, UNITS))
    lists.dtype = "int8"
    return lists.stack(model, result, 1, (BATCH, UNITS))


@pytest.mark.parametrize(
    "build, text",
    [
        (_never_written, "op 1 FlexTensorListStack: nothing is written to its list"),
        (_two_shapes, "op 2 FlexTensorListSetItem: its list has items of several shapes"),
        (_never_created, "op 0 FlexTensorListSetItem: nothing creates its list"),
        (_no_items, "is no item of"),
        (_other_type, "int8"),
    ],
)
def test_refused_lists(build, text):
    data = _small(build)
    with pytest.raises(TflmError, match=text):
        flatten(data)
    if "op " in text:
        with pytest.raises(UnsupportedError):
            flat_model_for(data, "flat")
        assert [entry.op for entry in survey(data)[2]]


# The number of items is computed.
def test_length_is_not_constant():
    model = ModelBuilder()
    x, count = model.tensor((UNITS,), "float32"), model.tensor((), "int32", name="count")
    result, y = model.tensor((), "variant"), model.tensor((1, UNITS), "float32")
    model.custom("FlexTensorListReserve", [model.tensor((1,), "int32", [UNITS]), count], [result])
    model.custom("FlexTensorListStack", [result, model.tensor((1,), "int32", [UNITS])], [y])
    model.io([x, count], [y])
    with pytest.raises(UnsupportedError, match="FlexTensorListReserve: the number of items"):
        flatten(model.build())
