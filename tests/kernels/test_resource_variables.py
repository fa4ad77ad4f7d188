# Tests of VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE and CALL_ONCE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from support.builder import ModelBuilder
from support.check import Cases
from unit.on_device import device, model_files

cases = Cases()


# A handle of the variable `name`.
def handle(graph, name, container=""):
    tensor = graph.tensor((), "resource")
    graph.operator("VAR_HANDLE", [], [tensor], shared_name=name, container=container)
    return tensor


# A model that adds its input to the variable "sum" and returns the old and the new sum.
def accumulator(shape=(3,), dtype="int32", **quantization):
    model = ModelBuilder()
    x, old, new = (model.tensor(shape, dtype, **quantization) for _ in range(3))
    total = handle(model, "sum")
    model.operator("READ_VARIABLE", [total], [old])
    model.operator("ADD", [old, x], [new])
    model.operator("ASSIGN_VARIABLE", [total, new], [])
    model.io([x], [old, new])
    return model


# Add a case twice: with a state over several invokes, and with a reset before each invoke.
def add(name, model, runs=5, repeat="reset", **keywords):
    cases.add(name, model, inputs="random", runs=runs, repeat=repeat, **keywords)
    cases.add(
        f"{name} with resets", model, "random", runs=3, repeat=repeat, reset=True, **keywords
    )


for shape in [(3,), (), (2, 5, 7), (1,) * 5]:
    add(f"sum {shape}", accumulator(shape).build(), ranges={0: (-99, 99)})
add("float32", accumulator((4, 3), "float32").build())
for zero_point in (-128, -1, 0, 5, 127):
    model = accumulator((7,), "int8", scale=0.5, zero_point=zero_point)
    add(f"zero point {zero_point}", model.build())
model = accumulator((7,), "int16", scale=0.5, zero_point=0)
add("int16", model.build())


# The zero point of int32 is written as a byte, as in TFLM.
model = ModelBuilder()
x, old = (model.tensor((2,), "int32", scale=1.0, zero_point=-2) for _ in range(2))
variable = handle(model, "kept")
model.operator("READ_VARIABLE", [variable], [old])
model.operator("ASSIGN_VARIABLE", [variable, x], [])
model.io([x], [old])
add("int32 with a zero point", model.build())


# A model whose variable "sum" is set by a sub-graph that runs once, and read by another one that
# an IF runs; each has its own handle.
def once(values=(7, -8, 9)):
    model = accumulator()
    init = model.subgraph("init")
    first = init.tensor((3,), "int32", values)
    init.operator("ASSIGN_VARIABLE", [handle(init, "sum"), first], [])
    model.operator("CALL_ONCE", [], [], init_subgraph_index=1)
    operators = model.main.table.operators
    operators.insert(0, operators.pop())
    return model


add("call once", once().build(), repeat="none", ranges={0: (-99, 99)})


# The initial sub-graph computes, and runs another sub-graph.
def once_nested():
    model = once()
    init = model.table.subgraphs[1]
    init.operators[1].inputs = [init.operators[1].inputs[0], len(init.tensors)]
    graph = model.subgraph("more")
    inner, y = (graph.tensor((3,), "int32") for _ in range(2))
    graph.operator("ADD", [inner, graph.tensor((), "int32", 100)], [y])
    graph.io([inner], [y])
    helper = type(model.main).__new__(type(model.main))
    helper._model, helper.table = model, init
    value = helper.tensor((3,), "int32")
    asked = helper.tensor((), "bool", True)
    helper.operator("IF", [asked, 0], [value], then_subgraph_index=2, else_subgraph_index=2)
    init.operators.insert(0, init.operators.pop())
    return model


add("call once runs sub-graphs", once_nested().build(), repeat="none", ranges={0: (-99, 99)})


# CALL_ONCE in a branch: it runs when the branch is taken for the first time.
def once_in_branch():
    model = once()
    model.main.table.operators.pop(0)
    asked = model.tensor((), "bool")
    for name in ("then", "else"):
        graph = model.subgraph(name)
        if name == "then":
            graph.operator("CALL_ONCE", [], [], init_subgraph_index=1)
        graph.io([], [])
    model.operator("IF", [asked], [], then_subgraph_index=2, else_subgraph_index=3)
    operators = model.main.table.operators
    operators.insert(0, operators.pop())
    model.main.table.inputs = [*model.main.table.inputs, asked]
    return model


add("call once in a branch", once_in_branch().build(), 9, "none", ranges={0: (-99, 99)})


# Names: containers distinguish variables, and a missing name stands for any.
def named(*names):
    model = ModelBuilder()
    x = model.tensor((2,), "int32")
    outputs = []
    for k, (container, name) in enumerate(names):
        old, new = (model.tensor((2,), "int32") for _ in range(2))
        variable = handle(model, name, container)
        model.operator("READ_VARIABLE", [variable], [old])
        model.operator("ADD", [old, x if k % 2 else old], [new])
        model.operator("ADD", [new, model.tensor((), "int32", k + 1)], [new])
        model.operator("ASSIGN_VARIABLE", [variable, new], [])
        outputs += [old]
    model.io([x], outputs)
    return model.build()


add("names", named(("", "a"), ("", "b"), ("", "a"), ("", "A")), ranges={0: (-99, 99)})
add("any container", named(("p", "a"), (None, "a"), ("p", "a")), ranges={0: (-99, 99)})
# The wheel reserves as many variables as there are names, and ignores containers.
apart = named(("p", "a"), ("q", "a"), ("p", "a"), ("", "a"))
alike = named(("", "pa"), ("", "qa"), ("", "pa"), ("", "a"))
add("containers", apart, ranges={0: (-99, 99)}, oracle_model=alike)


# A model that swaps two variables; a variable that is assigned twice.
def swapping():
    model = ModelBuilder()
    x, a, b = (model.tensor((2, 2), "float32") for _ in range(3))
    left, right = handle(model, "left"), handle(model, "right")
    model.operator("READ_VARIABLE", [left], [a])
    model.operator("READ_VARIABLE", [right], [b])
    model.operator("ASSIGN_VARIABLE", [left, b], [])
    model.operator("ASSIGN_VARIABLE", [right, a], [])
    model.operator("ASSIGN_VARIABLE", [right, x], [])
    model.io([x], [a, b])
    return model


add("swapping", swapping().build())


# Read, changed and assigned in the body of a loop, whose condition reads it.
def in_a_loop():
    model = ModelBuilder()
    i, x, y, seen = (model.tensor((), "int32") for _ in range(4))
    counter = handle(model, "counter")
    model.operator("WHILE", [i], [y], cond_subgraph_index=1, body_subgraph_index=2)
    model.operator("READ_VARIABLE", [counter], [seen])
    model.io([i], [y, seen])
    condition, body = model.subgraph("condition"), model.subgraph("body")
    j, old, less = (
        condition.tensor((), "int32"),
        condition.tensor((), "int32"),
        condition.tensor((), "bool"),
    )
    condition.operator("READ_VARIABLE", [handle(condition, "counter")], [old])
    condition.operator("LESS", [old, j], [less])
    condition.io([j], [less])
    j, old, new = (body.tensor((), "int32") for _ in range(3))
    own = handle(body, "counter")
    body.operator("READ_VARIABLE", [own], [old])
    body.operator("ADD", [old, body.tensor((), "int32", 1)], [new])
    body.operator("ASSIGN_VARIABLE", [own, new], [])
    body.io([j], [j])
    return model


add("in a loop", in_a_loop().build(), 6, ranges={0: (-5, 30)})


# Handles that are inputs of sub-graphs; TFLM learns of such variables by a VAR_HANDLE and an
# ASSIGN_VARIABLE of the main graph.
def passed():
    model = accumulator()
    asked = model.tensor((), "bool")
    total = model.main.table.operators[0].outputs[0]
    out = model.tensor((3,), "int32")
    outputs = [out]
    for name in ("negate", "double"):
        graph = model.subgraph(name)
        own, x = graph.tensor((), "resource"), graph.tensor((3,), "int32")
        old, new = (graph.tensor((3,), "int32") for _ in range(2))
        graph.operator("READ_VARIABLE", [own], [old])
        graph.operator("SUB" if name == "negate" else "ADD", [x, old], [new])
        graph.operator("ASSIGN_VARIABLE", [own, new], [])
        graph.io([own, x], [new])
    x = model.main.table.inputs[0]
    model.operator("IF", [asked, total, x], outputs, then_subgraph_index=1, else_subgraph_index=2)
    model.io([asked, x], [*model.main.table.outputs, out])
    return model


handed = passed().build()
add("handle passed on", handed, 8, ranges={1: (-99, 99)})


# A loop whose state has the handle.
def loop_over_handle():
    model = ModelBuilder()
    i, seen = model.tensor((), "int32"), model.tensor((), "int32")
    counter = handle(model, "counter")
    model.operator("ASSIGN_VARIABLE", [counter, i], [])
    out, other = model.tensor((), "resource"), model.tensor((), "int32")
    model.operator(
        "WHILE", [counter, i], [out, other], cond_subgraph_index=1, body_subgraph_index=2
    )
    model.operator("READ_VARIABLE", [out], [seen])
    model.io([i], [other, seen])
    condition, body = model.subgraph("condition"), model.subgraph("body")
    own, j, old, less = (
        condition.tensor((), kind) for kind in ("resource", "int32", "int32", "bool")
    )
    condition.operator("READ_VARIABLE", [own], [old])
    condition.operator("LESS", [old, condition.tensor((), "int32", 9)], [less])
    condition.io([own, j], [less])
    own, j, old, new = (body.tensor((), kind) for kind in ("resource", "int32", "int32", "int32"))
    body.operator("READ_VARIABLE", [own], [old])
    body.operator("ADD", [old, body.tensor((), "int32", 1)], [new])
    body.operator("ASSIGN_VARIABLE", [own, new], [])
    body.io([own, j], [own, j])
    return model


add("handle in a loop", loop_over_handle().build(), 6, ranges={0: (-5, 12)})


# Add an invalid model: `change` edits the builder.
def broken(name, change, error, make=accumulator):
    model = make()
    change(model)
    cases.add(name, model.build(), error=error)


def drop(model, number):
    del model.main.table.operators[number]


def operands(model, number, **fields):
    for name, value in fields.items():
        setattr(model.main.table.operators[number], name, value)


def resize(model, graph, tensor, *shape):
    model.table.subgraphs[graph].tensors[tensor].shape = list(shape)


broken("never assigned", lambda m: drop(m, 3), "'sum' is never assigned")
broken("no handle", lambda m: drop(m, 0), "is no resource variable of a VAR_HANDLE")
broken(
    "assign to a value",
    lambda m: operands(m, 6, inputs=[2, 2]),
    "is no resource variable",
    swapping,
)
broken(
    "assign from nothing",
    lambda m: operands(m, 6, inputs=[3]),
    "must have just 2 inputs",
    swapping,
)
broken(
    "assign with an output",
    lambda m: operands(m, 6, outputs=[2]),
    "must have just 2 inputs",
    swapping,
)
broken(
    "assign from a left out one",
    lambda m: operands(m, 6, inputs=[3, -1]),
    "has no input 1",
    swapping,
)
broken("read without a handle", lambda m: operands(m, 1, inputs=[]), "it must have 1 input")
broken("handle with an input", lambda m: operands(m, 0, inputs=[0]), "must have 1 output")
broken("sizes differ", lambda m: resize(m, 0, 1, 2), "has 12 bytes")
broken(
    "a handle as an output", lambda m: m.io([0], [1, 2, 3]), "in the arena; the model is damaged"
)


def with_inputs(model):
    model.table.subgraphs[1].inputs = [0]


broken("call once with inputs", with_inputs, "has inputs", once)
broken(
    "call once of nothing",
    lambda m: operands(m, 0, builtinOptions=None, builtinOptionsType=0),
    "runs itself",
    once,
)


# Two operators that pass handles of different variables to one sub-graph.
def two_variables(model):
    other = handle(model, "other")
    operators = model.main.table.operators
    out = model.tensor((3,), "int32")
    again = model.operator(
        "IF",
        [operators[4].inputs[0], other, operators[4].inputs[2]],
        [out],
        then_subgraph_index=1,
        else_subgraph_index=2,
    )
    assert again is None


broken("different variables", two_variables, "different resource variables", passed)


@cases.parametrize
def test_resource_variables(case):
    case.check()


# free() forgets which sub-graphs have run once; reset() does not, and clears the variables.
def test_reset_and_free(tmp_path):
    lines = device(
        """
        for path in (FLAT, TFLITE):
            interp = tflm.Interpreter(path)

            def run():
                interp.input(0).data[:] = ONES
                interp.invoke()
                return list(interp.output(1).data)

            import array
            ONES = array.array("i", (1, 1, 1))
            assert run() == [8, -7, 10]
            assert run() == [9, -6, 11]
            interp.reset()
            assert run() == [1, 1, 1]
            interp.free()
            assert run() == [8, -7, 10]
        print("done")
        """,
        **model_files(tmp_path, once().build()),
    )
    assert lines == ["done"]


# Models that share an arena have separate variables.
def test_shared_arena(tmp_path):
    lines = device(
        """
        import array
        for path in (FLAT, TFLITE):
            arena = tflm.Arena(1 << 14)
            interps = [tflm.Interpreter(path, arena=arena) for _ in range(3)]
            for turn in range(1, 4):
                for k, interp in enumerate(interps):
                    interp.input(0).data[:] = array.array("i", (k, k, 1))
                    interp.invoke()
                    assert list(interp.output(1).data) == [turn * k + 7, turn * k - 8, turn + 9]
        print("done")
        """,
        **model_files(tmp_path, once().build()),
    )
    assert lines == ["done"]
