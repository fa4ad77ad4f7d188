# float32 kernels against numpy: every bit on ordinary, awkward and random operands
# MIT license; Copyright (c) 2026 the tflm authors
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
COUNT = int(os.environ.get("TFLM_FLOAT_CASES", "8000"))

_MAC, _MUL, _ADD, _SUB = range(4)
_EACH = 1 | 1 << 10 | 1 << 20

# Runs kernel calls from a list on an arena and a ROM, with the heap locked, and saves the arena.
DRIVER = """
import micropython, sys
calls, arena_path, rom_path = sys.argv[1:]
def load(path):
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        data = bytearray(size)
        file.readinto(data)
    return memoryview(data)
arena = load(arena_path)
rom = load(rom_path)
with open(calls) as file:
    lines = [line.split() for line in file]
todo = []
for module, name, *numbers in lines:
    module = __import__("tflm.kernels." + module, None, None, (name,))
    todo.append((getattr(module, name), tuple(int(number) for number in numbers)))
def run():
    for function, p in todo:
        if len(p) == 3:
            function(arena, rom, p[0], p[1], p[2])
        elif len(p) == 4:
            function(arena, rom, p[0], p[1], p[2], p[3])
        elif len(p) == 5:
            function(arena, rom, p[0], p[1], p[2], p[3], p[4])
        else:
            function(arena, rom, p[0], p[1], p[2], p[3], p[4], p[5])
micropython.heap_lock()
run()
micropython.heap_unlock()
with open(arena_path, "wb") as file:
    file.write(arena)
"""


# Lays out an arena and a ROM, collects kernel calls, and runs them all in one process.
class Machine:
    def __init__(self, folder):
        self.folder = folder
        self.arena = bytearray()
        self.rom = bytearray()
        self.calls = []

    # Puts an array in the arena and returns its operand word.
    def put(self, array):
        return self._append(self.arena, array) << 2

    # Puts an array in the ROM and returns its operand word.
    def put_rom(self, array):
        return self._append(self.rom, array) << 2 | 1

    def call(self, module, name, *numbers):
        self.calls.append(" ".join(str(word) for word in (module, name, *numbers)))

    def run(self):
        paths = [self.folder / name for name in ("calls", "arena", "rom")]
        paths[0].write_text("\n".join(self.calls))
        paths[1].write_bytes(self.arena)
        paths[2].write_bytes(self.rom)
        script = self.folder / "driver.py"
        script.write_text(DRIVER)
        program = os.environ.get("TFLM_MICROPYTHON") or Path(sys.executable).parent / "micropython"
        environment = {**os.environ, "MICROPYPATH": str(ROOT / "modules")}
        command = [program, "-X", "heapsize=64m", script, *paths]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        self.arena = paths[1].read_bytes()

    # Reads n elements back from an operand word in the arena.
    def get(self, word, n, dtype="<u4"):
        return np.frombuffer(self.arena, dtype, n, word >> 2)

    def _append(self, memory, array):
        memory.extend(bytes(-len(memory) % 4))
        offset = len(memory)
        memory.extend(np.ascontiguousarray(array).tobytes())
        return offset


SPECIAL = np.array(
    [0, 1, 2, 3, 0x400000, 0x7FFFFE, 0x7FFFFF, 0x800000, 0x800001, 0xFFFFFF, 0x1000000]
    + [0x3F000000, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x3FFFFFFF, 0x40000000, 0x4B000000]
    + [0x4B7FFFFF, 0x7F000000, 0x7F7FFFFE, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000],
    np.uint32,
)
SPECIAL = np.concatenate([SPECIAL, SPECIAL | 0x80000000])


# Pairs of bit patterns: all special ones, uniform ones, near exponents, cancellation, subnormals,
# products near the ends of the range, few mantissa bits (ties), zeros.
def operand_pairs(random, count):
    def bits(n):
        return random.integers(0, 1 << 32, n, dtype=np.uint32)

    def signs(n):
        return random.integers(0, 2, n, dtype=np.uint32) << 31

    def floats(n, low, high, mask=0x7FFFFF):
        exponents = random.integers(low, high, n, dtype=np.uint32)
        return signs(n) | exponents << 23 | bits(n) & mask

    part = count // 8
    left, right = np.meshgrid(SPECIAL, SPECIAL)
    pairs = [(left.ravel(), right.ravel()), (bits(part), bits(part))]
    pairs.append((floats(part, 110, 140), floats(part, 110, 140)))
    base = floats(part, 1, 255)
    near = base ^ 0x80000000
    pairs.append((base, near + random.integers(-40, 40, part).astype(np.uint32)))
    shifted = base ^ signs(part)
    shifted += random.integers(-30, 31, part).astype(np.uint32) << 23
    pairs.append((base, shifted))
    pairs.append((floats(part, 0, 3), floats(part, 0, 4)))
    low = floats(part, 0, 140)
    product = random.integers(90, 150, part).astype(np.int64) - (low >> 23 & 255) & 255
    pairs.append((low, (signs(part) | product.astype(np.uint32) << 23 | bits(part) & 0x7FFFFF)))
    high = floats(part, 120, 254)
    product = np.clip(
        381 - (high >> 23 & 255).astype(np.int64) + random.integers(-3, 3, part), 1, 254
    )
    pairs.append((high, signs(part) | product.astype(np.uint32) << 23 | bits(part) & 0x7FFFFF))
    pairs.append((floats(part, 115, 139, 0x7FF000), floats(part, 115, 139, 0x7FF800)))
    pairs.append((np.where(bits(part) & 1, signs(part), bits(part)), bits(part)))
    left, right = (np.concatenate(side) for side in zip(*pairs))
    order = random.permutation(len(left))
    return left[order], right[order]


# Numpy's answer in float32, as bits.
def as_bits(values):
    return np.asarray(values, np.float32).view(np.uint32)


def floats_of(bits):
    return np.asarray(bits, np.uint32).view(np.float32)


# Equal bits; where the wanted one is a NaN, any quiet NaN.
def assert_same(got, wanted, *operands):
    nan = np.isnan(floats_of(wanted))
    quiet = got & 0x7FC00000 == 0x7FC00000
    wrong = np.flatnonzero(np.where(nan, ~quiet, got != wanted))
    shown = [[hex(column[i]) for column in (*operands, got, wanted)] for i in wrong[:8]]
    assert not len(wrong), f"{len(wrong)} of {len(got)} differ: operands, got, wanted: {shown}"


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


# The operations take the arena's and the ROM's operands and give C's bits.
def test_arithmetic(machine):
    random = np.random.default_rng(1)
    a, b = operand_pairs(random, COUNT)
    acc = operand_pairs(random, COUNT)[0]
    count = len(a)
    with np.errstate(all="ignore"):
        product = floats_of(a) * floats_of(b)
        # Half of the accumulators nearly cancel the product.
        near = as_bits(product) ^ 0x80000000
        near += random.integers(-9, 9, count).astype(np.uint32)
        acc = np.where(random.integers(0, 2, count), near, acc)
        wanted = {
            "mac": product + floats_of(acc),
            "mul": product,
            "add": floats_of(a) + floats_of(b),
            "sub": floats_of(a) - floats_of(b),
        }
    word_a, word_b = machine.put(a), machine.put_rom(b)
    out = {}
    for name in wanted:
        out[name] = machine.put(acc)
        if name == "mac":
            machine.call("float32", "mac_each", out[name], word_a, word_b, count, 1)
        else:
            machine.call("float32", name, out[name], word_a, word_b, count, _EACH)
    machine.run()
    for name, values in wanted.items():
        assert_same(machine.get(out[name], count), as_bits(values), acc, a, b)
