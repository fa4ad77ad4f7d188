# Device side of test_endurance.py: thousands of invokes, loads and failures
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import sys
from array import array

import micropython
import tflm
from tflm.errors import ArenaError

_ERRORS = (MemoryError, ArenaError)  # created while there is memory
_PROGRESS_LINES = 20  # of a long run


# Print a line that the test shows and that is no result.
def progress(*words):
    print("#", *words)


# Invoke `count` times with the heap locked, on four inputs in turn: outputs and heap must not
# change. The heap is unlocked only for twenty lines of progress.
def invokes(path, count):
    interpreter = tflm.Interpreter(path)
    raw = interpreter.input(0).raw
    output = interpreter.output(0).raw
    inputs = [bytes([(i * 7 + 61 * k) & 0xFF for i in range(len(raw))]) for k in range(4)]
    wanted = []
    for values in inputs:
        raw[:] = values
        interpreter.invoke()
        wanted.append(bytes(output))
    if len(set(wanted)) < 2:
        raise RuntimeError("the outputs do not depend on the inputs")
    gc.collect()
    before = gc.mem_free()
    size = len(raw)
    drift = done = 0
    while done < count:
        stop = min(done + max(1, count // _PROGRESS_LINES), count)
        micropython.heap_lock()
        while done < stop:
            k = done & 3
            i = 0
            while i < size:  # a slice would allocate
                raw[i] = inputs[k][i]
                i += 1
            interpreter.invoke()
            if output != wanted[k]:
                drift += 1
            done += 1
        micropython.heap_unlock()
        progress(done, "of", count)
    gc.collect()
    print(drift, before - gc.mem_free())


# Return the largest free block of heap, in steps of 256 bytes.
def largest():
    gc.collect()
    low, high = 0, 1 << 14
    while low < high:
        middle = low + high + 1 >> 1
        try:
            bytearray(middle << 8)
            low = middle
        except MemoryError:
            high = middle - 1
        gc.collect()
    return low << 8


# Load, run and drop models in turn. Print how much the free heap and its largest block shrink
# from the first to the last quarter, at best: positions of blocks depend on the collector.
def loads(paths, count):
    free = array("I", [0] * count)
    piece = array("I", [0] * count)
    for turn in range(count):
        for path in paths:
            interpreter = tflm.Interpreter(tflm.load(path))
            interpreter.invoke()
            interpreter.free()
            interpreter = None
        gc.collect()
        free[turn] = gc.mem_free()
        piece[turn] = largest()
        if not (turn + 1) % max(1, count // _PROGRESS_LINES):
            progress(turn + 1, "of", count)
    some = count // 4
    print(*[max(found[1:some]) - max(found[count - some :]) for found in (free, piece)])


# Allocate the heap except `free` bytes; return what holds it.
def ballast_except(free):
    gc.collect()
    ballast = [None] * 4096
    pieces = 0
    size = 1 << 16
    while size >= 32 and pieces < len(ballast):
        try:
            ballast[pieces] = bytearray(size)
            pieces += 1
        except MemoryError:
            size >>= 1
    released = 0
    while pieces and released < free:
        pieces -= 1
        released += len(ballast[pieces])
        ballast[pieces] = None
    gc.collect()
    return ballast


# The output of a model, as bytes.
def first_result(model):
    interpreter = tflm.Interpreter(model)
    interpreter.invoke()
    return bytes(interpreter.output(0).raw)


# With more and more heap: each try must raise an error of memory or run right, and with more
# memory the same objects must work.
def little_memory(path, step):
    model = tflm.load(path)
    wanted = first_result(model)
    failed = ran = 0
    free = 0
    while not ran:
        interpreter = tflm.Interpreter(model)
        ballast = ballast_except(free)
        try:
            interpreter.invoke()
            ran += 1
        except _ERRORS:
            failed += 1
        ballast.clear()
        gc.collect()
        interpreter.invoke()
        if bytes(interpreter.output(0).raw) != wanted:
            raise RuntimeError("another output after a failure")
        interpreter.free()
        free += step
        if not failed % 64:
            progress(failed, "failures, with", free, "bytes")
    print(failed, ran)


# With more and more heap, starting at `import tflm`: no module that was cut short may stay.
def little_memory_to_import(path, step):
    global tflm
    wanted = first_result(path)
    failed = ran = 0
    free = 0
    while not ran:
        tflm = None
        for name in list(sys.modules):
            if name.startswith("tflm"):
                del sys.modules[name]
        ballast = ballast_except(free)
        try:
            tflm = __import__("tflm")
            first_result(path)
            ran += 1
        except MemoryError:
            failed += 1
        except Exception as error:  # its class is one of the modules that went
            if type(error).__name__ not in ("ArenaError", "ModelError"):
                raise
            if "heap" not in str(error):
                raise
            failed += 1
        ballast.clear()
        gc.collect()
        tflm = __import__("tflm")
        if first_result(path) != wanted:
            raise RuntimeError("another output after a failure")
        free += step
        if not failed % 64:
            progress(failed, "failures, with", free, "bytes")
    print(failed, ran)


# Arenas of every size up to the needed one, and a request for memory that fails at each point.
def requests(path):
    model = tflm.load(path)
    whole = tflm.Interpreter(model)
    whole.invoke()
    wanted = bytes(whole.output(0).raw)
    needed = whole.arena_used_bytes()
    failed = 0
    for size in range(0, needed + 64, 16):
        interpreter = tflm.Interpreter(model, size)
        try:
            interpreter.invoke()
            if bytes(interpreter.output(0).raw) != wanted:
                raise RuntimeError("another output in %d bytes" % size)
        except tflm.ArenaError as error:
            if error.needed <= error.available:
                raise
            failed += 1
    arena = tflm.Arena(needed + 4096)
    sections = arena.sections
    request = type(sections).allocate_persistent_buffer
    for point in range(1000):
        left = [point]

        def failing(self, *arguments, left=left):
            left[0] -= 1
            if left[0] < 0:
                raise MemoryError
            return request(self, *arguments)

        type(sections).allocate_persistent_buffer = failing
        before = sections.positions()
        interpreter = tflm.Interpreter(model, arena)
        try:
            interpreter.allocate_tensors()
            done = True
        except (MemoryError, tflm.ArenaError):
            done = False
            if sections.positions() != before:
                raise RuntimeError("an arena is not as it was")
        type(sections).allocate_persistent_buffer = request
        if done:
            break
        failed += 1
    interpreter.invoke()
    if bytes(interpreter.output(0).raw) != wanted:
        raise RuntimeError("another output after failures")
    print(failed, done)


kind, count = sys.argv[1], int(sys.argv[2])
if kind == "invokes":
    invokes(sys.argv[3], count)
elif kind == "loads":
    loads(sys.argv[3:], count)
elif kind == "memory":
    little_memory(sys.argv[3], count)
elif kind == "imports":
    little_memory_to_import(sys.argv[3], count)
else:
    requests(sys.argv[3])
