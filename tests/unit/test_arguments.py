# Tests of invalid arguments of the public API, in MicroPython: each raises an error with a remedy
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from unit import sample_models
from unit.on_device import device, model_files


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return model_files(tmp_path_factory.mktemp("models"), sample_models.classifier())


# Run code with the path of a classifier in each format.
@pytest.fixture(params=["FLAT", "TFLITE"])
def run(request, paths):
    return lambda code: device(code, PATH=paths[request.param], **paths)


def test_options_of_an_interpreter(run):
    run("""
        wrong = dict(
            arena=(1.5, "x", [1], object()),
            resolver=(3, [1], [], "x", object()),
            slice_units=(1.5, "1", 0, [1]),
            profiler=(5, "x", [], True),
            max_while_steps=(1.5, "x", -1, []),
            delegates=(None, 5, "x", object()),
            cores=(0, 3, None, "2", [2], 1.5),
        )
        for name in wrong:
            for value in wrong[name]:
                def call():
                    tflm.Interpreter(PATH, **{name: value}).allocate_tensors()
                text = raises(InputError, call)
                assert name in text and "; " in text, text
        for model in (None, 5, 1.5, [1], object(), tflm.Arena(64), tflm.OpResolver()):
            raises(InputError, tflm.Interpreter, model)
        for memory in (None, 1.5, "x", [], object(), -1):
            text = raises(InputError, tflm.Arena, memory)
            assert text.startswith("the arena "), text
    """)


def test_calls_of_an_interpreter(run):
    run("""
        interp = tflm.Interpreter(PATH)
        for call, what in ((interp.input, "input"), (interp.output, "output")):
            for i in (None, 0.0, "x", [0], True, (), b"x"):
                text = raises(InputError, call, i)
                wanted = "there is no %s %r; give a number below 1" % (what, i)
                assert text == wanted, text
        for invokes in (None, 1.5, 0, -1, "3", []):
            text = raises(InputError, interp.profile, invokes)
            assert text == "invokes is %r; it must be an int >= 1" % (invokes,), text
        for key in (5, "x", 1.5, [1], {}, ()):
            raises(InputError, interp.signature, key)
        for pause in (None, "x", 1.5, -1):
            import asyncio
            raises(InputError, asyncio.run, interp.invoke_async(pause))
            interp.invoke()  # it is not running
    """)


def test_names_and_modules_of_a_resolver():
    device("""
        resolver = tflm.OpResolver()
        for code, module in ((None, None), ("x", None), (0, None), (32, sys), (0, 5), ([], sys)):
            raises(InputError, resolver.add_builtin, code, module)
        class Op:
            def invoke(self, context, node):
                pass
        for name, op in ((None, Op()), (5, Op()), ([], Op()), ("", Op()), ("x", None), ("x", 5)):
            raises(InputError, resolver.add_custom, name, op)
    """)


def test_planner_and_allocator():
    device("""
        for arena in (None, 3, "x", [], bytearray(64)):
            text = raises(InputError, tflm.MicroAllocator, arena)
            assert text == "arena is %r; it must be an Arena" % (arena,), text
        planner = tflm.GreedyMemoryPlanner()
        for values in (("x", 0, 1), (-1, 0, 1), (16, None, 1), (16, 2, 1), (16, 0, 1, 1.5)):
            text = raises(InputError, planner.add_buffer, *values)
            assert "must be an int >= " in text, text
        assert planner.add_buffer(16, 0, 1) == 0 and planner.offset_for_buffer(0) == 0
        for number in (1, -1, None, "x", 0.0):
            assert "number is" in raises(InputError, planner.offset_for_buffer, number)
        for size in (-1, 1.5, "x", []):
            assert "size is" in raises(InputError, tflm.SingleArenaBufferAllocator, size)
    """)


# Each of them can be imported by name, too.
def test_learner_and_listener(paths):
    device(
        """
        from tflm import learner, litert, ml, wake

        Learner = learner.Learner
        assert litert.Interpreter and ml.Model
        interp = tflm.Interpreter(FLAT)
        for wrong in (None, 5, "x", []):
            assert "interp is" in raises(InputError, Learner, wrong)
        for options in (dict(k=256), dict(k=0), dict(examples=65536), dict(classes=256)):
            text = raises(InputError, lambda: Learner(interp, **options))
            assert list(options)[0] + " is" in text, text
        for path in (None, 5, b"x"):
            assert "path is" in raises(InputError, wake.load, path)
            assert "path is" in raises(InputError, Learner(interp).load, path)
            assert "path is" in raises(InputError, Learner(interp).save, path)
        """,
        **paths,
    )


# Only a .tflite can be observed while it runs.
def test_options_only_for_a_tflite(paths):
    device(
        """
        for options in (dict(guards=True), dict(keep_tensors=True)):
            interp = tflm.Interpreter(FLAT, **options)
            text = raises(InputError, interp.invoke)
            assert "need a .tflite" in text and "--keep-tensors" in text, text
        """,
        **paths,
    )


# An arena over the model would change the model during Prepare.
def test_arena_that_overlaps_the_model(run):
    run("""
        with open(PATH, "rb") as file:
            data = bytearray(file.read())
        memory = bytearray(len(data) + 8192)
        start = 4096
        memory[start : start + len(data)] = data
        view = memoryview(memory)
        model = tflm.load(view[start : start + len(data)])
        places = (view[start - 16 :], view[start:], view[start + 16 :])
        for arena in places + (tflm.Arena(view[start:]),):
            interp = tflm.Interpreter(model, arena=arena)
            text = raises(InputError, interp.allocate_tensors)
            assert text == "the arena overlaps the model; use other memory", text
        assert memory[start : start + len(data)] == data
        for arena in (view[:start], view[start + len(data) :], bytearray(8192)):
            interp = tflm.Interpreter(model, arena=arena)
            interp.input(0).quantize([0.1] * 12)
            interp.invoke()
            assert max(interp.output(0).dequantize()) > 0
        tflm.Interpreter(tflm.load(data)).invoke()
    """)


# In the unix port, messages about the heap say how to enlarge it.
def test_heap_of_the_unix_port(run):
    run("""
        for call in (
            lambda: tflm.Interpreter(PATH, arena=1 << 28).invoke(),
            lambda: tflm.Arena(1 << 28),
        ):
            assert raises(ArenaError, call).endswith("; or: micropython -X heapsize=64M")
    """)
