# bench: counts one invoke() of a flat model, inside the emulated MicroPython
# MIT license; Copyright (c) 2026 the tflm authors

import gc

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


# A step of a program that notes the cycles so far.
@micropython.viper
def mark(op, arena, rom, start: int, stop: int):
    ptr32(_DEVICE)[1] = start


# A step that does nothing: it measures the cost of a kernel call.
@micropython.viper
def nothing(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    pass


# Let the emulator read `size` bytes at `address`.
@micropython.viper
def show(address: int, size: int):
    device = ptr32(_DEVICE)
    device[2] = address
    device[3] = size


# Copy the bytes of all inputs to the model's input tensors.
def set_inputs(interpreter, address):
    for i in range(interpreter.inputs_size()):
        raw = interpreter.input(i).kept.raw
        raw[:] = uctypes.bytearray_at(address, len(raw))
        address += len(raw)


# Return the row source of an input whose floats are stored as integers: a function that copies
# `row_bytes` ready bytes a row, since quantization is not part of the measured invoke.
def rows_at(address, row_bytes):
    inside = None

    def fill(data):
        nonlocal address, inside
        if inside is None:
            inside = memoryview(data._kept)
        inside[:] = uctypes.bytearray_at(address, row_bytes)
        address += row_bytes

    return fill


# Return the argument of invoke(): the rows as a buffer or a function; None if all inputs are set.
def source_of(interpreter, address, row_bytes):
    if row_bytes:
        rows = interpreter.input(0)
        if rows.is_as_kept:
            return uctypes.bytearray_at(address, row_bytes * rows.shape[1])
        return rows_at(address, row_bytes)
    set_inputs(interpreter, address)


# Return the steps of a program with a note after each, and the number of their kernel calls
# without banded steps. The first steps measure: two notes, then an empty kernel and a note.
def annotated(program):
    step = (mark, program.rom, 1, 1)
    steps = [step, step, (nothing, 0, 1, -1), step]
    calls = 0
    for each in program.graphs[0]:
        steps.append(each)
        steps.append(step)
        slice_units = abs(each[3]) or each[2]
        calls += (each[2] + slice_units - 1) // slice_units
    return steps, calls


# Runs a program as its profiler, with a note after each step and each banded step. ran: for each
# note, the number of the banded step in its list, from 1; 0 for a step of list 0.
class Notes:
    def __init__(self):
        self.ran = []

    def invoke(self, program):
        mark(0, 0, 0, 0, 0)
        for function, record, units, slice_units in program.graphs[0]:
            if isinstance(record, tuple):
                steps = [(self._noted(i, step),) + step[1:] for i, step in enumerate(record[2])]
                record = record[:2] + (steps,) + record[3:]
            program.run_steps(((function, record, units, slice_units),))
            mark(0, 0, 0, 0, 0)
            self.ran.append(0)

    def _noted(self, i, step):
        function = step[0]

        def noting(record, arena, rom, start, stop):
            function(record, arena, rom, start, stop)
            mark(0, 0, 0, 0, 0)
            self.ran.append(1 + i)

        def noting_units(record, arena, rom, units):
            function(record, arena, rom, units)
            mark(0, 0, 0, 0, 0)
            self.ran.append(1 + i)

        return noting if step[3] else noting_units

    def run(self, program, number):
        return program.run_steps(program.graphs[number])


# Run the first of two invokes, which also fills MicroPython's cache of names. Return Notes.ran if
# the program has bands.
def invoke_first(interpreter, source=None):
    program = interpreter._program
    if not program.bands:
        interpreter.invoke(source)
        return []
    notes = interpreter.profiler = Notes()
    interpreter.invoke(source)
    interpreter.profiler = None
    return notes.ran


# Count one invoke(), which two notes precede and one follows.
def counted(interpreter, source):
    gc.collect()
    if source is None:
        micropython.heap_lock()
    count(1)
    mark(None, None, None, 0, 0)
    mark(None, None, None, 0, 0)
    interpreter.invoke(source)
    mark(None, None, None, 0, 0)
    count(0)
    if source is None:
        micropython.heap_unlock()


# Count the second invoke() of a flat model, with a note after each step. If the model has bands,
# the first invoke is counted, too. If machine code runs several steps at once (short_steps.py),
# which notes prevent, two invokes are counted as a whole: one without this and one with it. A 1 is
# printed for each step that runs so.
# copy: run a copy of the model in RAM; None: as tflm.load() chooses. kept: bytes of weights in RAM
# if the others are streamed, None without streaming. row_bytes: size of a row of an input that
# comes by rows, 0 without.
def run(model, model_bytes, inputs, row_bytes, cores=1, copy=None, kept=None):
    model = uctypes.bytearray_at(model, model_bytes)
    delegates = []
    if kept is not None:
        from tflm.run.streaming import Streaming

        delegates = [Streaming(kept)]
    model = tflm.load(model, copy=copy)
    interpreter = tflm.Interpreter(model, cores=cores, delegates=delegates)
    source = source_of(interpreter, inputs, row_bytes)
    interpreter.allocate_tensors()
    program = interpreter._program
    count(1 if program.bands else 0)
    ran = invoke_first(interpreter, source)
    count(0)
    source = source_of(interpreter, inputs, row_bytes)
    steps = program.graphs[0]
    program.graphs[0], calls = annotated(program)
    counted(interpreter, source)
    for i in range(interpreter.outputs_size()):
        raw = interpreter.output(i).kept.raw
        show(uctypes.addressof(raw), len(raw))
    is_joined = program.ready[2][4] is not None
    joined = "".join([str(int(is_joined and step[3] == 0)) for step in steps])
    if is_joined:
        for each in (list(steps), steps):
            program.graphs[0] = each
            counted(interpreter, source_of(interpreter, inputs, row_bytes))
    print(calls, interpreter.arena_used_bytes(), joined, *ran)
