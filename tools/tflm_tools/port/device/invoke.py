# tflm_tools: invokes a model on the device with inputs of a file; for `tflm run` and `tflm verify`
# MIT license; Copyright (c) 2026 the tflm authors

import io
import sys
import time

import micropython
import report
import tflm


# What the host needs to know of a tensor.
def _describe(tensor):
    return {"name": tensor.name, "dtype": tensor.dtype, "shape": list(tensor.shape)}


# Give the inputs their bytes: an invoke may have overwritten them.
def _fill(interpreter, values):
    for i in range(len(values)):
        interpreter.input(i).kept.raw[:] = values[i]


# Invoke once and return the microseconds; `locked` forbids every allocation meanwhile. An error of
# a kernel takes memory, too: what it says is heard with the heap unlocked.
def _timed_invoke(interpreter, values, locked):
    _fill(interpreter, values)
    if locked:
        micropython.heap_lock()
    try:
        begin = time.ticks_us()
        interpreter.invoke()
        end = time.ticks_us()
    except MemoryError:
        if locked:
            micropython.heap_unlock()
            locked = False
            _fill(interpreter, values)
            interpreter.invoke()
        raise
    finally:
        if locked:
            micropython.heap_unlock()
    return time.ticks_diff(end, begin)


# Invoke with an input that comes by rows; the microseconds.
def _by_rows(interpreter, values):
    begin = time.ticks_us()
    interpreter.invoke(io.BytesIO(values))
    return time.ticks_diff(time.ticks_us(), begin)


# A resolver with what the user's files register, each imported from its folder.
def _resolver(paths):
    resolver = tflm.OpResolver()
    for path in paths:
        folder, _, file = path.rpartition("/")
        if folder not in sys.path:
            sys.path.append(folder)
        __import__(file[:-3]).register(resolver)
    return resolver


# The job: `model` (path), `runs`, `inputs` (path: the bytes of all inputs, run after run),
# `custom` (paths of files that register custom operators), `repeat` (invokes a run), `outputs`
# (path to write, likewise), `locked` (no allocation in invoke), `tensors` (path, or null: write
# every tensor after the last run), `reset` (forget variables before each run), `profile` (answer
# with the profiler's events), `by_rows` (bytes of the only input, which comes by rows, or 0).
def main(job):
    keep = job["tensors"] is not None
    resolver = _resolver(job["custom"])
    profiler = tflm.Profiler() if job.get("profile") else None
    interpreter = tflm.Interpreter(
        tflm.load(job["model"]), None, resolver=resolver, keep_tensors=keep, profiler=profiler
    )
    interpreter.allocate_tensors()
    by_rows = job.get("by_rows")
    sizes = [by_rows]
    if not by_rows:
        inputs = range(interpreter.inputs_size())
        sizes = [len(interpreter.input(i).kept.raw) for i in inputs]
    outputs = [interpreter.output(i) for i in range(interpreter.outputs_size())]
    times = []
    with open(job["inputs"], "rb") as source, open(job["outputs"], "wb") as sink:
        for _ in range(job["runs"]):
            values = [source.read(size) for size in sizes]
            if job.get("reset"):
                interpreter.reset()
            for _ in range(job["repeat"]):
                if by_rows:
                    times.append(_by_rows(interpreter, values[0]))
                    continue
                times.append(_timed_invoke(interpreter, values, job["locked"]))
            for tensor in outputs:
                sink.write(tensor.kept.raw)
    answer = {
        "arena": interpreter.arena_used_bytes(),
        "times": times,
        "outputs": [_describe(tensor) for tensor in outputs],
    }
    if profiler is not None:
        answer["events"] = profiler.events()
    if keep:
        answer["tensors"] = []
        with open(job["tensors"], "wb") as sink:
            for number, tensor in interpreter.tensors().items():
                answer["tensors"].append([number, len(tensor.raw)])
                sink.write(tensor.raw)
    return answer


report.serve(main)
