# Runs a .tflite with other input shapes: resize.py MODEL INPUT SHAPE (as 2,3), prints the outputs
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import sys

import micropython
import tflm

interpreter = tflm.Interpreter(tflm.load(sys.argv[1]))
interpreter.resize_input(0, [int(number) for number in sys.argv[3].split(",")])
interpreter.allocate_tensors()
with open(sys.argv[2], "rb") as file:
    data = file.read()
assert len(interpreter.input(0).raw) == len(data), interpreter.input(0).shape
interpreter.input(0).raw[:] = data
micropython.heap_lock()
interpreter.invoke()
micropython.heap_unlock()
for i in range(interpreter.outputs_size()):
    output = interpreter.output(i)
    print(",".join([str(d) for d in output.shape]), binascii.hexlify(output.raw).decode())
