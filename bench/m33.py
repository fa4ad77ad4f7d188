# The measuring bench: what a cycle of a Cortex-M33 is, block by block
# MIT license; Copyright (c) 2026 the tflm authors

# ARM's Technical Reference Manual has no table of cycles. These are findings on an RP2350 by its
# counter of cycles, as https://github.com/jnk0le/random (pipeline cycle test, cortex_m33.md) tells
# them; what is marked with "assumed" is not among them. An instruction takes a cycle, and what it
# makes is there for the next one, but:
#
# * loads are there one cycle later, at once for a store and for the sum of a multiplication;
# * so are products, at once for the sum of the next multiplication and for a store; and what comes
#   of an operand that is shifted;
# * loads and stores of several words take a cycle for each; MULS, which sets flags, takes two;
# * a branch that is not taken, IT and NOP take none behind an instruction of 16 bits, if they have
#   16 bits; a branch that is taken takes two, one behind 16 bits that set no flags.
#
# Memory has no wait states. Not modelled: fetches that lag behind unaligned wide instructions.

from functools import cache

import capstone
from capstone import arm

_DIVISION = 6  # assumed: 2 to 12 by the operands
_TO_REGISTER = 3  # assumed: BX, BLX, POP and LDR of PC, beside what they load
_LATE = 2  # cycles from an instruction to one that takes its result
_SEVERAL = ("ldm", "stm", "push", "pop", "ldrd", "strd")
_PRODUCTS = ("mul", "mla", "mls", "sml", "smm", "smu", "uml", "umu", "uma")
_SUMS = ("mla", "mls", "sml", "smml", "uml", "uma")  # their last operand is a sum
_FLAGS = "cpsr"


@cache
def _disassembler():
    mode = capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS | capstone.CS_MODE_V8
    made = capstone.Cs(capstone.CS_ARCH_ARM, mode)
    made.detail = True
    return made


class _Instruction:
    def __init__(self, insn):
        self.name = insn.mnemonic.split(".")[0]
        self.is_short = insn.size == 2
        reads, writes = insn.regs_access()
        self.reads = {insn.reg_name(each) for each in reads} - {_FLAGS, "pc"}
        self.writes = [insn.reg_name(each) for each in writes]
        self.sets_flags = insn.update_flags or _FLAGS in self.writes
        self.is_load = self.name.startswith(("ldr", "ldm", "pop"))
        self.is_store = self.name.startswith(("str", "stm", "push"))
        self.is_product = self.name.startswith(_PRODUCTS)
        registers = [insn.reg_name(o.reg) for o in insn.operands if o.type == arm.ARM_OP_REG]
        self.sum = registers[-1] if self.name.startswith(_SUMS) and registers else None
        self.stored = set(registers[:2] if self.name == "strd" else registers[:1])
        shifted = any(o.shift.type != arm.ARM_SFT_INVALID for o in insn.operands)
        self.is_shifted = shifted and not self.is_short and not (self.is_load or self.is_store)
        jumps = capstone.CS_GRP_JUMP in insn.groups or capstone.CS_GRP_CALL in insn.groups
        self.is_branch = jumps or "pc" in self.writes
        self.is_conditional = self.is_branch and (
            self.name.startswith("cb") or insn.cc not in (arm.ARMCC_AL, arm.ARMCC_UNDEF)
        )
        self.is_far = self.is_branch and (
            self.is_load or self.name in ("bx", "blx", "bxns", "blxns", "mov")
        )
        self.words = 1
        if self.name.startswith(_SEVERAL):
            moved = registers[:2] if self.name.endswith("d") else registers
            self.words = max(1, len(moved) - (self.name[:3] in ("ldm", "stm")))

    # Cycles from its beginning until the next instruction may begin.
    @property
    def cycles(self):
        if self.name == "muls":
            return 2
        if self.name in ("sdiv", "udiv"):
            return _DIVISION
        return self.words

    # Cycles from its beginning until `user` can take register `name`.
    def until(self, name, user):
        late = self.is_load or self.is_product or self.is_shifted
        if user.is_store and name in user.stored and not self.is_shifted or name == user.sum:
            late = False
        return self.cycles - 1 + (_LATE if late else 1)


# Cycles of a branch behind another instruction: (not taken, taken).
def _branch(branch, before):
    paired = before is not None and before.is_short and branch.is_short
    if branch.is_far:
        taken = branch.words * branch.is_load + _TO_REGISTER
    else:
        taken = 1 if paired and not before.sets_flags else 2
    return (0 if paired else 1), taken


def block_cost(address, code):
    """(cycles, instructions, address that follows a conditional branch at the end or None, cycles
    more where that is taken) of a basic block; results of the block before it are all there."""
    begun, now, before, extra = {}, 0, None, 0
    found = [_Instruction(insn) for insn in _disassembler().disasm(code, address)]
    for each in found:
        paired = before is not None and before.is_short and each.is_short
        if each.is_branch:
            not_taken, taken = _branch(each, before)
            now += not_taken if each.is_conditional else taken
            extra = taken - not_taken if each.is_conditional else 0
        elif each.name.startswith("it") or each.name == "nop":
            now += 0 if paired else 1
        else:
            for name in each.reads & begun.keys():
                start, maker = begun[name]
                now = max(now, start + maker.until(name, each))
            for name in each.writes:
                begun[name] = now, each
            now += each.cycles
        before = each
    ends = found and found[-1].is_conditional
    return now, len(found), address + len(code) if ends else None, extra
