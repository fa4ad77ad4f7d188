# bench: emulates the FPU of an ESP32 as far as kernels use it, with checked memory accesses
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from xtensa_core import Core, _signed

_WORD = 0xFFFFFFFF
_INT32 = np.iinfo(np.int32)
_THREE = {0: np.add, 1: np.subtract, 2: np.multiply}  # by op2
_COMPARE = {4: np.less}


class FpuCore(Core):
    """A Core with an FPU of single precision, which numpy computes."""

    WIDE = {**Core.WIDE, 3: "_float_memory"}

    def call(self, code, arguments):
        self._f = np.full(16, np.nan, np.float32)
        self._b = [None] * 16
        with np.errstate(all="ignore"):
            return super().call(code, arguments)

    def _registers(self, word, t, s, r, pc):
        op1, op2, f = word >> 16 & 15, word >> 20, self._f
        if op1 == 8:  # lsx
            assert op2 == 0, "no instruction"
            self._f.view(np.uint32)[r] = self._read(self._a[s] + self._a[t] & _WORD, 4)
        elif op1 == 11:
            if op2 == 13:  # movt.s
                f[r] = f[s] if self._b[t] else f[r]
            else:
                self._b[r] = bool(_COMPARE[op2](f[s], f[t]))
        elif op1 != 10:
            return super()._registers(word, t, s, r, pc)
        elif op2 in _THREE:
            f[r] = _THREE[op2](f[s], f[t])
        elif op2 == 8:  # round.s
            value = np.rint(np.float64(f[s]))
            value = _INT32.max if np.isnan(value) else min(max(value, _INT32.min), _INT32.max)
            self._a[r] = int(value) & _WORD
        elif op2 == 12:  # float.s
            f[r] = np.float32(_signed(self._a[s]))
        else:
            assert op2 == 15, "no instruction"
            self._copy(t, s, r)

    # abs.s, rfr, wfr
    def _copy(self, kind, s, r):
        bits = self._f.view(np.uint32)
        if kind == 1:
            bits[r] = bits[s] & 0x7FFFFFFF
        elif kind == 4:
            self._a[r] = int(bits[s])
        else:
            assert kind == 5, "no instruction"
            bits[r] = self._a[s]

    # lsi, ssi
    def _float_memory(self, word, t, s, r, pc):
        address = self._a[s] + (word >> 16) * 4 & _WORD
        bits = self._f.view(np.uint32)
        if r == 0:
            bits[t] = self._read(address, 4)
        else:
            assert r == 4, "no instruction"
            self._write(address, 4, int(bits[t]))

    def _branch(self, word, t, s, r, pc):
        if t == 7 and r == 0:  # bf
            return pc + 4 + _signed(word >> 16, 8) if not self._b[s] else None
        return super()._branch(word, t, s, r, pc)
