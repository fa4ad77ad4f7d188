# Fuzzing of the vector kernels: the emulator beside a second reading of the instructions
# MIT license; Copyright (c) 2026 the tflm authors

import os

import numpy as np
import pytest
from pie_reference import Reference, decode
from support.check import flat_model_for
from support.inputs import generator
from support.oracle import shared_oracle
from support.single_op import Tensor, single_op

pytest.importorskip("unicorn", reason="the measuring bench needs the extra `cycles`")

from asm.encoders.pie import Pie
from tflm.access_checks import check_of
from tflm.access_checks.record import Record
from tflm.model import FlatModel
from xtensa_core import Core
from xtensa_kernels import Xtensa

_COUNT = int(os.environ.get("TFLM_PIE_FUZZ") or 40)  # models
_SEEDS = 300  # of single instructions


# Return random int8 values: usual ones, extreme ones, or a single one.
def _values(random, shape, low=-127):
    kind = random.integers(0, 5)
    if kind < 2:
        return random.integers(low, 128, shape).astype(np.int8)
    if kind == 2:
        return random.choice([low, -1, 0, 1, 127], shape).astype(np.int8)
    return np.full(shape, random.choice([low, 127]), np.int8)


# A random CONV_2D, DEPTHWISE_CONV_2D or FULLY_CONNECTED with RELU or without.
def _model(name):
    random = generator(name)
    kind = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")[random.integers(0, 3)]
    zero_point, output_zero_point = (int(z) for z in random.choice([-128, -5, 0, 77, 127], 2))
    relu = bool(random.integers(0, 4))
    depth = int(random.choice([1, 3, 8, 16, 20, 33, 64, 112, 130]))
    options = {"fused_activation_function": "RELU" if relu else "NONE"}
    if kind == "FULLY_CONNECTED":
        batches, filters = (int(n) for n in random.integers(1, 6, 2))
        source, shape, axis, target = (batches, depth), (filters, depth), 0, (batches, filters)
        taps = depth
    else:
        height, width = (int(n) for n in random.integers(1, 8, 2))
        stride = int(random.integers(1, 3))
        side = 3 if kind == "DEPTHWISE_CONV_2D" else int(random.choice([1, 1, 2, 3]))
        filters = depth if side == 3 and kind[0] == "D" else int(random.integers(1, 9))
        source = (1, height, width, depth)
        shape = (1, 3, 3, depth) if kind[0] == "D" else (filters, side, side, depth)
        axis = 3 if kind[0] == "D" else 0
        target = (1, -(-height // stride), -(-width // stride), filters)
        options |= {"stride_h": stride, "stride_w": stride, "padding": "SAME"}
        taps = 9 if kind[0] == "D" else side * side * depth
        if kind[0] == "D":
            options["depth_multiplier"] = 1
    scales = random.uniform(0.01, 0.03, filters)
    output_scale = float(random.choice([0.2, 1, 4])) * 0.05 * 0.02 * 74 * taps**0.5
    if relu:
        output_zero_point = -128
    x = Tensor(source, "int8", scale=0.05, zero_point=zero_point)
    quantization = {"scale": scales, "zero_point": 0, "quantized_dimension": axis}
    if kind == "FULLY_CONNECTED":
        quantization = {"scale": scales[:1], "zero_point": 0}
        scales = np.full(filters, scales[0])
    w = Tensor(shape, "int8", _values(random, shape), **quantization)
    bias = random.integers(-20_000, 20_000, filters)
    b = Tensor((filters,), "int32", bias, scale=0.05 * scales, zero_point=0)
    y = Tensor(target, "int8", scale=output_scale, zero_point=output_zero_point)
    data = _values(random, source, -128)
    return single_op(kind, [x, w, b], [y], **options), data


# The output of a flat model of one operator whose vectors run in a class of cores.
def _output(flat, data, core):
    kernel, _, _, words, operands, _ = flat.op(0)
    machine = Xtensa(kernel)
    machine.core = core(machine._read, machine._write)
    arena = bytearray(np.random.default_rng(1).bytes(flat.arena_bytes))
    at = flat.tensor(0)[0] >> 2
    arena[at : at + len(data)] = data
    record = Record(flat, memoryview(words), operands)
    check_of(kernel)(record)
    record.settle()
    machine.run(kernel, record, arena, flat.buffer)
    word, size, *_ = flat.tensor(1)
    return bytes(arena[word >> 2 : (word >> 2) + size])


@pytest.mark.parametrize("number", range(_COUNT))
def test_kernels(number):
    model, data = _model(f"pie {number}")
    flat = FlatModel(flat_model_for(model, "pie"))
    if not flat.kernel(0).partition(".")[0].endswith("_pie"):
        pytest.skip("the layer is not packed as vectors")
    (wanted,) = shared_oracle().run(model, [[data]], False)[0]
    second = _output(flat, data.tobytes(), Reference)
    assert second == wanted.tobytes()
    assert _output(flat, data.tobytes(), Core) == second


def test_most_models_have_vectors():
    names = [FlatModel(flat_model_for(_model(f"pie {i}")[0], "pie")).kernel(0) for i in range(40)]
    kinds = {name.partition(".")[0] for name in names}
    assert {"conv_pie", "depthwise_conv_pie", "fully_connected_pie"} <= kinds
    assert sum("_pie" in name for name in names) >= 20


# Both readings of single instructions with random registers and random memory.
@pytest.mark.parametrize("seed", range(0, _SEEDS, 50))
def test_instructions(seed):
    for number in range(seed, seed + 50):
        random = np.random.default_rng(number)
        memory = bytearray(random.bytes(4096))
        function = Pie("random", "", 4)
        function.zero_accx()
        function.zero_qacc()
        for i in range(8):
            function.vld_ip(f"q{i}", "a2", 16)
        for _ in range(12):
            q, x, y = (f"q{n}" for n in random.integers(0, 8, 3))
            method = random.choice(["mul_accx", "mul_qacc", "mul_accx_load", "mul_qacc_load"])
            if method.endswith("load"):
                step = "a4" if random.integers(0, 2) else 16 * int(random.integers(-2, 3))
                getattr(function, method)(q, "a3", step, x, y)
            else:
                getattr(function, method)(x, y)
        for i in range(8):
            function.vst_ip(f"q{i}", "a5", 16)
        names = ["accx_0"] + [f"qacc_{h}_{i}" for h in "hl" for i in range(5)]
        for i, name in enumerate(names):
            function.rur("a6", name)
            function.s32i("a6", "a5", 4 * i)
        function.retw()
        code = b"".join(data for _, data, _ in function.lines())
        results = [_memory_after(code, bytearray(memory), core) for core in (Core, Reference)]
        assert results[0] == results[1] != memory


def _memory_after(code, memory, kind):
    def read(address, size):
        return int.from_bytes(memory[address : address + size], "little")

    def write(address, size, value):
        memory[address : address + size] = value.to_bytes(size, "little")

    kind(read, write).call(code, [0, 1024, 32, 2048])
    return memory


# The reference does what the chip does where the emulator of the bench refuses.
def test_reference_saturates_and_ignores_low_address_bits():
    memory = bytearray([0x80] * 64)

    def read(address, size):
        assert address % 4 == 0
        return int.from_bytes(memory[address : address + size], "little")

    function = Pie("saturate", "", 1)
    function.zero_qacc()
    function.vld_ip("q0", "a2", 0)
    for _ in range(40):
        function.mul_qacc("q0", "q0")
    function.rur("a2", "qacc_l_0")
    function.retw()
    code = b"".join(data for _, data, _ in function.lines())
    lowest_lane = Reference(read, None).call(code, [5]) & 0xFFFFF
    assert lowest_lane == (1 << 19) - 1


def test_decoding_knows_every_word_that_the_encoder_writes():
    function = Pie("words", "", 0)
    function.mul_qacc_load("q5", "a10", -16, "q3", "q6")
    word = int.from_bytes(list(function.lines())[-1][1], "little")
    assert decode(word, 32) == (
        "mul_qacc_ld_ip", {"i": -16, "u": 5, "y": 6, "x": 3, "s": 10}
    )  # fmt: skip
