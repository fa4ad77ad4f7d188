# Tests of the Interpreter in MicroPython, with models of both formats
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from unit import sample_models
from unit.on_device import device, model_files


# Paths of the classifier and of the model with state.
@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    classifier = model_files(folder, sample_models.classifier(), "classifier")
    counter = model_files(folder, sample_models.counter(), "counter")
    return {"flat": (classifier["FLAT"], counter["FLAT"])} | {
        "tflite": (classifier["TFLITE"], counter["TFLITE"])
    }


# Run code with the flat model, then with the .tflite.
@pytest.fixture(params=["flat", "tflite"])
def run(request, paths):
    classifier, counter = paths[request.param]
    return lambda code, **names: device(
        code, CLASSIFIER=classifier, COUNTER=counter, PATH=request.param, **names
    )


def test_inputs_and_outputs(run):
    run("""
        interp = tflm.Interpreter(tflm.load(CLASSIFIER))
        assert (interp.inputs_size(), interp.outputs_size()) == (1, 1)
        x, y = interp.input(0), interp.output(0)
        assert (x.name, x.shape, x.dtype, x.zero_point) == ("x", (1, 12), "int8", -5)
        assert abs(x.scale - 0.02) < 1e-6
        assert (y.name, y.shape, y.dtype, y.zero_point) == ("y", (1, 4), "int8", -128)
        for i in (1, -1, 100):
            for call, what in ((interp.input, "input"), (interp.output, "output")):
                text = raises(InputError, call, i)
                assert text == "there is no %s %d; give a number below 1" % (what, i), text
    """)


# The first call that needs tensors allocates them; allocate_tensors() again changes nothing.
def test_automatic_allocation(run):
    run("""
        interp = tflm.Interpreter(CLASSIFIER)
        assert repr(interp) == "<Interpreter, tensors not allocated>"
        interp.invoke()
        x = interp.input(0)
        interp.allocate_tensors()
        assert interp.input(0) is x
    """)


def test_repr(run):
    lines = run(
        "print(tflm.Interpreter(CLASSIFIER).input(0)); i = tflm.Interpreter(CLASSIFIER)\n"
        "i.allocate_tensors(); print(i); print(tflm.Interpreter(COUNTER).output(0))"
    )
    assert lines[0] == "<Tensor x int8 [1, 12] scale 0.02 zero_point -5>"
    assert lines[-1] == "<Tensor y int32 [5, 1]>"
    assert lines[1].startswith("<Interpreter 3 ops, arena ")
    assert lines[4].startswith("  op 0: FULLY_CONNECTED (fully_connected.")
    assert all(len(line) <= 80 for line in lines)


def test_long_names_fit_the_screen(tmp_path):
    from support.builder import ModelBuilder

    builder = ModelBuilder()
    x = builder.tensor((4,), "float32", name="ä very long name " * 30)
    y = builder.tensor((2, 2), "float32", name="")
    builder.operator("RESHAPE", [x], [y])
    builder.io([x], [y])
    for path in model_files(tmp_path, builder.build()).values():
        lines = device(
            "i = tflm.Interpreter(PATH)\ni.invoke()\nprint(i)\nprint(len(i.input(0).name))",
            PATH=path,
        )
        assert all(len(line) <= 80 for line in lines)
        assert int(lines[-1]) == 240  # 255 bytes, cut at a character


# An arena of exactly the needed bytes works; with 16 less the error has both numbers.
def test_arena_size(run):
    run("""
        def load():
            return tflm.load(CLASSIFIER)

        used = tflm.Interpreter(load()).arena_used_bytes()
        assert used % 16 == 0
        for arena in (used, bytearray(used), memoryview(bytearray(used)), tflm.Arena(used)):
            interp = tflm.Interpreter(load(), arena=arena)
            interp.invoke()
            assert interp.arena_used_bytes() == used
        for less in (used - 16, used // 2, 16, 0):
            for arena in (less, bytearray(less), tflm.Arena(less)):
                interp = tflm.Interpreter(load(), arena=arena)
                for call in (interp.allocate_tensors, interp.invoke):
                    try:
                        call()
                        assert False
                    except ArenaError as error:
                        assert (error.needed, error.available) == (used, less & (0 - 4))
                        assert str(error) == (
                            "the arena is too small: needed %d bytes, available %d, missing %d; "
                            "leave arena= out to get enough"
                            % (used, less, used - less)
                        ), error
        for more in range(used, used + 70, 2):
            assert tflm.Interpreter(load(), arena=more).arena_used_bytes() == used
    """)


def test_arena_that_is_larger_than_needed_with_state(run):
    run("""
        used = tflm.Interpreter(COUNTER).arena_used_bytes()
        for more in range(0, 200, 4):
            interp = tflm.Interpreter(COUNTER, arena=bytearray(b"\\xff" * (used + more)))
            for i in range(1, 4):
                interp.input(0).data[0] = 7
                interp.invoke()
                assert interp.output(0).data[0] == 7 * i
    """)


# A buffer may start anywhere: up to 15 bytes before the first aligned byte are not used.
def test_arena_at_any_address(run):
    run("""
        import uctypes
        used = tflm.Interpreter(COUNTER).arena_used_bytes()
        memory = bytearray(used + 64)
        for start in range(0, 17):
            view = memoryview(memory)[start : start + used + 15]
            interp = tflm.Interpreter(COUNTER, arena=view)
            interp.input(0).data[0] = 7
            interp.invoke()
            assert interp.output(0).data[0] == 7
            assert uctypes.addressof(interp.output(0).raw) % 16 == 0
        assert uctypes.addressof(memory) % 16 == 0
        text = raises(ArenaError, tflm.Interpreter(
            COUNTER, arena=memoryview(memory)[1 : 1 + used]).invoke)
        assert "needed %d bytes, available %d, missing 16" % (used, used - 16) in text, text
    """)


def test_arena_that_is_no_buffer_of_bytes(run):
    run("""
        from array import array
        for wrong in (b"x" * 4096, memoryview(b"x" * 4096), array("i", range(999)), "x" * 999,
                      array("b", [0] * 4096), 1.5, [1, 2], array("f", [0, 1])):
            interp = tflm.Interpreter(CLASSIFIER, arena=wrong)
            text = raises(InputError, interp.allocate_tensors)
            assert "must be a writable buffer of bytes" in text, text
        assert "0 or more" in raises(InputError, tflm.Interpreter(CLASSIFIER, arena=-5).invoke)
        tflm.Interpreter(CLASSIFIER, arena=array("B", bytes(4096))).invoke()
    """)


def test_arena_that_the_heap_cannot_hold(run):
    run("""
        for size in (1 << 28, 1 << 70):
            text = raises(ArenaError, tflm.Interpreter(CLASSIFIER, arena=size).invoke)
            assert text.startswith("not enough heap for the arena: needed %d bytes" % size)
    """)


def test_invoke_allocates_no_heap(run):
    run("""
        for path in (CLASSIFIER, COUNTER):
            interp = tflm.Interpreter(path)
            interp.allocate_tensors()
            micropython.heap_lock()
            try:
                interp.invoke()
                interp.invoke()
            finally:
                micropython.heap_unlock()
    """)


# The results do not depend on the size of slices.
def test_slice_units(run):
    run("""
        def outputs(slice_units):
            interp = tflm.Interpreter(CLASSIFIER, slice_units=slice_units)
            interp.input(0).quantize([0.1 * i for i in range(12)])
            interp.invoke()
            return bytes(interp.output(0).raw)

        whole = outputs(None)
        assert len(set(whole)) > 1
        for units in (1, 2, 3, 1000):
            assert outputs(units) == whole
        for units in (0, -1):
            text = raises(InputError, tflm.Interpreter, CLASSIFIER, slice_units=units)
            assert text == "slice_units is %d; it must be an int >= 1" % units
    """)


# After Ctrl-C between two slices, or inside one, the next invoke is right.
def test_interrupt(run):
    run("""
        class Stop:
            def __init__(self, kernel, calls):
                self.kernel = kernel
                self.calls = calls

            def __call__(self, op, arena, rom, start, stop):
                self.calls -= 1
                if not self.calls:
                    raise KeyboardInterrupt
                self.kernel(op, arena, rom, start, stop)

        interp = tflm.Interpreter(CLASSIFIER, slice_units=1)
        values = [0.05 * i for i in range(12)]
        interp.input(0).quantize(values)
        interp.invoke()
        wanted = bytes(interp.output(0).raw)
        program = interp._program
        steps = program.graphs[0]
        for number in range(len(steps)):
            for calls in (1, 2):
                changed = list(steps)
                kernel = changed[number]
                changed[number] = (Stop(kernel[0], calls),) + kernel[1:]
                program.graphs[0] = changed
                interp.input(0).quantize(values)
                try:
                    interp.invoke()
                    assert kernel[2] == 1 and calls == 2
                except KeyboardInterrupt:
                    pass
                program.graphs[0] = steps
                interp.input(0).quantize(values)
                interp.invoke()
                assert bytes(interp.output(0).raw) == wanted
    """)


def test_reset(run):
    run("""
        interp = tflm.Interpreter(COUNTER, arena=bytearray(b"\\xee" * 4096))
        for _ in range(2):
            for i in range(1, 4):
                interp.input(0).data[2] = 5
                interp.invoke()
                assert interp.output(0).data[2] == 5 * i
            interp.reset()
    """)


# Two Interpreters of one model have separate state.
def test_separate_state(run):
    run("""
        model = tflm.load(COUNTER)
        first, second = tflm.Interpreter(model), tflm.Interpreter(model)
        for interp, step in ((first, 1), (second, 10), (first, 1), (second, 10)):
            interp.input(0).data[0] = step
            interp.invoke()
        assert first.output(0).data[0] == 2
        assert second.output(0).data[0] == 20
    """)


# free() releases everything; the next call prepares the model again.
def test_free(run):
    run("""
        arena = bytearray(4096)
        interp = tflm.Interpreter(COUNTER, arena=arena)
        interp.free()
        for _ in range(2):
            interp.input(0).data[0] = 3
            interp.invoke()
            assert interp.output(0).data[0] == 3
            interp.free()
            interp.free()
            assert repr(interp) == "<Interpreter, tensors not allocated>"
    """)


def test_profiler(run):
    lines = run("""
        profiler = tflm.Profiler()
        print(profiler)
        interp = tflm.Interpreter(CLASSIFIER, profiler=profiler, slice_units=1)
        plain = tflm.Interpreter(CLASSIFIER)
        assert profiler.total_ticks() == 0 and profiler.events() == []
        for i in (interp, interp, interp, plain):
            i.input(0).quantize([0.1] * 12)
            i.invoke()
        assert bytes(interp.output(0).raw) == bytes(plain.output(0).raw)
        assert profiler.invokes == 3
        events = profiler.events()
        assert [e[0] for e in events] == [0, 1, 2]
        assert [e[1] for e in events] == ["FULLY_CONNECTED", "FULLY_CONNECTED", "SOFTMAX"]
        assert sum([e[3] for e in events]) == profiler.total_ticks()
        print(profiler)
        tflm.Interpreter(COUNTER, profiler=profiler).invoke()  # another model: starts again
        assert profiler.invokes == 1 and len(profiler.events()) == 2
        profiler.clear()
        assert profiler.total_ticks() == 0 and profiler.invokes == 0
    """)
    assert len(lines) == 8  # header, and header, three ops, two types, all together
    assert all(len(line) <= 80 for line in lines)
    assert lines[2].split()[:2] == ["0", "FULLY_CONNECTED"]


# keep_tensors: all tensors can be read after invoke.
def test_keep_tensors(paths):
    from tflm_tools.flat.flatten import flatten

    path = paths["tflite"][0]
    with open(path, "rb") as file:
        kept = flatten(file.read(), keep_tensors=True)
    with open(path + ".kept", "wb") as file:
        file.write(kept)
    lines = device(
        """
        used = []
        for model, keep in ((TFLITE, True), (KEPT, False)):
            interp = tflm.Interpreter(model, keep_tensors=keep)
            interp.input(0).quantize([0.1 * i for i in range(12)])
            before = bytes(interp.input(0).raw)
            interp.invoke()
            tensors = interp.tensors()
            used.append(interp.arena_used_bytes())
            assert bytes(interp.input(0).raw) == before
            assert [t.shape for _, t in sorted(tensors.items())] == [
                (1, 12), (1, 20), (1, 4), (1, 4)], tensors
            print([(k, bytes(t.raw)) for k, t in sorted(tensors.items())])
        plain = tflm.Interpreter(TFLITE)
        plain.input(0).quantize([0.1 * i for i in range(12)])
        plain.invoke()
        assert bytes(plain.output(0).raw) == bytes(interp.output(0).raw)
        assert plain.arena_used_bytes() < used[0]
        assert "keep_tensors=True" in raises(StateError, plain.tensors)
        """,
        TFLITE=path,
        KEPT=path + ".kept",
    )
    assert lines[0] == lines[1]
    assert len(set(lines[0])) > 10


def test_invalid_model():
    device("""
        for wrong in (None, 5, 1.5, [1], object()):
            raises(InputError, tflm.load, wrong)
            raises(InputError, tflm.Interpreter, wrong)
    """)
