# Tests of compiled kernels on emulated cores: the memory afterwards is the portable kernel's
# MIT license; Copyright (c) 2026 the tflm authors

import random

import pytest

pytest.importorskip("unicorn", reason="the measuring bench needs the extra `cycles`")

from fuzz.compiled_kernels import units, without_scratch
from fuzz.kernel_tracer import Machine
from fuzz.test_compiled_kernels import records_of
from fuzz.test_kernel_tracer import _arena
from language_programs import MEMORY, machine_code, run_on

from tools.asm import compiled
from tools.asm.language.machines import MACHINES

_ARENA, _ROM, _BYTES = 0x8000, 0x10000, 0x20000  # offsets in the memory, which has _BYTES
_CHOSEN = (
    "batch_matmul.eval_int8",
    "dense.eval_bytes",
    "dense_lut.eval_int8",
    "depthwise_column.eval_int8",
    "depthwise_conv_dsp.eval_planes_3x3_int8",
    "depthwise_conv_dsp.eval_planes_3x3_stride_2_int8",
    "depthwise_conv_dsp.eval_planes_int8",
    "depthwise_conv_lanes.eval_3x3_int8",
    "depthwise_conv_lanes.eval_3x3_stride_2_int8",
    "depthwise_conv_lanes.eval_int8",
    "dequantize.eval_integers",
    "gelu_float.eval_float32",
    "mul.eval_int8",
    "quantize.eval_float32",
    "rescale.eval_integers",
    "rsqrt_float.eval_float32",
    "resize_bilinear.eval_int8",
    "signal_fft_int16.eval_join",
    "signal_fft_int16.eval_split",
    "signal_fft_int16.eval_stage",
    "signal_filter_bank.eval_uint32",
    "signal_filter_bank_spectral_subtraction.eval_uint32",
    "signal_filter_bank_square_root.eval_uint64",
    "softmax.eval_int8",
    "squared_difference.eval_integers",
    "svdf.eval_int8",
)
_TRACER = Machine(32)


# The machine code of a kernel, and its Kernel.output.
def _code(kernel, arch):
    file, _, function = kernel.partition(".")
    machine = MACHINES[arch]()
    code = compiled.kernel_of(file, function, machine)
    return machine_code(machine.compile(code), arch), code.output


@pytest.mark.parametrize("kernel", _CHOSEN)
@pytest.mark.parametrize("arch", MACHINES)
def test_compiled_kernel_on_a_core(arch, kernel):
    file, _, function = kernel.partition(".")
    if function not in compiled.functions(arch).get(file, ()):
        pytest.skip(f"{kernel} is not compiled for {arch}")
    rng = random.Random(kernel)
    record, model = records_of(kernel)[0]
    arena = _arena(rng, model.arena_bytes)
    code, output = _code(kernel, arch)
    arguments = units(MACHINES[arch], 0, record.units, output, record, arena)
    memory = bytearray(_BYTES)
    words = record.table(0, record.words)
    for at, data in ((0, words), (_ARENA, arena), (_ROM, model.buffer)):
        memory[at : at + len(data)] = data
    addresses = [MEMORY, MEMORY + _ARENA, MEMORY + _ROM]
    [(_, found)] = run_on(arch, [code], [bytes(memory)], [*addresses, *arguments])
    _TRACER.run(kernel, record, arena, model.buffer)
    found = found[_ARENA : _ARENA + len(arena)]
    assert without_scratch(record, found) == without_scratch(record, arena)
