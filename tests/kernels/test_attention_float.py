# Tests of the pass attention in float32: one step that ends where the mask ends
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.script import run_script
from tflm.introspection.op_names import name as op_name
from tflm_tools.flat.flatten import flatten, optimized_model
from tflm_tools.optimize.passes import passes_without

PATHS = ("saved", "saved armv6m", "tflite")
TOLERANCE = {"rtol": 2e-6, "atol": 1e-9}
cases = Cases()
steps = {}  # name of a case: whether the pattern becomes one step
LOWEST = -1e9


class Attention:
    """Attention of one token. kv, group: heads of the keys, queries for each of them.

    layout: "heads" with keys [kv, positions, size] and values [kv, size, positions], "rows" with
    both [positions, kv, size], transposed, "repeated" with rows whose heads are repeated for each
    query. mask: "add" with an input, "select" with LESS_EQUAL, "sum" with ADD of a chosen number.
    """

    def __init__(
        self, kv=2, group=2, size=8, positions=32, layout="heads", mask="select", scale=None,
        key_scale=None, beta=1.0, change="",
    ):  # fmt: skip
        self.builder = ModelBuilder("attention")
        self.kv, self.group, self.size, self.positions = kv, group, size, positions
        self.change = change
        batch = (kv * group, 1) if layout == "repeated" else (kv, group)
        self.shape = (*batch, positions)
        query = self.tensor((*batch, size))
        self.key_scale = key_scale
        keys, values, adjoint = getattr(self, "_" + layout)()
        scores = self.add("BATCH_MATMUL", [query, keys], self.shape, adj_y=adjoint)
        if scale is not None:
            scores = self.add("MUL", [scores, self.tensor((), data=scale)], self.shape)
        scores = getattr(self, "_" + mask)(scores)
        weights = self.add("SOFTMAX", [scores], self.shape, beta=beta)
        output = self.add(
            "BATCH_MATMUL", [weights, values], (*batch, size), adj_y=layout == "heads"
        )
        seen = [weights] if change == "output" else []
        self.builder.io([query, self.keys, self.values, self.position], [output, *seen])

    def tensor(self, shape, dtype="float32", data=None):
        return self.builder.tensor(shape, dtype, data)

    def add(self, name, inputs, shape, dtype="float32", **options):
        output = self.tensor(shape, dtype)
        self.builder.operator(name, inputs, [output], **options)
        return output

    # RESHAPE, BROADCAST_TO and TRANSPOSE, whose second input are numbers.
    def moved(self, name, x, numbers, shape):
        return self.add(name, [x, self.tensor((len(numbers),), "int32", numbers)], shape)

    def _heads(self):
        self.keys = self.tensor((self.kv, self.positions, self.size))
        self.values = self.tensor((self.kv, self.size, self.positions))
        return self.keys, self.values, True

    def _rows(self):
        shape = self.positions, self.kv, self.size
        self.keys, self.values = self.tensor(shape), self.tensor(shape)
        return self._transposed(self.keys, self.values, self.kv)

    def _transposed(self, keys, values, heads):
        keys = self.moved("TRANSPOSE", keys, (1, 2, 0), (heads, self.size, self.positions))
        values = self.moved("TRANSPOSE", values, (1, 0, 2), (heads, self.positions, self.size))
        return keys, values, False

    def _repeated(self):
        shape = 1, self.positions, self.kv, self.size
        self.keys, self.values = self.tensor(shape), self.tensor(shape)
        found = []
        for x in (self.keys, self.values):
            for name, shape in (
                ("RESHAPE", (self.positions, self.kv, 1, self.size)),
                ("BROADCAST_TO", (self.positions, self.kv, self.group, self.size)),
                ("RESHAPE", (self.positions, self.kv * self.group, self.size)),
            ):
                x = self.moved(name, x, shape, shape)
            found.append(x)
        if self.key_scale is not None:
            factor = self.tensor((), data=self.key_scale)
            found[0] = self.add("MUL", [found[0], factor], shape)
        return self._transposed(*found, self.kv * self.group)

    # True up to the position, in as many dimensions as a mask has.
    def _past(self):
        self.position = self.tensor((1,), "int32")
        shape = 1, 1, self.positions
        numbers = self.tensor(shape, "int32", np.arange(self.positions))
        return self.add("LESS_EQUAL", [numbers, self.position], shape, "bool")

    def _select(self, scores):
        lowest = self.tensor((1,), data=[-3.0 if self.change == "mask" else LOWEST])
        return self.add("SELECT_V2", [self._past(), scores, lowest], self.shape)

    def _sum(self, scores):
        numbers = [self.tensor((1,), data=[value]) for value in (0.0, LOWEST)]
        mask = self.add("SELECT_V2", [self._past(), *numbers], (1, 1, self.positions))
        return self.add("ADD", [mask, scores], self.shape)

    def _add(self, scores):
        self.position = self.tensor((1, 1, 1 if self.change == "mask" else self.positions))
        options = {"fused_activation_function": "RELU"} if self.change == "activation" else {}
        return self.add("ADD", [scores, self.position], self.shape, **options)


def mask_rows(positions, random):
    """Return masks: up to a position, in a window, one number, nothing, everything, not lowest."""
    numbers = np.arange(positions)
    last = int(random.integers(0, positions))
    rows = [numbers <= last, (numbers <= last) & (numbers >= last // 2), numbers == last]
    rows = [np.where(row, 0.0, LOWEST) for row in rows]
    rows += [np.where(numbers <= last, 0.5, -np.inf), np.full(positions, LOWEST), 0 * numbers]
    return [*rows, np.where(numbers <= last, 0.0, -20.0), np.where(numbers < last, 0, -3.4e38)]


def inputs_of(model, runs=6):
    """Return the inputs of runs; keys and values after the position are not 0."""
    random = generator(repr(vars(model)["shape"]))
    shapes = [model.builder.main.table.tensors[i].shape for i in model.builder.main.table.inputs]
    found, masks = [], mask_rows(model.positions, random)
    is_mask = len(shapes[3]) == 3 and shapes[3][-1] == model.positions
    for run in range(len(masks) if is_mask else runs):
        tensors = [random.normal(0, 1 + run, shape).astype("f") for shape in shapes[:3]]
        if is_mask:
            tensors.append(masks[run].reshape(shapes[3]))
        elif len(shapes[3]) == 1:
            ends = [-1, 0, model.positions - 1, model.positions + 3]
            position = ends[run] if run < 4 else random.integers(0, model.positions)
            tensors.append(np.array([position]))
        else:
            tensors.append(np.zeros(shapes[3]))
        found.append(tensors)
    return found


# Scores near the largest float, infinities and NaN of queries and of keys up to the position.
def extremes(model):
    found = inputs_of(model)
    values = [3e38, -3e38, np.inf, -np.inf, np.nan, 1e-44, -0.0, 1e20]
    for tensors, value in zip(found[-4:], values[::2], strict=True):
        tensors[0].flat[::3] = value
    return found


def add(name, is_step=True, inputs=inputs_of, **options):
    model = Attention(**options)
    data = model.builder.build()
    cases.add(name, data, inputs(model), paths=PATHS, **TOLERANCE)
    steps[name] = model, data, is_step


for layout in ("heads", "rows", "repeated"):
    for mask in ("select", "sum", "add"):
        add(f"{layout}, {mask}", layout=layout, mask=mask)
add("scale and beta", scale=0.3535, beta=0.7, mask="add")
add("scale", scale=-2.0, layout="rows", mask="select")
add("scaled keys", layout="repeated", key_scale=0.59, mask="add")
add("one head", kv=1, group=1, mask="add")
add("one position", kv=2, group=1, positions=1)
add("one channel", kv=2, group=3, size=1, positions=9, layout="repeated", mask="add")
add("odd sizes", kv=3, group=1, size=5, positions=7, layout="repeated", mask="sum")
add("long", kv=1, group=2, size=4, positions=300, layout="rows", mask="add")
add("extreme", inputs=extremes, mask="sum")
add("extreme, selected", inputs=extremes, layout="rows", scale=1.5)
add("no pattern: a high mask", False, change="mask")
add("no pattern: one number as a mask", False, mask="add", change="mask")
add("no pattern: activation", False, mask="add", change="activation")
add("no pattern: output", False, change="output")
add("no pattern: small beta", False, beta=1e-6)


@cases.parametrize
def test_results(case):
    case.check()


@pytest.mark.parametrize("name", steps)
def test_operators(name):
    _, data, is_step = steps[name]
    graph, savings = optimized_model(data, passes=passes_without())
    operators = [op_name(node.builtin_code) for node in graph.running()[0].nodes]
    assert any(saving.what == "attention" for saving in savings) == is_step
    assert operators.count("BATCH_MATMUL") == (1 if is_step else 2)
    assert ("SOFTMAX" in operators) != is_step
    assert not is_step or not {"TRANSPOSE", "RESHAPE", "RESIZE_NEAREST_NEIGHBOR"} & {*operators}


SAME = """
import sys
import tflm

names, inputs = sys.argv[1:3], sys.argv[3]
both = [tflm.Interpreter(tflm.load(name)) for name in names]
with open(inputs, "rb") as file:
    while True:
        for i in range(both[0].inputs_size()):
            data = file.read(len(both[0].input(i).raw))
            if not data:
                raise SystemExit(0)
            for each in both:
                each.input(i).raw[:] = data
        for each in both:
            each.invoke()
        assert bytes(both[0].output(0).raw) == bytes(both[1].output(0).raw)
"""


# The step gives the bytes of the operators that it replaces.
@pytest.mark.parametrize("name", [name for name in steps if steps[name][2]])
def test_same_bytes(name, tmp_path):
    model, data, _ = steps[name]
    paths = [tmp_path / each for each in ("step.tflm", "whole.tflm", "inputs")]
    paths[0].write_bytes(flatten(data))
    paths[1].write_bytes(flatten(data, without=["attention"]))
    types = ["<f4", "<f4", "<f4", "<i4" if len(inputs_of(model)[0][3].shape) == 1 else "<f4"]
    runs = inputs_of(model)
    paths[2].write_bytes(
        b"".join(
            np.asarray(tensor).astype(kind).tobytes()
            for run in runs
            for tensor, kind in zip(run, types, strict=True)
        )
    )
    run_script(SAME, *map(str, paths))
