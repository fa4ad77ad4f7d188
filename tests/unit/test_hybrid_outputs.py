# Tests of the outputs of hybrid operators in the kernel language, by the interpreter
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import numpy as np
import pytest
from support.inputs import generator
from tflm.prepare.hybrid import HYBRID

from tools.asm.kernels import hybrid_fpu, hybrid_outputs
from tools.asm.language.interpreter import InterpretedMachine, Memory, run
from tools.asm.language.machines import MACHINES
from tools.asm.language.macros import ABSENT

_RECORD, _ARENA, _ROM = 0x1000, 0x10000, 0x40000
_SCALES, _OUTPUT, _WEIGHT_SCALES, _BIAS = 0x100, 0x200, 0x300, 0x400
_BATCHES, _PIXELS, _CHANNELS = 2, 3, 7
_MACHINES = "armv7emsp", "rv32imc", "xtensawin"


def _bits(value):
    return int(np.float32(value).view(np.int32))


# Run a range of units of one batch, which machines without an FPU require.
def _call(name, memory, start, count):
    module = hybrid_fpu if MACHINES[name].has_fpu else hybrid_outputs
    machine = InterpretedMachine(MACHINES[name])
    kernel = module.finish_kernel(machine)
    units = (start, start + count) if machine.max_arguments > 4 else (start << 10 | count,)
    return run(kernel, memory, _RECORD, _ARENA, _ROM, *units)


@pytest.mark.parametrize("per_channel, has_bias", [(0, False), (1, True), (1, False), (0, True)])
@pytest.mark.parametrize("name", _MACHINES)
def test_outputs(name, per_channel, has_bias):
    random = generator(f"outputs {per_channel} {has_bias}")
    sums = random.integers(-(1 << 25), 1 << 25, (_BATCHES, _PIXELS, _CHANNELS)).astype("<i4")
    scales = random.uniform(0.001, 0.1, _BATCHES).astype("f")
    weight_scales = random.uniform(0.001, 0.01, _CHANNELS if per_channel else 1).astype("f")
    bias = random.normal(0, 1000, _CHANNELS).astype("f")
    wanted = sums.astype("f") * weight_scales * scales[:, None, None]
    wanted = np.clip(wanted + bias if has_bias else wanted, -200, 5000)
    fields = dict.fromkeys(HYBRID, 1)
    fields |= {"scales": _SCALES << 2, "output": _OUTPUT << 2, "per_channel": per_channel}
    fields |= {"weight_scales": _WEIGHT_SCALES << 2 | 1, "output_channels": _CHANNELS}
    fields |= {"bias": _BIAS << 2 | 1 if has_bias else ABSENT, "output_height": _PIXELS}
    fields |= {"activation_min": _bits(-200), "activation_max": _bits(5000)}
    data = bytearray(sums.tobytes())
    operands = {
        "record": (_RECORD, struct.pack("<29i", 1, *(fields[n] for n in HYBRID)), False),
        "scales": (_ARENA + _SCALES, scales.tobytes(), False),
        "weight scales": (_ROM + _WEIGHT_SCALES, weight_scales.tobytes(), False),
        "bias": (_ROM + _BIAS, bias.tobytes(), False),
        "output": (_ARENA + _OUTPUT, data, True),
    }
    per_batch, start = _PIXELS * _CHANNELS, 0
    while start < sums.size:
        count = min(10, per_batch - start % per_batch)
        assert _call(name, Memory(operands), start, count)
        start += count
    assert (np.frombuffer(data, "f") == wanted.ravel()).all()
