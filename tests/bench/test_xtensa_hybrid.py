# Tests of the kernels of hybrid operators for Xtensa: their machine code with checked accesses
# MIT license; Copyright (c) 2026 the tflm authors

import struct

import numpy as np
import pytest
from fuzz.kernel_tracer import Machine
from support.check import flat_model_for
from support.inputs import generator
from support.kernel_tests import module_of
from support.single_op import Tensor, single_op
from tflm.access_checks import check_of
from tflm.access_checks.record import Record
from tflm.model import FlatModel
from tflm.prepare.hybrid import HYBRID
from xtensa_fpu_core import FpuCore
from xtensa_kernels import KERNELS, code_of

_NAMES = "fully connected", "convolution", "depthwise"
_FILES = "hybrid_asm", "hybrid_depthwise_asm", "hybrid_quantize_asm"
_WORD = {name: i + 1 for i, name in enumerate(HYBRID)}  # of a record
_QUANTIZED = 2  # word of the record that quantizes the input


class _Xtensa(Machine):
    """The overrides in CPython, whose functions of machine code run in the emulator."""

    def __init__(self):
        super().__init__(32)
        self.core = FpuCore(self._read, self._write)
        self._functions = {}
        for file in _FILES:
            functions = {name: self._function(*code) for name, code in code_of(file).items()}
            self._functions.update(functions)
            self._files[file] = functions
        text = (KERNELS / "xtensawin" / "gen" / "hybrid_quantize.py").read_text()
        self._files["hybrid_quantize"] = self.compiled(text)
        self._files["hybrid"] = {"eval_float32": self._hybrid}

    def _read(self, address, size):
        data, at = self.locate(address, size, False)
        return int.from_bytes(data[at : at + size], "little")

    def _write(self, address, size, value):
        data, at = self.locate(address, size, True)
        data[at : at + size] = value.to_bytes(size, "little")

    def _function(self, code, count):
        return lambda *values: self.core.call(code, [int(x) for x in values[:count]])

    # kernels/xtensawin/hybrid.py without the portable kernel.
    def _hybrid(self, op, *arguments):
        words = np.frombuffer(self._ranges[0][1], np.uint32)
        depth = words[_WORD["depth"]]
        is_dense = depth == words[_WORD["input_channels"]] == words[_WORD["cell_step"]]
        is_dense = is_dense and words[_WORD["dilation_width"]] == 1
        self._functions["sums" if is_dense else "depthwise"](op, *arguments)
        self._functions["finish"](op, *arguments)


# Run both records of a flat model with an input. Return (quantized inputs, outputs). Raises
# ValueError if a check refuses a record. change(words): changes the operator's record.
def _run(machine, flat, values, change=None):
    arena = bytearray(flat.arena_bytes)
    at = flat.tensor(0)[0] >> 2
    arena[at : at + 4 * values.size] = values.astype(np.float32).tobytes()
    results = []
    for i, operand in enumerate((_QUANTIZED, _WORD["output"])):
        kernel, _, _, words, operands, _ = flat.op(i)
        words = bytearray(words)
        if change and i:
            change(words)
        record = Record(flat, memoryview(words), operands)
        check_of(kernel)(record)
        record.settle()
        machine.run(kernel, record, arena, flat.buffer)
        start, stop = record.ranges[operand]
        results.append(bytes(arena[start:stop]))
    return results[0], np.frombuffer(results[1], np.float32)


# Whether the machine code gives the bits of the portable kernels, where a NaN equals any NaN.
def _is_same(flat, values):
    (one_input, one), (other_input, other) = (
        _run(machine, flat, values) for machine in (_Xtensa(), Machine(32))
    )
    both_nan = np.isnan(one) & np.isnan(other)
    same = (one.view(np.uint32) == other.view(np.uint32)) | both_nan
    return bool(one_input == other_input and same.all())


# The cases that the machine code computes.
def _cases():
    for case in module_of("test_hybrid").cases:
        is_dilated = case.name.startswith("convolution") and "(2, 2) VALID" in case.name
        if case.name.startswith(_NAMES) and not is_dilated:
            yield case.name, case


@pytest.mark.parametrize(("name", "case"), list(_cases()))
def test_accesses_are_inside_of_the_operands(name, case):
    flat = FlatModel(flat_model_for(case.build(), "flat"))
    values = case.input_lists()[1][0]
    bits = generator(name).integers(0, 1 << 32, values.shape, dtype=np.uint64)
    for each in (values, bits.astype(np.uint32).view(np.float32)):
        assert _is_same(flat, each)


def _fully_connected(depth, channels):
    random = generator(f"{depth} {channels}")
    weights = Tensor((channels, depth), "int8", random.integers(-127, 128, (channels, depth)),
                     scale=0.01, zero_point=0, quantized_dimension=0)  # fmt: skip
    inputs = [Tensor((1, depth), "float32"), weights]
    model = single_op("FULLY_CONNECTED", inputs, [Tensor((1, channels), "float32")])
    return FlatModel(flat_model_for(model, "flat"))


# Windows of several pieces, and pieces whose weights are not words.
@pytest.mark.parametrize("depth", [3, 8, 159, 160, 161, 164, 320, 330])
def test_long_windows(depth):
    flat = _fully_connected(depth, 3)
    values = generator(f"long {depth}").normal(size=(1, depth))
    assert _is_same(flat, values)


# Weights up to the last byte of the model are read; one byte more is refused.
@pytest.mark.parametrize("depth", [20, 21, 40])
def test_weights_end_with_the_model(depth):
    flat = _fully_connected(depth, 3)
    values = generator(f"end {depth}").normal(size=(1, depth))

    def move(words, more):
        at = 4 * _WORD["weights"]
        end = len(flat.buffer) - 3 * depth + more
        struct.pack_into("<I", words, at, end << 2 | 1)

    assert _run(_Xtensa(), flat, values, lambda words: move(words, 0))[1].size == 3
    with pytest.raises(ValueError):
        _run(_Xtensa(), flat, values, lambda words: move(words, 1))


# Halves of integers and the numbers beside them; the largest magnitude, 127, gives a scale of 1.
@pytest.mark.parametrize("factor", [1.0, 2.0**-130, 2.0**-149, 2.0**100, 2.0**120, 0.1])
def test_quotients_close_to_a_half(factor):
    halves = np.arange(-254, 255).astype(np.float32) / 2
    beside = [np.nextafter(halves[1:-1], np.float32(to)) for to in (-400, 400)]
    values = np.concatenate([halves, *beside]) * np.float32(factor)
    assert _is_same(_fully_connected(values.size, 1), values[None])
