# Tests of invoke() beside timers and threads, as boards like an ESP32 have them
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from unit import sample_models
from unit.on_device import device, model_files

# A thread stands for a timer: it only schedules callbacks, which run in the main thread between
# bytecodes, as callbacks of machine.Timer do.
_PRELUDE = """
import _thread
import gc
import time

ticks = [0, 0]  # callbacks that ran, and whether the timer goes on

def tick(callback):
    while ticks[1]:
        try:
            micropython.schedule(callback, 0)
        except RuntimeError:  # the queue is full
            pass
        time.sleep_us(50)
    ticks[1] = None

def with_timer(callback, function):
    ticks[:] = [0, 1]
    _thread.start_new_thread(tick, (callback,))
    try:
        function()
    finally:
        ticks[1] = 0
        while ticks[1] is not None:
            time.sleep_us(100)

def filled(path, k):
    interp = tflm.Interpreter(path, slice_units=4)
    fill(interp, k)
    return interp

def fill(interp, k):
    raw = interp.input(0).raw
    for i in range(len(raw)):
        raw[i] = i * k & 255

def result(interp, k):
    fill(interp, k)
    interp.invoke()
    return bytes(interp.output(0).raw)
"""


# Run code with a flat model, then with a .tflite.
@pytest.fixture(params=["FLAT", "TFLITE"])
def run(request, tmp_path):
    model = model_files(tmp_path, sample_models.classifier(width=4, batch=100))
    path = model[request.param]
    return lambda code: device(_PRELUDE + code, MODEL=path)


def test_callbacks_that_allocate(run):
    run("""
interp = filled(MODEL, 37)
wanted = [result(interp, k) for k in range(5)]
kept = []

def callback(_):
    ticks[0] += 1
    kept.append(bytearray(100))
    if len(kept) > 50:
        kept.clear()
        gc.collect()

def many():
    while ticks[0] < 300:
        for k in range(5):
            assert result(interp, k) == wanted[k]

with_timer(callback, many)
""")


# A callback runs another Interpreter in the middle of an invoke.
def test_callbacks_that_invoke(run):
    run("""
interp, other = filled(MODEL, 37), filled(MODEL, 11)
wanted = [result(interp, k) for k in range(5)]

def callback(_):
    k = ticks[0] % 5
    ticks[0] += 1
    assert result(other, k) == wanted[k]

def many():
    while ticks[0] < 100:
        for k in range(5):
            assert result(interp, k) == wanted[k]

with_timer(callback, many)
""")


# A callback or a thread that runs the same Interpreter gets an error, and the invoke is right.
def test_invoke_inside_an_invoke(run):
    run("""
interp = filled(MODEL, 37)
wanted = result(interp, 37)
texts = set()

class Intruder:
    def __init__(self, kernel, intrude):
        self.kernel = kernel
        self.intrude = intrude

    def __call__(self, *arguments):
        for call in (interp.invoke, interp.reset):
            self.intrude(call)
        return self.kernel(*arguments)

def in_callback(call):
    texts.add(raises(StateError, call))

def in_thread(call):
    done = []
    def body():
        try:
            call()
        except StateError as error:
            texts.add(str(error))
        done.append(1)
    _thread.start_new_thread(body, ())
    while not done:
        time.sleep_us(100)

for intrude in (in_callback, in_thread):
    texts.clear()
    steps = interp._program.graphs[0]
    plain = list(steps)
    steps[:] = [(Intruder(step[0], intrude),) + step[1:] for step in steps]
    assert result(interp, 37) == wanted
    assert texts == {"the model runs in another task, thread or timer; wait or free() it"}
    steps[:] = plain
    assert result(interp, 37) == wanted  # the error changes nothing
""")


# Ctrl-C, an error of a callback, and a kernel that fails: the next invoke runs.
def test_next_invoke_after_an_exception(run):
    run("""
interp = filled(MODEL, 37)
wanted = result(interp, 37)

class Fail:
    def __init__(self, kind):
        self.kind = kind

    def __call__(self, *arguments):
        raise self.kind

for kind in (KeyboardInterrupt, ValueError, MemoryError):
    steps = interp._program.graphs[0]
    plain = list(steps)
    steps[-1] = (Fail(kind),) + steps[-1][1:]
    raises(kind, interp.invoke)
    steps[:] = plain
    assert result(interp, 37) == wanted
""")


# Two threads with separate Interpreters of one model. The unix port runs them at the same time; an
# ESP32 switches between bytecodes.
def test_two_threads(run):
    run("""
interps = filled(MODEL, 37), filled(MODEL, 11)
wanted = [result(interps[0], k) for k in range(5)]
failed, done = [], []

def many(interp):
    for _ in range(40):
        for k in range(5):
            if result(interp, k) != wanted[k]:
                failed.append(k)
    done.append(1)

_thread.start_new_thread(many, (interps[1],))
many(interps[0])
while len(done) < 2:
    time.sleep_ms(1)
assert not failed, failed
""")
