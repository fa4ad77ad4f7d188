# Tests of IF and WHILE, and of sub-graphs in sub-graphs, against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import struct

import pytest
from support.allocations import tflm_allocations
from support.builder import ModelBuilder
from support.check import Cases
from tflm import format as layout
from tflm.model import FlatModel
from tflm.tflite.reader import TfliteModel
from tflm_tools.arena.arena_plan import tflm_head_bytes
from tflm_tools.flat.flatten import flatten
from unit.on_device import device, model_files

cases = Cases()


# Add a sub-graph of one binary operator on its input and a constant. Return its number.
def binary(model, name, shape, dtype, constant, **quantization):
    graph = model.subgraph(name)
    x, y = (graph.tensor(shape, dtype, **quantization) for _ in range(2))
    c = graph.tensor((), dtype, constant, **quantization)
    graph.operator(name, [x, c], [y])
    graph.io([x], [y])
    return len(model.table.subgraphs) - 1


# if condition: x + 1, else: x * 3. `condition` is a constant or None for an input.
def branches(shape=(2, 3), dtype="float32", condition=None, condition_shape=()):
    model = ModelBuilder()
    asked = model.tensor(condition_shape, "bool", condition)
    x, y = model.tensor(shape, dtype), model.tensor(shape, dtype)
    first = binary(model, "ADD", shape, dtype, 1)
    second = binary(model, "MUL", shape, dtype, 3)
    model.operator("IF", [asked, x], [y], then_subgraph_index=first, else_subgraph_index=second)
    model.io([x] if condition is not None else [asked, x], [y])
    return model


for condition_shape in [(), (1,), (1, 1, 1)]:
    model = branches(condition_shape=condition_shape).build()
    cases.add(f"if {condition_shape}", model, inputs="random", runs=6)
for dtype in ("float32", "int32"):
    cases.add(f"if {dtype} {(1,) * 4}", branches((1,) * 4, dtype).build(), runs=4)
    cases.add(f"if long {dtype}", branches((5, 123), dtype).build(), runs=4)
    for condition in (False, True):
        cases.add(f"if {dtype} always {condition}", branches((7,), dtype, condition).build())
model = branches((0, 3)).build()
cases.add("if empty", model, expected=[[[]]] * 2, inputs=[[[True], []], [[False], []]])


# Branches of several inputs and outputs: one swaps them, the other returns a constant; a sub-graph
# without operators, an input that is used twice.
def crossing():
    model = ModelBuilder()
    asked = model.tensor((), "bool")
    a, b = model.tensor((3,), "int16"), model.tensor((5,), "int16")
    c, d, e = (model.tensor(shape, "int16") for shape in [(5,), (3,), (5,)])
    swap = model.subgraph("swap")
    x, y, z = (swap.tensor(shape, "int16") for shape in [(3,), (5,), (5,)])
    swap.io([x, y, z], [y, x, z])
    fixed = model.subgraph("fixed")
    x, y, z = (fixed.tensor(shape, "int16") for shape in [(3,), (5,), (5,)])
    five = fixed.tensor((5,), "int16", [1, -2, 3, -4, 32767])
    fixed.io([x, y, z], [five, x, y])
    model.operator("IF", [asked, a, b, b], [c, d, e], then_subgraph_index=1, else_subgraph_index=2)
    model.io([asked, a, b], [c, d, e, a])
    return model.build()


cases.add("if crossing", crossing(), inputs="random", runs=6)


# One sub-graph as both branches, and run by three operators, two of them in a sub-graph.
def shared():
    model = ModelBuilder()
    asked = model.tensor((), "bool")
    x, y, z = (model.tensor((6,), "float32") for _ in range(3))
    twice = model.subgraph("twice")
    own, a, b, c = twice.tensor((), "bool"), *(twice.tensor((6,), "float32") for _ in range(3))
    twice.operator("IF", [own, a], [b], then_subgraph_index=2, else_subgraph_index=3)
    twice.operator("IF", [own, b], [c], then_subgraph_index=3, else_subgraph_index=3)
    twice.io([own, a], [c])
    binary(model, "ADD", (6,), "float32", 1.5)
    binary(model, "MUL", (6,), "float32", -2.0)
    model.operator("IF", [asked, x], [y], then_subgraph_index=3, else_subgraph_index=2)
    model.operator("IF", [asked, asked, y], [z], then_subgraph_index=1, else_subgraph_index=1)
    model.io([asked, x], [z, y])
    return model.build()


cases.add("if shared", shared(), inputs="random", runs=6)


# A loop: while i < n, i = i + 1, and x and y are swapped after x has grown. `inner` adds a
# sub-graph that grows x, [x] to [x].
def loop(inner=None, shape=(4,)):
    model = ModelBuilder()
    kinds = [((), "int32"), ((), "int32"), (shape, "int32"), (shape, "int32")]
    inputs = [model.tensor(*kind) for kind in kinds]
    outputs = [model.tensor(*kind) for kind in kinds]
    condition, body = model.subgraph("condition"), model.subgraph("body")
    i, n, x, y = (condition.tensor(*kind) for kind in kinds)
    less = condition.tensor((), "bool")
    condition.operator("LESS", [i, n], [less])
    condition.io([i, n, x, y], [less])
    i, n, x, y = (body.tensor(*kind) for kind in kinds)
    more, grown = body.tensor((), "int32"), body.tensor(shape, "int32")
    one = body.tensor((), "int32", 1)
    if inner is None:
        body.operator("ADD", [x, i], [grown])
    else:
        inner(model, body, i, x, grown)
    body.operator("ADD", [i, one], [more])
    body.io([i, n, x, y], [more, n, y, grown])
    model.operator("WHILE", inputs, outputs, cond_subgraph_index=1, body_subgraph_index=2)
    model.io(inputs, outputs)
    return model


_COUNTS = {0: (-3, 5), 1: (-3, 12), 2: (-1000, 1000), 3: (-1000, 1000)}
cases.add("while", loop().build(), inputs="random", runs=8, ranges=_COUNTS)
cases.add("while long", loop(shape=(3, 70)).build(), inputs="random", ranges=_COUNTS)


# In the loop a branch: x + 1 if i > 1, else x * 3.
def branch_inside(model, body, i, x, grown):
    one, asked = body.tensor((), "int32", 1), body.tensor((), "bool")
    body.operator("GREATER", [i, one], [asked])
    first = binary(model, "ADD", (4,), "int32", 1)
    second = binary(model, "MUL", (4,), "int32", 3)
    body.operator("IF", [asked, x], [grown], then_subgraph_index=first, else_subgraph_index=second)


# In the loop a loop: x = x + x while its counter, which begins at i, is below 2. In that loop a
# branch.
def loop_inside(model, body, i, x, grown):
    kinds = [((), "int32"), ((4,), "int32")]
    out = body.tensor((), "int32")
    number = len(model.table.subgraphs)
    body.operator(
        "WHILE", [i, x], [out, grown], cond_subgraph_index=number, body_subgraph_index=number + 1
    )
    condition, inner = model.subgraph("inner condition"), model.subgraph("inner body")
    j, values = (condition.tensor(*kind) for kind in kinds)
    two, less = condition.tensor((), "int32", 2), condition.tensor((1,), "bool")
    condition.operator("LESS", [j, two], [less])
    condition.io([j, values], [less])
    j, values = (inner.tensor(*kind) for kind in kinds)
    more, changed, doubled = (inner.tensor(*kinds[k]) for k in (0, 1, 1))
    inner.operator("ADD", [j, inner.tensor((), "int32", 1)], [more])
    branch_inside(model, inner, j, values, changed)
    inner.operator("ADD", [changed, values], [doubled])
    inner.io([j, values], [more, doubled])


cases.add("if in while", loop(branch_inside).build(), inputs="random", runs=6, ranges=_COUNTS)
nested = loop(loop_inside).build()
cases.add("if in while in while", nested, inputs="random", runs=6, ranges=_COUNTS)


# A loop in a branch; the model also runs the loop directly.
def loop_in_branch():
    model = loop()
    x, y = model.main.table.inputs, model.main.table.outputs
    asked = model.tensor((), "bool")
    kinds = [((), "int32"), ((), "int32"), ((4,), "int32"), ((4,), "int32")]
    looping, still = model.subgraph("looping"), model.subgraph("still")
    inputs, outputs = ([looping.tensor(*kind) for kind in kinds] for _ in range(2))
    looping.operator("WHILE", inputs, outputs, cond_subgraph_index=1, body_subgraph_index=2)
    looping.io(inputs, outputs)
    inputs = [still.tensor(*kind) for kind in kinds]
    still.io(inputs, inputs)
    z = [model.tensor(*kind) for kind in kinds]
    i, n, *_ = x
    model.operator("IF", [asked, i, n, *y[2:]], z, then_subgraph_index=3, else_subgraph_index=4)
    model.io([*x, asked], [*z, *y])
    return model.build()


cases.add("while in if", loop_in_branch(), inputs="random", runs=6, ranges=_COUNTS)


# In one branch a variable tensor that accumulates its inputs, and an operator with scratch.
def quantized():
    model = ModelBuilder()
    q = {"scale": 0.5, "zero_point": 3}
    asked, x, y = model.tensor((), "bool"), *(model.tensor((1, 8), "int8", **q) for _ in range(2))
    branch = model.subgraph("softmax")
    a, c = (branch.tensor((1, 8), "int8", **q) for _ in range(2))
    total = branch.tensor((1, 8), "int8", variable=True, **q)
    b = branch.tensor((1, 8), "int8", scale=1 / 256, zero_point=-128)
    branch.operator("ADD", [total, a], [total])
    branch.operator("SOFTMAX", [total], [b], beta=1.0)
    branch.operator("QUANTIZE", [b], [c])
    branch.io([a], [c])
    binary(model, "ADD", (1, 8), "int8", 5, **q)
    model.operator("IF", [asked, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    model.io([asked, x], [y])
    return model


for reset in (False, True):
    cases.add(f"if quantized {reset}", quantized().build(), "random", runs=8, reset=reset)


# CIRCULAR_BUFFER in a branch, or in a loop of two steps: it ends the whole invoke early.
def ending_early(looping):
    model = ModelBuilder()
    x, y, z = (model.tensor((1, 1, 2, 2), "int8", scale=0.5) for _ in range(3))
    name = "condition" if looping else "then"
    kinds = [(1, 1, 2, 2), (1, 3, 2, 2)]
    asked = model.tensor((), "bool", True)
    first, other = model.subgraph(name), model.subgraph("other")
    a = first.tensor(kinds[0], "int8", scale=0.5)
    ring = first.tensor(kinds[1], "int8", scale=0.5, variable=True)
    first.custom("CIRCULAR_BUFFER", [a], [ring], {"cycles_max": 2})
    if looping:
        first.io([a], [first.tensor((), "bool", False)])
        model.operator("WHILE", [x], [y], cond_subgraph_index=1, body_subgraph_index=2)
    else:
        first.io([a], [a])
        model.operator("IF", [asked, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    b = other.tensor(kinds[0], "int8", scale=0.5)
    other.io([b], [b])
    model.operator("RELU", [y], [z])
    model.io([x], [z])
    return model.build()


for looping in (False, True):
    cases.add(
        f"ends early {looping}",
        ending_early(looping),
        "random",
        runs=8,
        repeat="reset",
        ignore_undefined=True,
    )


# Add an invalid model: `change` edits the builder.
def broken(name, change, error, make=branches):
    model = make()
    change(model)
    cases.add(name, model.build(), error=error)


def options(model, **fields):
    for name, value in fields.items():
        setattr(model.main.table.operators[0].builtinOptions, name, value)


broken("then out of range", lambda m: options(m, thenSubgraphIndex=3), "runs sub-graph 3")
broken("else out of range", lambda m: options(m, elseSubgraphIndex=-1), "runs sub-graph -1")
broken("body out of range", lambda m: options(m, bodySubgraphIndex=77), "runs sub-graph 77", loop)
broken("runs itself", lambda m: options(m, thenSubgraphIndex=0), "runs itself")


# Make sub-graph k, for each k of `runs`, one IF that runs sub-graph runs[k] in both branches.
def nest(model, runs):
    first = model.main.table.operators[0]
    for k, number in runs.items():
        graph = model.table.subgraphs[k]
        graph.tensors.append(model.main.table.tensors[0])
        operator = type(first)()
        operator.opcodeIndex, operator.builtinOptionsType = (
            first.opcodeIndex,
            first.builtinOptionsType,
        )
        operator.inputs, operator.outputs = [len(graph.tensors) - 1, *graph.inputs], graph.outputs
        operator.builtinOptions = type(first.builtinOptions)()
        operator.builtinOptions.thenSubgraphIndex = number
        operator.builtinOptions.elseSubgraphIndex = number
        graph.operators = [operator]


# Sub-graphs in sub-graphs, each of which names the next one twice: 2 ** levels steps if counted
# singly.
def deep(levels):
    model = branches(condition=True)
    for _ in range(levels - 2):
        binary(model, "ADD", (2, 3), "float32", 1)
    condition = model.buffer(b"\1")
    nest(model, {k: k + 1 for k in range(1, levels)})
    model.main.table.tensors[0].buffer = condition
    return model.build()


broken("runs itself by way of others", lambda m: nest(m, {1: 2, 2: 1}), "runs itself")
broken("runs the model", lambda m: nest(m, {2: 0}), "runs itself")
cases.add("nested 12 deep", deep(11), slices=(1,))
cases.add("nested 30 deep", deep(29), error="nest more than")


def count(model, tensors):
    model.table.subgraphs[1].inputs = list(model.table.subgraphs[1].inputs) * tensors


broken("inputs", lambda m: count(m, 2), "has 2 inputs for 1")
broken("no inputs", lambda m: count(m, 0), "has 0 inputs for 1")
broken("while inputs", lambda m: count(m, 2), "has 8 inputs for 4", loop)


def outputs_of(model, graph, outputs):
    model.table.subgraphs[graph].outputs = outputs


broken("outputs", lambda m: outputs_of(m, 2, [1, 1]), "has 2 outputs for 1")
broken("else without outputs", lambda m: outputs_of(m, 2, []), "has 0 outputs for 1")
broken("while without condition", lambda m: outputs_of(m, 1, []), "has no output", loop)
broken("while condition", lambda m: outputs_of(m, 1, [0]), "is not one bool", loop)
broken("while outputs", lambda m: outputs_of(m, 2, [0, 1, 2]), "has 3 outputs for 4", loop)
broken("while types", lambda m: outputs_of(m, 2, [0, 1, 0, 1]), "does not fit", loop)


def kind(model, graph, tensor, **fields):
    for name, value in fields.items():
        setattr(model.table.subgraphs[graph].tensors[tensor], name, value)


broken("condition type", lambda m: kind(m, 0, 0, type=9), "is not one bool")
broken("condition shape", lambda m: kind(m, 0, 0, shape=[2]), "is not one bool")
broken("sizes", lambda m: kind(m, 1, 0, shape=[2, 2]), "does not fit|broadcast|shape")
broken("types", lambda m: kind(m, 0, 1, type=2), "does not fit")
broken("sets a constant", lambda m: kind(m, 1, 0, buffer=m.buffer(bytes(24))), "is a constant")


def no_inputs(model):
    model.main.table.operators[0].inputs = []


broken("no condition", no_inputs, "has no input 0")


@cases.parametrize
def test_control_flow(case):
    case.check()


# Return the bytes of the head that TFLM plans, as TFLM prints them.
def head_of_tflm(model, folder):
    path = folder / "model.tflite"
    path.write_bytes(model)
    return tflm_allocations(path)["head"]


# The head is planned as in TFLM, including sub-graphs.
@pytest.mark.parametrize(
    "model",
    [branches().build(), crossing(), shared(), loop(shape=(3, 70)).build(), nested,
     loop_in_branch()],
    ids=["if", "crossing", "shared", "while", "nested", "while in if"],
)  # fmt: skip
def test_head(model, tmp_path):
    assert tflm_head_bytes(TfliteModel(model)) == head_of_tflm(model, tmp_path)


# The limit or Ctrl-C stops an endless loop; then everything works as before.
def test_endless_loop(tmp_path):
    device(
        """
        for path in (FLAT, TFLITE):
            interp = tflm.Interpreter(path, max_while_steps=7)

            def run(i, n):
                interp.input(0).data[0], interp.input(1).data[0] = i, n
                for k in (2, 3):
                    interp.input(k).data[:] = interp.input(k).data.__class__("i", 4) \\
                        if False else memoryview(bytes(16)).cast("i") \\
                        if hasattr(memoryview, "cast") else interp.input(k).data
                interp.invoke()
                return interp.output(0).data[0]

            assert run(0, 7) == 7
            assert "within max_while_steps=7" in raises(InputError, run, 0, 8)
            assert run(1, 8) == 8
            interp.max_while_steps = 0
            assert run(3, 3) == 3
            raises(InputError, run, 3, 4)
            interp.max_while_steps = None
            assert run(0, 1000) == 1000
            steps = interp._program.graphs[2]
            step = steps[-1]

            class Stop:
                calls = 5

                def __call__(self, *arguments):
                    self.calls -= 1
                    if not self.calls:
                        raise KeyboardInterrupt
                    return step[0](*arguments)

            steps[-1] = (Stop(),) + step[1:]
            try:
                run(0, 1 << 29)
                assert False
            except KeyboardInterrupt:
                pass
            assert run(0, 9) == 9
        """,
        **model_files(tmp_path, loop().build()),
    )


# The limit is for all nested loops together, starts again in each invoke, and has a default: two
# steps of the outer loop, five and four of the inner one.
def test_endless_loops_in_loops(tmp_path):
    device(
        """
        interp = tflm.Interpreter(TFLITE)
        assert interp.max_while_steps == 100_000
        interp.input(0).data[0], interp.input(1).data[0] = -3, -1
        for limit, ends in ((11, True), (10, False), (11, True), (1, False)):
            interp.max_while_steps = limit
            if ends:
                interp.invoke()
            else:
                assert "max_while_steps=%d" % limit in raises(InputError, interp.invoke)
            interp.input(0).data[0], interp.input(1).data[0] = -3, -1
        """,
        **model_files(tmp_path, nested),
    )


# Each step of each sub-graph has ticks, and their sum does not exceed the whole.
def test_profiler(tmp_path):
    device(
        """
        import time
        for path in (FLAT, TFLITE):
            profiler = tflm.Profiler()
            interp = tflm.Interpreter(path, profiler=profiler)
            interp.input(0).data[0], interp.input(1).data[0] = 0, 50
            interp.allocate_tensors()
            begin = time.ticks_us()
            interp.invoke()
            whole = time.ticks_diff(time.ticks_us(), begin)
            assert interp.output(0).data[0] == 50
            events = profiler.events()
            assert [e[1] for e in events if e[2][:5] != "copy."] == ["WHILE", "LESS", "ADD", "ADD"]
            assert all([e[3] > 0 for e in events if e[1] == "LESS"])
            assert 0 < profiler.total_ticks() <= whole
            assert "WHILE" in repr(profiler) and "op 3: ADD" in repr(interp)
        """,
        **model_files(tmp_path, loop().build()),
    )


# Two models with sub-graphs share one arena.
def test_shared_arena(tmp_path):
    device(
        """
        for path in (FLAT, TFLITE):
            arena = tflm.Arena(1 << 16)
            interps = [tflm.Interpreter(path, arena=arena) for _ in range(2)]
            for k in (5, 6, 7):
                for interp in interps:
                    interp.input(0).data[0], interp.input(1).data[0] = 0, k
                    interp.invoke()
                    assert interp.output(0).data[0] == k
        """,
        **model_files(tmp_path, loop().build()),
    )


# Write a word of record `k` of a flat model, and correct its CRC.
def changed(flat, kernel, word, value):
    flat = bytearray(flat)
    names, _ = struct.unpack_from(layout.SECTION, flat, layout.SECTIONS_OFFSET + 8 * layout.NAMES)
    kernels, _ = struct.unpack_from(layout.SECTION, flat, layout.SECTIONS_OFFSET)
    ops, count = struct.unpack_from(layout.SECTION, flat, layout.SECTIONS_OFFSET + 8 * layout.OPS)
    for i in range(count):
        number, *_, record, _ = struct.unpack_from(layout.OP, flat, ops + i * layout.OP_BYTES)
        at = names + struct.unpack_from("<I", flat, kernels + 4 * number)[0]
        if flat[at + 1 : at + 1 + flat[at]] == kernel:
            struct.pack_into("<I", flat, record + 4 * word, value)
    struct.pack_into("<I", flat, layout.CRC_OFFSET, binascii.crc32(flat[layout.CRC_START :]))
    return bytes(flat)


# An invalid .tflm runs no steps that do not exist, and no steps within themselves.
def test_damaged_flat_model(tmp_path):
    good = flatten(loop(branch_inside).build())
    bad = [
        changed(good, b"control.if", 3, 2),
        changed(good, b"control.if", 4, 99),
        changed(good, b"control.while", 4, 0),
        changed(good, b"control.while", 2, 0xFFFFFFFF),
        changed(good, b"control.if", 1, FlatModel(good).arena_bytes << 2),
        changed(good, b"control.if", 1, len(good) << 2 | 1),
    ]
    device(
        """
        texts = [raises(ModelError, tflm.Interpreter(model).invoke) for model in MODELS]
        assert "in a cycle" in texts[0] and "in a cycle" in texts[2], texts
        assert "missing list" in texts[1] and "missing list" in texts[3], texts
        assert "reach outside" in texts[4] and "reach outside" in texts[5], texts
        for model in MODELS[4:]:
            model = tflm.load(model, trusted=True)
            assert "is outside" in raises(ModelError, tflm.Interpreter(model).invoke)
        """,
        MODELS=bad,
    )
