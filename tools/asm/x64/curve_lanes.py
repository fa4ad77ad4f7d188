# Machine code for curves of float32 on x86-64 with AVX2: the vectors of eight elements
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

from .compiled import constants

FILE = "float32_math"
_OF_FILE = constants(FILE)
EXP, LOGISTIC, TANH, ELU = (_OF_FILE[name] for name in ("_EXP", "_LOGISTIC", "_TANH", "_ELU"))
C = [_OF_FILE[f"_C{i}"] for i in range(7)]
LOG2_E, LN2 = _OF_FILE["_LOG2_E"], _OF_FILE["_LN2_HIGH"] << 16 | _OF_FILE["_LN2_LOW"]
UPPER_MANTISSA, LOWER_MANTISSA = _OF_FILE["_UPPER_MANTISSA"], _OF_FILE["_LOWER_MANTISSA"]
ONE = 127 << 23
# Eight elements at a time, in the steps of kernels/float32_math.py:
#
# 1. Unpack sign, exponent and mantissa.
# 2. Reduce the argument to k and r, and find exp(r) by Horner's rule.
# 3. Make the exponential, the quotient, or the difference of it; divisions are of float64, whose
#    quotients of such integers have the right whole part.
# 4. Choose the answers that need no exponential.
#
# If one of the eight is a NaN, or has an answer that is subnormal or infinite, the compiled
# function computes all of them.
LANES = 8
# Registers, by the variables of kernels/float32_math.py.
_X, _E, _M, _K, _R, _H, _Q, Y = range(8)
RARE, _SIGN_MASK = 8, 9
_T0, _T1, _T2, _T3 = 10, 11, 12, 13


# The curve of eight elements at rsi, in register Y; RARE has the highest bit set in each element
# whose answer is none.
class Lanes:
    def __init__(self, t, kind):
        self._t, self._kind = t, kind

    # A register, or a number in every lane.
    def _operand(self, value):
        if isinstance(value, int):
            return f"ymm{value}"
        return self._t.constant((value[0] & 0xFFFFFFFF).to_bytes(4, "little") * LANES)

    def _apply(self, name, to, one, other):
        getattr(self._t, name)(f"ymm{to}", f"ymm{one}", self._operand(other))

    def _shift(self, name, to, one, bits):
        getattr(self._t, name)(f"ymm{to}", f"ymm{one}", bits)

    # to = value where mask is set, else to.
    def _where(self, mask, to, value):
        self._t.vpblendvb(f"ymm{to}", f"ymm{to}", self._operand(value), f"ymm{mask}")

    # to = one > other, or one == other.
    def _greater(self, to, one, other):
        self._apply("vpcmpgtd", to, one, other)

    def _load(self, to, value):
        self._t.vmovdqu(f"ymm{to}", self._operand(value))

    # to = number > one. Uses to.
    def _less(self, to, one, number):
        self._load(to, (number,))
        self._apply("vpcmpgtd", to, to, one)

    def curve(self):
        self._unpack()
        self._reduce()
        self._polynomial()
        if self._kind == EXP:
            self._alone(Y, _E)
        else:
            self._quotient()
        self._finish()
        self._plain()

    # 1. Exponent, mantissa, and a mask of negative elements. A NaN is rare.
    def _unpack(self):
        self._t.vmovdqu(f"ymm{_X}", at("rsi"))
        self._shift("vpsrad", _SIGN_MASK, _X, 31)
        self._shift("vpsrld", _E, _X, 23)
        self._apply("vpand", _E, _E, (255,))
        self._apply("vpand", _M, _X, (0x7FFFFFFF,))
        self._greater(RARE, _M, (255 << 23,))
        self._apply("vpand", _M, _X, (0x7FFFFF,))
        self._apply("vpor", _M, _M, (0x800000,))

    # 2. k and r, and q and y; _H becomes r >> 15, and _R its lower bits.
    def _reduce(self):
        if self._kind == TANH:
            self._apply("vpsubd", _E, _E, (-1,))
        self._greater(_T0, _E, (118,))
        self._load(_T1, (140,))
        self._apply("vpsubd", _T1, _T1, _E)
        self._apply("vpsrlvd", _K, _M, _T1)
        self._apply("vpmulld", _K, _K, (LOG2_E,))
        self._apply("vpaddd", _K, _K, (0x200000,))
        self._shift("vpsrad", _K, _K, 22)
        self._apply("vpand", _K, _K, _T0)
        self._apply("vpsubd", _T1, _E, (119,))
        self._apply("vpsllvd", _R, _M, _T1)
        self._apply("vpmulld", _T1, _K, (LN2,))
        self._apply("vpsubd", _R, _R, _T1)
        self._load(_T1, (118,))
        self._apply("vpsubd", _T1, _T1, _E)
        self._apply("vpsrlvd", _T1, _M, _T1)
        self._apply("vpsubd", _T1, _T1, (-1,))
        self._shift("vpsrld", _T1, _T1, 1)
        self._t.vpblendvb(f"ymm{_R}", f"ymm{_T1}", f"ymm{_R}", f"ymm{_T0}")
        if self._kind == EXP:
            for register in (_R, _K):
                self._apply("vpxor", register, register, _SIGN_MASK)
                self._apply("vpsubd", register, register, _SIGN_MASK)
        else:
            self._apply("vpxor", _T1, _T1, _T1)
            for register in (_R, _K):
                self._apply("vpsubd", register, _T1, register)
        self._shift("vpsrad", _H, _R, 15)
        self._apply("vpand", _R, _R, (0x7FFF,))

    def _polynomial(self):
        self._load(Y, (C[6],))
        for i, constant in enumerate((*C[5::-1], C[0])):
            if i == 6:
                self._t.vmovaps(f"ymm{_Q}", f"ymm{Y}")
            self._horner(Y, Y, _R, constant)

    # to = constant + (_H * (q >> 15) + (_H * (q & 0x7fff) + low * (q >> 15) >> 15) >> 1).
    def _horner(self, to, q, low, constant):
        self._shift("vpsrld", _T0, q, 15)
        self._apply("vpand", _T1, q, (0x7FFF,))
        self._apply("vpmulld", _T1, _T1, _H)
        self._apply("vpmulld", _T2, _T0, low)
        self._apply("vpaddd", _T1, _T1, _T2)
        self._shift("vpsrad", _T1, _T1, 15)
        self._apply("vpmulld", _T0, _T0, _H)
        self._apply("vpaddd", _T0, _T0, _T1)
        self._shift("vpsrad", _T0, _T0, 1)
        self._apply("vpaddd", to, _T0, (constant,))

    # 3. The exponential alone: y < 2**30, and its exponent.
    def _alone(self, y, e):
        self._apply("vpsubd", e, _K, (-127,))
        self._normalize(y, e, 1)

    # Double a number below 2**29 and subtract 1 from its exponent, up to `times`. Uses _T0.
    def _normalize(self, y, e, times):
        for _ in range(times):
            self._less(_T0, y, 1 << 29)
            self._double(y, e)

    # Double where the mask _T0 is set. Uses _T1.
    def _double(self, y, e):
        self._apply("vpand", _T1, y, _T0)
        self._apply("vpaddd", y, y, _T1)
        self._apply("vpaddd", e, e, _T0)

    # 3. Numerator _X and its exponent, then their quotient by 1 + exp(r) * 2**k. _plain() loads
    # the element again.
    def _quotient(self):
        kind = self._kind
        if kind == LOGISTIC:
            # Far below 0 the exponential is the answer: the mask is in register 14, the answer in
            # 15, its exponent in _H.
            self._choose_alone()
        # r = y >> min(-k, 30).
        self._apply("vpxor", _T0, _T0, _T0)
        self._apply("vpsubd", _T0, _T0, _K)
        self._apply("vpminsd", _T0, _T0, (30,))
        self._apply("vpsrlvd", _T3, Y, _T0)
        if kind == LOGISTIC:
            self._load(_X, (C[0],))
            self._where(_SIGN_MASK, _X, Y)
            self._apply("vpand", _E, _K, _SIGN_MASK)
            self._apply("vpsubd", _E, _E, (-127,))
        else:
            self._difference()
        self._t.vmovaps(f"ymm{_R}", f"ymm{_T3}")
        if kind == ELU:
            self._normalize(_X, _E, 3)
            self._less(_T0, _X, 1 << 29)
            self._apply("vpor", RARE, RARE, _T0)
            self._t.vmovaps(f"ymm{Y}", f"ymm{_X}")
        else:
            self._divide()

    # tanh and ELU: 1 - exp(r) * 2**k, which keeps its bits where k is 0.
    def _difference(self):
        self._shift("vpsrld", _H, _M, 9)
        self._apply("vpand", _M, _M, (0x1FF,))
        self._shift("vpsrld", _T0, _Q, 15)
        self._apply("vpand", _T1, _Q, (0x7FFF,))
        self._apply("vpmulld", _T1, _T1, _H)
        self._apply("vpmulld", _T2, _T0, _M)
        self._shift("vpslld", _T2, _T2, 6)
        self._apply("vpaddd", _T1, _T1, _T2)
        self._shift("vpsrad", _T1, _T1, 15)
        self._apply("vpmulld", _T0, _T0, _H)
        self._apply("vpaddd", _T0, _T0, _T1)
        self._apply("vpsubd", _E, _E, (-1,))
        self._load(_X, (C[0],))
        self._apply("vpsubd", _X, _X, _T3)
        self._apply("vpxor", _T1, _T1, _T1)
        self._apply("vpcmpeqd", _T1, _K, _T1)
        self._load(_T2, (127,))
        self._t.vpblendvb(f"ymm{_E}", f"ymm{_T2}", f"ymm{_E}", f"ymm{_T1}")
        self._where(_T1, _X, _T0)

    def _choose_alone(self):
        self._less(_T0, _E, 131)  # e <= 130
        self._apply("vpcmpeqd", _T1, _E, (130,))
        self._greater(_T2, _M, (LOWER_MANTISSA,))
        self._apply("vpand", _T1, _T1, _T2)
        self._apply("vpandn", _T0, _T0, _SIGN_MASK)  # negative and e > 130
        self._apply("vpand", _T1, _T1, _SIGN_MASK)
        self._apply("vpor", 14, _T0, _T1)
        self._t.vmovaps("ymm15", f"ymm{Y}")
        self._alone(15, _H)

    # Y = _X / (1 + _R) in units of 2**-29, rounded as float32_math.py does, with exponent _E.
    def _divide(self):
        self._apply("vpaddd", _R, _R, (C[0],))
        for _ in range(4):
            self._greater(_T0, _R, _X)
            self._double(_X, _E)
        self._greater(_T0, _R, _X)
        self._apply("vpor", RARE, RARE, _T0)
        self._shift("vpsrld", _M, _R, 14)
        self._apply("vpsubd", _M, _M, (-1,))
        for i in range(3):
            self._shift("vpsrld", _T3, _X, 2)
            self._whole_quotient(_Q, _T3, _M)
            if i == 2:
                break
            self._shift("vpslld", _X, _X, 12)
            self._apply("vpmulld", _T0, _Q, _R)
            self._apply("vpsubd", _X, _X, _T0)
            if i == 0:
                self._shift("vpslld", Y, _Q, 12)
            else:
                self._apply("vpaddd", Y, Y, _Q)
        self._shift("vpslld", Y, Y, 5)
        self._shift("vpsrld", _Q, _Q, 7)
        self._apply("vpaddd", Y, Y, _Q)
        self._apply("vpor", Y, Y, (1,))

    # to = one // other for numbers from 1 to 2**31 - 1. Uses _T0, _T1, _T2.
    def _whole_quotient(self, to, one, other):
        t = self._t
        for half, result in enumerate((_T0, to)):
            for source, converted in ((one, _T1), (other, _T2)):
                if half:
                    t.vextracti128(f"xmm{converted}", f"ymm{source}", 1)
                    t.vcvtdq2pd(f"ymm{converted}", f"xmm{converted}")
                else:
                    t.vcvtdq2pd(f"ymm{converted}", f"xmm{source}")
            t.vdivpd(f"ymm{_T1}", f"ymm{_T1}", f"ymm{_T2}")
            t.vcvttpd2dq(f"xmm{result}", f"ymm{_T1}")
        t.vinserti128(f"ymm{to}", f"ymm{_T0}", f"xmm{to}", 1)

    # Round to nearest even and pack; exponents that do not fit are rare.
    def _finish(self):
        if self._kind == LOGISTIC:
            self._where(14, Y, 15)
            self._where(14, _E, _H)
        self._shift("vpsrld", _T0, Y, 6)
        self._apply("vpand", _T0, _T0, (1,))
        self._apply("vpaddd", Y, Y, _T0)
        self._apply("vpaddd", Y, Y, (31,))
        self._shift("vpsrld", Y, Y, 6)
        self._less(_T0, _E, 1)
        self._greater(_T1, _E, (253,))
        self._apply("vpor", _T3, _T0, _T1)  # of no account where the answer is plain
        self._apply("vpsubd", _E, _E, (1,))
        self._shift("vpslld", _E, _E, 23)
        self._apply("vpaddd", Y, Y, _E)
        if self._kind in (TANH, ELU):
            self._shift("vpslld", _T0, _SIGN_MASK, 31)
            self._apply("vpor", Y, Y, _T0)

    # 4. Answers without an exponential.
    def _plain(self):
        kind = self._kind
        self._t.vmovdqu(f"ymm{_X}", at("rsi"))
        self._shift("vpsrld", _E, _X, 23)
        self._apply("vpand", _E, _E, (255,))
        self._less(_T0, _E, 114 if kind == TANH else 102)
        self._greater(_T1, _E, (131 if kind in (TANH, ELU) else 133,))
        if kind in (TANH, ELU):
            self._apply("vpand", _T2, _X, (-(1 << 31),))
            self._apply("vpor", _T2, _T2, (ONE,))
            self._answer(_T1, _T2)
            if kind == ELU:
                self._load(_T2, (-1,))
                self._apply("vpandn", _T2, _SIGN_MASK, _T2)
                self._apply("vpor", _T0, _T0, _T2)
            self._answer(_T0, _X)
        else:
            self._load(_T2, (255 << 23 if kind == EXP else ONE,))
            self._apply("vpandn", _T2, _SIGN_MASK, _T2)
            if kind == LOGISTIC:
                # From 16.619047 on it is 1.
                self._t.vmovdqu(f"ymm{_M}", at("rsi"))
                limit = 131 << 23 | UPPER_MANTISSA & 0x7FFFFF
                self._greater(_M, _M, (limit,))
                self._apply("vpor", _T1, _T1, _M)
            self._answer(_T1, _T2)
            self._load(_T2, (127 - kind << 23,))
            self._answer(_T0, _T2)
        self._apply("vpor", RARE, RARE, _T3)

    # Where the mask is set, Y is the answer, and nothing is rare but a NaN.
    def _answer(self, mask, answer):
        self._t.vpblendvb(f"ymm{Y}", f"ymm{Y}", f"ymm{answer}", f"ymm{mask}")
        self._apply("vpandn", _T3, mask, _T3)
