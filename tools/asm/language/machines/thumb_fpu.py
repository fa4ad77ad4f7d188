# Kernel language: ARMv7E-M with the DSP extension and an FPU (Cortex-M4F, M7, M33)
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from ...encoders.thumb_fpu import ThumbFpu
from .thumb_dsp import ThumbDspMachine

_FIRST_SAVED = 16  # registers of the FPU from here on belong to the caller
_SIZES = {"limit": 28, "larger": 14, "smaller": 14, "from_integer": 8, "round": 12}  # bytes


class ThumbFpuMachine(ThumbDspMachine):
    """ThumbDspMachine with 32 registers of the FPU."""

    name = "armv7emsp"
    has_fpu = has_float_divide = has_float_conversion = True

    def size(self, op, is_far):
        name = op.info[0] if op.name == "fpu" else op.name
        if name == "convert":
            return 4 * len(op.info)
        return _SIZES.get(name) or super().size(op, is_far)

    def write(self, kernel, code, used):
        numbers = [number for op in code if op.name == "fpu" for number in op.info[1:]]
        self.assembler = partial(ThumbFpu, saves=max(numbers, default=0) >= _FIRST_SAVED)
        return super().write(kernel, code, used)

    def write_fpu(self, t, op, to, values):
        name, *numbers = op.info
        if name in ("load", "store"):
            (t.vldr if name == "load" else t.vstr)(*numbers, *values)
        elif name in ("load_next", "load_words", "store_next", "store_words"):
            getattr(t, name)(values[0], numbers)
        elif name == "set_bits":
            t.from_core(*numbers, *values)
        elif name == "bits":
            t.to_core(*to, *numbers)
        elif name == "from_integer":
            t.from_core(*numbers, *values)
            t.to_float(*numbers, *numbers)
        elif name == "convert":
            for number in numbers:
                t.to_float(number, number)
        elif name == "round":
            t.to_nearest(*numbers)
            t.to_core(*to, numbers[0])
            t.to_float(numbers[0], numbers[0])
        else:
            getattr(t, f"v{name}")(*numbers)

    def write_larger(self, t, op, to, values):
        value, other = op.info
        t.vcmp(other, value)
        t.vmov_if("gt" if op.name == "larger" else "mi", value, other)

    write_smaller = write_larger

    def write_limit(self, t, op, to, values):
        value, low, high = op.info
        t.vcmp(value, low)
        t.vmov_if("mi", value, low)
        t.vcmp(value, high)
        t.vmov_if("gt", value, high)
