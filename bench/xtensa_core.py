# bench: emulates the Xtensa instructions that the kernels use, with MULSH, CLAMPS and vectors
# MIT license; Copyright (c) 2026 the tflm authors

# No core of qemu has MULSH and CLAMPS, and here every memory access is checked. Encodings follow
# the ISA manual: fields op2 op1 r s t op0 of a word of 24 bits. The vector unit of the ESP32-S3
# (PIE) is stricter here than the chip: a sum that saturates, an address that is not a multiple of
# 16 and a sum that is read too early are errors.

_WORD = 0xFFFFFFFF
_STACK, _STACK_BYTES = 0x7F000000, 1024
_ACCLO, _ACCHI, _CONFIGID0 = 16, 17, 176  # special registers
_ACC_BITS = 40  # of the accumulator of MAC16
_VECTOR = 16  # bytes
_ACCX_BITS, _QACC_BITS = 40, 20  # of a sum
_QACC_LANES = 8  # in each half of QACC
_QACC_WORDS = 5  # of a half of QACC
_GAP = 2  # instructions between a product and the read of its sum
_QACC_H, _QACC_L = 2, 7  # numbers of the first user registers; number 0 is ACCX


# Return a number of `bits` bits with its sign.
def _signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


# Instructions with three registers: {(op1, op2): function that computes r from s and t}.
_THREE = {
    (0, 1): lambda s, t: s & t,
    (0, 2): lambda s, t: s | t,
    (0, 3): lambda s, t: s ^ t,
    (0, 9): lambda s, t: 2 * s + t,
    (0, 10): lambda s, t: 4 * s + t,
    (0, 11): lambda s, t: 8 * s + t,
    (0, 12): lambda s, t: s - t,
    (2, 8): lambda s, t: s * t,
    (2, 12): lambda s, t: s // t,
    (2, 11): lambda s, t: _signed(s) * _signed(t) >> 32,
    (3, 4): lambda s, t: min(_signed(s), _signed(t)),
    (3, 5): lambda s, t: max(_signed(s), _signed(t)),
}
# Loads and stores: {field r: (bytes, whether it is a store)}.
_MEMORY = {0: (1, False), 1: (2, False), 2: (4, False), 9: (2, False), 4: (1, True),
           5: (2, True), 6: (4, True)}  # fmt: skip
_L16SI = 9  # field r of the load with sign
_TWO = {
    1: lambda s, t: s == t,
    2: lambda s, t: _signed(s) < _signed(t),
    3: lambda s, t: s < t,
    9: lambda s, t: s != t,
    10: lambda s, t: _signed(s) >= _signed(t),
    11: lambda s, t: s >= t,
}
# moveqz, movnez, movltz, movgez: {op2: the condition}.
_MOVES = {8: lambda t: t == 0, 9: lambda t: t != 0, 10: lambda t: t < 0, 11: lambda t: t >= 0}
_ZERO = (lambda s: s == 0, lambda s: s != 0, lambda s: s < 0, lambda s: s >= 0)


_BRANCH_CYCLES = 2  # more for a branch or jump that is taken
_LATE = ((2, 8), (2, 11))  # op1, op2 of MULL and MULSH, whose results are late


class _Registers(list):
    """Registers that note which of them are read and written, as bits."""

    def __init__(self, values):
        super().__init__(values)
        self.read = self.written = 0

    def __getitem__(self, i):
        self.read |= 1 << i
        return super().__getitem__(i)

    def __setitem__(self, i, value):
        self.written |= 1 << i
        super().__setitem__(i, value)


class Core:
    """Runs functions of the windowed ABI. `instructions` counts the executed instructions,
    `products` the products of MAC16.

    `cycles` counts cycles of an LX7 without wait states, about: an instruction takes one, a branch
    that is taken two more, and the use of a loaded value or of a product by the next instruction
    one more. No chip was measured.

    read(address, size) returns a number, write(address, size, value) stores one. Both raise an
    exception for an address that is not allowed. configid0: value of this register. Functions can
    only use the registers and the stack, so an interrupt must save nothing else.
    """

    configid0 = 0
    # Methods of instructions with 24 bits, by their lowest four bits.
    WIDE = {0: "_registers", 2: "_memory", 4: "_mac16", 6: "_branch", 7: "_compare"}

    def __init__(self, read, write):
        self._outer = read, write
        self._stack = bytearray(_STACK_BYTES)
        self.instructions = self.cycles = self.products = 0

    def call(self, code, arguments):
        """Run a function (bytes) to its end."""
        self._code = code
        self._a = _Registers([0] * 16)
        self._a[1] = _STACK + _STACK_BYTES
        for i, argument in enumerate(arguments):
            self._a[2 + i] = argument & _WORD
        self._m = [0] * 4
        self._q = _Registers([0] * _VECTOR for _ in range(8))
        self._late = self._late_vectors = 0  # registers that the last instruction has loaded
        self._accx, self._qacc = None, [None] * _VECTOR  # not known before they are cleared
        self._multiplied = 0
        self._acc = self._sar = self._begin = self._end = self._left = 0
        before = list(self._a)[:2]
        pc = 0
        while pc is not None:
            pc = self._step(pc)
        assert self._a[0] == before[0] and self._a[1] == before[1] - self._frame
        return self._a[2]

    def _read(self, address, size):
        at = address - _STACK
        if at >= 0 and at + size <= _STACK_BYTES:
            return int.from_bytes(self._stack[at : at + size], "little")
        return self._outer[0](address, size)

    def _write(self, address, size, value):
        value &= (1 << 8 * size) - 1
        at = address - _STACK
        if at >= 0 and at + size <= _STACK_BYTES:
            # The upper 32 bytes of a frame are reserved for register windows.
            assert self._a[1] <= address and at + size <= _STACK_BYTES - 32
            self._stack[at : at + size] = value.to_bytes(size, "little")
        else:
            self._outer[1](address, size, value)

    # Run one instruction; return the address of the next one, None after the last.
    def _step(self, pc):
        size = _SIZES[self._code[pc] & 15]
        word = int.from_bytes(self._code[pc : pc + size], "little")
        op0, t, s, r = word & 15, word >> 4 & 15, word >> 8 & 15, word >> 12 & 15
        self.instructions += 1
        self.cycles += 1
        if word == 0xF01D and size == 2:  # retw.n
            return None
        a, q = self._a, self._q
        a.read = a.written = q.read = q.written = 0
        if size == 4:
            taken = self._multiply_and_load(word)
        else:
            taken = (
                self._narrow(op0, t, s, r)
                if size == 2
                else getattr(self, self.WIDE[op0])(word, t, s, r, pc)
            )
        if a.read & self._late or q.read & self._late_vectors:
            self.cycles += 1
        is_product = op0 == 0 and (word >> 16 & 15, word >> 20) in _LATE
        is_late = op0 == 8 or op0 == 2 and r < 3 or is_product
        self._late, self._late_vectors = a.written if is_late else 0, q.written
        if taken is not None:
            self.cycles += _BRANCH_CYCLES
            return taken
        pc += size
        if pc == self._end and self._left:
            self._left -= 1
            return self._begin
        return pc

    def _narrow(self, op0, t, s, r):
        a = self._a
        if op0 == 8:
            a[t] = self._read(a[s] + 4 * r & _WORD, 4)
        elif op0 == 9:
            self._write(a[s] + 4 * r & _WORD, 4, a[t])
        elif op0 == 10:
            a[r] = a[s] + a[t] & _WORD
        elif op0 == 11:
            a[r] = a[s] + (t or -1) & _WORD
        elif op0 == 12:  # movi.n: -32 to 95
            value = (t & 7) << 4 | r
            a[s] = (value - 128 if value >= 96 else value) & _WORD
        elif r == 0:
            a[t] = a[s]
        else:
            assert (r, s, t) == (15, 0, 3), "no instruction"  # nop.n

    def _registers(self, word, t, s, r, pc):
        a, op1, op2 = self._a, word >> 16 & 15, word >> 20
        if op1 in (4, 5):  # extui
            a[r] = a[t] >> (s | (op1 & 1) << 4) & (1 << op2 + 1) - 1
        elif op1 == 1:
            a[r] = self._shifted(op2, t, s) & _WORD
        elif (op1, op2) == (3, 14):
            a[r] = self._user_register(s << 4 | t)
        elif (op1, op2) == (0, 4):
            self._set_shift(r, s, t)
        elif (op1, op2) == (0, 6):
            assert s in (0, 1)  # neg, abs
            a[r] = (abs(_signed(a[t])) if s else -a[t]) & _WORD
        elif (op1, op2) == (3, 3):  # clamps
            a[r] = max(-128 << t, min((128 << t) - 1, _signed(a[s]))) & _WORD
        elif op1 == 3 and op2 in (0, 1):
            special = word >> 8 & 0xFF
            assert special in (_ACCLO, _ACCHI) or (special == _CONFIGID0 and not op2)
            if op2:
                low, high = self._acc & _WORD, self._acc >> 32
                self._acc = high << 32 | a[t] if special == _ACCLO else (a[t] & 0xFF) << 32 | low
            elif special == _CONFIGID0:
                a[t] = self.configid0
            else:
                acc = _signed(self._acc, _ACC_BITS)
                a[t] = (acc if special == _ACCLO else acc >> 32) & _WORD
        elif op1 == 3 and op2 in _MOVES:
            if _MOVES[op2](_signed(a[t])):
                a[r] = a[s]
        else:
            a[r] = _THREE[op1, op2](a[s], a[t]) & _WORD

    # ssr, ssl, ssai, nsau
    def _set_shift(self, r, s, t):
        assert r in (0, 1, 4, 15), "no instruction"
        if r == 15:
            self._a[t] = 32 - self._a[s].bit_length()
        elif r == 4:
            self._sar = s | (t & 1) << 4
        else:
            bits = self._a[s] & 31
            self._sar = 32 - bits if r else bits

    def _shifted(self, op2, t, s):
        a = self._a
        if op2 in (0, 1):
            return a[s] << 32 - (t | (op2 & 1) << 4)
        if op2 in (2, 3):
            return _signed(a[t]) >> (s | (op2 & 1) << 4)
        assert op2 in (4, 8, 9, 10, 11), "no instruction"
        if op2 == 4:
            return a[t] >> s
        if op2 == 8:  # src
            return (a[s] << 32 | a[t]) >> self._sar
        if op2 == 10:  # sll
            return a[s] << 32 - self._sar
        return (a[t] if op2 == 9 else _signed(a[t])) >> self._sar

    def _memory(self, word, t, s, r, pc):
        a, number = self._a, word >> 16
        if r == 10:
            a[t] = _signed(s << 8 | number, 12) & _WORD
        elif r in (12, 13):
            a[t] = a[s] + (_signed(number, 8) << (8 if r == 13 else 0)) & _WORD
        else:
            size, is_store = _MEMORY[r]
            address = a[s] + number * size & _WORD
            if is_store:
                self._write(address, size, a[t])
            else:
                value = self._read(address, size)
                a[t] = _signed(value, 8 * size) & _WORD if r == _L16SI else value

    def _mac16(self, word, t, s, r, pc):
        op1, op2 = word >> 16 & 15, word >> 20
        if op2 == 1 or op1 == 5 or op2 >= 8 and op1:
            return self._vector(word, t, op1)
        if op2 == 8:
            return self._load(r & 3, s)
        assert op1 >> 2 == 2, "no instruction"  # MULA
        one = self._m[r >> 2 & 1] if op2 in (0, 2, 4, 6) else self._a[s]
        other = self._m[2 + (t >> 2 & 1)] if op2 in (0, 2, 3) else self._a[t]
        assert op2 in (0, 2, 3, 4, 6, 7), "no instruction"
        product = _signed(one >> 16 * (op1 & 1), 16) * _signed(other >> 16 * (op1 >> 1 & 1), 16)
        self._acc = self._acc + product & (1 << _ACC_BITS) - 1
        self.products += 1
        return self._load(r & 3, s) if op2 in (0, 4) else None

    def _load(self, m, s):
        self._a[s] = self._a[s] + 4 & _WORD
        self._m[m] = self._read(self._a[s], 4)

    # An instruction of the vector unit with 24 bits. `s`: its address register.
    def _vector(self, word, s, op1):
        q = word >> 15 & 1 | word >> 20 << 1 & 6
        if word in (0x250804, 0x250844):  # ee.zero.accx, ee.zero.qacc
            if word == 0x250804:
                self._accx = 0
            else:
                self._qacc = [0] * _VECTOR
        elif word & 0xFF80FF == 0x1A00C4:  # ee.vmulas.s8
            y = word >> 12 & 4 | word >> 11 & 3
            self._multiply(word >> 13 & 1, word >> 8 & 7, y)
        elif op1 == 13:
            assert word >> 12 & 7 == 2, "no instruction"  # ee.vld.128.xp
            self._load_vector(q, s, self._a[word >> 8 & 15])
        else:
            assert op1 in (3, 10), "no instruction"  # ee.vld.128.ip, ee.vst.128.ip
            step = _VECTOR * _signed(word >> 15 & 0x80 | word >> 8 & 0x7F, 8)
            if op1 == 3:
                return self._load_vector(q, s, step)
            address = self._a[s]
            assert address % _VECTOR == 0, "unaligned vector"
            for i in range(0, _VECTOR, 4):
                four = bytes(x & 0xFF for x in self._q[q][i : i + 4])
                self._write(address + i, 4, int.from_bytes(four, "little"))
            self._a[s] = address + step & _WORD

    # ee.vmulas.s8.accx or qacc with .ld.ip or .ld.xp: multiply, then load.
    def _multiply_and_load(self, word):
        assert word >> 28 == 15 and word >> 16 & 6 == 2 and word & 15 >= 14, "no instruction"
        assert word >> 21 & 3 == 0, "no instruction"
        x, y = (word & 1) << 2 | word >> 14 & 3, word >> 11 & 6 | word >> 23 & 1
        self._multiply(word >> 16 & 1, x, y)
        by_register = word >> 20 & 1
        low, high = word >> 8 & 15, word >> 26 & 3
        step = self._a[low] if by_register else _VECTOR * _signed(high << 4 | low, 6)
        self._load_vector(word >> 23 & 6 | word >> 19 & 1, word >> 4 & 15, step)

    def _load_vector(self, q, s, step):
        address = self._a[s]
        assert address % _VECTOR == 0, "unaligned vector"
        data = b"".join(
            self._read(address + i, 4).to_bytes(4, "little") for i in range(0, _VECTOR, 4)
        )
        self._q[q] = [x - 256 if x > 127 else x for x in data]
        self._a[s] = address + step & _WORD

    def _multiply(self, is_qacc, x, y):
        products = [a * b for a, b in zip(self._q[x], self._q[y], strict=True)]
        if is_qacc:
            self._qacc = [a + b for a, b in zip(self._qacc, products, strict=True)]
            reached, limit = max(map(abs, self._qacc)), 1 << _QACC_BITS - 1
        else:
            self._accx += sum(products)
            reached, limit = abs(self._accx), 1 << _ACCX_BITS - 1
        assert reached < limit, "a sum saturates"
        self._multiplied = self.instructions

    # rur: a word of ACCX or of a half of QACC.
    def _user_register(self, number):
        assert self.instructions - self._multiplied > _GAP, "a sum is read too early"
        if number == 0:
            return self._accx & _WORD
        first = _QACC_L if number >= _QACC_L else _QACC_H
        word = number - first
        assert 0 <= word < _QACC_WORDS, "no register"
        lanes = self._qacc[:_QACC_LANES] if first == _QACC_L else self._qacc[_QACC_LANES:]
        mask = (1 << _QACC_BITS) - 1
        half = sum((lane & mask) << _QACC_BITS * i for i, lane in enumerate(lanes))
        return half >> 32 * word & _WORD

    def _branch(self, word, t, s, r, pc):
        a, kind = self._a, t & 3
        if kind == 0:
            return pc + 4 + _signed(word >> 6, 18)
        if kind == 1:
            return pc + 4 + _signed(word >> 12, 12) if _ZERO[t >> 2](_signed(a[s])) else None
        assert kind == 3, "no instruction"
        if t >> 2 == 0:
            self._frame = word >> 12 << 3
            a[s] -= self._frame
            return None
        assert t >> 2 == 1 and r == 9 and (pc + 3) % 4 in (0, 1)  # loopnez; its body in a word
        self._begin, self._end, self._left = pc + 3, pc + 4 + (word >> 16), a[s] - 1
        if a[s] == 0:
            self._left = 0
            return self._end
        return None

    def _compare(self, word, t, s, r, pc):
        return pc + 4 + _signed(word >> 16, 8) if _TWO[r](self._a[s], self._a[t]) else None


_SIZES = (3,) * 8 + (2,) * 6 + (4, 4)  # bytes of an instruction, by its lowest four bits
