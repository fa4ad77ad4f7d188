# Kernel language: runs the instructions of a tile for Xtensa, for the interpreter
# MIT license; Copyright (c) 2026 the tflm authors

from .machine import to_signed

_WORD = 0xFFFFFFFF
_FIRST = 2  # number of the first register of a tile: a2


def _half(value, half):
    return to_signed(value << 16) >> 16 if half == "l" else to_signed(value) >> 16


# What instructions compute of the values of their operands.
_COMPUTED = {
    "add": lambda x, y: x + y,
    "addi": lambda x, y: x + y,
    "addx2": lambda x, y: 2 * x + y,
    "and_": lambda x, y: x & y,
    "or_": lambda x, y: x | y,
    "slli": lambda x, n: x << n,
    "srli": lambda x, n: x >> n,
    "srai": lambda x, n: to_signed(x) >> n,
    "extui": lambda x, low, bits: x >> low & (1 << bits) - 1,
    "mulsh": lambda x, y: to_signed(x) * to_signed(y) >> 32,
}
_LOADS = {"l8ui": "u8", "l16ui": "u16", "l32i": "w"}


# An assembler that keeps its instructions: (name, arguments).
class _Recorder:
    def __init__(self):
        self.instructions, self.labels = [], {}

    def new_label(self, name):
        return f"{name}{len(self.instructions)}"

    def label(self, name):
        self.labels[name] = len(self.instructions)

    def __getattr__(self, name):
        return lambda *arguments: self.instructions.append((name, arguments))


class XtensaTile:
    """The accumulator, the registers m0 to m3, SAR and vectors, which tiles of a kernel share."""

    def __init__(self, memory):
        self._memory = memory
        self._total, self._m, self._sar, self._q = None, {}, None, {}  # nothing is known of them

    def run(self, write, count, values, info):
        """Run a tile and return the values of its registers, None for one without a value.

        write, info: as for Kernel.tile(). count: of outs. values: of inouts and ins.
        """
        names = [f"a{_FIRST + i}" for i in range(count + len(values))]
        self._a, code = dict(zip(names[count:], values, strict=True)), _Recorder()
        write(code, *names, *info)
        at, loops = 0, []  # (first instruction, end, turns left)
        while at < len(code.instructions) or loops and loops[-1][1] == at:
            if loops and loops[-1][1] == at:
                begin, end, left = loops.pop()
                if left > 1:
                    loops.append((begin, end, left - 1))
                    at = begin
                continue
            name, arguments = code.instructions[at]
            at += 1
            if name == "loopnez":
                end = code.labels[arguments[1]]
                turns = self._a[arguments[0]]
                if turns:
                    loops.append((at, end, turns))
                else:
                    at = end
            elif name == "bnez":
                at = code.labels[arguments[1]] if self._a[arguments[0]] else at
            else:
                self._instruction(name, *arguments)
        return [self._a.get(name) for name in names]

    def _value(self, operand):
        if isinstance(operand, int):
            return operand
        return self._m[operand] if operand[0] == "m" else self._a[operand]

    def _instruction(self, name, *arguments):
        if name in _COMPUTED:
            to, *operands = arguments
            self._a[to] = _COMPUTED[name](*map(self._value, operands)) & _WORD
        elif name in _LOADS:
            to, base, *offset = arguments
            self._a[to] = self._memory.load(_LOADS[name], self._a[base] + sum(offset) & _WORD)
        else:
            getattr(self, f"_{name}")(*arguments)

    # The accumulator has 40 bits, with sign.
    def _set_total(self, value):
        self._total = (value & (1 << 40) - 1 ^ 1 << 39) - (1 << 39)

    def _wsr_acclo(self, t):
        self._set_total(self._a[t])

    _clear_acc = _wsr_acclo

    def _rsr_acclo(self, t):
        self._a[t] = self._total & _WORD

    def _rsr_acchi(self, t):
        self._a[t] = self._total >> 32 & _WORD

    def _ldinc(self, w, s):
        self._a[s] = self._a[s] + 4 & _WORD
        self._m[w] = self._memory.load("w", self._a[s])

    def _mula(self, halves, x, y):
        product = _half(self._value(x), halves[0]) * _half(self._value(y), halves[1])
        self._set_total(self._total + product)

    def _mula_ldinc(self, halves, w, s, x, y):
        self._mula(halves, x, y)
        self._ldinc(w, s)

    def _ssr(self, s):
        self._sar = self._a[s] & 31

    def _sra(self, r, t):
        self._a[r] = to_signed(self._a[t]) >> self._sar & _WORD

    # Vectors are at multiples of 16.
    def _words(self, s):
        return range(self._a[s] & ~15, (self._a[s] & ~15) + 16, 4)

    def _vld_ip(self, q, s, step):
        self._q[q] = [self._memory.load("w", at) for at in self._words(s)]
        self._a[s] = self._a[s] + step & _WORD

    def _vld_xp(self, q, s, d):
        self._vld_ip(q, s, self._a[d])

    def _vst_ip(self, q, s, step):
        for at, word in zip(self._words(s), self._q[q], strict=True):
            self._memory.store("w", at, word)
        self._a[s] = self._a[s] + step & _WORD

    def _clamps(self, r, s, _spare):
        self._a[r] = min(max(to_signed(self._a[s]), -128), 127) & _WORD
