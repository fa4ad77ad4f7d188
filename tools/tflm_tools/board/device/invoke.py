# tflm_tools: board: runs on a board: receives a model's inputs, times invoke(), prints outputs
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


# The Python expression for the stored model `name` whose first bytes are `head`, or None.
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


# Allocate a buffer and make it the target of fill().
def allocate(size):
    global _target, _at
    gc.collect()
    _target = memoryview(bytearray(size))
    _at = 0
    return _target


# Make input `i` the target of fill().
def select_input(i):
    global _target, _at
    _target = _values[i] if _values else _interpreter.input(i).kept.raw
    _at = 0


# Append base64 data to the target.
def fill(text):
    global _at
    data = a2b_base64(text)
    _target[_at : _at + len(data)] = data
    _at += len(data)


# Make the interpreter of a model that the host has checked. copy_inputs: keep a copy of the inputs
# for several invokes, as an invoke may overwrite them. tensors: keep all tensors. profiler: a
# Profiler, or None.
def start(model, resolver, copy_inputs, tensors, profiler):
    global _interpreter, _values, _profiler
    import tflm

    _profiler = profiler
    _interpreter = tflm.Interpreter(
        tflm.load(model, True), None, resolver=resolver, keep_tensors=tensors, profiler=_profiler
    )
    _interpreter.allocate_tensors()
    _values = []
    if copy_inputs:
        _values = [
            bytearray(len(_interpreter.input(i).kept.raw))
            for i in range(_interpreter.inputs_size())
        ]
    gc.collect()
    return _interpreter.arena_used_bytes()


# Restore the inputs from their copy: the invoke before may have overwritten them.
def _restore_inputs():
    for i in range(len(_values)):
        _interpreter.input(i).kept.raw[:] = _values[i]


# Invoke `count` times; return the microseconds of each. A kernel's error also allocates memory, so
# after a MemoryError with the heap locked the model runs again unlocked, to raise that error. That
# needs the copy of the inputs.
def timed_invokes(count, locked):
    times = []
    for _ in range(count):
        _restore_inputs()
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
                    _restore_inputs()
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


# [number, bytes] of all kept tensors.
def kept_tensors():
    return [[number, len(t.raw)] for number, t in _interpreter.tensors().items()]
