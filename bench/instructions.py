# bench: counts the instructions of basic blocks on cores without a cycle table
# MIT license; Copyright (c) 2026 the tflm authors

# A Cortex-M33 issues some instructions in pairs, and RV32 cores differ, so no table of cycles
# exists. An instruction under a false IT condition counts, too.


# Count the instructions in `code`; the first halfword of each gives its length.
def _count(code, is_wide):
    count = position = 0
    while position < len(code):
        position += 4 if is_wide(code[position] | code[position + 1] << 8) else 2
        count += 1
    return count


# True for the first half of a 32-bit Thumb instruction.
def is_wide_thumb(half):
    return half >> 11 in (0b11101, 0b11110, 0b11111)


# True for the first half of a 32-bit RISC-V instruction.
def is_wide_riscv(half):
    return half & 3 == 3


# Return (cost, instructions, None, 0) of a basic block, like m0plus.block_cost().
def thumb_block(address, code):
    count = _count(code, is_wide_thumb)
    return count, count, None, 0


def riscv_block(address, code):
    count = _count(code, is_wide_riscv)
    return count, count, None, 0
