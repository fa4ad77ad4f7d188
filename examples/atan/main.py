# Example: run atan.tflite, or the model in the first argument, with the operator of atan.py
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import atan
import tflm

resolver = tflm.OpResolver()
atan.register(resolver)

interp = tflm.Interpreter(sys.argv[1] if len(sys.argv) > 1 else "atan.tflite", resolver=resolver)
interp.input(0).quantize([-4, -2, -1, -0.5, 0, 0.5, 1, 2])
interp.invoke()
print(["%.4f" % value for value in interp.output(0).dequantize()])
