# The measuring bench, inside the emulated MicroPython: one counted invoke() of a flat model
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
import tflm
import uctypes
from micropython import const

# Words of the emulator (core.py): store to count, note the time, show memory.
_DEVICE = const(0x30000000)


# Begin (1) or end (0) counting.
@micropython.viper
def count(on: int):
    ptr32(_DEVICE)[0] = on


# A step of a program that takes note of the cycles so far.
@micropython.viper
def mark(op, arena, rom, start: int, stop: int):
    ptr32(_DEVICE)[1] = start


# A step that does nothing: what calling a kernel costs.
@micropython.viper
def nothing(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    pass


# Let the emulator read `size` bytes at `address`.
@micropython.viper
def show(address: int, size: int):
    device = ptr32(_DEVICE)
    device[2] = address
    device[3] = size


# Copy the bytes of all inputs to where the model has them.
def set_inputs(interpreter, address):
    for i in range(interpreter.inputs_size()):
        raw = interpreter.input(i).kept.raw
        raw[:] = uctypes.bytearray_at(address, len(raw))
        address += len(raw)


# The steps of a program with a note behind each; before them two notes one behind the other, and
# one behind an empty kernel. What runs in bands has notes behind its steps, too. Returns the steps
# and how many calls of kernels they make, those of bands apart.
def annotated(program):
    step = (mark, program.rom, 1, 1)
    for number in program.bands:
        program.graphs[number] = [each for pair in program.graphs[number] for each in (pair, step)]
    steps = [step, step, (nothing, program.rom, 1, 1), step]
    calls = 0
    for each in program.graphs[0]:
        steps.append(each)
        steps.append(step)
        calls += (each[2] + each[3] - 1) // each[3]
    return steps, calls


# Count one invoke() of a flat model. It is the second one, as a program in its loop has it: the
# first one also fills MicroPython's cache of names. Notes before invoke(): two, one behind the
# other; and one behind it. `copy`: of the model, in RAM. `kept`: bytes of weights in RAM where
# others are streamed; None where none are.
def run(model, model_bytes, inputs, cores=1, copy=False, kept=None):
    model = uctypes.bytearray_at(model, model_bytes)
    delegates = []
    if kept is not None:
        from tflm.run.streaming import Streaming

        delegates = [Streaming(kept)]
    model = bytearray(model) if copy else model
    interpreter = tflm.Interpreter(model, cores=cores, delegates=delegates)
    set_inputs(interpreter, inputs)
    interpreter.invoke()
    set_inputs(interpreter, inputs)
    program = interpreter._program
    program.graphs[0], calls = annotated(program)
    micropython.heap_lock()
    count(1)
    mark(None, None, None, 0, 0)
    mark(None, None, None, 0, 0)
    interpreter.invoke()
    mark(None, None, None, 0, 0)
    count(0)
    micropython.heap_unlock()
    for i in range(interpreter.outputs_size()):
        raw = interpreter.output(i).kept.raw
        show(uctypes.addressof(raw), len(raw))
    print(calls, interpreter.arena_used_bytes())
