# Tests of the signal operators between FFT and features against TFLM, and of SignalWindow
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()


# A model of one operator of the signal library; `options` are its custom options.
def signal(name, inputs, outputs, **options):
    return single_op(name, inputs, outputs, custom=options or b"")


# Values of all magnitudes of an unsigned type, and around each power of two.
def magnitudes(name, dtype, count):
    random = generator(name)
    bits = np.iinfo(dtype).bits
    shifts = random.integers(0, bits, count)
    full = random.integers(0, 1 << 63, count)
    values = [int(v) >> int(s) for v, s in zip(full, shifts, strict=True)]
    powers = [(1 << b) + d for b in range(bits) for d in (-1, 0, 1)]
    return [v % (1 << bits) for v in values + powers + [0, 1, 2, 3, (1 << bits) - 1]]


for shape, length in [((1, 480), 480), ((3, 2, 7), 7), ((12,), 4), ((2, 5), 1), ((1,) * 6, 1)]:
    for shift in (0, 7, 12, 15, 31):
        tensors = [Tensor(shape, "int16"), Tensor((length,), "int16")]
        model = signal("SignalWindow", tensors, [Tensor(shape, "int16")], shift=shift)
        cases.add(f"window {shape} {shift}", model)
window = Tensor((4,), "int16", data=[32767, -32768, 1, -1])
model = signal(
    "SignalWindow", [Tensor((2, 4), "int16"), window], [Tensor((2, 4), "int16")], shift=3
)
cases.add("window constant", model)
model = signal("SignalWindow", [Tensor((7,), "int16"), window], [Tensor((7,), "int16")], shift=3)
cases.add("window does not fit", model, error="does not fit")
model = signal("SignalWindow", [Tensor((4,), "int16"), window], [Tensor((4,), "int16")], shift=32)
cases.add("window shift", model, error="'shift' is 32")
model = signal("SignalWindow", [Tensor((4,), "int16"), window], [Tensor((4,), "int16")], shifts=3)
cases.add("window without shift", model, error="'shift' is missing")
model = signal("SignalWindow", [Tensor((4,), "int8"), window], [Tensor((4,), "int16")], shift=3)
cases.add("window int8", model, error="must be int16")

for bins, start, end in [(257, 0, 257), (257, 5, 241), (9, 3, 3), (9, 8, 9), (1, 0, 1)]:
    model = signal(
        "SignalEnergy",
        [Tensor((2 * bins,), "int16")],
        [Tensor((bins,), "uint32")],
        start_index=start,
        end_index=end,
    )
    cases.add(f"energy {bins} {start} {end}", model, ignore_undefined=True)
for bins, size, start, end, text in [
    (9, 18, 0, 10, "end_index 10"),
    (9, 16, 0, 9, "end_index 9"),
    (9, 18, -1, 9, "is outside"),
]:
    model = signal(
        "SignalEnergy",
        [Tensor((size,), "int16")],
        [Tensor((bins,), "uint32")],
        start_index=start,
        end_index=end,
    )
    cases.add(f"energy error {bins} {size} {start} {end}", model, error=text)

outputs = [Tensor((60,), "int16"), Tensor((), "int32")]
model = signal("SignalFftAutoScale", [Tensor((60,), "int16")], outputs)
runs = [[generator(f"scale {b}").integers(-(1 << b), 1 << b, 60)] for b in range(16)]
cases.add("auto scale", model)
cases.add("auto scale magnitudes", model, inputs=runs)
lowest = np.full((5, 60), 0)
lowest[:, 20] = -32768
lowest[1, 21] = -5
lowest[2, 21:23] = (-5, 100)
lowest[3, 21:23] = (-5, -7)
lowest[4, 59] = -32768
cases.add("auto scale with -32768", model, inputs=[[row] for row in lowest])
model = signal("SignalFftAutoScale", [Tensor((70,), "int16")], outputs)
cases.add("auto scale of a longer input", model)
model = signal("SignalFftAutoScale", [Tensor((50,), "int16")], outputs)
cases.add("auto scale of a shorter input", model, error="longer than its input")


# A filter bank with random tables; with `data` they are constants.
def filter_bank(name, channels, bins, size, low, constant, used=None):
    random = generator(name)
    widths = random.integers(0, 6, channels + 1)
    starts = np.minimum(np.cumsum(widths) - widths, bins - 6)
    offsets = np.minimum(np.cumsum(widths) - widths, size - 6)
    tables = [random.integers(low, 32768, size), random.integers(low, 32768, size)]
    tables += [starts, offsets, widths]
    tensors = [Tensor((bins,), "uint32")]
    tensors += [Tensor(t.shape, "int16", t if constant else None) for t in tables]
    outputs = [Tensor((used or channels,), "uint64")]
    model = signal("SignalFilterBank", tensors, outputs, num_channels=channels)
    random = generator(name)
    inputs = [random.integers(0, 1 << 32, bins), np.full(bins, (1 << 32) - 1), np.zeros(bins)]
    return model, [[i] if constant else [i, *tables] for i in inputs]


for channels, low, constant in [
    (40, 0, True),
    (40, -32768, True),
    (7, -32768, False),
    (1, 0, True),
]:
    name = f"filter bank {channels} {low} {constant}"
    model, runs = filter_bank(name, channels, 120, 90, low, constant)
    cases.add(name, model, inputs=runs)
model, runs = filter_bank("filter bank 5 of 9", 9, 40, 40, 0, True, used=5)
cases.add("filter bank 5 of 9", model, inputs=runs)
model, _ = filter_bank("filter bank 9 of 5", 5, 40, 40, 0, True, used=9)
cases.add("filter bank 9 of 5", model, error="more than num_channels")
tensors = [Tensor((4,), "uint32")] + [Tensor((3,), "int16") for _ in range(5)]
model = signal("SignalFilterBank", tensors, [Tensor((2,), "uint64")], num_channels=2)
ones = [1, 1, 1]
runs = [[[1, 2, 3, 4], ones, ones, starts, offsets, widths] for starts, offsets, widths in [
    ([-5, 100, 3], [0, 0, 0], [3, 3, 3]),
    ([0, 0, 0], [-1, 2, 32767], [3, 3, 3]),
    ([0, 0, 2], [0, 0, 0], [-3, 32767, 9]),
]]  # fmt: skip
cut = [[[0, 2 + 1 + 1 + 0]], [[1, 1]], [[6, 6 + 7]]]
cases.add("filter bank with tables that lead outside", model, inputs=runs, expected=[
    [[0, 4]], [[1, 1]], [[6, 13]]])  # fmt: skip

for bits in (0, 1, 7, 15, 16, 17, 31):
    values = magnitudes(f"square root {bits}", np.uint64, 200)
    values += [r * r + d for r in (0xFFFF, 0x10000, 0xFFFFFFFF, 46341, 3) for d in range(-3, 4)]
    values += [0xFFFFFFFF00000000, 0xFFFFFFFE00000001, 0xFFFFFFFFFFFFFFFF]
    tensors = [Tensor((len(values),), "uint64"), Tensor((), "int32", data=[bits])]
    model = signal("SignalFilterBankSquareRoot", tensors, [Tensor((len(values),), "uint32")])
    cases.add(f"square root {bits}", model, inputs=[[np.array(values, np.uint64)]])
tensors = [Tensor((3,), "uint64"), Tensor((), "int32")]
model = signal("SignalFilterBankSquareRoot", tensors, [Tensor((3,), "uint32")])
cases.add("square root bits as input", model, ranges={1: (0, 31)})
model = signal("SignalFilterBankSquareRoot", tensors, [Tensor((4,), "uint32")])
cases.add("square root length", model, error="not as long")

for correction, scale in [
    (3, 64),
    (0, 65536),
    (0, 1),
    (7, 1600),
    (31, 100),
    (2, -5),
    (0, 1 << 30),
]:
    name = f"log {correction} {scale}"
    values = magnitudes(name, np.uint32, 400)
    model = signal(
        "SignalFilterBankLog",
        [Tensor((len(values),), "uint32")],
        [Tensor((len(values),), "int16")],
        input_correction_bits=correction,
        output_scale=scale,
    )
    cases.add(name, model, inputs=[[values]])

for smoothing, odd, minimum, bits, total, clamping in [
    ((409, 15975), (983, 15401), 819, 10, 14, False),
    ((409, 15975), (983, 15401), 819, 10, 14, True),
    ((1 << 13, 1 << 13), (1 << 14, 0), 1 << 14, 0, 14, True),
    ((0x7FFFFFFF, 0x7FFFFFFF), (0x12345678, 0x7FFF0001), 0x70000001, 17, 31, False),
    ((0x7FFFFFFF, -1), (-7, 0x7FFF0001), -3, 31, 45, True),
    ((12345, 54321), (1, 2), 3, 4, 0, True),
    ((1, 2), (0x7FFFFFFF, -1), 5, 16, 63, False),
    ((0x7FFFFFFF, -1), (-7, -8), -3, 15, 32, True),
]:
    name = f"spectral subtraction {smoothing} {odd} {minimum} {bits} {total} {clamping}"
    model = signal(
        "SignalFilterBankSpectralSubtraction",
        [Tensor((301,), "uint32")],
        [Tensor((301,), "uint32"), Tensor((301,), "uint32")],
        num_channels=301,
        smoothing=smoothing[0],
        one_minus_smoothing=smoothing[1],
        alternate_smoothing=odd[0],
        alternate_one_minus_smoothing=odd[1],
        min_signal_remaining=minimum,
        smoothing_bits=bits,
        spectral_subtraction_bits=total,
        clamping=clamping,
    )
    runs = [[magnitudes(f"{name} {i}", np.uint32, 200)] for i in range(4)]
    cases.add(name, model, inputs=runs, repeat="reset")
    cases.add(f"{name} with resets", model, inputs=runs, repeat="reset", reset=True)

for shift in (0, 6, 13, 17, 33, 48, 63):
    name = f"pcan {shift}"
    values = magnitudes(name, np.uint32, 200)
    noise = generator(name).permutation(np.array(values))
    gains = generator(name).integers(-32768, 32768, 125)
    gains[::2] = np.abs(gains[::2]) % 32768
    for size in (125, 130):
        tensors = [Tensor((len(values),), "uint32"), Tensor((len(values),), "uint32")]
        tensors.append(Tensor((size,), "int16", data=np.resize(gains, size)))
        model = signal(
            "SignalPCAN",
            tensors,
            [Tensor((len(values),), "uint32")],
            snr_shift=shift,
        )
        cases.add(f"{name} {size}", model, inputs=[[values, noise], [noise, values]])
tensors = [Tensor((2,), "uint32"), Tensor((2,), "uint32"), Tensor((9,), "int16", data=range(9))]
model = signal("SignalPCAN", tensors, [Tensor((2,), "uint32")], snr_shift=2)
cases.add("pcan short table", model, inputs=[[[5, 1000], [7, 6]]])
tensors[2] = Tensor((8,), "int16", data=range(8))
model = signal("SignalPCAN", tensors, [Tensor((2,), "uint32")], snr_shift=2)
cases.add("pcan too short", model, error="less than 9")


@cases.parametrize
def test_signal_front_end(case):
    case.check()
