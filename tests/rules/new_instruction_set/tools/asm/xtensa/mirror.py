# Generator of the assembler kernel of the example of a new operator
# MIT license; Copyright (c) 2026 the tflm authors


def mirror():
    """Return the source of a function that inverts the bits of a byte."""
    return "@micropython.asm_xtensa\ndef mirror(a2):\n    movi(a3, 255)\n    xor(a2, a2, a3)\n"
