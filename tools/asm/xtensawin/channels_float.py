# Parts of the hybrid kernels for Xtensa: operands of records, limits of the activation
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.record import word_of

ARGUMENTS = "op", "arena", "rom", "start", "stop"


def operand(t, layout, name, registers):
    """Store the address of an operand in the slot `name`; 0 for an absent one.

    registers: record, arena, rom, then two registers that are overwritten.
    """
    record, arena, rom, address, base = registers
    t.l32i(base, record, word_of(layout, name))
    t.srli(address, base, 2)
    t.extui(base, base, 0, 1)
    in_arena, known = t.new_label("in_arena"), t.new_label("known")
    t.beqz(base, in_arena)
    # The word 1 is an absent operand; the model begins with other bytes than an operand.
    t.moveqz(base, address, address)
    t.movnez(base, rom, address)
    t.add(address, address, base)
    t.j(known)
    t.label(in_arena)
    t.add(address, address, arena)
    t.label(known)
    t.store(address, name)


def limited(t, value, low, high):
    """Limit a number to the range between two others; a NaN stays."""
    t.olt_s("b0", value, low)
    t.movt_s(value, low, "b0")
    t.olt_s("b0", high, value)
    t.movt_s(value, high, "b0")
