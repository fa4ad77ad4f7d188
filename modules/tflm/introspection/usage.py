# tflm: The text of tflm.help() and help(tflm).
# MIT license; Copyright (c) 2026 the tflm authors

TEXT = """tflm runs TensorFlow Lite Micro models.

  interp = tflm.Interpreter(tflm.load("model.tflm"))  # .tflite works, too
  interp.input(0).quantize(values)    real numbers, nested or flat
  interp.invoke()                     or: await interp.invoke_async()
  interp.output(0).dequantize()       a flat list of floats

  print(interp)         inputs, outputs, operators
  interp.summary()      tensors, operators and arena as tables
  interp.profile()      invokes once; microseconds of each operator
  tflm.load(source)     a path or a buffer; read in place where possible
  tflm.Interpreter      arena=, resolver=, profiler=, delegates=, cores=
  tflm.Tensor           shape dtype scale zero_point name data raw
  tflm.Arena            memory that several interpreters share
  tflm.OpResolver       your own operators: add_custom(name, object)
  tflm.Profiler         microseconds of each operator, over many invokes
  tflm.TflmError        the base class of all errors of tflm"""
