# Device side of test_damaged_tflite.py: loads, prepares and invokes models that may be damaged
# MIT license; Copyright (c) 2026 the tflm authors

import json
import struct
import sys

import tflm

_ARENA = 1 << 16
_GUARD = 256
_FILL = b"\xc5"


# An arena between guard zones, filled with one byte.
block = bytearray(_FILL * (_ARENA + 2 * _GUARD))
untouched = _FILL * len(block)


# Assert that the bytes from `start` to `stop` have not changed.
def check_untouched(start, stop):
    if memoryview(block)[start:stop] != memoryview(untouched)[start:stop]:
        raise RuntimeError("bytes of the block between %d and %d were written" % (start, stop))


# Invoke a model, with zeros as the rows of an input that comes by rows.
def invoke_once(interpreter):
    if interpreter.inputs_size() == 1 and hasattr(interpreter.input(0), "row_bytes"):
        rows = interpreter.input(0)
        interpreter.invoke(lambda row: None)
        size = rows.row_bytes() * rows.shape[1]
        interpreter.invoke(bytes(min(size, 1 << 16)))
    else:
        interpreter.invoke()


# Do all that a user does with a model; return the name of the TflmError, or "ran".
def run(data, invoke):
    block[:] = untouched
    arena = tflm.Arena(memoryview(block)[_GUARD : _GUARD + _ARENA])
    before = bytes(data)
    try:
        interpreter = tflm.Interpreter(tflm.load(data), arena, max_while_steps=50)
        interpreter.allocate_tensors()
        if invoke:
            for i in range(interpreter.inputs_size()):
                raw = interpreter.input(i).raw
                for k in range(len(raw)):
                    raw[k] = k * 7 & 0xFF
            invoke_once(interpreter)
            for i in range(interpreter.outputs_size()):
                bytes(interpreter.output(i).raw)
                repr(interpreter.output(i))
        repr(interpreter)
        sections = arena.sections
        check_untouched(_GUARD + sections.head, _GUARD + sections.tail)
        result = "ran"
    except tflm.TflmError as error:
        if not str(error):
            raise
        result = type(error).__name__
    check_untouched(0, _GUARD)
    check_untouched(_GUARD + _ARENA, len(block))
    if data != before:
        raise RuntimeError("the model was written to")
    return result


# The file holds models, each after its size.
def main(path, invoke):
    counts = {}
    with open(path, "rb") as file:
        index = 0
        while True:
            size = file.read(4)
            if not size:
                break
            data = bytearray(file.read(struct.unpack("<I", size)[0]))
            print("model", index)
            result = run(data, invoke)
            counts[result] = counts.get(result, 0) + 1
            index += 1
    print(json.dumps(counts))


main(sys.argv[1], sys.argv[2] == "invoke")
