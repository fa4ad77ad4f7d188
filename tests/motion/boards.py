# A board's I2C bus with a sensor for the tests of tflm.motion, as MicroPython code
# MIT license; Copyright (c) 2026 the tflm authors

# A sample of `data` enters the FIFO each time the program sleeps. `kind` selects how the sensor
# describes its FIFO. `written` has what was written to registers.
SOURCE = """
class Bus:
    WHO = {"mpu": (0x75, 0x68), "ds3": (0x0F, 0x69), "dsl": (0x0F, 0x6A), "dso": (0x0F, 0x6C)}
    DATA = {"mpu": 0x74, "ds3": 0x3E, "dsl": 0x3E, "dso": 0x78}

    def __init__(self, kind, data=b"", size=6):
        self.kind, self.data, self.size = kind, memoryview(data), size
        self.read = self.there = 0  # bytes
        self.written = {}
        self.pattern = 0
        self.overrun = 0
        self.now = 0

    def sleep_ms(self, count):
        self.there += self.size
        self.now += count

    def readfrom_mem(self, address, register, count):
        known, value = self.WHO[self.kind]
        if address not in (0x68, 0x6A):
            raise OSError(5)
        return bytes([value if register == known else 0])

    def writeto_mem(self, address, register, data):
        self.written[register] = data[0]

    def readfrom_mem_into(self, address, register, buffer):
        waiting = self.there - self.read
        if register == self.DATA[self.kind]:
            for i in range(len(buffer)):
                buffer[i] = self.data[self.read + i]
            self.read += len(buffer)
        elif self.kind == "mpu":
            assert register == 0x72
            buffer[0], buffer[1] = waiting >> 8, waiting & 255
        else:
            assert register == 0x3A
            count = waiting // (7 if self.kind == "dso" else 2)
            buffer[0], buffer[1] = count & 255, count >> 8 | self.overrun
            buffer[2], buffer[3] = self.pattern, 0


class Time:
    def __init__(self, bus):
        self.bus = bus
        self.sleep_ms = bus.sleep_ms

    def ticks_ms(self):
        return self.bus.now

    def ticks_diff(self, a, b):
        return a - b
"""
