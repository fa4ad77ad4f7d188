# bench: counts the cycles of basic blocks on a Cortex-M0+ by ARM's manual
# MIT license; Copyright (c) 2026 the tflm authors

# ARM's Technical Reference Manual, instruction set summary, with the single-cycle multiplier (the
# RP2040 has it) and memory without wait states. Waits for memory (misses of the XIP cache, two
# masters on one bank of SRAM) and interrupts are not modelled.

from instructions import is_wide_thumb


# True for B<cond>.
def is_conditional(half):
    return half >> 12 == 0b1101 and half >> 8 & 15 < 14


# Cycles of an instruction by the Cortex-M0+ manual (Technical Reference Manual, instruction set
# summary), with the single-cycle multiplier and without wait states. B<cond>: as if not taken.
def instruction_cycles(half):
    if is_wide_thumb(half):
        return 3  # BL, MRS, MSR and barriers: all that ARMv6-M has
    top = half >> 12
    if half >> 11 == 0b01001 or 5 <= top <= 9:
        return 2  # LDR and STR of any size
    if half >> 8 == 0b10111101:
        return 4 + (half & 0xFF).bit_count()  # POP with PC: 3 + registers
    if half >> 9 in (0b1011010, 0b1011110):
        return 1 + (half & 0x1FF).bit_count()  # PUSH, POP
    if top == 0b1100:
        return 1 + (half & 0xFF).bit_count()  # LDM, STM
    if half >> 11 == 0b11100 or half >> 8 == 0b01000111:
        return 2  # B, BX, BLX
    if half >> 8 in (0b01000100, 0b01000110) and half >> 4 & 8 | half & 7 == 15:
        return 2  # ADD and MOV to PC
    return 1


# Return (cycles, instructions, fall-through address of B<cond> at the end or None, extra cycles if
# that branch is taken) of a basic block.
def block_cost(address, code):
    cycles = instructions = position = 0
    half = 0
    while position < len(code):
        half = code[position] | code[position + 1] << 8
        cycles += instruction_cycles(half)
        instructions += 1
        position += 4 if is_wide_thumb(half) else 2
    return cycles, instructions, address + len(code) if is_conditional(half) else None, 1
