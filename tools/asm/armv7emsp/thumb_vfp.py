# Assembler macros: the instructions of the single-precision FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..armv7em.thumb_dsp import ThumbDsp

_CONDITIONS = ("eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")


# Fail when an operand cannot be encoded.
def _check(condition, text):
    if not condition:
        raise ValueError(f"not an instruction of the FPU: {text}")


class ThumbVfp(ThumbDsp):
    """The text of one function that uses the FPU; FPU registers are numbers (5 is s5).

    `saves`: the function uses s16 to s31, whose values its caller keeps.
    No macro multiplies and adds in one instruction: TFLM rounds the product first.
    """

    def __init__(self, name, about, arguments=4, slots=(), saves=False):
        self._saves = saves
        super().__init__(name, about, arguments, slots)

    def _begin(self):
        self._wide(0xE92D, 0x0F00, "push {r8-r11}")
        if self._saves:
            self._wide(0xED2D, 0x8A10, "vpush {s16-s31}")
        self._frame("sub", 0xB080)

    def _end(self):
        self._frame("add", 0xB000)
        if self._saves:
            self._wide(0xECBD, 0x8A10, "vpop {s16-s31}")
        self._wide(0xE8BD, 0x0F00, "pop {r8-r11}")

    # Instructions of the core that ThumbDsp lacks.

    def it(self, condition):
        """Run the next instruction only if `condition` is true."""
        self._data(0xBF08 | _CONDITIONS.index(condition) << 4, f"it {condition}")

    def move(self, to, value):
        """Copy a register without changing flags."""
        self._data(0x4600 | (to.number & 8) << 4 | value.number << 3 | to.number & 7,
                   f"mov {to}, {value}")  # fmt: skip

    def number(self, to, number):
        """to = number, of 0..65535."""
        _check(0 <= number < 1 << 16, f"movw #{number}")
        high = 0xF240 | (number >> 11 & 1) << 10 | number >> 12
        low = (number >> 8 & 7) << 12 | to.number << 8 | number & 0xFF
        self._wide(high, low, f"movw {to}, #{number}")

    def and_number(self, to, one, number):
        """to = one & number, of 0..255, with flags."""
        _check(0 <= number < 256, f"ands #{number}")
        self._wide(0xF010 | one.number, to.number << 8 | number, f"ands {to}, {one}, #{number}")

    def shift_right(self, to, value, by):
        """to = value >> by without sign, with flags."""
        _check(0 < by < 32, f"lsrs #{by}")
        low = (by >> 2) << 12 | to.number << 8 | (by & 3) << 6 | 0x10 | value.number
        self._wide(0xEA5F, low, f"lsrs {to}, {value}, #{by}")

    def shift_left(self, to, value, by):
        _check(0 < by < 32, f"lsl #{by}")
        low = (by >> 2) << 12 | to.number << 8 | (by & 3) << 6 | value.number
        self._wide(0xEA4F, low, f"lsl {to}, {value}, #{by}")

    def mul_wide(self, to, one, other):
        low = 0xF000 | to.number << 8 | other.number
        self._wide(0xFB00 | one.number, low, f"mul {to}, {one}, {other}")

    # Memory.

    # A load or store of one register, at an offset.
    def _single(self, code, mnemonic, register, base, offset):
        _check(0 <= offset < 1024 and not offset & 3, f"{mnemonic} +{offset}")
        text = f"{mnemonic} s{register}, [{base}, #{offset}]"
        high = code | (register & 1) << 6 | base.number
        self._wide(high, (register >> 1) << 12 | 0xA00 | offset >> 2, text)

    def vldr(self, to, base, offset=0):
        self._single(0xED90, "vldr", to, base, offset)

    def vstr(self, value, base, offset=0):
        self._single(0xED80, "vstr", value, base, offset)

    # A load or store of `count` registers from `first` on, at `base`, which advances if the code
    # says so.
    def _several(self, code, mnemonic, base, first, count):
        _check(0 < count <= 32 - first, f"{mnemonic} s{first}, {count}")
        last = f"-s{first + count - 1}" if count > 1 else ""
        text = f"{mnemonic}, {{s{first}{last}}}"
        high = code | (first & 1) << 6 | base.number
        self._wide(high, (first >> 1) << 12 | 0xA00 | count, text)

    def vldm(self, base, first, count=1):
        self._several(0xECB0, f"vldmia {base}!", base, first, count)

    def vldm_stay(self, base, first, count=1):
        """Load several registers without advancing `base`."""
        self._several(0xEC90, f"vldmia {base}", base, first, count)

    def vstm(self, base, first, count=1):
        self._several(0xECA0, f"vstmia {base}!", base, first, count)

    def vstm_stay(self, base, first, count=1):
        """Store several registers without advancing `base`."""
        self._several(0xEC80, f"vstmia {base}", base, first, count)

    # Arithmetic.

    def _float(self, code, name, to, one, other, minus=0):
        high = code | (to & 1) << 6 | one >> 1
        low = (to >> 1) << 12 | 0xA00 | (one & 1) << 7 | minus | (other & 1) << 5 | other >> 1
        self._wide(high, low, f"{name} s{to}, s{one}, s{other}")

    def vmul(self, to, one, other):
        self._float(0xEE20, "vmul.f32", to, one, other)

    def vadd(self, to, one, other):
        self._float(0xEE30, "vadd.f32", to, one, other)

    def vsub(self, to, one, other):
        self._float(0xEE30, "vsub.f32", to, one, other, 0x40)

    def vdiv(self, to, one, other):
        self._float(0xEE80, "vdiv.f32", to, one, other)

    # One operand.
    def _unary(self, code, name, to, value, kind):
        high = code | (to & 1) << 6
        low = (to >> 1) << 12 | 0xA00 | kind | (value & 1) << 5 | value >> 1
        self._wide(high, low, f"{name} s{to}, s{value}")

    def vmov(self, to, value):
        self._unary(0xEEB0, "vmov.f32", to, value, 0x40)

    def vneg(self, to, value):
        self._unary(0xEEB1, "vneg.f32", to, value, 0x40)

    def vsqrt(self, to, value):
        self._unary(0xEEB1, "vsqrt.f32", to, value, 0xC0)

    def to_float(self, to, value):
        """to = the signed integer `value` as a number."""
        self._unary(0xEEB8, "vcvt.f32.s32", to, value, 0xC0)

    def to_nearest(self, to, value):
        """to = a number as a signed integer, rounded to nearest even and saturated."""
        self._unary(0xEEBD, "vcvtr.s32.f32", to, value, 0x40)

    def vmov_if(self, condition, to, value):
        """to = value if `condition` is true."""
        self.it(condition)
        self.vmov(to, value)

    def vcmp(self, one, other):
        """Compare two numbers, and copy the flags; with a NaN neither `mi` nor `gt` is true."""
        self._unary(0xEEB4, "vcmp.f32", one, other, 0x40)
        self._wide(0xEEF1, 0xFA10, "vmrs APSR_nzcv, fpscr")

    def from_core(self, to, value):
        """Copy the bits of a register of the core."""
        low = value.number << 12 | 0xA10 | (to & 1) << 7
        self._wide(0xEE00 | to >> 1, low, f"vmov s{to}, {value}")

    def to_core(self, to, value):
        low = to.number << 12 | 0xA10 | (value & 1) << 7
        self._wide(0xEE10 | value >> 1, low, f"vmov {to}, s{value}")
