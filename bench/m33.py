# bench: counts the cycles of basic blocks on a Cortex-M33
# MIT license; Copyright (c) 2026 the tflm authors

# ARM's Technical Reference Manual has no table of cycles. These rules were measured on an RP2350
# (https://github.com/jnk0le/random, pipeline cycle test, cortex_m33.md), except those marked
# "assumed". An instruction takes one cycle, and the next instruction can use its result, except:
#
# * A loaded value is available one cycle later; a store and the sum of a multiplication can use it
#   at once.
# * A product is available one cycle later; the sum of the next multiplication and a store can use
#   it at once. The result of a shifted operand is available one cycle later.
# * Loads and stores of several words take one cycle a word. MULS, which sets flags, takes two.
# * A sum, difference or product of the FPU is available one cycle later. Conversions of numbers,
#   VDIV and VSQRT are assumed.
# * A 16-bit branch that is not taken, IT and NOP take no cycle after a 16-bit instruction. A taken
#   branch takes two cycles, or one after a 16-bit instruction that sets no flags.
#
# Memory has no wait states. Fetch delays caused by unaligned wide instructions are not modelled.

from functools import cache

import capstone
from capstone import arm

_DIVISION = 6  # assumed; 2 to 12, depending on the operands
_FLOAT_DIVISION = 14  # assumed, as in a Cortex-M4: VDIV and VSQRT
_TO_REGISTER = 3  # assumed: BX, BLX, POP and LDR of PC, without the loads
_LATE = 2  # cycles from an instruction to one that uses its result
_SEVERAL = ("ldm", "stm", "push", "pop", "ldrd", "strd", "vldm", "vstm", "vpush", "vpop")
_FLOAT = ("vadd", "vsub", "vmul", "vnmul", "vcvt")
_PRODUCTS = ("mul", "mla", "mls", "sml", "smm", "smu", "uml", "umu", "uma")
_SUMS = ("mla", "mls", "sml", "smml", "uml", "uma")  # their last operand is a sum
_FLAGS = "cpsr"


@cache
def _disassembler():
    mode = capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS | capstone.CS_MODE_V8
    disassembler = capstone.Cs(capstone.CS_ARCH_ARM, mode)
    disassembler.detail = True
    return disassembler


class _Instruction:
    def __init__(self, insn):
        self.name = insn.mnemonic.split(".")[0]
        self.is_short = insn.size == 2
        reads, writes = insn.regs_access()
        self.reads = {insn.reg_name(each) for each in reads} - {_FLAGS, "pc"}
        self.writes = [insn.reg_name(each) for each in writes]
        self.sets_flags = insn.update_flags or _FLAGS in self.writes
        self.is_load = self.name.startswith(("ldr", "ldm", "pop", "vldr", "vldm", "vpop"))
        self.is_store = self.name.startswith(("str", "stm", "push", "vst", "vpush"))
        self.is_product = self.name.startswith(_PRODUCTS)
        self.is_float = self.name.startswith(_FLOAT)
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
            self.words = max(1, len(moved) - (self.name.lstrip("v")[:3] in ("ldm", "stm")))

    # Cycles from the start of this instruction until the next one may start.
    @property
    def cycles(self):
        if self.name == "muls":
            return 2
        if self.name in ("sdiv", "udiv"):
            return _DIVISION
        if self.name in ("vdiv", "vsqrt"):
            return _FLOAT_DIVISION
        return self.words

    # Cycles from the start of this instruction until `user` can read register `name`.
    def until(self, name, user):
        late = self.is_load or self.is_product or self.is_shifted or self.is_float
        if user.is_store and name in user.stored and not self.is_shifted or name == user.sum:
            late = False
        return self.cycles - 1 + (_LATE if late else 1)


# Return the cycles of a branch after the instruction `before`: (not taken, taken).
def _branch(branch, before):
    paired = before is not None and before.is_short and branch.is_short
    if branch.is_far:
        taken = branch.words * branch.is_load + _TO_REGISTER
    else:
        taken = 1 if paired and not before.sets_flags else 2
    return (0 if paired else 1), taken


def block_cost(address, code):
    """Return the cost of a basic block whose inputs are all available.

    The cost is (cycles, instructions, fall-through address of a conditional branch at the end or
    None, extra cycles if that branch is taken).
    """
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
