# One function for Xtensa with the vector unit of the ESP32-S3 (PIE)
# MIT license; Copyright (c) 2026 the tflm authors

from .xtensa import Function

# Numbers of the user registers. QACC_L holds lanes 0 to 7 and QACC_H lanes 8 to 15, 20 bits each.
_USER = {"accx_0": 0}
_USER.update({f"qacc_h_{i}": 2 + i for i in range(5)})
_USER.update({f"qacc_l_{i}": 7 + i for i in range(5)})
_ACCX, _QACC = 2, 3  # of int8 products, in the instructions that also load
VECTOR = 16  # bytes


# The number of a register "a0" to "a15" or "q0" to "q7".
def _n(register):
    return int(register[1:])


class Pie(Function):
    """A Function that multiplies vectors of 16 int8 values in q0 to q7.

    ACCX adds the products of all lanes to one sum of 40 bits. QACC has a sum of 20 bits for each
    lane. Both saturate, so Prepare proves that no sum gets that far. Addresses of vectors are
    multiples of 16: the chip ignores their lowest four bits.

    Encodings: ESP32-S3 Technical Reference Manual, section 1.8, and the tests of LLVM's assembler.
    """

    def ssai(self, bits):
        """Set the shift of src()."""
        self._rrr(4, 0, 4, bits & 15, bits >> 4, f"ssai {bits}")

    def rur(self, r, name):
        """Read a word of an accumulator: accx_0, qacc_l_0 to qacc_l_4, qacc_h_0 to qacc_h_4."""
        self._put(0xE3 << 16 | _n(r) << 12 | _USER[name] << 4, f"rur.{name} {r}")

    def zero_accx(self):
        self._put(0x250804, "ee.zero.accx")

    def zero_qacc(self):
        self._put(0x250844, "ee.zero.qacc")

    # A load or store of a vector whose address advances by a number of bytes.
    def _vector(self, code, name, q, s, step):
        assert step % VECTOR == 0 and -2048 <= step <= 2032
        steps = step // VECTOR & 0xFF
        word = 1 << 23 | steps >> 7 << 22 | _n(q) >> 1 << 20 | code << 16 | (_n(q) & 1) << 15
        word |= (steps & 0x7F) << 8 | _n(s) << 4 | 4
        self._put(word, f"ee.{name}.128.ip {q}, {s}, {step}")

    def vld_ip(self, q, s, step):
        """Load a vector; then `s` advances by `step` bytes."""
        self._vector(3, "vld", q, s, step)

    def vst_ip(self, q, s, step):
        """Store a vector; then `s` advances by `step` bytes."""
        self._vector(10, "vst", q, s, step)

    def vld_xp(self, q, s, d):
        """Load a vector; then `s` advances by the register `d`."""
        word = 1 << 23 | _n(q) >> 1 << 20 | 13 << 16 | (_n(q) & 1) << 15 | 2 << 12
        self._put(word | _n(d) << 8 | _n(s) << 4 | 4, f"ee.vld.128.xp {q}, {s}, {d}")

    # Add the products of x and y to ACCX or to QACC.
    def _mul(self, is_qacc, x, y):
        word = 0x1A << 16 | _n(y) >> 2 << 14 | is_qacc << 13 | (_n(y) >> 1 & 1) << 12
        word |= (_n(y) & 1) << 11 | _n(x) << 8 | 0xC4
        self._put(word, f"ee.vmulas.s8.{('accx', 'qacc')[is_qacc]} {x}, {y}")

    # Multiply as _mul() does, then load u from `s`, which advances by `step`: bytes or a register.
    def _mul_load(self, is_qacc, u, s, step, x, y):
        by_register = isinstance(step, str)
        if by_register:
            low, high = _n(step), 0
        else:
            assert step % VECTOR == 0 and -512 <= step <= 496
            low, high = step // VECTOR & 15, step // VECTOR >> 4 & 3
        word = 0xF << 28 | high << 26 | _n(u) >> 1 << 24 | (_n(y) & 1) << 23 | by_register << 20
        word |= (_n(u) & 1) << 19 | (_QACC if is_qacc else _ACCX) << 16 | (_n(x) & 3) << 14
        word |= _n(y) >> 1 << 12 | low << 8 | _n(s) << 4 | 0xE | _n(x) >> 2
        name = f"ee.vmulas.s8.{('accx', 'qacc')[is_qacc]}.ld.{('ip', 'xp')[by_register]}"
        self._put(word, f"{name} {u}, {s}, {step}, {x}, {y}", 4)

    def mul_accx(self, x, y):
        """Add the sum of all products of x and y to ACCX."""
        self._mul(0, x, y)

    def mul_qacc(self, x, y):
        """Add the product of each lane of x and y to its sum in QACC."""
        self._mul(1, x, y)

    def mul_accx_load(self, u, s, step, x, y):
        """mul_accx(), then load u from `s`, which advances by `step`: bytes or a register."""
        self._mul_load(0, u, s, step, x, y)

    def add_products(self, x, w, odd, pairs):
        """Add the products of vectors of inputs and weights to ACCX, two in a turn of a loop.

        The first ones are in q0 and q1. Others are loaded at x and w, which advance, ahead of
        their products: a vector after the last one is read, too. odd: 1 for an odd number.
        """
        even, end = self.new_label("even"), self.new_label("multiplied")
        self.beqz(odd, even)
        self.mul_accx_load("q0", x, VECTOR, "q0", "q1")
        self.vld_ip("q1", w, VECTOR)
        self.label(even)
        self.loopnez(pairs, end)
        self.vld_ip("q3", w, VECTOR)
        self.mul_accx_load("q2", x, VECTOR, "q0", "q1")
        self.vld_ip("q1", w, VECTOR)
        self.mul_accx_load("q0", x, VECTOR, "q2", "q3")
        self.label(end)

    def mul_qacc_load(self, u, s, step, x, y):
        """mul_qacc(), then load u from `s`, which advances by `step`: bytes or a register."""
        self._mul_load(1, u, s, step, x, y)
