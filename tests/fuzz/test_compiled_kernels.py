# Tests of compiled kernels: bit-exact with the portable kernels that they come from
# MIT license; Copyright (c) 2026 the tflm authors

import random

import pytest
from fuzz.compiled_kernels import run_translated, without_scratch
from fuzz.kernel_records import checked, models, ops, with_spare_bytes, without_tail
from fuzz.kernel_tracer import Endless, Machine
from tflm.errors import TflmError
from tflm.model import FlatModel

from tools.asm import compiled
from tools.asm.language.machines import MACHINES

# {kernel file: the test file with its cases}, where the names differ.
_CASES = {
    "add_int16": "test_add",
    "add_table": "test_add",
    "batch_matmul_int16": "test_batch_matmul",
    "dense": "test_lanes",
    "depthwise_column": "test_lanes",
    "depthwise_conv_dsp": "test_dsp",
    "depthwise_conv_lanes": "test_lanes",
    "lookup": "test_quantize",
    "maximum_minimum_wide": "test_maximum_minimum",
    "mul_int16": "test_mul",
    "pooling_int16": "test_pooling",
    "pooling_rows": "banded",
    "reduce_int16": "test_reduce",
    "reduce_min_max": "test_reduce",
    "reduce_min_max_int16": "test_litert_operators",
    "resize_bilinear_int16": "test_litert_operators",
    "rescale": "test_quantize",
    "signal_energy": "test_signal_front_end",
    "signal_fft_auto_scale": "test_signal_front_end",
    "signal_fft_int16": "test_signal_fft",
    "signal_filter_bank": "test_signal_front_end",
    "signal_filter_bank_log": "test_signal_front_end",
    "signal_filter_bank_spectral_subtraction": "test_signal_front_end",
    "signal_filter_bank_square_root": "test_signal_front_end",
    "signal_pcan": "test_signal_front_end",
    "signal_window": "test_signal_front_end",
    "strided_copy": "test_transpose",
}
_RECORDS = 2  # of a kernel
_SHIFT = "signal_fft_auto_scale.eval_scaled"  # it shifts by a word of the arena
_MAX_UNITS = 40  # of a record, because CPython runs the portable kernel
_TRACER = Machine(32)


def _kernels():
    """Return [(kernel, machine class)]: one machine of each kernel, all of those with an FPU."""
    found = {}
    for machine in MACHINES.values():
        for file, functions in compiled.functions(machine.name).items():
            for function in functions:
                kernel = f"{file}.{function}"
                is_for_fpu = compiled.is_written(file) and file.endswith("_float")
                found[kernel, machine.name if is_for_fpu else None] = machine
    return sorted(((kernel, machine) for (kernel, _), machine in found.items()), key=str)


def _test_file(kernel):
    file = kernel.partition(".")[0]
    return _CASES.get(file, f"test_{file}")


def records_of(kernel, rng):
    """Yield (checked Record, model with more memory than it needs) of a kernel."""
    for flat in models(_test_file(kernel)):
        model = FlatModel(flat)
        larger = with_spare_bytes(model, rng)
        scratch = model.scratch()
        for number, name, data, operands in ops(model):
            if name == kernel:
                record = checked(larger, name, without_tail(data, operands), operands)
                if record:
                    record.scratch = {operand for operand, _ in scratch.get(number, ())}
                    record.units = min(record.units, _MAX_UNITS)
                    yield record, larger


# Numbers of float32 are below 2: the bits of a NaN differ by machine.
def _arena(kernel, rng, size):
    arena = bytearray(size if kernel == _SHIFT else rng.randbytes(size))
    if "float" in kernel:
        arena[3::4] = bytes(byte & 0xBF for byte in arena[3::4])
    return arena


@pytest.mark.parametrize("kernel, machine", _kernels(), ids=lambda x: getattr(x, "name", x))
def test_compiled_kernel_is_the_portable_one(kernel, machine):
    rng, count = random.Random(kernel), 0
    for record, model in records_of(kernel, rng):
        wanted = _arena(kernel, rng, model.arena_bytes)
        found = bytearray(wanted)
        try:
            _TRACER.run(kernel, record, wanted, model.buffer)
        except (TflmError, Endless):
            continue
        run_translated(kernel, machine, record, found, model.buffer)
        assert without_scratch(record, found) == without_scratch(record, wanted)
        count += 1
        if count == _RECORDS:
            break
    assert count
