# A board's modules machine and rp2 for the tests of tflm.microphone, as MicroPython code
# MIT license; Copyright (c) 2026 the tflm authors

# Words enter the ring while the program is idle, `pace` at a time. An I2S delivers its `slots`,
# and makes the program wait for them.
SOURCE = """
import struct
import sys


class Board:
    created = []
    pace = 100
    written = 0
    bits = b""
    slots = []
    now = 0
    wait = 0


class Pin:
    IN = "in"
    OUT = "out"

    def __init__(self, number, mode=None):
        Board.created.append((number, mode))


class Memory:
    def __getitem__(self, address):
        return (1 << 24) - Board.written % (1 << 24)


# DMA, with its ring.
def idle():
    import uctypes

    ring = uctypes.bytearray_at(DMA.created[0].options["write"], 8192)
    for _ in range(Board.pace):
        at = 4 * Board.written
        word = Board.bits[at : at + 4]
        ring[at % 8192 : at % 8192 + 4] = word if len(word) == 4 else bytes(4)
        Board.written += 1


class DMA:
    created = []

    def __init__(self):
        self.channel = len(DMA.created) + 3
        DMA.created.append(self)

    def pack_ctrl(self, **fields):
        return fields

    def config(self, **options):
        self.options = options

    def close(self):
        Board.created.append("closed")


class StateMachine:
    def __init__(self, number, program, freq, in_base, sideset_base):
        Board.created.append((number, freq))

    def active(self, on):
        Board.created.append(on)


class PIO:
    OUT_LOW = SHIFT_RIGHT = 1


class I2S:
    RX, MONO, STEREO = "receive", 1, 2

    def __init__(self, number, **options):
        Board.created.append((number, options["rate"], options["bits"], options["ibuf"]))
        self.channels = options["format"]

    def readinto(self, buffer):
        count = len(buffer) // 4
        struct.pack_into("<%di" % count, buffer, 0, *Board.slots[:count])
        del Board.slots[:count]
        Board.now += Board.wait
        return len(buffer)

    def deinit(self):
        Board.created.append("closed")


class Module:
    def __init__(self, **names):
        for name in names:
            setattr(self, name, names[name])


sys.modules["machine"] = Module(Pin=Pin, I2S=I2S, mem32=Memory(), idle=idle)
sys.modules["rp2"] = Module(
    DMA=DMA, StateMachine=StateMachine, PIO=PIO, asm_pio=lambda **options: lambda program: program
)
"""
