# Tests of the pass cache-state: caches of keys and values are updated in place
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.builder import ModelBuilder
from support.check import Cases
from support.script import run_script
from tflm.introspection.op_names import name as op_name
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten, optimized_model
from tflm_tools.optimize.passes import passes_without

PATHS = ("saved", "saved armv6m", "tflite")
ROWS, COLUMNS = 8, 6
cases = Cases()
expected = {}  # name of a case: operators that stay


class Cached:
    """A model with an input row, its position, and variables of ROWS x COLUMNS."""

    def __init__(self, dtype):
        self.builder, self.dtype = ModelBuilder("cache"), dtype
        self.position = self.tensor((2,), "int32")
        self.row = self.tensor((1, COLUMNS))
        self.inputs = [self.position, self.row]

    def tensor(self, shape, dtype=None, data=None):
        dtype = dtype or self.dtype
        scales = {"scale": 0.05, "zero_point": 0} if dtype == "int8" else {}
        return self.builder.tensor(shape, dtype, data, **scales)

    def handle(self, name):
        tensor = self.builder.tensor((), "resource")
        self.builder.operator("VAR_HANDLE", [], [tensor], shared_name=name, container="")
        return tensor

    def add(self, name, inputs, shape, **options):
        output = self.tensor(shape)
        self.builder.operator(name, inputs, [output], **options)
        return output

    # Update a variable and return (its old value, its new value).
    def update(self, name, row):
        handle = self.handle(name)
        old = self.add("READ_VARIABLE", [handle], (ROWS, COLUMNS))
        new = self.add("DYNAMIC_UPDATE_SLICE", [old, row, self.position], (ROWS, COLUMNS))
        self.builder.operator("ASSIGN_VARIABLE", [handle, new], [])
        return old, new

    # Products of a matrix with each row of another one.
    def products(self, left, right, shape):
        return self.add("BATCH_MATMUL", [left, right], shape, adj_y=True)

    def build(self, *outputs):
        self.builder.io(self.inputs, outputs)
        return self.builder.build()


def add(name, model, operators):
    cases.add(
        name, model, paths=PATHS, runs=6, repeat="none", slices=(1,), ranges={0: (0, ROWS - 1)},
        rtol=1e-5, atol=1e-5, reset=len(name) % 2 == 0,
    )  # fmt: skip
    expected[name] = operators


PRODUCTS = ["BATCH_MATMUL"]
for dtype in ("float32", "int8"):
    net = Cached(dtype)
    _, new = net.update("a", net.row)
    y = net.products(net.row, new, (1, ROWS))
    add(f"one cache, {dtype}", net.build(y), ["DYNAMIC_UPDATE_SLICE", *PRODUCTS])

    net = Cached(dtype)
    _, keys = net.update("a", net.row)
    _, values = net.update("b", net.add("ADD", [net.row, net.row], (1, COLUMNS)))
    y = net.products(net.row, keys, (1, ROWS)), net.products(net.row, values, (1, ROWS))
    stay = ["ADD", *2 * ["DYNAMIC_UPDATE_SLICE"], *2 * PRODUCTS]
    add(f"two caches, {dtype}", net.build(*y), stay)

# Models that stay as they are: somebody sees the old value, or the whole cache.
STAY = ["ASSIGN_VARIABLE", "DYNAMIC_UPDATE_SLICE", "READ_VARIABLE", "VAR_HANDLE"]
net = Cached("int8")
old, new = net.update("a", net.row)
y = net.products(net.row, new, (1, ROWS)), net.products(net.row, old, (1, ROWS))
add("the old value is read", net.build(*y), [*STAY, *2 * PRODUCTS])
net = Cached("int8")
_, new = net.update("a", net.row)
add("an output", net.build(new), STAY)
net = Cached("int8")
_, new = net.update("a", net.row)
again = net.add("READ_VARIABLE", [net.handle("a")], (ROWS, COLUMNS))
y = net.products(net.row, new, (1, ROWS)), net.products(net.row, again, (1, ROWS))
add("read twice", net.build(*y), [*STAY, "READ_VARIABLE", "VAR_HANDLE", *2 * PRODUCTS])


@cases.parametrize
def test_results(case):
    case.check()


@pytest.mark.parametrize("name", expected)
def test_operators(name):
    case = next(case for case in cases if case.name == name)
    graph, _ = optimized_model(case.build(), passes=passes_without())
    operators = [op_name(node.builtin_code) for node in graph.running()[0].nodes]
    assert sorted(operators) == sorted(expected[name])


# Caches as inputs and outputs, as litert-torch writes them; returns the model.
def ends(dtype):
    net = Cached(dtype)
    caches, updated = [], []
    for _ in ("keys", "values"):
        caches.append(net.tensor((ROWS, COLUMNS)))
        inputs = [caches[-1], net.row, net.position]
        updated.append(net.add("DYNAMIC_UPDATE_SLICE", inputs, (ROWS, COLUMNS)))
    y = net.add("ADD", updated, (ROWS, COLUMNS))
    net.inputs = [caches[0], *net.inputs, caches[1]]
    names = dict(zip(("keys", "position", "row", "values"), net.inputs, strict=True))
    results = {"keys": updated[0], "logits": y, "values": updated[1]}
    net.builder.signature("decode", names, results)
    return net.build(updated[0], y, updated[1])


KEPT = """
import sys
import tflm

given = tflm.Interpreter(tflm.load(sys.argv[1]))
kept = tflm.Interpreter(tflm.load(sys.argv[2]))
assert (kept.inputs_size(), kept.outputs_size()) == (2, 1)
size = len(given.input(0).raw)
caches = [bytes(size), bytes(size)]
for i in range(12):
    if i == 9:
        kept.reset()
        caches = [bytes(size), bytes(size)]
    row = bytes([(17 * i + 31 * k) & 63 for k in range(len(given.input(2).raw))])
    position = bytes([i * 5 % 8, 0, 0, 0, 0, 0, 0, 0])
    for interpreter, first in ((given, 1), (kept, 0)):
        interpreter.input(first).raw[:] = position
        interpreter.input(first + 1).raw[:] = row
    given.input(0).raw[:], given.input(3).raw[:] = caches
    given.invoke()
    kept.invoke()
    caches = [bytes(given.output(0).raw), bytes(given.output(2).raw)]
    assert bytes(kept.output(0).raw) == bytes(given.output(1).raw)
run = kept.signature("decode")
print(sorted(run(position=[0, 0], row=[[0] * 6])))
"""


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_inputs_and_outputs_are_kept(tmp_path, dtype):
    model = ends(dtype)
    paths = [tmp_path / "given.tflm", tmp_path / "kept.tflm"]
    paths[0].write_bytes(flatten(model))
    paths[1].write_bytes(flatten(model, keep_state=True))
    assert run_script(KEPT, *map(str, paths)) == "['logits']\n"


POSITION = """
import sys
import tflm

given, kept = (tflm.Interpreter(tflm.load(path)) for path in sys.argv[1:])
assert [kept.input(i).name for i in range(kept.inputs_size())] == ["position", "row"]
size = len(given.input(0).raw)
cache = bytes(size)
wanted = 0
for i in range(12):
    if i == 5:
        kept.reset()
        cache, wanted = bytes(size), 0
    if i == 9:
        kept.input(0).data[0] = wanted = 2
    assert kept.input(0).data[0] == wanted
    given.input(1).data[0] = wanted
    row = bytes([(17 * i + 31 * k) & 63 for k in range(len(given.input(2).raw))])
    given.input(2).raw[:] = kept.input(1).raw[:] = row
    given.input(0).raw[:] = cache
    given.invoke()
    kept.invoke()
    wanted += 1
    cache = bytes(given.output(0).raw)
    assert bytes(kept.output(0).raw) == bytes(given.output(1).raw)
print("done")
"""


# The position of the token is an input that invoke() increments, and that may be set.
@pytest.mark.parametrize("optimize", ["off", "ram", "balanced"])
def test_position_is_kept(tmp_path, optimize):
    net = Cached("int8")
    position = net.builder.tensor((1,), "int32", name="position")
    row = net.builder.tensor((1, COLUMNS), "int8", name="row", scale=0.05, zero_point=0)
    zero = net.tensor((1,), "int32", [0])
    begin = net.tensor((2,), "int32")
    net.builder.operator("CONCATENATION", [position, zero], [begin], axis=0)
    cache = net.tensor((ROWS, COLUMNS))
    new = net.add("DYNAMIC_UPDATE_SLICE", [cache, row, begin], (ROWS, COLUMNS))
    y = net.add("ADD", [new, new], (ROWS, COLUMNS))
    net.inputs = [cache, position, row]
    model = net.build(new, y)
    paths = [tmp_path / "given.tflm", tmp_path / "kept.tflm"]
    paths[0].write_bytes(flatten(model))
    paths[1].write_bytes(flatten(model, keep_state=True, optimize=optimize))
    assert run_script(POSITION, *map(str, paths)) == "done\n"


def test_no_state_to_keep():
    net = Cached("int8")
    net.builder.io(net.inputs, [net.add("ADD", [net.row, net.row], (1, COLUMNS))])
    with pytest.raises(ToolError, match="leave out --keep-state"):
        flatten(net.builder.build(), keep_state=True)


def test_one_copy_of_the_cache_is_in_the_arena():
    net = Cached("int8")
    _, new = net.update("a", net.row)
    model = net.build(net.products(net.row, new, (1, ROWS)))
    size = ROWS * COLUMNS
    graph, savings = optimized_model(model, passes=passes_without())
    assert [s.bytes for s in savings if s.what == "cache_state"] == [3 * size]
    kept = [t for t in graph.running()[0].tensors.values() if t.is_variable]
    assert [t.nbytes() for t in kept] == [size]
