# A board's modules machine and rp2 for the tests of tflm.camera, as MicroPython code
# MIT license; Copyright (c) 2026 the tflm authors

# DMA finishes at once with the pixels of `frame`; without a frame it never does, and time passes.
SOURCE = """
import sys


class Board:
    made = []
    frame = b""
    answers = b""
    now = 0


class Pin:
    IN = OUT = None

    def __init__(self, number, mode=None):
        Board.made.append(number)


class Pwm:
    def __init__(self, pin, **options):
        Board.made.append(options)

    def deinit(self):
        Board.made.append("no clock")


class I2C:
    def __init__(self):
        self.written = []

    def answer(self):
        if not Board.answers:
            raise OSError(5)
        return Board.answers

    def readfrom_mem(self, address, register, count, addrsize=8):
        return self.answer()

    def writeto_mem(self, address, register, data, addrsize=8):
        self.written.append((register, data[0]))

    def writeto(self, address, data):
        self.answer()
        self.written.append(tuple(data))

    def readfrom(self, address, count):
        return self.answer()


class DMA:
    channel = 3
    busy = False

    def pack_ctrl(self, **fields):
        return fields

    def config(self, write=None, count=0, trigger=False, **options):
        if trigger:
            self.busy = not Board.frame
            for i in range(len(Board.frame)):
                write[i] = Board.frame[i]
        else:
            Board.made.append((hex(options["read"]), options["ctrl"]["treq_sel"]))

    def active(self, on=None):
        if on is not None:
            self.busy = bool(on)
        return self.busy

    def close(self):
        Board.made.append("closed")


class StateMachine:
    def __init__(self, number, program, in_base):
        self.given = Board.given = []

    def active(self, on):
        self.on = on

    def rx_fifo(self):
        return 0

    def restart(self):
        self.given.clear()

    def put(self, value):
        self.given.append(value)


class PIO:
    SHIFT_LEFT = 0


class Module:
    def __init__(self, **names):
        for name in names:
            setattr(self, name, names[name])


def sleep(count=1):
    Board.now += count


sys.modules["time"] = Module(
    sleep_ms=sleep, ticks_ms=lambda: Board.now, ticks_diff=lambda a, b: a - b
)
sys.modules["machine"] = Module(Pin=Pin, PWM=Pwm, mem8={}, idle=sleep)
sys.modules["rp2"] = Module(
    DMA=DMA, StateMachine=StateMachine, PIO=PIO, asm_pio=lambda **options: lambda program: program
)
"""
