# Tests of compiled kernels: bit-exact with the portable kernels that they come from
# MIT license; Copyright (c) 2026 the tflm authors

import random
import struct
from functools import cache

import pytest
from fuzz.compiled_kernels import Mac16Machine, run_translated, without_scratch
from fuzz.kernel_records import checked, models, ops, with_spare_bytes, without_tail
from fuzz.kernel_tracer import Endless, Machine
from tflm.errors import TflmError
from tflm.model import FlatModel

from tools.asm import compiled
from tools.asm.language.machines import MACHINES

# {kernel file: the test file with its cases}, where the names differ.
_CASES = {
    "activations_float": "test_unary_float",
    "add_int16": "test_add",
    "add_table": "test_add",
    "batch_matmul_int16": "test_batch_matmul",
    "cast_float": "test_cast",
    "conv_mac16": "test_lanes",
    "conv_int16_dsp": "test_conv_int16",
    "dense": "test_lanes",
    "depthwise_column": "test_lanes",
    "depthwise_conv_dsp": "test_dsp",
    "depthwise_conv_lanes": "test_lanes",
    "depthwise_conv_mac16": "test_lanes",
    "fully_connected_dsp": "test_dsp",
    "fully_connected_lanes": "test_lanes",
    "fully_connected_mac16": "test_lanes",
    "gelu_float": "test_gelu",
    "hard_swish_float": "test_unary_float",
    "log_float": "test_elementwise_math",
    "lookup": "test_quantize",
    "maximum_minimum_wide": "test_maximum_minimum",
    "mul_int16": "test_mul",
    "pooling_int16": "test_pooling",
    "pooling_rows": "banded",
    "reduce_int16": "test_reduce",
    "reduce_min_max": "test_reduce",
    "reduce_min_max_float": "test_reduce",
    "reduce_min_max_int16": "test_litert_operators",
    "resize_bilinear_int16": "test_litert_operators",
    "rescale": "test_quantize",
    "round_float": "test_elementwise_math",
    "rsqrt_float": "test_elementwise_math",
    "sign_float": "test_elementwise_math",
    "signal_energy": "test_signal_front_end",
    "signal_fft_auto_scale": "test_signal_front_end",
    "signal_fft_int16": "test_signal_fft",
    "signal_filter_bank": "test_signal_front_end",
    "signal_filter_bank_log": "test_signal_front_end",
    "signal_filter_bank_spectral_subtraction": "test_signal_front_end",
    "signal_filter_bank_square_root": "test_signal_front_end",
    "signal_pcan": "test_signal_front_end",
    "signal_window": "test_signal_front_end",
    "sqrt_float": "test_elementwise_math",
    "strided_copy": "test_transpose",
}
_MODELS = 60  # of a test file, about
_RECORDS = 4  # of a kernel
_SHIFT = "signal_fft_auto_scale.eval_scaled"  # it shifts by a word of the arena
_LENGTH = 1 << 8  # words below it are lengths, strides and flags
_MAX_UNITS = 40  # of a record, because CPython runs the portable kernel
_TRACER = Machine(32)


def _kernels():
    """Return {kernel: [machine classes]}: of a translated kernel, which is the same for all
    machines except for their abilities, one of them.
    """
    found = {}
    for machine in MACHINES.values():
        for file, functions in compiled.functions(machine.name).items():
            for function in functions:
                machines = found.setdefault(f"{file}.{function}", [])
                if compiled.is_written(file) or not machines:
                    machines.append(machine)
    return found


_KERNELS = _kernels()
_MAC16 = (
    "conv_mac16.eval_int8",
    "conv_mac16.eval_pixels_int8",
    "depthwise_conv_mac16.eval_3x3_int8",
    "depthwise_conv_mac16.eval_3x3_stride_2_int8",
    "fully_connected_mac16.eval_int8",
)


def _test_file(kernel):
    file = kernel.partition(".")[0]
    return _CASES.get(file, f"test_{file}")


@cache
def _records(test_file):
    """Return {kernel: [(checked Record, model with more memory than it needs)]}."""
    found, rng = {}, random.Random(test_file)
    for flat in dict.fromkeys((*models(test_file), *models(test_file, _MODELS))):
        model = FlatModel(flat)
        larger = with_spare_bytes(model, rng)
        scratch = model.scratch()
        for number, name, data, operands in ops(model):
            record = None
            if name in _KERNELS or name in _MAC16:
                record = checked(larger, name, without_tail(data, operands), operands)
            if record:
                record.scratch = {operand for operand, _ in scratch.get(number, ())}
                record.units = min(record.units, _MAX_UNITS)
                found.setdefault(name, []).append((record, larger))
    return found


def records_of(kernel):
    """Return [(checked Record, its model)] of a kernel: first those in which other words are
    equal, such as two lengths or strides, with the most units first.
    """
    found, seen, again = [], set(), []
    for pair in sorted(_records(_test_file(kernel)).get(kernel, []), key=lambda x: -x[0].units):
        words = struct.unpack(f"<{pair[0].words}I", pair[0].table(0, pair[0].words))
        equal = tuple(words.index(word) for word in words if word < _LENGTH)
        (again if equal in seen else found).append(pair)
        seen.add(equal)
    return found + again


# Numbers of float32 are below 2: the bits of a NaN differ by machine.
def _arena(kernel, rng, size):
    arena = bytearray(size if kernel == _SHIFT else rng.randbytes(size))
    if "float" in kernel:
        arena[3::4] = bytes(byte & 0xBF for byte in arena[3::4])
    return arena


@pytest.mark.parametrize("kernel", sorted(_KERNELS))
def test_compiled_kernel_is_the_portable_one(kernel):
    rng, count = random.Random(kernel), 0
    for record, model in records_of(kernel):
        before, cut = _arena(kernel, rng, model.arena_bytes), rng.randint(0, record.units)
        wanted = bytearray(before)
        try:
            _TRACER.run(kernel, record, wanted, model.buffer)
        except (TflmError, Endless):
            continue
        for machine in _KERNELS[kernel]:
            found = bytearray(before)
            run_translated(kernel, machine, record, found, model.buffer, cut)
            same = without_scratch(record, found) == without_scratch(record, wanted)
            assert same, f"{machine.name}, {record.units} units, cut at {cut}: other outputs"
        count += 1
        if count == _RECORDS:
            break
    assert count


# Viper kernels of Xtensa, and functions in the language that they call.
@pytest.mark.parametrize("kernel", _MAC16)
def test_mac16_kernel_is_the_portable_one(kernel):
    rng, machine = random.Random(kernel), Mac16Machine()
    records = records_of(kernel)[:_RECORDS]
    for record, model in records:
        wanted = bytearray(rng.randbytes(model.arena_bytes))
        found = bytearray(wanted)
        _TRACER.run(kernel, record, wanted, model.buffer)
        machine.run(kernel, record, found, model.buffer)
        assert without_scratch(record, found) == without_scratch(record, wanted)
    assert records
