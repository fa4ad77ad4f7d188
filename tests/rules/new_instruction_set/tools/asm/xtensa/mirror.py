# The kernel of an operator that is made up
# MIT license; Copyright (c) 2026 the tflm authors


def mirror():
    """Every bit of a number, the other way round."""
    return "@micropython.asm_xtensa\ndef mirror(a2):\n    movi(a3, 255)\n    xor(a2, a2, a3)\n"
