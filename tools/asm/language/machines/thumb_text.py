# Kernel language: the text of functions for Cortex-M
# MIT license; Copyright (c) 2026 the tflm authors

from ..ir import OPPOSITE

_CODES = {"eq": "eq", "ne": "ne", "lt": "lt", "ge": "ge", "gt": "gt", "le": "le", "ult": "cc",
          "uge": "cs", "ugt": "hi", "ule": "ls"}  # fmt: skip
_OPPOSITE_CODES = {"mi": "pl", "pl": "mi", "cs": "cc", "vs": "vc", "vc": "vs"}
# Branches on the flags of an operation whose result is compared with 0.
_ZERO = {"eq": "eq", "ne": "ne", "lt": "mi", "ge": "pl"}
_TWO = {"mul": "mul", "and": "and_", "or": "orr", "xor": "eor"}
_SHIFTS = {"shl": "lsl", "asr": "asr", "lsr": "lsr"}
# Instructions that change no flags.
_KEEP_FLAGS = {"mov", "ld", "ldx", "ldm", "reload", "uxtb", "uxth", "sxtb", "sxth", "spill", "st",
               "stx", "stm", "fpu"}  # fmt: skip
_NARROW_REACH, _JUMP_REACH = 250, 2040  # bytes


class _Flags:
    """What the flags say at an instruction, so that a comparison can be left out.

    result: the register whose value N and Z describe. carry: (register, number) of an ADD that set
    C. compared: the operands of a CMP.
    """

    def __init__(self):
        self.forget()

    def forget(self):
        self.result = self.carry = self.compared = None

    def after(self, op, to, values, set_flags):
        """Note that an instruction has been written."""
        if op.name in ("note", "br"):
            return
        is_high = op.name == "add2" and not (to[0].low and values[1].low)
        if op.name in _KEEP_FLAGS or is_high:
            # A comparison of a register that has changed says nothing any more.
            changed = set(to)
            if self.result in changed:
                self.result = None
            if self.carry and self.carry[0] in changed:
                self.carry = None
            if self.compared and changed.intersection(self.compared):
                self.compared = None
            return
        self.forget()
        if op.name in set_flags or op.name == "add2":
            self.result = to[0]
        if op.name == "addi":
            self.carry = to[0], values[1]

    def test(self, t, condition, one, other):
        """Return the condition code for a branch, after a CMP if the flags do not know."""
        if isinstance(other, int) and self.compared is None:
            if other == 0 and self.result is one and condition in _ZERO:
                return _ZERO[condition]
            if self.carry == (one, other) and condition == "ult":
                return "cs"
        if self.compared != (one, other):
            t.cmp(one, other)
            self.forget()
            self.compared = one, other
        return _CODES[condition]


class ThumbText:
    """The part of a machine that writes instructions of 16 bits."""

    has_far_branches = False  # B<condition>.W

    def size(self, op, is_far):
        if op.name in ("label", "args", "clobber", "note"):
            return 0
        if op.name == "tile":
            return op.info[1]
        if op.name == "br":
            return 6 if is_far else 4
        return {"min": 6, "max": 6, "ult": 6, "shift_adc": 4, "into": 4}.get(op.name, 2)

    def reach(self, op):
        return _NARROW_REACH

    def write(self, kernel, code, used):
        saved = [self.registers[c] for c in (8, 9, 10, 11) if used >> c & 1]
        code, far = self.layout(code)
        while True:
            t, more = self._written(kernel, code, saved, far)
            if not self.has_far_branches or more <= far:
                return t.text(returns=any(op.name == "ret" and op.src for op in code))
            far |= more

    # Return (the assembler with the code, indices of jumps that are too far for B).
    def _written(self, kernel, code, saved, far):
        slots = self._allocation.slots
        head = kernel.name, kernel.about, len(kernel.arguments), slots, kernel.frame_bytes
        t = self.assembler(*head, saved=saved)
        end, flags = t.new_label("return"), _Flags()
        at, jumps = {}, {}  # {label: its position}, {index of a jump: its position}
        for i, op in enumerate(code):
            to, values = self.operands(op)
            if op.name == "label":
                at[op.to[0]] = t.position()
            elif op.name == "jump":
                jumps[i] = t.position()
            if op.name == "br":
                self._write_branch(t, op, values, i in far, flags)
            elif op.name == "jump" and i in far:  # the inline assembler has no B.W
                t.branch_far("eq", op.to[0])
                t.branch_far("ne", op.to[0])
            elif op.name == "ret":
                if i < len(code) - 1:
                    t.b(end)
            else:
                getattr(self, "write_" + op.name)(t, op, to, values)
            flags.after(op, to, values, self.set_flags)
        t.label(end)
        _check_copies(code, at)
        return t, {i for i, p in jumps.items() if abs(at[code[i].to[0]] - p) > _JUMP_REACH}

    def _write_branch(self, t, op, values, is_far, flags):
        code, label = flags.test(t, op.info, *values) if values else op.info, op.to[0]
        if not is_far:
            return t.branch(code, label)
        if self.has_far_branches:
            return t.branch_far(code, label)
        near = t.new_label("near")
        t.branch(_OPPOSITE_CODES.get(code) or _CODES[OPPOSITE[op.info]], near)
        t.b(label)
        return t.label(near)

    def write_jump(self, t, op, to, values):
        t.b(op.to[0])

    def write_into(self, t, op, to, values):
        t.jump_forward(values[0])

    def write_tile(self, t, op, to, values):
        write, size, outs, info, _ = op.info
        begin = t.position()
        write(t, *to[:outs], *values, *info)
        if t.position() - begin != size:
            raise ValueError(f"{write.__name__} has {t.position() - begin} bytes, not {size}")

    # Moves, loads and stores.

    def write_mov(self, t, op, to, values):
        t.mov(to[0], values[0])

    write_li = write_mov

    def write_ld(self, t, op, to, values):
        t.memory(op.name[:2], op.info, (to or values)[0], *values[-2:])

    write_ldx = write_st = write_stx = write_ld

    def write_ldm(self, t, op, to, values):
        t.ldm(values[0], *to[:-1])

    def write_stm(self, t, op, to, values):
        t.stm(values[0], *values[1:])

    # Arithmetic.

    def write_add3(self, t, op, to, values):
        t.add(to[0], *values)

    write_add3i = write_add3

    def write_sub3(self, t, op, to, values):
        t.sub(to[0], *values)

    write_sub3i = write_sub3

    def write_addi(self, t, op, to, values):
        t.add(to[0], values[1])

    write_add2 = write_addi

    def write_subi(self, t, op, to, values):
        t.sub(to[0], values[1])

    def write_neg(self, t, op, to, values):
        t.two("neg", to[0], values[0])

    def write_mul(self, t, op, to, values):
        t.two(_TWO[op.name], to[0], values[1])

    write_and = write_or = write_xor = write_mul

    def write_shli(self, t, op, to, values):
        t.shift(_SHIFTS[op.name[:-1]], to[0], *values)

    write_asri = write_lsri = write_shli

    def write_shl(self, t, op, to, values):
        t.shift(_SHIFTS[op.name], to[0], to[0], values[1])

    write_asr = write_lsr = write_shl

    def write_shift_adc(self, t, op, to, values):
        t.asr(to[0], to[0], op.info)
        t.adc(to[0], values[1])

    def write_ult(self, t, op, to, values):
        t.sub(to[0], *values)
        t.two("sbc", to[0], to[0])
        t.two("neg", to[0], to[0])

    def write_uxtb(self, t, op, to, values):
        t.extend(op.name, to[0], values[0])

    write_uxth = write_sxtb = write_sxth = write_uxtb

    def write_min(self, t, op, to, values):
        label = t.new_label(op.name)
        t.cmp(to[0], values[1])
        t.branch("ge" if op.name == "max" else "le", label)
        t.mov(to[0], values[1])
        t.label(label)

    write_max = write_min


# Refuse a jump into copies that are not as many bytes as the kernel says.
def _check_copies(code, at):
    for op in code:
        if op.name == "into":
            for one, other in zip(op.to, op.to[1:], strict=False):
                if at[other] - at[one] != op.info:
                    raise ValueError(f"a copy has {at[other] - at[one]} bytes, not {op.info}")
