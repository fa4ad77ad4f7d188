# Tests of float32 operators with int8 weights on Cortex-M and RV32: emulated cores against viper
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from float_batch import failures
from packed_cases import firmware_of
from support.inputs import generator
from support.kernel_tests import module_of

_NAMES = "fully connected", "convolution", "depthwise"


# Numbers of all kinds, and numbers between the steps of the quantized input.
def _special(shape, random):
    bits = random.integers(0, 1 << 32, shape, dtype=np.uint64).astype(np.uint32)
    subnormal = (bits & 0x807FFFFF).view(np.float32)
    halves = (random.integers(-255, 256, shape) / 2).astype(np.float32)
    return bits.view(np.float32), subnormal, halves, halves - np.float32(2**-20)


def _jobs():
    jobs = []
    for case in module_of("test_hybrid").cases:
        if case.name.startswith(_NAMES):
            runs = case.input_lists()
            shape = runs[0][0].shape
            runs += [[values] for values in _special(shape, generator(case.name))]
            jobs.append((case.name, case.build(), "flat", runs))
    return jobs


@pytest.mark.parametrize("core", ["m0plus", "m33", "rv32"])
def test_outputs_have_the_bits_of_the_portable_kernels(core):
    if not firmware_of(core).exists():
        pytest.skip(f"there is no firmware for {core}; `make -C tests asm` builds it")
    assert not failures(_jobs(), core, with_portable=True)
