# Page: runs /rom/model.tflm: bytes in, outputs and times of operators as JSON out
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import json

import micropython
import tflm

_MOST = 256  # values of an output that are told

_profiler = tflm.Profiler()
_interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"), profiler=_profiler)
_interpreter.allocate_tensors()
_interpreter.invoke()  # the first one loads kernels, too
_interpreter.reset()


def put(number, at, text):
    """Put bytes (base64) into an input."""
    data = binascii.a2b_base64(text)
    _interpreter.input(number).raw[at : at + len(data)] = data


@micropython.viper
def _noise(data: ptr8, count: int, state: int):
    for i in range(count):
        state = state * 214013 + 2531011
        data[i] = state >> 16


def fill(number, seed):
    """Give random bytes to an input."""
    raw = _interpreter.input(number).raw
    _noise(raw, len(raw), seed)


def give(number, values):
    """Give real numbers to an input."""
    _interpreter.input(number).quantize(values)


# The first real numbers of a tensor, as dequantize() gives all of them, which may be too many.
def _values(tensor):
    kept = tensor.kept
    if not kept.scale:
        return [float(q) for q in kept.data[:_MOST]]
    return [kept.scale * (q - kept.zero_point) for q in kept.data[:_MOST]]


def go():
    """Run once; print the outputs as real numbers, and the microseconds of each operator."""
    _profiler.clear()
    _interpreter.invoke()
    outputs = []
    for i in range(_interpreter.outputs_size()):
        outputs.append(_values(_interpreter.output(i)))
    print(json.dumps({"outputs": outputs, "events": _profiler.events()}))
