# Tests of tflm.microphone: PDM and I2S microphones of a simulated board
# MIT license; Copyright (c) 2026 the tflm authors

import json
import textwrap

import numpy as np
from microphone import boards, reference
from tflm_tools.wake import pdm
from unit.on_device import device

# Sound of 1.5 s arrives in uneven steps and is read by 10 ms; then there are two long pauses.
_PDM = """
    from tflm.microphone import pdm

    with open(PATH, "rb") as file:
        Board.bits = file.read()
    source = pdm.Microphone(clock=2, data=3, gain=1, state_machine=5)
    samples = bytearray(320)
    heard = []
    for hop in range(150):
        Board.pace = 20 + hop % 77
        assert source.readinto(samples) == 320
        heard.append(samples.hex())
    print("".join(heard))
    Board.pace = 1
    micropython.heap_lock()
    # Waiting words are read first; an almost full ring is no loss yet.
    taken = source._ring._taken
    Board.written = taken + 2048 - 64 - 1
    source.readinto(samples)
    overruns = source.overruns
    taken = source._ring._taken
    Board.written = taken + 2048 * 3 + 1
    micropython.heap_unlock()
    source.readinto(samples)
    print([overruns, source.overruns, source.lost])
    Board.written = source._ring._taken + (1 << 24) - 1  # the channel was restarted
    source.readinto(samples)
    print([source.overruns, source.lost - 3072])
    source.close()
    first, second = DMA.created
    print([first.options["ctrl"]["chain_to"] == second.channel, first.options["ctrl"]["treq_sel"],
           first.options["write"] % 8192, hex(first.options["read"]),
           hex(second.options["write"]), second.options["read"][0]])
    print(Board.created)
    for wrong in ({"channel": "middle"}, {"gain": 3}, {"state_machine": 8}):
        print(raises(InputError, pdm.Microphone, 2, 3, **wrong))
"""


def test_pdm(tmp_path):
    bits = np.random.RandomState(5).randint(0, 2, 64 * 24000).astype(np.uint8)
    (tmp_path / "bits").write_bytes(pdm.pack(bits))
    lines = device(boards.SOURCE + textwrap.dedent(_PDM), PATH=str(tmp_path / "bits"))
    samples = np.frombuffer(bytes.fromhex(lines[0]), "<i2")
    np.testing.assert_array_equal(samples, reference.decimate(bits, reference.design(), 1))
    assert lines[1:4] == [
        "[0, 1, 3072]",
        f"[2, {((1 << 24) - 2) // 2}]",
        "[True, 13, 0, '0x50300024', '0x500000dc', 16777216]",
    ]
    assert lines[4] == "[(3, 'in'), (2, 'out'), (5, 4096000), 1, 0, 'closed', 'closed']"
    says = ('pass "left" or "right"', "pass 1, 2, 4", "pass 0 to 7")
    for line, wanted_text in zip(lines[5:], says, strict=True):
        assert wanted_text in line


# Sound of 1.5 s arrives; the program reads by 10 ms, and three times does other work for 100 ms.
# Then it works for longer than the ring and the buffer hold.
_BACKGROUND = """
    class Timer:
        PERIODIC = 1
        callback = None

        def __init__(self, number):
            pass

        def init(self, mode, period, callback):
            Timer.callback = callback

        def deinit(self):
            Timer.callback = None

    def wait():
        idle()
        Timer.callback(None)

    sys.modules["machine"].Timer, sys.modules["machine"].idle = Timer, wait
    from tflm.microphone import pdm

    with open(PATH, "rb") as file:
        Board.bits = file.read()
    source = pdm.Microphone(clock=2, data=3, gain=1, state_machine=5, buffer_ms=BUFFER_MS)
    samples = bytearray(320)
    heard = []
    for hop in range(140):
        Board.pace = 20 + hop % 77
        if hop in (20, 60, 100):
            Board.pace = 320  # words of 10 ms
            for _ in range(10):
                wait()
        assert source.readinto(samples) == 320
        heard.append(samples.hex())
    print("".join(heard))
    print(source.overruns, source.lost)
    Board.pace = 320
    for _ in range(60):
        wait()
    source.readinto(samples)
    print(source.overruns > 0, source.lost > 0)
    source.close()
    print(Timer.callback)
    for wrong in -1, 5001, 1.0:
        print(raises(InputError, pdm.Microphone, 2, 3, buffer_ms=wrong))
"""


def test_background(tmp_path):
    bits = np.random.RandomState(6).randint(0, 2, 64 * 24000).astype(np.uint8)
    (tmp_path / "bits").write_bytes(pdm.pack(bits))
    lines = device(boards.SOURCE + textwrap.dedent(_BACKGROUND), PATH=str(tmp_path / "bits"),
                   BUFFER_MS=120)  # fmt: skip
    samples = np.frombuffer(bytes.fromhex(lines[0]), "<i2")
    wanted = reference.decimate(bits, reference.design(), 1)
    np.testing.assert_array_equal(samples, wanted[: len(samples)])
    assert lines[1:4] == ["0 0", "True True", "None"]
    assert all("pass 0 to 5000" in line for line in lines[4:]) and len(lines) == 7


_I2S = """
    sys.modules["time"] = Module(ticks_ms=lambda: Board.now, ticks_diff=lambda a, b: a - b)
    from tflm.microphone import i2s

    def read(count, **options):
        source = i2s.Microphone(sck=16, ws=17, sd=18, **options)
        Board.slots = list(SLOTS)
        samples = bytearray(2 * count)
        assert source.readinto(samples) == 2 * count
        return source, list(struct.unpack("<%dh" % count, samples))

    print(read(len(SLOTS), gain=1)[1])
    print(read(len(SLOTS), gain=8)[1])
    source, samples = read(len(SLOTS) // 2, channel="right", gain=1)
    print(samples)
    samples = bytearray(320)
    overruns = []
    for pause, Board.wait in ((0, 10), (100, 0), (100, 0), (0, 10), (400, 0)):
        Board.slots = [0] * 320
        Board.now += pause
        source.readinto(samples)
        overruns.append([source.overruns, source.lost])
    print(overruns)
    source.close()
    print(Board.created)
    for wrong in ({"channel": 1}, {"gain": 0}, {"gain": 64}, {"buffer_ms": 19}):
        print(raises(InputError, i2s.Microphone, 16, 17, 18, **wrong))
    i2s.sys = Module(platform="rp2")
    print(raises(InputError, i2s.Microphone, 16, 18, 17))
"""


def test_i2s():
    slots = [0, 1 << 16, -1, -(1 << 16), 1 << 30, (1 << 31) - 1, -(1 << 31), 12345678 << 4]
    lines = device(boards.SOURCE + textwrap.dedent(_I2S), SLOTS=slots)
    for line, gain, wanted_text in zip(
        lines, (0, 3, 0), (slots, slots, slots[1::2]), strict=False
    ):
        wanted = [int(np.clip(slot >> 16 - gain, -32768, 32767)) for slot in wanted_text]
        assert json.loads(line) == wanted
    assert json.loads(lines[3]) == [[0, 0], [0, 0], [1, 640], [1, 640], [2, 4640]]
    pins = "(16, None), (17, None), (18, None), "
    created = [f"(0, 16000, 32, {size})" for size in (9600, 9600, 19200)]
    assert lines[4] == f"[{', '.join(pins + each for each in created)}, 'closed']"
    says = ('pass "left" or "right"', "pass 1, 2, 4", "pass 1, 2, 4", "pass 20 to 5000",
            "must be the pin after sck")  # fmt: skip
    for line, wanted_text in zip(lines[5:], says, strict=True):
        assert wanted_text in line
