# Kernel language: ARMv7E-M with the DSP extension (Cortex-M4, M7, M33)
# MIT license; Copyright (c) 2026 the tflm authors

from ...encoders.thumb_dsp import ThumbDsp, modified
from ..ir import Op, Reg, bits_of
from ..liveness import LABELS
from .thumb import ThumbMachine

_SHIFTS = ("shl", "lsr", "asr")
_SHIFT_NAMES = {"shl": "lsl", "lsr": "lsr", "asr": "asr"}
_LOADS = ("ld", "reload", "ldrd")
_PRODUCTS = {"mul", "mulh", "mulhu", "mla", "mls", "divu"}
_SIZES = {"br": 8, "min": 8, "max": 8, "li": 8, "ult": 12, "shift_adc": 8}  # at most


# Bytes 0 and 2, and 1 and 3, of two words as halfwords; then two products at once.
def _products(t, even, other_even, total, one, other, one_sign, other_sign):
    for by in (0, 8):
        for to, word, sign in ((even, one, one_sign), (other_even, other, other_sign)):
            (t.sxtb16 if sign else t.uxtb16)(to, word, by)
        t.smlad(total, even, other_even, total)


def _run_products(total, one, other, one_sign, other_sign):
    for i in range(4):
        bytes_ = [word >> 8 * i & 255 for word in (one, other)]
        for j, sign in enumerate((one_sign, other_sign)):
            if sign:
                bytes_[j] = (bytes_[j] ^ 0x80) - 0x80
        total += bytes_[0] * bytes_[1]
    return 0, 0, total


def _add_byte_products(k, total, one, other):
    (one, one_sign), (other, other_sign) = one, other
    spare = [k.reg(), k.reg()]
    info = one_sign, other_sign
    k.tile(_products, spare, (one, other), (total,), 24, info, _run_products)


# SMMLAR is (value * doubled >> 32) + addend, rounded. It reads a doubled multiplier beyond 2 ** 31
# as doubled - 2 ** 32, so `value` is added then. The last three instructions are explained in
# kernels/outputs_dsp.py.
def _rescaled(t, addend, value, doubled, right):
    t.three("and", addend, value, doubled, "asr", 31)
    t.product("smmlar", value, value, doubled, addend)
    t.add_wide(value, value, value, "asr", 31, flags=True)
    t.asrs(value, value, right)
    t.add_carry(value, value)


def _run_rescaled(value, doubled, right):
    value = value * (doubled % (1 << 32) >> 1) + (1 << 30) >> 31
    return 0, (value >> 31) + value + (1 << right >> 1) >> right if right else value


def _rescale(k, value, doubled, right):
    k.tile(_rescaled, [k.reg()], (doubled, right), (value,), 20, run=_run_rescaled)


class ThumbDspMachine(ThumbMachine):
    """14 registers of one class, three operands, and operands that are shifted by a number."""

    name = "armv7em"
    low, high = 0x5FFF, 0
    has_ascending_ldm = False
    has_mulh = has_divide = has_unaligned_loads = True
    slot_cycles = 1
    add_byte_products = staticmethod(_add_byte_products)
    rescale = staticmethod(_rescale)
    pure = ThumbMachine.pure | _PRODUCTS | {"rsb", "addw", "ldrd"}

    assembler = ThumbDsp
    has_far_branches = True
    set_flags = frozenset({"add", "sub", "and", "or", "xor", "shl", "asr", "lsr", "rsb"})

    def is_short(self, value):
        return -256 <= value < 65536

    # Lowering.

    def li(self, to, value):
        self.put("li", [to], [value])

    def _arithmetic(self, op):
        to, (one, other), name = op.dst[0], op.src, op.name
        if isinstance(one, int):
            if name == "sub" and modified(one) is not None and isinstance(other, Reg):
                return self.put("rsb", [to], [other, one])
            one = self.temp(one)
        if isinstance(other, int):
            if name in ("add", "sub"):
                other = other if name == "add" else -other
                name, other = ("add", other) if other >= 0 else ("sub", -other)
                if 256 <= other < 4096 and modified(other) is None:
                    return self.put("addw", [to], [one, other], info=name)
            if other == 0 and name not in ("and", "mul", "mulh", "mulhu"):
                return self.mov(to, one)
            if name not in _SHIFTS and (name in _PRODUCTS or modified(other) is None):
                other = self.temp(other)
        return self.put(name, [to], [one, other])

    lower_add = lower_sub = lower_mul = lower_or = lower_xor = _arithmetic
    lower_shl = lower_asr = lower_lsr = lower_mulh = lower_divu = _arithmetic

    def lower_mulhu(self, op):
        self.put("mulhu", [*op.dst, self.temp()], [self.as_reg(x) for x in op.src])

    def lower_and(self, op):
        value = op.src[1]
        if isinstance(value, int) and value > 255 and value & value + 1 == 0:
            return self.put("field", op.dst, op.src[:1], info=(0, value.bit_length()))
        return self._arithmetic(op)

    def lower_field(self, op):
        self.put("field", op.dst, op.src, info=op.info)

    def lower_remu(self, op):
        one, other = map(self.as_reg, op.src)
        quotient = self.temp()
        self.put("divu", [quotient], [one, other])
        self.put("mls", op.dst, [other, quotient, one])

    def _memory(self, op, before):
        base, offset = op.src[-2:]
        if isinstance(offset, int) and not -256 < offset < 4096:
            offset = self.temp(offset)
        kind, scale = op.info
        self.put(op.name, op.dst, [*before, base, offset], info=(kind, scale))

    def lower_ld(self, op):
        self._memory(op, [])

    def lower_st(self, op):
        self._memory(op, [self.as_reg(op.src[0])])

    def branch(self, condition, one, other, label):
        if isinstance(other, int) and modified(other) is None and modified(-other) is None:
            other = self.temp(other)
        self.put("br", [], [one, other], [label], condition)

    # Join a product, or a shifted value, with the sum that is its only use.
    def improve(self, code):
        uses, makers, out = {}, {}, []
        for op in code:
            for r in op.uses():
                uses[r.n] = uses.get(r.n, 0) + 1
            for r in op.dst:
                makers[r.n] = makers.get(r.n, 0) + 1
        ready = {}  # {register: the operation that makes it, whose operands have not changed}
        for op in _with_pairs(code):
            maker, joined = _joined(op, ready)
            if joined:
                out.remove(maker)
                op = joined
            out.append(op)
            if op.to or op.name in LABELS:
                ready = {}
            changed = op.writes
            ready = {
                n: maker
                for n, maker in ready.items()
                if not changed & maker.reads and not changed >> n & 1
            }
            if (
                op.name == "mul"
                or op.name in _SHIFTS
                and isinstance(op.src[1], int)
                and not op.info
            ):
                n = op.dst[0].n
                if uses.get(n) == makers.get(n) == 1 and not op.reads >> n & 1:
                    ready[n] = op
        return out

    def write(self, kernel, code, used):
        return super().write(kernel, self._scheduled(code), used)

    # Move a load, whose result the next operation uses, before the operation that precedes it.
    def _scheduled(self, code):
        code = list(code)
        for i in range(2, len(code) - 1):
            op, before = code[i], code[i - 1]
            if op.name not in _LOADS or before.name not in self.pure or before.name == "reload":
                continue
            reads, writes = self._registers_of(op.uses()), self._registers_of(op.dst)
            read, written = self._registers_of(before.uses()), self._registers_of(before.dst)
            late = (
                self._registers_of(code[i - 2].dst)
                if code[i - 2].name in (*_LOADS, "mul", "mla")
                else 0
            )
            is_used = writes & self._registers_of(code[i + 1].uses())
            if is_used and not writes & (read | written) and not reads & (written | late):
                code[i - 1], code[i] = op, before
        return code

    def _registers_of(self, registers):
        bits = 0
        for r in registers:
            bits |= 1 << self.at(r)
        return bits

    # The text of a function.

    def size(self, op, is_far):
        if op.name in ("label", "args", "note", "clobber"):
            return 0
        if op.name == "tile":
            return op.info[1]
        if op.name in ("ldm", "stm"):
            return 4 * len(op.src + op.dst)
        return _SIZES.get(op.name, 8 if op.name == "br" and is_far else 4)

    def write_add(self, t, op, to, values):
        (to,), (one, other) = to, values
        t.three(op.name, to, one, other, *(op.info or ()))

    write_sub = write_and = write_or = write_xor = write_rsb = write_add

    def write_addw(self, t, op, to, values):
        t.number_of_12_bits(op.info, to[0], *values)

    def write_shl(self, t, op, to, values):
        t.shift_wide(_SHIFT_NAMES[op.name], to[0], *values)

    write_asr = write_lsr = write_shl

    def write_li(self, t, op, to, values):
        t.load_number(to[0], values[0])

    def write_mul(self, t, op, to, values):
        t.product(op.name, to[0], *values)

    write_mulh = write_mla = write_mls = write_divu = write_mul

    def write_mulhu(self, t, op, to, values):
        t.umull(to[1], to[0], *values)

    def write_shift_adc(self, t, op, to, values):
        t.shift_wide("asr", to[0], to[0], op.info)
        t.adc_wide(to[0], to[0], values[1])

    def write_ult(self, t, op, to, values):
        t.unsigned_less(to[0], *values)

    def write_field(self, t, op, to, values):
        t.ubfx(to[0], values[0], *op.info)

    def write_uxtb(self, t, op, to, values):
        t.extend(op.name, to[0], values[0])

    write_uxth = write_sxtb = write_sxth = write_uxtb

    def write_ld(self, t, op, to, values):
        kind, scale = op.info
        t.memory(op.name, kind, (to or values)[0], *values[-2:], scale)

    write_st = write_ld

    # LDRD and STRD take any two registers, and as many cycles as LDM and STM.
    def write_ldm(self, t, op, to, values):
        t.words_next(op.name, values[0], to[:-1] if op.name == "ldm" else values[1:])

    write_stm = write_ldm

    def write_ldrd(self, t, op, to, values):
        t.ldrd(*to, *values)

    def write_min(self, t, op, to, values):
        t.cmp(to[0], values[1])
        t.it("lt" if op.name == "max" else "gt")
        t.mov(to[0], values[1])

    write_max = write_min


# (the operation that makes an operand of `op`, an operation that does both), or (None, None).
def _joined(op, ready):
    if op.name not in ("add", "sub", "or", "and", "xor") or op.info:
        return None, None
    for at in (1, 0):
        r, other = op.src[at], op.src[1 - at]
        maker = ready.get(r.n) if isinstance(r, Reg) else None
        if maker is None or not isinstance(other, Reg) or op.name == "sub" and at == 0:
            continue
        if maker.name in _SHIFTS:
            shift = _SHIFT_NAMES[maker.name], maker.src[1]
            src = [other, maker.src[0]]
            return maker, Op(op.name, op.dst, src, info=shift, weight=op.weight)
        if op.name in ("add", "sub"):
            name = "mla" if op.name == "add" else "mls"
            return maker, Op(name, op.dst, [*maker.src, other], weight=op.weight)
    return None, None


# Join loads of two words that follow each other.
def _with_pairs(code):
    out = []
    for op in code:
        before = out[-1] if out else op
        if op.name == before.name == "ld" and op.info == before.info == ("w", 0):
            (base, at), (base2, at2), to = before.src, op.src, [*before.dst, *op.dst]
            numbers = type(at) is type(at2) is int and 0 <= at < 1024 and not at & 3
            if base is base2 and numbers and at2 == at + 4 and not bits_of(to) >> base.n & 1:
                out[-1] = Op("ldrd", to, [base, at], weight=op.weight)
                continue
        out.append(op)
    return out
