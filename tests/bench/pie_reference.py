# A second reading of the vector instructions of the ESP32-S3, for tests of the first one
# MIT license; Copyright (c) 2026 the tflm authors

"""Written from the ESP32-S3 Technical Reference Manual (chapter 1.8: instruction words and
operations), not from bench/xtensa_core.py. Registers are bit strings like the chip's: q0 to q7
have 128 bits, ACCX has 40, QACC_H and QACC_L have 160. As on the chip, sums saturate and the
lowest four bits of addresses are ignored.
"""

from xtensa_core import Core

# Instruction words, the highest bit first. A letter is a field: its bits are numbered from the
# highest one, or as FIELD_BITS says.
_WORDS = {
    "vld_ip": "1iuu0011uiiiiiiissss0100",
    "vst_ip": "1iuu1010uiiiiiiissss0100",
    "vld_xp": "10uu1101u010ddddssss0100",
    "mul_accx": "000110100y0yyxxx11000100",
    "mul_qacc": "000110100y1yyxxx11000100",
    "mul_accx_ld_ip": "1111iiuuy000u010xxyyiiiissss111x",
    "mul_accx_ld_xp": "1111..uuy001u010xxyyddddssss111x",
    "mul_qacc_ld_ip": "1111iiuuy000u011xxyyiiiissss111x",
    "mul_qacc_ld_xp": "1111..uuy001u011xxyyddddssss111x",
    "zero_accx": "001001010000100000000100",
    "zero_qacc": "001001010000100001000100",
}
# The order in which the bits of a field come in words of 32 bits: x[1], x[0], x[2] for x.
_LONG_ORDER = {"x": (1, 0, 2), "y": (0, 2, 1), "u": (2, 1, 0)}


# Return (name, {field: number}) of an instruction word.
def decode(word, bits):
    text = f"{word:0{bits}b}"
    for name, pattern in _WORDS.items():
        if len(pattern) != bits:
            continue
        fields, matches = {}, True
        for letter, digit in zip(pattern, text, strict=True):
            if letter in "01":
                matches = matches and letter == digit
            elif letter != ".":
                fields.setdefault(letter, []).append(int(digit))
        if not matches:
            continue
        numbers = {}
        for letter, digits in fields.items():
            order = _LONG_ORDER.get(letter) if bits == 32 else None
            positions = order or tuple(range(len(digits) - 1, -1, -1))
            numbers[letter] = sum(d << p for d, p in zip(digits, positions, strict=True))
        if "i" in numbers:  # an immediate is signed and counts 16 bytes
            width = len(fields["i"])
            value = numbers["i"]
            numbers["i"] = 16 * (value - (1 << width) if value >> width - 1 else value)
        return name, numbers
    raise AssertionError(f"no vector instruction: {text}")


def _signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value & 1 << bits - 1 else value


def _saturated(value, bits):
    return max(-(1 << bits - 1), min((1 << bits - 1) - 1, value))


class Reference(Core):
    """A Core whose vector instructions are this reading; the others are the emulator's."""

    def __init__(self, *functions):
        super().__init__(*functions)
        self._vectors = [0] * 8
        self._sum, self._high, self._low = 0, 0, 0

    def _vector(self, word, s, op1):
        self._execute(*decode(word, 24))

    def _multiply_and_load(self, word):
        self._execute(*decode(word, 32))

    def _execute(self, name, f):
        if name == "zero_accx":
            self._sum = 0
        elif name == "zero_qacc":
            self._high = self._low = 0
        if name.startswith("mul"):  # the operands are read before the load
            x, y = ([_signed(self._vectors[f[n]] >> 8 * i, 8) for i in range(16)] for n in "xy")
            if "accx" in name:
                total = _signed(self._sum, 40) + sum(a * b for a, b in zip(x, y, strict=True))
                self._sum = _saturated(total, 40) & (1 << 40) - 1
            else:
                self._low = self._lanes(self._low, x[:8], y[:8])
                self._high = self._lanes(self._high, x[8:], y[8:])
        if name[-2:] in ("ip", "xp"):
            address = self._a[f["s"]] & ~15
            if name == "vst_ip":
                for i in range(0, 16, 4):
                    self._write(address + i, 4, self._vectors[f["u"]] >> 8 * i)
            else:
                words = [self._read(address + i, 4) << 8 * i for i in range(0, 16, 4)]
                self._vectors[f["u"]] = sum(words)
            step = f["i"] if name.endswith("ip") else self._a[f["d"]]
            self._a[f["s"]] = self._a[f["s"]] + step & 0xFFFFFFFF

    # Add products to the eight sums of 20 bits of a half of QACC.
    def _lanes(self, half, x, y):
        result = 0
        for i in range(8):
            total = _signed(half >> 20 * i, 20) + x[i] * y[i]
            result |= (_saturated(total, 20) & 0xFFFFF) << 20 * i
        return result

    # rur: ACCX_0, ACCX_1, QACC_H_0 to QACC_H_4, QACC_L_0 to QACC_L_4.
    def _user_register(self, number):
        if number < 2:
            return self._sum >> 32 * number & 0xFFFFFFFF
        half, first = (self._high, 2) if number < 7 else (self._low, 7)
        return half >> 32 * (number - first) & 0xFFFFFFFF
