# tflm_tools: packages: makes the Xtensa code of viper functions smaller and faster
# MIT license; Copyright (c) 2026 the tflm authors

# MicroPython's viper emitter translates each bytecode by itself: it loads locals from the frame,
# copies operands to fixed registers, and stores results in the frame. An ESP32 has only 28 KB of
# memory for machine code alone. optimize() repeats these steps until the code stays the same:
#
# 1. Within each block without branches, follow which registers and words of the frame hold the
#    same value or a constant. Loads become copies, operands become their sources.
# 2. Join a comparison, which makes 0 or 1, with the branch that tests it.
# 3. Remove jumps over jumps and to the next instruction.
# 4. Load halfwords with their sign.
# 5. Compute results directly in the register that they are copied to.
# 6. Remove what writes a register or a word of the frame that nothing reads.
#
# Then the most used words of the frame move to registers that are free, and the steps repeat.
#
# The frame of a function is private unless its address is used by anything but loads and stores,
# as for the arguments of a Python call. Then words of the frame are not followed.

from .mpy_file import VIPER, MpyFile
from .xtensa_code import (
    BRANCHES,
    LOADS,
    OPPOSITE,
    STORES,
    Instruction,
    UnknownCodeError,
    decode,
    encode,
)

_FRAME = 1  # the register with the address of the frame
_PURE = ("mov", "const", "add", "addi", "addx2", "addx4", "addx8", "sub", "and", "or", "xor",
         "mull", "sra", "srl", "sll", "srai", "slli", "extui")  # fmt: skip
_COMPUTING = (*_PURE, *LOADS)
_MAX_ROUNDS = 20
_CANDIDATES = (9, 13, 14, 15, 8, 2, 3, 6, 7, 5, 4, 12, 11, 10)  # registers for words of the frame
_LOOP_WEIGHT, _MAX_DEPTH = 8, 4
_SLOTS = 16  # the bit of the first word of the frame in a mask of registers


def optimize_file(data):
    """Return a .mpy (bytes) whose viper functions are shorter; see optimize()."""
    mpy = MpyFile(data)
    for function in mpy.module.functions():
        if function.kind == VIPER:
            function.data = optimize(function.data)
    return mpy.data()


def optimize(code):
    """Return shorter code (bytes) that computes the same, or `code` if it is not understood."""
    try:
        instructions = decode(code)
    except UnknownCodeError:
        return code
    instructions = _reduced(instructions)
    if _is_frame_private(instructions):
        instructions = _reduced(_keep_in_registers(instructions))
    shorter = encode(instructions)
    return shorter if len(shorter) < len(code) else code


# Repeat all steps that remove instructions.
def _reduced(instructions):
    for _ in range(_MAX_ROUNDS):
        before = instructions
        private = _is_frame_private(before)
        instructions = _follow_values(before, private)
        instructions = _join_comparisons(instructions)
        instructions = _shorten_jumps(instructions)
        instructions = _load_signed(instructions)
        instructions = _merge_copies(instructions)
        instructions = _remove_unread(instructions, private)
        if instructions == before:
            break
    return instructions


def _is_frame_private(instructions):
    for i in instructions:
        if i.name in ("entry", "retw"):
            continue
        if i.t == _FRAME or i.s == _FRAME and i.name not in ("l32i", "s32i"):
            return False
    return True


# Return the indices of instructions that branches lead to.
def _targets(instructions):
    return {i.target for i in instructions if i.target is not None}


# Return the instructions without those whose index is in `removed`; branches are corrected.
def _without(instructions, removed):
    if not removed:
        return instructions
    moved, count = [], 0
    for index in range(len(instructions) + 1):
        moved.append(count)
        count += index not in removed
    return [
        i if i.target is None else i.but(target=moved[i.target])
        for index, i in enumerate(instructions)
        if index not in removed
    ]


# Whether an instruction loads or stores a word of the frame.
def _is_slot(i):
    return i.name in ("l32i", "s32i") and i.s == _FRAME


class _Values:
    """What is known within a block: registers and words of the frame with the same value."""

    def __init__(self, private):
        self._private = private
        self.clear()

    def clear(self):
        self.copies = {}  # {register: register with the same value}
        self.numbers = {}  # {register: constant}
        self.slots = {}  # {offset in the frame: register with its value}
        self.shift = None  # (instruction that set SAR, constant amount or None)

    def source(self, register):
        return self.copies.get(register, register)

    # A register gets a new value.
    def forget(self, register):
        self.copies.pop(register, None)
        self.numbers.pop(register, None)
        for key in [k for k, v in self.copies.items() if v == register]:
            del self.copies[key]
        for key in [k for k, v in self.slots.items() if v == register]:
            del self.slots[key]

    # Note the effects of an instruction that stays.
    def note(self, i):
        for register in i.writes():
            self.forget(register)
        if i.name == "callx8":
            self.shift = None
            if not self._private:
                self.slots = {}
        elif i.name in STORES and not _is_slot(i) and not self._private:
            self.slots = {}
        elif i.name in ("ssr", "ssl"):
            self.shift = i.name, self.numbers.get(i.s)
        elif i.name == "mov":
            self.copies[i.d] = i.s
            if i.s in self.numbers:
                self.numbers[i.d] = self.numbers[i.s]
        elif i.name == "const":
            self.numbers[i.d] = i.number
        if i.name == "s32i" and _is_slot(i):
            self.slots[i.number] = i.t
        elif i.name == "l32i" and _is_slot(i):
            self.slots[i.number] = i.d


def _follow_values(instructions, private):
    targets, values, out, removed = _targets(instructions), _Values(private), [], set()
    for index, i in enumerate(instructions):
        if index in targets:
            values.clear()
        i = _simplified(i, values)
        if i is None:
            removed.add(index)
            out.append(instructions[index])
            continue
        out.append(i)
        values.note(i)
        if i.name == "j":
            values.clear()
    return _without(out, removed)


# Return a cheaper instruction that does the same, or None if it does nothing.
def _simplified(i, values):
    if i.name != "entry" and i.name != "retw":
        if i.s is not None and i.s != _FRAME:
            i = i.but(s=values.source(i.s))
        if i.t is not None:
            i = i.but(t=values.source(i.t))
    if i.name == "l32i" and _is_slot(i) and i.number in values.slots:
        i = Instruction("mov", i.d, values.slots[i.number])
    if i.name == "s32i" and _is_slot(i) and values.slots.get(i.number) == i.t:
        return None
    if i.name == "mov" and (i.d == i.s or values.copies.get(i.d) == i.s):
        return None
    if i.name == "const" and values.numbers.get(i.d) == i.number:
        return None
    return _with_constant(i, values)


# Use a constant operand as an immediate one.
def _with_constant(i, values):
    if i.name in ("sra", "srl", "sll") and values.shift:
        kind, amount = values.shift
        if kind == ("ssl" if i.name == "sll" else "ssr") and amount is not None:
            return _shifted(i, amount)
        return i
    number = values.numbers.get(i.t)
    if i.name == "mov" and values.numbers.get(i.s) is not None:
        number = values.numbers[i.s]
        is_short = number <= 95 or number >= (1 << 32) - 32
        return Instruction("const", i.d, number=number) if is_short else i
    if i.name in ("add", "and", "mull") and number is None:  # the operands may be exchanged
        number = values.numbers.get(i.s)
        if number is not None:
            i = i.but(s=i.t, t=i.s)
    if number is None:
        return i
    return _with_number(i, number)


def _with_number(i, number):
    if i.name in ("add", "sub"):
        signed = number - (1 << 32) if number >> 31 else number
        signed = -signed if i.name == "sub" else signed
        if signed == 0:
            return Instruction("mov", i.d, i.s)
        if -128 <= signed <= 127:
            return Instruction("addi", i.d, i.s, number=signed)
        return i
    if i.name == "and" and 0 < number < 1 << 16 and not number & number + 1:
        return Instruction("extui", i.d, i.s, number=number.bit_length())
    if i.name == "mull" and number > 0 and not number & number - 1:
        amount = number.bit_length() - 1
        return Instruction("slli", i.d, i.s, number=amount) if amount else i
    return i


def _shifted(i, amount):
    if not 0 <= amount <= 31 or (i.name == "srl" and amount):
        return i
    if amount == 0:
        return Instruction("mov", i.d, i.s)
    return Instruction("srai" if i.name == "sra" else "slli", i.d, i.s, number=amount)


# const r 1; branch to the test; const r 0; test of r: becomes one branch.
def _join_comparisons(instructions):
    targets, out, removed = _targets(instructions), list(instructions), set()
    uses = {}
    for i in instructions:
        if i.target is not None:
            uses[i.target] = uses.get(i.target, 0) + 1
    live = _live_after(instructions, False)
    for n in range(len(instructions) - 3):
        one, branch, zero, test = instructions[n : n + 4]
        if not (one.name == zero.name == "const" and (one.number, zero.number) == (1, 0)):
            continue
        if branch.name not in BRANCHES or branch.target != n + 3 or one.d != zero.d:
            continue
        if test.name not in ("beqz", "bnez") or test.s != one.d or one.d in branch.reads():
            continue
        if uses[n + 3] > 1 or targets & {n + 1, n + 2} or live[n + 3] >> one.d & 1:
            continue
        name = branch.name if test.name == "bnez" else OPPOSITE[branch.name]
        out[n + 3] = branch.but(name=name, target=test.target)
        removed |= {n, n + 1, n + 2}
    return _without(out, removed)


# Remove jumps to the next instruction, and branches over a jump.
def _shorten_jumps(instructions):
    out, removed, targets = list(instructions), set(), _targets(instructions)
    for n, i in enumerate(instructions):
        if i.target is None or n in removed:
            continue
        if i.target == n + 1:
            removed.add(n)
            continue
        over = i.name in BRANCHES and i.target == n + 2
        following = instructions[n + 1] if over else None
        if over and following.name == "j" and n + 1 not in targets:
            out[n] = i.but(name=OPPOSITE[i.name], target=following.target)
            removed.add(n + 1)
            continue
        led = instructions[i.target] if i.target < len(instructions) else None
        if led and led.name == "j" and led.target != i.target:
            out[n] = i.but(target=led.target)
    return _without(out, removed)


# An instruction computes d, and a later copy moves d to e: compute e directly if nothing needs d
# afterwards and nothing between them uses e.
def _merge_copies(instructions):
    out, removed, targets = list(instructions), set(), _targets(instructions)
    live = _live_after(instructions, False)
    changed = -1  # up to this instruction, `live` may be out of date
    for n, copy in enumerate(instructions):
        if copy.name != "mov" or live[n] >> copy.s & 1 or n in targets:
            continue
        found = _definition(instructions, targets, n, copy)
        if found is None or found[0] <= changed:
            continue
        first, between = found
        out[first] = out[first].but(d=copy.d)
        for k in between:
            i = out[k]
            fields = {f: copy.d for f in ("s", "t") if getattr(i, f) == copy.s}
            out[k] = i.but(**fields) if fields else i
        removed.add(n)
        changed = n
    return _without(out, removed)


# (x ^ 0x8000) - 0x8000 of a loaded halfword: load it with its sign.
def _load_signed(instructions):
    out, targets = list(instructions), _targets(instructions)
    live = _live_after(instructions, False)

    def source_of(register, n):
        return _made_in_block(instructions, targets, register, n)

    for n, i in enumerate(instructions):
        flip = source_of(i.s, n) if i.name == "sub" else None
        if flip is None or instructions[flip].name != "xor" or live[n] >> i.s & 1:
            continue
        load, mask = source_of(instructions[flip].s, flip), instructions[flip].t
        masks = {source_of(mask, flip), source_of(i.t, n)}
        if None in masks or any(instructions[m] != _const(instructions[m].d) for m in masks):
            continue
        if load is None or instructions[load].name != "l16ui":
            continue
        loaded = instructions[load].d
        others = [k for k in range(load + 1, n) if k != flip and loaded in instructions[k].reads()]
        others += [k for k in range(flip + 1, n) if i.s in instructions[k].reads()]
        if others or live[n] >> loaded & 1 and loaded not in (i.d, i.s):
            continue
        out[load] = instructions[load].but(name="l16si")
        out[flip] = Instruction("mov", i.s, loaded)
        out[n] = Instruction("mov", i.d, i.s)
    return out


def _const(register):
    return Instruction("const", register, number=0x8000)


# Return the index of the instruction that gives a register its value at instruction n, or None if
# that is in another block.
def _made_in_block(instructions, targets, register, n):
    if n in targets:
        return None
    for k in range(n - 1, -1, -1):
        i = instructions[k]
        if register in i.writes():
            return k if i.name != "callx8" else None
        if i.target is not None or k in targets:
            return None
    return None


# Return (index of the instruction that computes a copy's source, indices between them), or None.
def _definition(instructions, targets, n, copy):
    between = []
    for k in range(n - 1, -1, -1):
        i = instructions[k]
        if i.target is not None or i.name in ("callx8", "entry", "retw"):
            return None
        if i.d == copy.s:
            return (k, between) if i.name in _COMPUTING else None
        if copy.d in (i.d, i.s, i.t) or k in targets:
            return None
        between.append(k)
    return None


# Move words of a private frame to registers, the most used ones first: loads and stores become
# copies. A register serves a word if it is not needed wherever the word is.
def _keep_in_registers(instructions):
    uses, depth = {}, _loop_depths(instructions)
    for n, i in enumerate(instructions):
        if _is_slot(i):
            uses[i.number] = uses.get(i.number, 0) + _LOOP_WEIGHT ** min(depth[n], _MAX_DEPTH)
    for slot in sorted(uses, key=lambda number: (-uses[number], number)):
        live = _live_after(instructions, True)
        register = _free_register(instructions, live, 1 << _SLOTS + slot // 4)
        if register is not None:
            instructions = [_in_register(i, slot, register) for i in instructions]
    return instructions


def _in_register(i, slot, register):
    if not _is_slot(i) or i.number != slot:
        return i
    if i.name == "s32i":
        return Instruction("mov", register, i.t)
    return Instruction("mov", i.d, register)


# Return a register that no instruction needs or changes while `bit`, a word of the frame, is live.
def _free_register(instructions, live, bit):
    taken = 0
    for i, after in zip(instructions, live, strict=True):
        if after & bit:
            taken |= after | _mask(i.writes())
    free = [r for r in _CANDIDATES if not taken >> r & 1]
    return free[0] if free else None


# Return for each instruction the number of loops around it: backward branches over it.
def _loop_depths(instructions):
    depth = [0] * len(instructions)
    for n, i in enumerate(instructions):
        if i.target is not None and i.target <= n:
            for k in range(i.target, n + 1):
                depth[k] += 1
    return depth


# Return for each instruction a bit mask of the registers that are read after it. With `slots`,
# words of the frame are followed as well, from bit _SLOTS on.
def _live_after(instructions, slots):
    count = len(instructions)
    reads, writes = [], []
    for i in instructions:
        read, written = _mask(i.reads()), _mask(i.writes())
        if slots and _is_slot(i):
            slot = 1 << _SLOTS + i.number // 4
            read, written = (read, written | slot) if i.t is not None else (read | slot, written)
        reads.append(read)
        writes.append(~written)
    before, after, changed = [0] * (count + 1), [0] * count, True
    while changed:
        changed = False
        for n in range(count - 1, -1, -1):
            i = instructions[n]
            live = 0 if i.name in ("j", "retw") else before[n + 1]
            if i.target is not None:
                live |= before[i.target]
            after[n] = live
            live = live & writes[n] | reads[n]
            if live != before[n]:
                before[n] = live
                changed = True
    return after


def _mask(registers):
    return sum(1 << register for register in registers)


# Remove instructions whose result nothing reads, and instructions that nothing reaches.
def _remove_unread(instructions, private):
    live = _live_after(instructions, private)
    removed = set()
    reached = _reached(instructions)
    sar = _sar_readers(instructions)
    for n, i in enumerate(instructions):
        if (
            n not in reached
            or ((i.name in _PURE or i.name == "l32i" and _is_slot(i)) and not live[n] >> i.d & 1)
            or (
                private
                and i.name == "s32i"
                and _is_slot(i)
                and not live[n] >> _SLOTS + i.number // 4 & 1
            )
            or (i.name in ("ssr", "ssl") and n not in sar)
        ):
            removed.add(n)
    return _without(instructions, removed)


def _reached(instructions):
    found, waiting = set(), [0]
    while waiting:
        n = waiting.pop()
        if n in found or n >= len(instructions):
            continue
        found.add(n)
        i = instructions[n]
        if i.target is not None:
            waiting.append(i.target)
        if i.name not in ("j", "retw"):
            waiting.append(n + 1)
    return found


# Return the indices of instructions that set SAR for a shift. The emitter sets it directly before
# each shift, so a branch or its target between them keeps the instruction.
def _sar_readers(instructions):
    targets, found = _targets(instructions), set()
    for n, i in enumerate(instructions):
        if i.name not in ("ssr", "ssl"):
            continue
        for k in range(n + 1, len(instructions)):
            following = instructions[k]
            if following.name in ("sra", "srl", "sll") or following.target is not None:
                found.add(n)
            if following.name in ("sra", "srl", "sll", "ssr", "ssl") or k in targets:
                found |= {n} if k in targets else set()
                break
            if following.target is not None:
                break
    return found
