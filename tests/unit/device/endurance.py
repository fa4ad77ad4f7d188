# Device side of test_endurance.py: invokes, loads and failures by the thousand
# MIT license; Copyright (c) 2026 the tflm authors

import gc
import sys
from array import array

import micropython
import tflm
from tflm.errors import ArenaError

_ERRORS = (MemoryError, ArenaError)  # made while there is memory
_PARTS = 20  # of a long run: a line says how far it is


# A line that the test shows and does not take for a result.
def progress(*words):
    print("#", *words)


# `count` invokes with the heap locked, on four inputs in turn: the same outputs and the same heap
# at the end. The heap is open only for a line of progress, twenty times.
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
        stop = min(done + max(1, count // _PARTS), count)
        micropython.heap_lock()
        while done < stop:
            k = done & 3
            i = 0
            while i < size:  # a slice would take heap
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


# The largest piece of heap that there is, in steps of 256 bytes.
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


# Load, run and let go of models in turn. How much less the free heap and its largest piece are in
# the last quarter than in the first one, at best: where a piece lies depends on the collector.
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
        if not (turn + 1) % max(1, count // _PARTS):
            progress(turn + 1, "of", count)
    some = count // 4
    print(*[max(found[1:some]) - max(found[count - some :]) for found in (free, piece)])


# A heap with `room` bytes left: what takes the rest, until the caller lets it go.
def ballast_but(room):
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
    # Give back what comes to `room` bytes.
    given = 0
    while pieces and given < room:
        pieces -= 1
        given += len(ballast[pieces])
        ballast[pieces] = None
    gc.collect()
    return ballast


# The output of a model, as bytes.
def first_result(model):
    interpreter = tflm.Interpreter(model)
    interpreter.invoke()
    return bytes(interpreter.output(0).raw)


# With more and more room: what comes then must be an error of memory, or a right run, and with
# more memory the same objects work.
def little_memory(path, step):
    model = tflm.load(path)
    wanted = first_result(model)
    failed = ran = 0
    room = 0
    while not ran:
        interpreter = tflm.Interpreter(model)
        ballast = ballast_but(room)
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
        room += step
        if not failed % 64:
            progress(failed, "failures, with", room, "bytes")
    print(failed, ran)


# The same from the first `import tflm` on: no module that was cut short may stay.
def little_memory_to_import(path, step):
    global tflm
    wanted = first_result(path)
    failed = ran = 0
    room = 0
    while not ran:
        tflm = None
        for name in list(sys.modules):
            if name.startswith("tflm"):
                del sys.modules[name]
        ballast = ballast_but(room)
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
        room += step
        if not failed % 64:
            progress(failed, "failures, with", room, "bytes")
    print(failed, ran)


# Arenas of every size up to what is needed, and a request for memory that fails at each point.
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
