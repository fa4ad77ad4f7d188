# tflm_tools: port: invokes a model in MicroPython on inputs from a file
# MIT license; Copyright (c) 2026 the tflm authors

import io
import sys
import time

import micropython
import report
import tflm


# A tensor's description for the host.
def _describe(tensor):
    return {"name": tensor.name, "dtype": tensor.dtype, "shape": list(tensor.shape)}


# Set the bytes of the inputs before each invoke: the one before may have overwritten them.
def _fill(interpreter, values):
    for i in range(len(values)):
        interpreter.input(i).kept.raw[:] = values[i]


# Invoke once and return the microseconds; with `locked` the heap is locked meanwhile. A kernel's
# error also allocates memory, so after a MemoryError the model runs again with the heap unlocked,
# to raise that error.
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


# Invoke with an input that is read row by row; return the microseconds.
def _timed_invoke_by_rows(interpreter, values):
    begin = time.ticks_us()
    interpreter.invoke(io.BytesIO(values))
    return time.ticks_diff(time.ticks_us(), begin)


# An OpResolver in which the user's files have registered their operators.
def _resolver(paths):
    resolver = tflm.OpResolver()
    for path in paths:
        folder, _, file = path.rpartition("/")
        if folder not in sys.path:
            sys.path.append(folder)
        __import__(file[:-3]).register(resolver)
    return resolver


# The job:
#   model    path of the model
#   runs     number of runs
#   inputs   path of a file with the bytes of all inputs, run after run
#   custom   paths of Python files that register custom operators
#   repeat   invokes for each run
#   outputs  path to which the bytes of all outputs are written, run after run
#   locked   whether invoke() must not allocate
#   tensors  path to which all tensors are written after the last run, or null
#   reset    whether variables are reset before each run
#   profile  whether the report has the profiler's events
#   by_rows  size in bytes of the only input if it is read row by row, else 0
# The report: arena (bytes), times (microseconds of each invoke), outputs (descriptions), events,
# tensors ([number, size] in the order of the file).
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
                    times.append(_timed_invoke_by_rows(interpreter, values[0]))
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
