# page: runs /rom/model.tflm on the board: bytes in, outputs and times of operators as JSON out
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import json

import micropython
import tflm

_MAX_VALUES = 256  # printed values of an output

_profiler = tflm.Profiler()
_interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"), profiler=_profiler)
_interpreter.allocate_tensors()
_interpreter.invoke()  # the first invoke also loads kernels
_interpreter.reset()


def put(number, at, text):
    """Write bytes (base64) into an input, from byte `at` on."""
    data = binascii.a2b_base64(text)
    _interpreter.input(number).raw[at : at + len(data)] = data


@micropython.viper
def _noise(data: ptr8, count: int, state: int):
    for i in range(count):
        state = state * 214013 + 2531011
        data[i] = state >> 16


def fill(number, seed):
    """Fill an input with random bytes."""
    raw = _interpreter.input(number).raw
    _noise(raw, len(raw), seed)


def give(number, values):
    """Quantize real numbers into an input."""
    _interpreter.input(number).quantize(values)


# Return the first real numbers of a tensor. All of them may not fit in the heap.
def _values(tensor):
    kept = tensor.kept
    if not kept.scale:
        return [float(q) for q in kept.data[:_MAX_VALUES]]
    return [kept.scale * (q - kept.zero_point) for q in kept.data[:_MAX_VALUES]]


def go():
    """Run once; print the outputs as real numbers, and the microseconds of each operator."""
    _profiler.clear()
    _interpreter.invoke()
    outputs = []
    for i in range(_interpreter.outputs_size()):
        outputs.append(_values(_interpreter.output(i)))
    print(json.dumps({"outputs": outputs, "events": _profiler.events()}))
