# tflm_tools: sent to a board: a model's inputs come, invoke is timed, its outputs go
# MIT license; Copyright (c) 2026 the tflm authors

import gc
from binascii import a2b_base64, b2a_base64

import micropython

try:
    from time import ticks_diff, ticks_us
except ImportError:  # emulated boards without a clock: all times are 0

    def ticks_us():
        return 0

    def ticks_diff(end, begin):
        return end - begin


# The expression that gives the model of a name whose first bytes are these; None without it.
def find(name, head):
    for path in ("/rom/%s.tflm" % name, "%s.tflm" % name):
        try:
            with open(path, "rb") as file:
                if file.read(len(head)) == head:
                    return repr(path)
        except (OSError, NameError, AttributeError):
            pass
    try:
        import tflm_flash

        if bytes(tflm_flash.model(name)[: len(head)]) == head:
            return "__import__('tflm_flash').model(%r)" % name
    except (ImportError, OSError):
        pass
    return None


# Make room in RAM for a model that is sent next.
def make_room(size):
    global _target, _at
    gc.collect()
    _target = memoryview(bytearray(size))
    _at = 0
    return _target


# Bytes that come go to what `aim` was last given.
def aim(i):
    global _target, _at
    _target = _values[i] if _values else _interpreter.input(i).kept.raw
    _at = 0


def fill(text):
    global _at
    data = a2b_base64(text)
    _target[_at : _at + len(data)] = data
    _at += len(data)


# Make the interpreter of a model that the host has checked. keep: room for a copy of the inputs,
# which an invoke may overwrite. profiler: a Profiler, or None.
def start(model, resolver, keep, tensors, profiler):
    global _interpreter, _values, _profiler
    import tflm

    _profiler = profiler
    _interpreter = tflm.Interpreter(
        tflm.load(model, True), None, resolver=resolver, keep_tensors=tensors, profiler=_profiler
    )
    _interpreter.allocate_tensors()
    _values = []
    if keep:
        _values = [
            bytearray(len(_interpreter.input(i).kept.raw))
            for i in range(_interpreter.inputs_size())
        ]
    gc.collect()
    return _interpreter.arena_used_bytes()


# Give the inputs their bytes again: an invoke may have overwritten them.
def _refill():
    for i in range(len(_values)):
        _interpreter.input(i).kept.raw[:] = _values[i]


# Invoke so many times; the microseconds of each. An error of a kernel takes memory, too: what it
# says is heard with the heap unlocked, where the inputs are still there to invoke again.
def go(count, locked):
    times = []
    for _ in range(count):
        _refill()
        gc.collect()
        if locked:
            micropython.heap_lock()
        try:
            begin = ticks_us()
            _interpreter.invoke()
            end = ticks_us()
        except MemoryError:
            if locked:
                micropython.heap_unlock()
                locked = False
                if _values:
                    _refill()
                    _interpreter.invoke()
            raise
        finally:
            if locked:
                micropython.heap_unlock()
        times.append(ticks_diff(end, begin))
    return times


# Print bytes of a buffer as base64.
def show(raw, start, stop):
    print(b2a_base64(raw[start:stop]).decode(), end="")


# [number, bytes] of every tensor that is kept.
def kept():
    return [[number, len(t.raw)] for number, t in _interpreter.tensors().items()]
