# Tests of the thread on core 1: start, end, and failures after which one core runs the model
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from unit import sample_models
from unit.on_device import device, model_files


@pytest.fixture(params=["FLAT", "TFLITE"])
def paths(request, tmp_path):
    files = {
        "CLASSIFIER": model_files(tmp_path, sample_models.classifier(width=99), "classifier"),
        "COUNTER": model_files(tmp_path, sample_models.counter(), "counter"),
    }
    return {name: file_formats[request.param] for name, file_formats in files.items()}


# One thread serves all Interpreters. It ends with the last one, and core 1 is free again.
def test_start_and_end(paths):
    device(
        """
        import _thread
        import time
        from tflm.run import second_core

        def run(interp):
            interp.input(0).raw[:] = bytes([(i * 37) & 255 for i in range(12)])
            interp.invoke()
            return bytes(interp.output(0).raw)

        wanted = run(tflm.Interpreter(CLASSIFIER))
        for _ in range(20):
            one = tflm.Interpreter(CLASSIFIER, cores=2)
            two = tflm.Interpreter(CLASSIFIER, cores=2)
            assert run(one) == run(two) == run(one) == wanted
            assert second_core.worker.users == 2
            one.free()
            one.free()
            assert run(two) == wanted == run(one)
            two.free()
            one.free()
            assert second_core.worker.users == 0
            assert second_core.worker.cells[0] == 3, "it has not ended"
        done = []
        _thread.start_new_thread(lambda: done.append(1), ())
        time.sleep_ms(50)
        assert done
        nothing = tflm.Interpreter(COUNTER, cores=2)  # has nothing to share
        nothing.invoke()
        """,
        **paths,
    )


# The thread also ends after an Interpreter is dropped without free() and collected; an Interpreter
# that still exists keeps it.
def test_dropped_interpreters(paths):
    device(
        """
        import gc
        import time
        from tflm.run.second_core import worker

        def run(interp):
            interp.input(0).raw[:] = bytes([(i * 37) & 255 for i in range(12)])
            interp.invoke()
            return bytes(interp.output(0).raw)

        def drop(count):
            for _ in range(count):
                run(tflm.Interpreter(CLASSIFIER, cores=2))

        def clear(depth=20):  # overwrite words of the stack
            return depth and clear(depth - 1)

        # The stack may still hold references to what was dropped; each call overwrites others.
        def collect():
            run(tflm.Interpreter(CLASSIFIER))
            for depth in range(20, 40, 5):
                clear(depth)
                gc.collect()
            time.sleep_ms(20)

        drop(1)
        collect()
        assert worker.users == 0 and worker.cells[0] == 3, "core 1 is not free"
        kept = tflm.Interpreter(CLASSIFIER, cores=2)
        wanted = run(kept)
        drop(3)
        collect()
        assert worker.users == 1 and worker.cells[0] == 0, "core 1 has gone"
        assert run(kept) == wanted
        kept = None
        collect()
        assert worker.users == 0 and worker.cells[0] == 3, "core 1 is not free"
        """,
        **paths,
    )


# If core 1 is in use, or threads are missing, the model runs on one core and says so.
def test_fallback(paths):
    lines = device(
        """
        import _thread
        start = _thread.start_new_thread

        def taken(*arguments):
            raise OSError("core1 in use")

        class NoThreads:
            pass

        def run(**options):
            interp = tflm.Interpreter(CLASSIFIER, **options)
            interp.input(0).raw[:] = bytes(12)
            interp.invoke()
            assert "cores." not in repr(interp)
            return interp

        plain = run()
        for module, kind in ((NoThreads(), AttributeError), (NoThreads(), OSError)):
            if kind is OSError:
                module.start_new_thread = taken
            sys.modules["_thread"] = module
            interp = run(cores=2)
            assert type(interp.delegate_error) is kind
            assert bytes(interp.output(0).raw) == bytes(plain.output(0).raw)
            assert interp.arena_used_bytes() == plain.arena_used_bytes()
            interp.free()
        del sys.modules["_thread"]
        used = plain.arena_used_bytes()
        small = tflm.Interpreter(CLASSIFIER, arena=used, cores=2)
        small.invoke()
        for bad in (0, 3, None):
            text = raises(InputError, tflm.Interpreter, CLASSIFIER, cores=bad)
            assert text == "cores is %s; it must be 1 or 2" % bad
        """,
        **paths,
    )
    assert lines[1] == "tflm: the model runs without the delegate cores: OSError: core1 in use"
    assert all(line.startswith("tflm: the model runs without the delegate") for line in lines)


# invoke() raises the exception of a kernel on either core after both have stopped; the thread
# continues.
def test_errors(paths):
    device(
        """
        from tflm.run import second_core

        interp = tflm.Interpreter(CLASSIFIER, cores=2)
        interp.allocate_tensors()
        job = interp._program.graphs[0][0][1]
        kernel, calls = job[0], []
        job[3][2] = 1  # _IS_TIMED: as if two cores were faster

        def failing(record, arena, rom, start, stop):
            calls.append((start, stop))
            if start <= bad < stop:
                raise ValueError("unit %d" % bad)
            kernel(record, arena, rom, start, stop)

        for bad in (0, 98, 49):
            job[0] = failing
            del calls[:]
            assert raises(ValueError, interp.invoke) == "unit %d" % bad
            assert second_core.worker.cells[0] == 0, "the worker is not idle"
            assert len(calls) == 3 and calls[2] == (min(calls)[0], max(calls)[1]), calls
            job[0] = kernel
            interp.invoke()
        interp.free()
        """,
        **paths,
    )


# After the first invoke, ops that take little time run on one core.
def test_short_ops_run_on_one_core(paths):
    device(
        """
        import time
        from tflm.run import second_core

        interp = tflm.Interpreter(CLASSIFIER, cores=2)
        interp.allocate_tensors()
        job = interp._program.graphs[0][0][1]
        kernel, calls, slow = job[0], [], 0

        def counting(record, arena, rom, start, stop):
            calls.append(stop - start)
            time.sleep_ms(slow)
            kernel(record, arena, rom, start, stop)

        job[0] = counting
        slow = 2
        interp.invoke()
        interp.invoke()
        assert len(calls) == 4, calls  # two halves each
        job[3][1] = 1
        del calls[:]
        interp.invoke()
        assert calls == [99], calls
        quick = tflm.Interpreter(CLASSIFIER, cores=2)
        quick.allocate_tensors()
        job = quick._program.graphs[0][0][1]
        job[6] = lambda: 5  # no time passes
        quick.invoke()
        assert job[3][1] == 1 and job[3][2] == 1
        quick.free()
        interp.free()
        """,
        **paths,
    )


# A kernel that never ends on core 1: Ctrl-C ends the wait, and then one core runs the model.
@pytest.mark.parametrize("is_freed", [False, True])
def test_interrupt_while_core_1_hangs(paths, is_freed):
    device(
        """
        import time
        from tflm.run.second_core import worker

        interp = tflm.Interpreter(CLASSIFIER, cores=2)
        interp.allocate_tensors()
        job = interp._program.graphs[0][0][1]
        kernel, real_ticks = job[0], job[6]
        is_over, times = [], [0, None, 3_000_000, 3_000_000]

        def endless(record, arena, rom, start, stop):
            while start == 0 and not is_over:
                time.sleep_ms(1)

        def ticks():
            found = times.pop(0)
            if found is None:
                raise KeyboardInterrupt
            return found

        job[0], job[6] = endless, ticks
        raises(KeyboardInterrupt, interp.invoke)
        job[0], job[6] = kernel, real_ticks
        assert worker.cells[0] == 1  # busy
        if IS_FREED:
            interp.free()  # does not wait for core 1
            interp = tflm.Interpreter(CLASSIFIER)
        interp.invoke()
        wanted = tflm.Interpreter(CLASSIFIER)
        wanted.invoke()
        assert bytes(interp.output(0).raw) == bytes(wanted.output(0).raw)
        is_over.append(True)
        """,
        **paths,
        IS_FREED=is_freed,
    )
