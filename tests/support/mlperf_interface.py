# Test support: simulates the interface board of MLPerf Tiny's runner for an emulated Pico
# MIT license; Copyright (c) 2026 the tflm authors

import re
import time
import wave

READY = "m-ready"
_APART_MS = 10  # minimum time between two detections
_FRAMES = 100  # whose processing times are reported
_PER_LINE = 8  # processing times on a line


class InterfaceBoard:
    """Answers the runner's commands. board: an Emulated with its I2S and pins; dut: a Client.

    slots: the file that the emulated I2S master plays. folder: content of the memory card, WAV
    files with two channels. detection, processing: numbers of pins.
    """

    def __init__(self, board, dut, slots, folder, detection=3, processing=6, timeout=120):
        self._board = board
        self._dut = dut
        self._slots = slots
        self._folder = folder
        self._pins = {detection: "detection", processing: "processing"}
        self._timeout = timeout
        self._begin = 0  # offset in the log where the recording begins

    def ask(self, command):
        """Send a command; return the lines of the answer."""
        word, _, rest = command.partition(" ")
        if word == "dut":
            said = self._dut.ask(rest)
            return [f"m-dut-passthrough({rest})", READY, *(f"[dut]: {s}" for s in [*said, READY])]
        answers = {
            "name": lambda: ["tinyML Enhanced Interface Board"],
            "setbaud": lambda: [f"set baud to: {rest}"],
            "play": lambda: self._play(rest),
            "record_detections": self._record,
            "print_detections": self._detections,
            "print_dutycycle": self._duty_cycle,
        }
        return [*answers[word](), READY]

    def _play(self, name):
        with wave.open(str(self._folder / name)) as file:
            assert file.getparams()[:3] == (2, 2, 16000), f"{name} is not what is to be played"
            self._slots.write_bytes(file.readframes(file.getnframes()))
        count = self._board.log.count("pico: played")
        self._board.play()
        deadline = time.monotonic() + self._timeout
        while self._board.log.count("pico: played") == count:
            assert self._board.running() and time.monotonic() < deadline, self._board.log[-500:]
            time.sleep(0.05)
        return [f"Attempting to play {name}", "succeeded."]

    def _record(self):
        self._begin = len(self._board.log)
        return ["Now recording detections"]

    # Return the times of changes of a pin to `level`, in milliseconds since the sound began.
    def _edges(self, name, level):
        log = self._board.log[self._begin :]
        begin = float(re.search(r"pico: plays at ([\d.]+) ms", log)[1])
        (pin,) = [pin for pin, its in self._pins.items() if its == name]
        found = re.findall(rf"pico: pin {pin} {level} at ([\d.]+) ms", log)
        return [float(at) - begin for at in found]

    def _detections(self):
        kept = []
        for at in map(int, self._edges("detection", 0)):
            if not kept or at > kept[-1] + _APART_MS:
                kept.append(at)
        return ["Detection Timestamps (ms)", *(f"{at}," for at in kept)]

    def _duty_cycle(self):
        lines = []
        for level, what in ((1, "start"), (0, "stop")):
            steps = [round(at * 100) for at in self._edges("processing", level)[:_FRAMES]]
            lines.append(f"Duty cycle {what} times (s)")
            for i in range(0, len(steps), _PER_LINE):
                lines.append(" ".join(f"{at}," for at in steps[i : i + _PER_LINE]))
        return lines
