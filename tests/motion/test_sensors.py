# Tests of tflm.motion: simulated sensors with a FIFO, and windows of their samples
# MIT license; Copyright (c) 2026 the tflm authors

import json
import textwrap

import numpy as np
from motion import boards
from motion.reference import quantize
from unit.on_device import device

_SAMPLES = 120

# Return the bytes of each of the samples [n, axes] in a FIFO.
_FIFOS = {
    "mpu": lambda samples: samples.astype(">i2").tobytes(),
    "ds3": lambda samples: np.roll(samples, samples.shape[1] - 3, axis=1).astype("<i2").tobytes(),
    "dso": lambda samples: _tagged(samples),
}


def _tagged(samples):
    data = b""
    for i, sample in enumerate(samples):
        groups = [(1, sample[3:]), (2, sample[:3])] if len(sample) > 3 else [(2, sample)]
        for tag, group in groups[:: 1 if i % 2 else -1]:  # sensors send them in either order
            data += bytes([tag << 3 | (i & 3) << 1]) + group.astype("<i2").tobytes()
    return data


# Read 100 samples in uneven pieces without allocations; then with a full FIFO, and with one that
# does not start at a sample.
_READ = """
    import time
    from tflm.motion import fifo, lsm6ds, mpu6050

    for kind, turns, data in CASES:
        bus = Bus(kind, data, len(data) // COUNT)
        fifo.time = mpu6050.time = lsm6ds.time = Time(bus)
        make = mpu6050.MPU6050 if kind == "mpu" else lsm6ds.LSM6DS
        source = make(bus, turns=turns)
        bus.there = 0
        samples = bytearray(100 * source.sample_bytes)
        views, at = [], 0
        for count in (1, 40, 59):
            size = count * source.sample_bytes
            views.append(memoryview(samples)[at : at + size])
            at += size
        micropython.heap_lock()
        source.readinto(views[0])
        bus.there += 30 * bus.size
        source.readinto(views[1])
        source.readinto(views[2])
        micropython.heap_unlock()
        print(samples.hex())
        counts = [source.overruns, source.lost]
        bus.now += 1000
        if kind == "mpu":
            bus.there = bus.read + 1024
        else:
            bus.overrun = 0x40
        wait, bus.sleep_ms = bus.sleep_ms, None
        source._empty, empty = (lambda: more()), source._empty

        def more():
            empty()
            bus.overrun = bus.pattern = 0
            bus.read = 0
            bus.there = 20 * bus.size

        source.readinto(views[0])
        counts += [source.overruns, source.lost]
        if kind == "ds3":
            bus.pattern = 1
        elif kind == "dso":
            bus.read += 7 if turns else 1  # in the middle of a sample
        source.readinto(views[0])
        counts.append(source.overruns)
        print(counts, bytes(views[0]) == bytes(samples[: source.sample_bytes]))
        print(sorted(bus.written.items()), source.scale, source.turn_scale)
"""


def test_samples():
    random = np.random.RandomState(7)
    cases, wanted = [], []
    for kind, fifo in _FIFOS.items():
        for axes in (3, 6):
            samples = random.randint(-32768, 32768, (_SAMPLES, axes))
            cases.append((kind, 500 if axes == 6 else None, fifo(samples)))
            wanted.append(samples[:100].astype("<i2").tobytes().hex())
    lines = device(boards.SOURCE + textwrap.dedent(_READ), CASES=cases, COUNT=_SAMPLES)
    assert lines[::3] == wanted
    # Samples of half a second were lost, 1 s by the clock; misaligned samples are dropped, too.
    assert lines[1::3] == ["[0, 0, 1, 50, 1] True"] * 2 + ["[0, 0, 1, 52, 2] True"] * 4
    assert lines[2::3] == [
        "[(25, 19), (26, 4), (27, 0), (28, 8), (35, 8), (106, 64), (107, 1)] 0.0001220703125 None",
        "[(25, 19), (26, 4), (27, 8), (28, 8), (35, 120), (106, 64), (107, 1)] 0.0001220703125 "
        "0.015267175572519083",
        "[(8, 1), (10, 30), (16, 56), (18, 68)] 0.000122 None",
        "[(8, 9), (10, 30), (16, 56), (17, 52), (18, 68)] 0.000122 0.0175",
        "[(9, 3), (10, 6), (16, 56), (18, 68)] 0.000122 None",
        "[(9, 51), (10, 6), (16, 56), (17, 52), (18, 68)] 0.000122 0.0175",
    ]


_WRONG = """
    from tflm.motion import fifo, lsm6ds, mpu6050
    from tflm.motion.lsm6ds import LSM6DS
    from tflm.motion.mpu6050 import MPU6050

    bus = Bus("dsl")
    fifo.time = mpu6050.time = lsm6ds.time = Time(bus)
    assert LSM6DS(bus)._capacity == 2048 // 3
    print(raises(InputError, LSM6DS(bus).readinto, bytearray(8)))
    bus.size = bus.there = 0
    print(raises(InputError, LSM6DS(bus).readinto, bytearray(6)))
    bus.overrun = 0x40  # forever
    print(raises(InputError, LSM6DS(bus).readinto, bytearray(6)))
    for make, options in (
        (MPU6050, {"rate": 60}), (LSM6DS, {"rate": 50}), (MPU6050, {"most": 3}),
        (LSM6DS, {"most": None}), (MPU6050, {"turns": 245}), (LSM6DS, {"turns": True}),
        (MPU6050, {}), (LSM6DS, {"address": 0x19}),
    ):
        print(raises(InputError, make, bus, **options))
"""


def test_invalid_arguments_and_sensors():
    says = [
        "the buffer has 8 bytes, a sample has 6; pass a multiple",
        "the sensor sends no samples; check its wires and its class",
        "the sensor sends no samples; check its wires and its class",
        "the rate is 60; pass a divisor of 1000, from 4 to 1000",
        "the rate is 50; pass 26, 52, 104, 208, 416 or 833",
        "the range is 3 g; pass 2, 4, 8 or 16",
        "the range is None g; pass 2, 4, 8 or 16",
        "the range is 245 degrees a second; pass 250, 500, 1000 or 2000, or None",
        "the range is True degrees a second; pass 250, 500, 1000 or 2000, or None",
        "the sensor at the address 0x68 is 0x00, no MPU6050; use the class of that sensor",
        "no sensor answers at the address 0x19 of the I2C bus; check its wires and its address",
    ]
    assert device(boards.SOURCE + textwrap.dedent(_WRONG)) == says


_ANALOG = """
    import array

    class Machine:
        PERIODIC = 1
        made = []

        def Pin(number):
            return number

        class ADC:
            def __init__(self, pin):
                self.pin, self.value = pin, 0

            def read_u16(self):
                self.value += 1
                return self.pin * 256 + self.value & 0xFFFF

        class Timer:
            PERIODIC = 1

            def __init__(self, number):
                Machine.made.append(number)

            def init(self, freq, mode, callback, **options):
                Machine.made.append((freq, options))
                Machine.measure = callback

            def deinit(self):
                Machine.made.append("stopped")

    class Time:
        def sleep_ms(count):
            Machine.measure(None)

    sys.modules["machine"] = Machine
    from tflm.motion import analog

    analog.time = Time
    for platform in ("esp32", "rp2"):
        analog.sys = Machine
        Machine.platform = platform
        source = analog.Analog((130, 127), rate=100)
    samples = bytearray(12)
    micropython.heap_lock()
    source.readinto(samples)
    for _ in range(255):
        Machine.measure(None)
    micropython.heap_unlock()
    print(list(array.array("h", samples)))
    source.readinto(samples)
    print(list(array.array("h", samples)), source.overruns)
    for _ in range(4):
        Machine.measure(None)
    source.readinto(samples)
    print(list(array.array("h", samples)), source.overruns, source.lost)
    source.close()
    print(Machine.made, source.scale)
    print(raises(InputError, source.readinto, bytearray(6)))
    for pins, rate in (((1,), 0), ((1,), 1.5), ((), 50), (range(7), 50)):
        print(raises(InputError, analog.Analog, pins, rate=rate))
"""


def test_analog():
    assert device(_ANALOG) == [
        "[513, -255, 514, -254, 515, -253]",
        "[516, -252, 517, -251, 518, -250] 0",
        "[775, 7, 776, 8, 777, 9] 1 256",
        "[0, (100, {}), -1, (100, {'hard': True}), 'stopped'] 0.000152587890625",
        "the buffer has 6 bytes, a sample has 4; pass a multiple",
        "the rate is 0; pass 1 to 1000 samples a second",
        "the rate is 1.5; pass 1 to 1000 samples a second",
        "there are 0 pins; pass one to six",
        "there are 7 pins; pass one to six",
    ]


# A source that counts, and loses samples at `gaps`.
_WINDOW = """
    import struct
    from tflm import dtypes
    from tflm.motion.window import Window
    from tflm.tensor import Tensor

    class Source:
        axes, sample_bytes, scale, turn_scale, overruns = 3, 6, 0.001, None, 0
        at = 0
        gaps = ()

        def readinto(self, buffer):
            for i in range(len(buffer) // 2):
                value = (self.at * 257) & 0xFFFF
                buffer[2 * i], buffer[2 * i + 1] = value & 255, value >> 8
                self.at += 1
                if self.at in self.gaps:
                    self.overruns += 1

    def tensor(dtype, scale, zero_point, count, size):
        bits = struct.unpack("<I", struct.pack("<f", scale))[0]
        raw = memoryview(bytearray(count * size))
        return Tensor("x", dtype, (1, count // 3, 1, 3), bits, zero_point, raw)

    source = Source()
    window = Window(source, 100, 20, unit=9.80665)
    tensors = [
        tensor(dtypes.INT8, 0.5, -3, 300, 1), tensor(dtypes.INT16, 0.01, 0, 300, 2),
        tensor(dtypes.FLOAT32, 0, 0, 300, 4),
    ]
    window.next()
    for each in tensors[:2]:
        window.fill(each)
    micropython.heap_lock()
    data = window.next()
    window.fill(tensors[0])
    window.fill(tensors[1])
    micropython.heap_unlock()
    window.fill(tensors[2])
    print([data[0], data[1], data[299], source.at])
    print([list(each.data) for each in tensors])
    # Samples were lost: the window is filled again, twice, as samples were lost again.
    source.gaps = (400, 650)
    print([window.next()[0] == ((source.at - 300) * 257 + 0x8000 & 0xFFFF) - 0x8000, source.at])
    source.axes = source.sample_bytes = 6
    print(raises(InputError, window.fill, tensor(dtypes.INT8, 1, 0, 30, 1)))
    for length, step in ((0, None), (10, 11), (10, 0), (1.5, 1)):
        print(raises(InputError, Window, source, length, step))
"""


def test_window():
    lines = device(_WINDOW)
    first, *others = json.loads(lines[0])
    data = (np.arange(60, 360) * 257).astype(np.int16).reshape(-1, 3)
    assert [first, *others] == [data.flat[0], data.flat[1], data.flat[299], 360]
    found = [np.array(values).reshape(-1, 3) for values in json.loads(lines[1])]
    unit = 0.001 * 9.80665
    np.testing.assert_array_equal(found[0], quantize(data, [unit] * 3, 0.5, -3))
    exact = [np.floor(data * unit / scale + 0.5) for scale in (0.5, np.float32(0.01))]
    assert np.abs(found[0] - np.clip(exact[0] - 3, -128, 127)).max() <= 1
    assert np.abs(found[1] - np.clip(exact[1], -32768, 32767)).max() <= 1
    np.testing.assert_allclose(found[2], data * unit, rtol=1e-6)
    assert json.loads(lines[2].lower()) == [True, 1020]
    assert lines[3].startswith("the input 'x' has 30 numbers, a window has 50 samples of 6 axes")
    assert all("pass a step of 1 up to the length" in line for line in lines[4:8])
