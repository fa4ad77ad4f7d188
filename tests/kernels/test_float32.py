# Tests of float32 kernels against numpy: every bit of ordinary, special and random operands
# MIT license; Copyright (c) 2026 the tflm authors
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
COUNT = int(os.environ.get("TFLM_FLOAT_CASES", "40000"))

MODULES = {
    "div": "float32_divide",
    "maximum": "float32_select",
    "minimum": "float32_select",
}

_EACH = 1 | 1 << 10 | 1 << 20

# Runs kernel calls from a list on an arena and a ROM, with the heap locked, and saves the arena.
DRIVER = """
import micropython, sys
from tflm import micropython_port
if sys.argv.pop() == "portable":
    micropython_port._folders = ()
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


# Lays out an arena and a ROM, collects kernel calls, and runs all of them in one process.
class Machine:
    def __init__(self, folder, helpers="portable"):
        self.folder = folder
        self.helpers = helpers  # or "x64": machine code, where this MicroPython runs it
        self.arena = bytearray()
        self.rom = bytearray()
        self.calls = []

    # Store an array in the arena and return its operand word.
    def put(self, array):
        return self._append(self.arena, array) << 2

    # Store an array in the ROM and return its operand word.
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
        command = [program, "-X", "heapsize=64m", script, *paths, self.helpers]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        self.arena = paths[1].read_bytes()

    # Read n elements from an operand word in the arena.
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


# Pairs of bit patterns: all special ones, uniform ones, similar exponents, cancellation,
# subnormals, products near both ends of the range, few mantissa bits (ties), zeros.
def operand_pairs(random, count):
    def bits(n):
        return random.integers(0, 1 << 32, n, dtype=np.uint32)

    def signs(n):
        return random.integers(0, 2, n, dtype=np.uint32) << 31

    def floats(n, low, high, mask=0x7FFFFF):
        exponents = random.integers(low, high, n, dtype=np.uint32)
        return signs(n) | exponents << 23 | bits(n) & mask

    eighth = count // 8
    left, right = np.meshgrid(SPECIAL, SPECIAL)
    pairs = [(left.ravel(), right.ravel()), (bits(eighth), bits(eighth))]
    pairs.append((floats(eighth, 110, 140), floats(eighth, 110, 140)))
    base = floats(eighth, 1, 255)
    near = base ^ 0x80000000
    pairs.append((base, near + random.integers(-40, 40, eighth).astype(np.uint32)))
    shifted = base ^ signs(eighth)
    shifted += random.integers(-30, 31, eighth).astype(np.uint32) << 23
    pairs.append((base, shifted))
    pairs.append((floats(eighth, 0, 3), floats(eighth, 0, 4)))
    low = floats(eighth, 0, 140)
    product = random.integers(90, 150, eighth).astype(np.int64) - (low >> 23 & 255) & 255
    random_low = signs(eighth) | product.astype(np.uint32) << 23 | bits(eighth) & 0x7FFFFF
    pairs.append((low, random_low))
    high = floats(eighth, 120, 254)
    product = np.clip(
        381 - (high >> 23 & 255).astype(np.int64) + random.integers(-3, 3, eighth), 1, 254
    )
    pairs.append((high, signs(eighth) | product.astype(np.uint32) << 23 | bits(eighth) & 0x7FFFFF))
    pairs.append((floats(eighth, 61, 64, 0x7FFFC0), floats(eighth, 62, 66, 0x7FFFC0)))
    pairs.append((floats(eighth, 115, 139, 0x7FF000), floats(eighth, 115, 139, 0x7FF800)))
    pairs.append((np.where(bits(eighth) & 1, signs(eighth), bits(eighth)), bits(eighth)))
    left, right = (np.concatenate(side) for side in zip(*pairs, strict=True))
    order = random.permutation(len(left))
    return left[order], right[order]


# The answer of numpy in float32, as bits.
def as_bits(values):
    return np.asarray(values, np.float32).view(np.uint32)


def floats_of(bits):
    return np.asarray(bits, np.uint32).view(np.float32)


# Equal bits; if the wanted value is a NaN, any quiet NaN.
def assert_same(got, wanted, *operands):
    nan = np.isnan(floats_of(wanted))
    quiet = got & 0x7FC00000 == 0x7FC00000
    wrong = np.flatnonzero(np.where(nan, ~quiet, got != wanted))
    shown = [[hex(column[i]) for column in (*operands, got, wanted)] for i in wrong[:8]]
    assert not len(wrong), f"{len(wrong)} of {len(got)} differ: operands, got, wanted: {shown}"


@pytest.fixture(params=["portable", "x64"])
def machine(tmp_path, request):
    return Machine(tmp_path, request.param)


# The operations read operands in the arena and in the ROM, and return C's bits.
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
            "div": floats_of(a) / floats_of(b),
            "maximum": np.where(floats_of(a) > floats_of(b), floats_of(a), floats_of(b)),
            "minimum": np.where(floats_of(a) < floats_of(b), floats_of(a), floats_of(b)),
        }
    word_a, word_b = machine.put(a), machine.put_rom(b)
    out = {}
    for name in wanted:
        out[name] = machine.put(acc)
        if name == "mac":
            machine.call("float32", "mac_each", out[name], word_a, word_b, count, 1)
        else:
            machine.call(
                MODULES.get(name, "float32"), name, out[name], word_a, word_b, count, _EACH
            )
    machine.run()
    for name, values in wanted.items():
        got = machine.get(out[name], count)
        if name in ("maximum", "minimum"):
            # These operations copy, even a signalling NaN.
            chosen = np.where(as_bits(values) == b, b, a)
            assert np.array_equal(got, chosen), name
        else:
            assert_same(got, as_bits(values), acc, a, b)


# Products and sums are added to an accumulator in order, starting from zero and negative zero.
def test_dot_product_and_sum(machine):
    random = np.random.default_rng(2)
    dots, length = max(8, COUNT // 400), 50
    a = random.normal(0, 1, (dots, length)).astype(np.float32)
    b = random.normal(0, 1, (dots, length)).astype(np.float32)
    a[::2][random.random(a[::2].shape) < 0.5] = 0
    b[1::3][random.random(b[1::3].shape) < 0.3] = -0.0
    a[:4] = 0.0
    b[:2] = -abs(b[:2])
    start = random.choice(np.array([0, -0.0, 1], np.float32), dots)
    start[:4] = [0, -0.0, 0, -0.0]
    word_a, word_b = machine.put_rom(a), machine.put(b)
    dot, total = machine.put(start), machine.put(start)
    for i in range(dots):
        row = i * length << 4
        machine.call("float32", "mac", dot + (i << 4), word_a + row, word_b + row, length)
        sums = total + (i << 4)
        machine.call("float32", "add", sums, sums, word_b + row, length, 1 << 20)
    machine.run()
    in_order = np.cumsum(np.hstack([start[:, None], a * b]), axis=1, dtype=np.float32)[:, -1]
    assert_same(machine.get(dot, dots), as_bits(in_order))
    in_order = np.cumsum(np.hstack([start[:, None], b]), axis=1, dtype=np.float32)[:, -1]
    assert_same(machine.get(total, dots), as_bits(in_order))


# Steps broadcast and stride, a result may overwrite an operand, and neighbours are unchanged.
def test_steps_and_overlapping_operands(machine):
    random = np.random.default_rng(3)
    a, b = (random.normal(0, 1, 90).astype(np.float32) for _ in range(2))
    word_a, word_b = machine.put(a), machine.put_rom(b)
    out = [machine.put(np.full(32, 7, np.float32)) for _ in range(4)]
    machine.call("float32", "mul", out[0], word_a, word_b, 30, 1 | 3 << 10)
    machine.call("float32", "sub", out[1] + 16, word_a, word_b, 10, 3 | 1 << 20)
    machine.call("float32_divide", "div", out[2], word_a + 16, word_b, 30, 1 | 2 << 10 | 3 << 20)
    machine.call("float32", "mac_each", out[3], word_a, word_b, 30, 0)
    machine.call("float32", "mul", word_a, word_a, word_a, 90, _EACH)
    machine.run()
    rest = np.full(2, 7, np.float32)
    assert_same(machine.get(out[0], 32), as_bits(np.concatenate([a[::3] * b[0], rest])))
    wanted = np.full(32, 7, np.float32)
    wanted[1:31:3] = a[0] - b[:10]
    assert_same(machine.get(out[1], 32), as_bits(wanted))
    wanted = np.concatenate([a[1:61:2] / b[::3], rest])
    assert_same(machine.get(out[2], 32), as_bits(wanted))
    wanted = np.concatenate([7 + a[0] * b[:30], rest])
    assert_same(machine.get(out[3], 32), as_bits(wanted))
    assert_same(machine.get(word_a, 90), as_bits(a * a))


# Clamping follows C++'s std::min(std::max(x, low), high): zeros keep their sign, a NaN stays.
@pytest.mark.parametrize("low, high", [(0, 6), (-1, 1), (0, 3.4028235e38), (-0.0, np.inf)])
def test_clamp(machine, low, high):
    values = operand_pairs(np.random.default_rng(4), COUNT // 4)[0]
    low, high = np.float32(low), np.float32(high)
    word = machine.put(values)
    machine.call("float32_select", "clamp", word, len(values), machine.put_rom([low, high]))
    machine.run()
    x = floats_of(values)
    x = np.where(x < low, low, x)
    wanted = np.where(x > high, high, x)
    got = machine.get(word, len(values))
    assert np.array_equal(got[~np.isnan(x)], as_bits(wanted)[~np.isnan(x)])
    assert np.array_equal(got[np.isnan(x)], values[np.isnan(x)])


# Comparisons follow C.
def test_compare(machine):
    a, b = operand_pairs(np.random.default_rng(5), COUNT // 2)
    questions = [np.equal, np.not_equal, np.less, np.less_equal]
    word_a, word_b = machine.put_rom(a), machine.put(b)
    out = [machine.put(np.full(len(a), 9, np.uint8)) for _ in questions]
    for kind, word in enumerate(out):
        machine.call("float32_select", "compare", word, word_a, word_b, len(a), _EACH, kind)
    machine.run()
    for question, word in zip(questions, out, strict=True):
        got = machine.get(word, len(a), np.uint8)
        assert np.array_equal(got, question(floats_of(a), floats_of(b)))


# round(x / scale) + zero point: the quotient in float32, halves away from zero, saturated.
@pytest.mark.parametrize(
    "scale", [1 / 256, 0.003921569, 0.5, 1.0, 0.1, 2.5e-6, 731.25, 1e-37, 4e-45, 7e-41, 3.4e38]
)
def test_quantize(machine, scale):
    random = np.random.default_rng(6)
    scale = np.float32(scale)
    with np.errstate(all="ignore"):
        x = np.concatenate(
            [
                random.normal(0, 60, COUNT // 8).astype(np.float32) * scale,
                (random.integers(-70000, 70000, COUNT // 8) / 2).astype(np.float32) * scale,
                random.normal(0, 1e9, COUNT // 16).astype(np.float32) * scale,
                floats_of(operand_pairs(random, COUNT // 8)[0]),
                np.array([-(2.0**31), 2.0**31, 2147483520, -2147483648 - 256], np.float32) * scale,
            ]
        )
    kinds = [(np.int8, -128), (np.int8, 3), (np.int16, 0), (np.int16, -32768)]
    codes = {np.int8: 0, np.int16: 2}
    word_x, word_scale = machine.put(x), machine.put_rom(scale)
    out = [machine.put(np.zeros(len(x), dtype)) for dtype, _ in kinds]
    for word, (dtype, zero_point) in zip(out, kinds, strict=True):
        numbers = (word, word_x, len(x), word_scale, zero_point, codes[dtype])
        machine.call("quantize", "quantize", *numbers)
    machine.run()
    with np.errstate(all="ignore"):
        quotient = np.nan_to_num((x / scale).astype(np.float64), posinf=2.0**40, neginf=-(2.0**40))
    rounded = np.copysign(np.floor(np.abs(quotient) + 0.5), quotient)
    rounded = np.clip(rounded, -(2.0**31), 2.0**31 - 1)
    for word, (dtype, zero_point) in zip(out, kinds, strict=True):
        limits = np.iinfo(dtype)
        wanted = np.clip(rounded + zero_point, limits.min, limits.max).astype(dtype)
        assert np.array_equal(machine.get(word, len(x), dtype), wanted), (dtype, zero_point)


# Integers are converted to float32 and back as in C.
def test_conversions(machine):
    random = np.random.default_rng(7)
    results = []
    for code, dtype in enumerate([np.int8, np.uint8, np.int16, np.int32, np.uint32]):
        limits = np.iinfo(dtype)
        values = random.integers(limits.min, limits.max + 1, COUNT // 2, dtype)
        values[::3] >>= random.integers(0, limits.bits, len(values[::3]), dtype)
        values[:4] = [limits.min, limits.max, 0, 1]
        n = len(values)
        whole = machine.put(np.zeros(n, np.float32))
        machine.call("float32_convert", "from_int", whole, machine.put_rom(values), n, code)
        results.append((whole, values.astype(np.float32)))
        # Back to integers, with fractions, beyond all limits, infinities and NaNs.
        back = np.concatenate(
            [
                random.normal(0, 2.0 ** random.integers(0, 40, n), n).astype(np.float32),
                values.astype(np.float32),
                floats_of(operand_pairs(random, COUNT // 8)[0]),
                np.array([2.0**31, -(2.0**31), 2147483520, -2147483904, 2.0**32], np.float32),
            ]
        )
        out = machine.put(np.zeros(len(back), dtype))
        machine.call("float32_convert", "to_int", out, machine.put_rom(back), len(back), code)
        limits = np.iinfo(dtype)
        wide = np.clip(
            np.trunc(np.nan_to_num(back, nan=0.0).astype(np.float64)), limits.min, limits.max
        )
        results.append((out, wide.astype(np.int64).astype(dtype)))
    machine.run()
    for out, wanted in results:
        assert np.array_equal(machine.get(out, len(wanted), wanted.dtype), wanted), wanted.dtype


# exp, logistic and tanh are within 0.7 units in the last place of the exact value, at the ends,
# too.
@pytest.mark.parametrize("name", ["exp", "logistic", "tanh"])
def test_exponentials(machine, name):
    random = np.random.default_rng(8)
    edges = [0, -0.0, np.inf, -np.inf, np.nan, -9, 16.619047, 88.722839, 88.72284, -87.33654]
    edges += [-103.97207, -103.97208, -103.27893, 9.01, -9.02, 0.17328, -0.17329, 127.99, -128]
    edges = np.array(edges, np.float32)
    edges = np.concatenate([edges, np.nextafter(edges, np.float32(0)), edges * 1.0001])
    x = np.concatenate(
        [
            edges,
            random.uniform(-110, 95, COUNT // 2),
            random.uniform(-3, 3, COUNT // 2),
            random.normal(0, 9, COUNT // 2),
            random.choice([-1, 1], COUNT // 2) * 2.0 ** random.uniform(-32, 8, COUNT // 2),
            floats_of(operand_pairs(random, COUNT // 4)[0]),
        ]
    ).astype(np.float32)
    word = machine.put(x)
    machine.call("float32_math", name, word, word, len(x))
    machine.run()
    got = machine.get(word, len(x))
    with np.errstate(all="ignore"):
        exact = np.exp(x.astype(np.float64))
        if name == "logistic":
            # TFLM's limits.
            exact = np.where(x < -9, exact, 1 / (1 + np.exp(-x.astype(np.float64))))
            exact = np.where(x > np.float32(16.619047164916992188), 1, exact)
        elif name == "tanh":
            exact = np.tanh(x.astype(np.float64))
        wanted = as_bits(exact)
        finite = np.isfinite(exact) & np.isfinite(floats_of(wanted)) & np.isfinite(floats_of(got))
        unit = np.spacing(np.abs(floats_of(wanted[finite])).astype(np.float32))
        error = np.abs(floats_of(got[finite]).astype(np.float64) - exact[finite]) / unit
    assert_same(got[~finite], wanted[~finite], x[~finite].view(np.uint32))
    print(f"{name}: largest error {error.max():.3f} units in the last place")
    assert error.max() < 0.7, hex(as_bits(x[finite][error.argmax()]))
    # Results at 0.0 and -0.0 are exact, and tanh keeps the sign.
    at_zero = {"exp": [0x3F800000] * 2, "logistic": [0x3F000000] * 2, "tanh": [0, 1 << 31]}
    assert np.array_equal(got[:2], at_zero[name])
