# Assembler macros: the instructions of the single-precision FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from .thumb_dsp import ThumbDsp

# {method: (code, bits of the second half)} of instructions of three registers.
_THREE = {"vmul": (0xEE20, 0), "vadd": (0xEE30, 0), "vsub": (0xEE30, 0x40), "vdiv": (0xEE80, 0)}
# {method: (code, mnemonic)} of loads and stores of registers that follow each other.
_SEVERAL = {"load_next": (0xECB0, "vldmia {}!"), "load_words": (0xEC90, "vldmia {}"),
            "store_next": (0xECA0, "vstmia {}!"),
            "store_words": (0xEC80, "vstmia {}")}  # fmt: skip


# Fail when an operand cannot be encoded.
def _check(condition, text):
    if not condition:
        raise ValueError(f"not an instruction of the FPU: {text}")


class ThumbFpu(ThumbDsp):
    """The text of one function that uses the FPU; FPU registers are numbers (5 is s5).

    `saves`: the function uses s16 to s31, whose values its caller keeps.
    No macro multiplies and adds in one instruction: TFLM rounds the product first.
    """

    def __init__(self, *head, saves, **options):
        self._saves = saves
        super().__init__(*head, **options)

    def _push(self):
        super()._push()
        if self._saves:
            self._wide(0xED2D, 0x8A10, "vpush {s16-s31}")

    def _pop(self):
        if self._saves:
            self._wide(0xECBD, 0x8A10, "vpop {s16-s31}")
        super()._pop()

    def __getattr__(self, name):
        if name in _THREE:
            return lambda to, one, other: self._float(name, to, one, other)
        if name in _SEVERAL:
            return lambda base, registers: self._several(name, base, registers)
        return super().__getattr__(name)

    # Memory.

    def vldr(self, to, base, offset=0):
        self._single(0xED90, "vldr", to, base, offset)

    def vstr(self, value, base, offset=0):
        self._single(0xED80, "vstr", value, base, offset)

    # A load or store of one register, at an offset.
    def _single(self, code, mnemonic, register, base, offset):
        _check(0 <= offset < 1024 and not offset & 3, f"{mnemonic} +{offset}")
        text = f"{mnemonic} s{register}, [{base}, #{offset}]"
        high = code | (register & 1) << 6 | base.number
        self._wide(high, (register >> 1) << 12 | 0xA00 | offset >> 2, text)

    # Load or store registers; the methods ..._next advance `base`.
    def _several(self, name, base, registers):
        (code, mnemonic), first, last = _SEVERAL[name], registers[0], registers[-1]
        names = f"s{first}-s{last}" if last > first else f"s{first}"
        text = f"{mnemonic.format(base)}, {{{names}}}"
        _check([*registers] == [*range(first, last + 1)] and last < 32, text)
        high = code | (first & 1) << 6 | base.number
        self._wide(high, (first >> 1) << 12 | 0xA00 | len(registers), text)

    # Arithmetic.

    def _float(self, name, to, one, other):
        code, bits = _THREE[name]
        high = code | (to & 1) << 6 | one >> 1
        low = (to >> 1) << 12 | 0xA00 | (one & 1) << 7 | bits | (other & 1) << 5 | other >> 1
        self._wide(high, low, f"{name}.f32 s{to}, s{one}, s{other}")

    # One operand.
    def _unary(self, code, name, to, value, kind):
        high = code | (to & 1) << 6
        low = (to >> 1) << 12 | 0xA00 | kind | (value & 1) << 5 | value >> 1
        self._wide(high, low, f"{name} s{to}, s{value}")

    def to_float(self, to, value):
        """to = the signed integer `value` as a number."""
        self._unary(0xEEB8, "vcvt.f32.s32", to, value, 0xC0)

    def to_nearest(self, to, value):
        """to = a number as a signed integer, rounded to nearest even and saturated."""
        self._unary(0xEEBD, "vcvtr.s32.f32", to, value, 0x40)

    def vmov_if(self, condition, to, value):
        """to = value if `condition` is true."""
        self.it(condition)
        self._unary(0xEEB0, "vmov.f32", to, value, 0x40)

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
