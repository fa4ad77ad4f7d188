# Tests of invoke_async(): other tasks run between slices; no other call may use the model
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from pathlib import Path

import pytest
from tflm.model import FlatModel
from tflm_tools.flat.flatten import flatten
from unit import sample_models
from unit.on_device import device, model_files


# Run code with flat models, then with .tflite files; skip without asyncio.
@pytest.fixture(params=["FLAT", "TFLITE"])
def run(request, tmp_path):
    classifier = model_files(tmp_path, sample_models.classifier(width=4, batch=400), "classifier")
    counter = model_files(tmp_path, sample_models.counter(), "counter")
    prelude = """
try:
    import asyncio
except ImportError:
    print("no asyncio")
    sys.exit()

def fill(interp, k=37):
    raw = interp.input(0).raw
    raw[:] = bytes([(i * k) & 255 for i in range(len(raw))])

def result(interp):
    return bytes(interp.output(0).raw)

plain = tflm.Interpreter(CLASSIFIER)
fill(plain)
plain.invoke()
wanted = result(plain)
interp = tflm.Interpreter(CLASSIFIER, slice_units=5)
fill(interp)
"""

    def run_code(code):
        code = prelude + code.replace("\n        ", "\n")
        names = {"CLASSIFIER": classifier[request.param], "COUNTER": counter[request.param]}
        lines = device(code, **names)
        if lines == ["no asyncio"]:
            pytest.skip("this MicroPython has no asyncio")
        return lines

    return run_code


def test_other_tasks_run_meanwhile(run):
    run("""
        async def main():
            turns = [0]

            async def other():
                while True:
                    turns[0] += 1
                    await asyncio.sleep_ms(0)

            task = asyncio.create_task(other())
            assert await interp.invoke_async(pause_ms=0) is None
            task.cancel()
            assert turns[0] >= 80, turns  # 400 units in slices of 5, and more
            assert result(interp) == wanted

            turns[0] = 0
            fill(interp)
            task = asyncio.create_task(other())
            await interp.invoke_async(pause_ms=1 << 20)
            task.cancel()
            assert turns[0] == 0
            assert result(interp) == wanted

        asyncio.run(main())
    """)


def test_other_calls_are_refused_during_a_run(run):
    run("""
        async def main():
            task = asyncio.create_task(interp.invoke_async(0))
            await asyncio.sleep_ms(0)
            text = "the model runs in another task, thread or timer; wait or free() it"
            for call in (interp.invoke, interp.reset):
                assert raises(StateError, call) == text
            try:
                await interp.invoke_async()
                assert False
            except StateError as error:
                assert str(error) == text
            fill(plain, 11)
            await asyncio.gather(task, plain.invoke_async(0))  # another interpreter may
            assert result(interp) == wanted != result(plain)
            interp.invoke()
            interp.reset()
            interp.free()

        asyncio.run(main())
    """)


# asyncio.run() cancels no task on Ctrl-C, so the task of invoke_async() remains. free() ends it.
def test_free_during_a_run(run):
    run("""
        async def interrupt():
            await asyncio.sleep_ms(0)
            raise KeyboardInterrupt

        async def main():
            asyncio.create_task(interrupt())
            await interp.invoke_async(0)

        try:
            asyncio.run(main())
            assert False
        except KeyboardInterrupt:
            pass
        raises(StateError, interp.invoke)
        interp.free()
        fill(interp)
        interp.invoke()
        assert result(interp) == wanted

        async def again():
            task = asyncio.create_task(interp.invoke_async(0))
            await asyncio.sleep_ms(0)
            interp.free()
            fill(interp)
            other = asyncio.create_task(interp.invoke_async(0))
            await asyncio.sleep_ms(0)
            try:
                await task
                assert False
            except StateError as error:
                assert str(error) == "free() ended this invoke_async(); call it again"
            raises(StateError, interp.invoke)  # the end of the first run does not end the second
            await other
            assert result(interp) == wanted

        asyncio.new_event_loop()
        asyncio.run(again())
    """)


def test_invoke_after_cancelling(run):
    run("""
        async def main():
            for pauses in range(1, 30):
                task = asyncio.create_task(interp.invoke_async(0))
                for _ in range(pauses):
                    await asyncio.sleep_ms(0)
                task.cancel()
                try:
                    await task
                    assert False
                except asyncio.CancelledError:
                    pass
            fill(interp)
            await interp.invoke_async(0)
            assert result(interp) == wanted
            fill(interp)
            interp.invoke()
            assert result(interp) == wanted

        asyncio.run(main())
    """)


# invoke_async() raises the exception of a kernel; the next run works.
def test_errors_of_kernels(run):
    run("""
        class Kernel:
            def invoke(self, record, arena, rom, start, stop):
                raise ValueError("no")

        class Delegate:
            def prepare(self, context):
                context.replace(Kernel(), 1)

        async def main():
            bad = tflm.Interpreter(CLASSIFIER, delegates=[Delegate()])
            for _ in range(2):
                try:
                    await bad.invoke_async()
                    assert False
                except ValueError:
                    pass

        asyncio.run(main())
    """)


def test_profiler_and_state(run):
    run("""
        async def main():
            profiler = tflm.Profiler()
            counter = tflm.Interpreter(COUNTER, profiler=profiler, slice_units=1)
            for i in range(1, 4):
                counter.input(0).data[0] = 7
                await counter.invoke_async(0)
                assert counter.output(0).data[0] == 7 * i
            counter.input(0).data[0] = 7
            counter.invoke()
            assert profiler.invokes == 4
            assert len(profiler.events()) == 2 and profiler.total_ticks() > 0

        asyncio.run(main())
    """)


# The coroutine needs a few hundred bytes of heap; slices need none.
def test_heap(run):
    run("""
        import gc

        async def main():
            await interp.invoke_async(0)
            used = []
            for slices in (1, 5, 400):
                other = tflm.Interpreter(CLASSIFIER, slice_units=slices)
                await other.invoke_async(1 << 20)
                gc.collect()
                gc.disable()
                before = gc.mem_alloc()
                await other.invoke_async(1 << 20)
                used.append(gc.mem_alloc() - before)
                gc.enable()
            assert max(used) < 1500 and max(used) - min(used) < 200, used

        asyncio.run(main())
    """)


# The record of a banded chain is in the arena, where it may overlap an input. A task may write
# that input between two bands, so no band may use the record of the band before.
def test_bands_survive_other_tasks(tmp_path):
    digits = Path(__file__).parents[2] / "models" / "digits" / "digits_int8.tflite"
    flat = flatten(digits.read_bytes(), target="armv6m", optimize="ram")
    model = FlatModel(flat)
    bands = next(op for op in map(model.op, range(9)) if op[0] == "control.banded")
    _, block, chain, _ = struct.unpack_from("<4I", bands[3])
    first, steps, *_ = model.subgraph(chain)
    *_, record, _, record_layout = model.op(first + steps - 1)
    last = [half - 0x8000 for half in struct.unpack_from("<2H", record, len(record) - 4)]
    path = tmp_path / "digits.tflm"
    path.write_bytes(flat)
    lines = device(
        """
        try:
            import asyncio
        except ImportError:
            print("no asyncio")
            sys.exit()

        arena = bytearray(SIZE)
        interp = tflm.Interpreter(PATH, arena)

        def fill():
            interp.input(0).raw[:] = bytes([i * 37 & 127 for i in range(len(interp.input(0).raw))])

        fill()
        interp.invoke()
        wanted = bytes(interp.output(0).raw)
        found = []

        async def other():
            while True:
                if arena[END - len(LAST) : END] == LAST:  # of the record that ran
                    arena[BLOCK:END] = b"\x55" * (END - BLOCK)
                    found.append(True)
                await asyncio.sleep_ms(0)

        async def main():
            task = asyncio.create_task(other())
            fill()
            await interp.invoke_async(0)
            task.cancel()

        arena[BLOCK:END] = bytes(END - BLOCK)
        asyncio.run(main())
        assert found and bytes(interp.output(0).raw) == wanted
        """,
        PATH=str(path),
        SIZE=model.arena_bytes,
        BLOCK=block >> 2,
        END=(block >> 2) + 4 * (record_layout >> 8),
        LAST=struct.pack("<2i", *last),
    )
    if lines == ["no asyncio"]:
        pytest.skip("this MicroPython has no asyncio")
