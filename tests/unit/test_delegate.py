# Tests of delegates: what they see, what they replace, and what happens if they fail
# MIT license; Copyright (c) 2026 the tflm authors

import re
from pathlib import Path

import pytest
from support.builder import ModelBuilder
from unit import sample_models
from unit.on_device import device, model_files

_PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "delegates.md"

# A delegate whose kernel runs the claimed steps with their builtin kernels.
_FORWARD = """
class Forward:
    slice_units = 1

    def __init__(self, log, fail=""):
        self.log = log
        self.fail = fail

    def init(self, context, steps):
        self.log.append("init %d" % len(steps))
        self.steps = steps
        if self.fail == "init":
            raise ValueError("init says no")

    def prepare(self, context):
        self.log.append("prepare")
        if self.fail == "prepare":
            raise MemoryError

    def invoke(self, record, arena, rom, start, stop):
        self.calls = self.calls + 1
        for step in self.steps:
            step.function(step.record, arena, rom, 0, step.units)

    calls = 0

    def reset(self):
        self.log.append("reset")

    def free(self):
        self.log.append("free")


class Claims:
    name = "claims"

    def __init__(self, *claims, fail=""):
        self.claims = claims
        self.fail = fail
        self.log = []

    def prepare(self, context):
        self.seen = [[s.kernel for s in context.steps(n)] for n in range(context.lists_length())]
        self.kernels = []
        for i, claim in enumerate(self.claims):
            fail = self.fail if i + 1 == len(self.claims) else ""
            self.kernels.append(Forward(self.log, fail))
            context.replace(self.kernels[-1], *claim)


def classify(interp, locked=True):
    interp.input(0).raw[:] = bytes([(i * 37) & 255 for i in range(12)])
    if locked:
        micropython.heap_lock()
    interp.invoke()
    if locked:
        micropython.heap_unlock()
    return bytes(interp.output(0).raw)
"""


# IF: x + 1 or x * 3.
def _branches():
    model = ModelBuilder()
    asked, x, y = (
        model.tensor((), "bool"),
        model.tensor((3,), "int32"),
        model.tensor((3,), "int32"),
    )
    for name, value in (("ADD", 1), ("MUL", 3)):
        graph = model.subgraph(name)
        a, b = graph.tensor((3,), "int32"), graph.tensor((3,), "int32")
        graph.operator(name, [a, graph.tensor((), "int32", value)], [b])
        graph.io([a], [b])
    model.operator("IF", [asked, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    model.io([asked, x], [y])
    return model.build()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return {
        "CLASSIFIER": model_files(folder, sample_models.classifier(), "classifier"),
        "COUNTER": model_files(folder, sample_models.counter(), "counter"),
        "BRANCHES": model_files(folder, _branches(), "branches"),
    }


# Run code with flat models, then with .tflite files.
@pytest.fixture(params=["FLAT", "TFLITE"])
def run(request, files):
    paths = {name: file_formats[request.param] for name, file_formats in files.items()}
    prelude = f"{_FORWARD}\nfrom tflm import Interpreter\n"
    return lambda code: device(prelude + re.sub(r"(?m)^ {8}", "", code), **paths)


def test_one_kernel_for_several_steps(run):
    run("""
        wanted = classify(Interpreter(CLASSIFIER))
        for claims in (((0, 3),), ((0, 1), (1, 2)), ((1, 1), (2, 1), (0, 1)), ((1, 1),), ()):
            delegate = Claims(*claims)
            interp = Interpreter(CLASSIFIER, delegates=[delegate])
            assert classify(interp) == wanted == classify(interp)
            assert [kernel.calls for kernel in delegate.kernels] == [2] * len(claims)
            assert interp.delegate_error is None
            assert delegate.seen[0] == [
                "fully_connected.eval_int8", "fully_connected.eval_int8", "softmax.eval_int8"
            ] and len(delegate.seen) == 1
            assert delegate.log == sum([["init %d" % n, "prepare"] for _, n in claims], [])
    """)


def test_profiler_and_print(run):
    lines = run("""
        profiler = tflm.Profiler()
        interp = Interpreter(CLASSIFIER, delegates=[Claims((0, 2))], profiler=profiler)
        classify(interp, False)
        events = [event[:3] for event in profiler.events()]
        assert events == [
            (0, "DELEGATE", "delegate.claims"), (2, "SOFTMAX", "softmax.eval_int8")
        ], events
        interp = Interpreter(CLASSIFIER, delegates=[Claims((2,))], profiler=profiler)
        classify(interp, False)
        assert profiler.events()[2][:3] == (2, "SOFTMAX", "delegate.claims"), profiler.events()
        print(interp)
    """)
    assert lines[-1] == "  op 2: SOFTMAX (delegate.claims)>"


def test_reset_and_free(run):
    run("""
        delegate = Claims((0, 1), (1, 1))
        interp = Interpreter(COUNTER, delegates=[delegate])
        for wanted in (5, 10):
            interp.input(0).data[0] = 5
            interp.invoke()
            assert interp.output(0).data[0] == wanted
        delegate.log.clear()
        interp.reset()
        interp.input(0).data[0] = 5
        interp.invoke()
        assert interp.output(0).data[0] == 5
        interp.free()
        assert delegate.log == ["reset", "reset", "free", "free"]
    """)


# The model runs without a failing delegate and says so; what was created is freed.
def test_failing_delegates(run):
    lines = run("""
        wanted = classify(Interpreter(CLASSIFIER))
        used = Interpreter(CLASSIFIER).arena_used_bytes()
        cases = (
            (((0, 1), (1, 1)), "init", ValueError, ["init 1", "prepare", "init 1"]),
            (((0, 1), (1, 1)), "prepare", MemoryError, ["init 1", "prepare"] * 2),
            (((0, 2), (1, 1)), "", ModelError, []),
            (((0, 4),), "", ModelError, []),
            (((3,),), "", ModelError, []),
            (((0, 0),), "", ModelError, []),
            (((-1, 1),), "", ModelError, []),
        )
        for claims, fail, kind, log in cases:
            delegate = Claims(*claims, fail=fail)
            interp = Interpreter(CLASSIFIER, delegates=[delegate])
            assert classify(interp) == wanted == classify(interp)
            assert type(interp.delegate_error) is kind
            assert delegate.log == log + ["free"] * (len(log) // 2 + len(log) % 2), delegate.log
            assert interp.arena_used_bytes() == used
            assert "claims" not in repr(interp)
        one, other = Claims((0, 9)), Claims((0, 2))  # the second delegate still runs
        interp = Interpreter(CLASSIFIER, delegates=[one, other])
        assert classify(interp) == wanted and other.kernels[0].calls == 1
        assert type(interp.delegate_error) is ModelError
    """)
    begin = "tflm: the model runs without the delegate claims: "
    assert len(lines) == 8 and all(line.startswith(begin) for line in lines)
    assert lines[0] == begin + "ValueError: init says no"
    assert lines[1] == begin + "not enough heap"
    assert lines[2].endswith("claims step 1 of list 0 twice; claim it once")
    assert "steps 0 to 3 of list 0, which has 3" in lines[3]


def test_lists_of_control_flow(run):
    lines = run("""
        def both(*delegates):
            interp = Interpreter(BRANCHES, delegates=delegates)
            found = []
            for asked in (True, False):
                interp.input(0).raw[0] = asked
                for i in range(3):
                    interp.input(1).data[i] = i + 5
                interp.invoke()
                found.append(list(interp.output(0).data))
            return found

        assert both() == [[6, 7, 8], [15, 18, 21]]
        delegate = Claims((0, 1, 1), (0, 1, 2))
        assert both(delegate) == [[6, 7, 8], [15, 18, 21]]
        assert [kernel.calls for kernel in delegate.kernels] == [1, 1]
        i = delegate.seen[0].index("control.if")
        assert both(Claims((i,))) == both()
    """)
    assert lines == [
        "tflm: the model runs without the delegate claims: ModelError: a delegate claims "
        "control.if; claim the steps of its lists"
    ]


# A kernel sets its units and slices; Ctrl-C works between slices.
def test_units(run):
    run("""
        class Kernel(Forward):
            units = 5
            slice_units = 2

            def invoke(self, record, arena, rom, start, stop):
                self.log.append((start, stop))
                if stop > self.stop:
                    raise KeyboardInterrupt

            stop = 9

        class Delegate(Claims):
            def prepare(self, context):
                self.kernel = Kernel(self.log)
                context.replace(self.kernel, 0, 3)

        delegate = Delegate()
        interp = Interpreter(CLASSIFIER, delegates=[delegate])
        interp.invoke()
        assert delegate.log[2:] == [(0, 2), (2, 4), (4, 5)]
        delegate.kernel.stop = 3
        raises(KeyboardInterrupt, interp.invoke)
        delegate.kernel.stop = 9
        interp.invoke()
        delegate = Delegate()
        interp = Interpreter(CLASSIFIER, delegates=[delegate], slice_units=1)
        interp.invoke()
        assert delegate.log[2:] == [(i, i + 1) for i in range(5)]
    """)


# A delegate gets arena bytes: those that it announces are added to an arena that the Interpreter
# allocates. A delegate is not used if another arena is too small.
def test_memory(run):
    lines = run("""
        class Delegate(Claims):
            def arena_bytes(self, ops):
                assert [op.kernel for op in ops][2] == "softmax.eval_int8"
                return 100

            def prepare(self, context):
                self.at = context.allocate_persistent_buffer(100)
                context.arena[self.at : self.at + 100] = b"\\xaa" * 100
                context.replace(Forward(self.log), 0)
                self.arena = context.arena

        wanted = classify(Interpreter(CLASSIFIER))
        used = Interpreter(CLASSIFIER).arena_used_bytes()
        for arena in (None, used + 112, tflm.Arena(used + 112), bytearray(used + 999)):
            delegate = Delegate()
            interp = Interpreter(CLASSIFIER, arena=arena, delegates=[delegate])
            assert classify(interp) == wanted == classify(interp)
            assert interp.delegate_error is None
            assert delegate.at % 16 == 0
            assert bytes(delegate.arena[delegate.at : delegate.at + 100]) == b"\\xaa" * 100
            assert used + 112 >= interp.arena_used_bytes() >= used + 96
        for arena in (used, used + 32, tflm.Arena(used + 32)):
            delegate = Delegate()
            interp = Interpreter(CLASSIFIER, arena=arena, delegates=[delegate])
            assert classify(interp) == wanted
            assert type(interp.delegate_error) is ArenaError
            assert interp.arena_used_bytes() == used
    """)
    assert len(lines) == 3
    assert re.fullmatch(r".*claims: the arena lacks \d+ bytes", lines[0])


# Partitions are runs of adjacent steps.
def test_partitions(run):
    run("""
        class Delegate:
            def prepare(self, context):
                self.found = [
                    context.partitions(lambda step: step.kernel[:5] == "fully"),
                    context.partitions(lambda step: step.node_index != 1),
                    context.partitions(lambda step: False),
                    context.partitions(lambda step: True),
                ]

        delegate = Delegate()
        Interpreter(CLASSIFIER, delegates=[delegate]).invoke()
        assert delegate.found == [[(0, 2)], [(0, 1), (2, 1)], [], [(0, 3)]], delegate.found
    """)


# The module is loaded only if delegates are used.
def test_module_is_loaded_on_demand(run):
    run("""
        Interpreter(CLASSIFIER).invoke()
        assert not [name for name in sys.modules if name.startswith("tflm.run")]
    """)


# The example of the documentation.
def test_example_of_the_page(files, tmp_path):
    code = re.findall(r"(?s)```python\n(.*?)```", _PAGE.read_text())
    builder = ModelBuilder()
    x = builder.tensor((1, 50), "int8", scale=0.1, zero_point=3)
    y = builder.tensor((1, 50), "int8", scale=1 / 256, zero_point=-128)
    builder.operator("LOGISTIC", [x], [y])
    builder.io([x], [y])
    for path in model_files(tmp_path, builder.build()).values():
        script = code[0].replace('"model.tflm"', "PATH") + code[1].replace('"model.tflm"', "PATH")
        lines = device(script, PATH=path)
        assert lines[0].startswith("<Interpreter 1 ops, arena ")
        assert "(delegate.tables)" in lines[-1]
