# bench: counts one invoke() of a model, inside MicroPython on an emulated Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

import cycles_device
import micropython
import tflm
import uctypes

# Memory after the image of files: a word that counts bytes, then the notes (qemu_xtensa.py).
_NOTES = 0x60C00000


# A step of a program that notes CCOUNT.
@micropython.viper
def mark(op, arena, rom, start: int, stop: int):
    #: 364100 entry a1, 32
    #: 62a60c movi a6, 0x60c
    #: c06601 slli a6, a6, 20
    #: 7806 l32i.n a7, a6, 0
    #: 4b77 addi.n a7, a7, 4
    #: 7906 s32i.n a7, a6, 0
    #: 6a77 add.n a7, a7, a6
    #: 80ea03 rsr.ccount a8
    #: 8907 s32i.n a8, a7, 0
    #: 0c02 movi.n a2, 0
    #: 1df0 retw.n
    raise NotImplementedError("no machine code; compile with tflm_tools.packages")


# Copy the bytes of all inputs from a file.
def set_inputs(interpreter, path):
    with open(path, "rb") as file:
        for i in range(interpreter.inputs_size()):
            file.readinto(interpreter.input(i).kept.raw)


# As cycles_device.run(), with files in ROMFS and notes in memory; prints both, and the outputs.
def run():
    cycles_device.mark = mark
    interpreter = tflm.Interpreter(tflm.load("/rom/model.tflm"))
    set_inputs(interpreter, "/rom/inputs")
    uctypes.bytearray_at(_NOTES, 4)[:] = bytes(4)
    ran = cycles_device.invoke_first(interpreter)
    set_inputs(interpreter, "/rom/inputs")
    program = interpreter._program
    program.graphs[0], calls = cycles_device.annotated(program)
    micropython.heap_lock()
    mark(0, 0, 0, 0, 0)
    mark(0, 0, 0, 0, 0)
    interpreter.invoke()
    mark(0, 0, 0, 0, 0)
    micropython.heap_unlock()
    size = int.from_bytes(uctypes.bytearray_at(_NOTES, 4), "little")
    print(binascii.hexlify(uctypes.bytearray_at(_NOTES + 4, size)).decode())
    for i in range(interpreter.outputs_size()):
        print(binascii.hexlify(interpreter.output(i).kept.raw).decode())
    print(calls, interpreter.arena_used_bytes(), 0, *ran)
