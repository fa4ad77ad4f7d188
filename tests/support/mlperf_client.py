# Test support: simulates MLPerf Tiny's runner on a serial port, and computes the expected answers
# MIT license; Copyright (c) 2026 the tflm authors

import os
import re
import select
import time

import numpy as np

READY = "m-ready"
_CHUNK = 31  # bytes in a `db` command of the runner


class Client:
    """Sends commands to a board on file descriptor `source` (and `target`) and reads replies."""

    def __init__(self, source, target=None, timeout=60):
        self.source = source
        self._target = source if target is None else target
        self._timeout = timeout
        self._rest = b""

    def lines(self):
        """Return the lines up to m-ready; AssertionError if it does not come in time."""
        found = []
        deadline = time.monotonic() + self._timeout
        while not found or found[-1] != READY:
            line, end, rest = self._rest.partition(b"\n")
            if end:
                self._rest = rest
                assert line.endswith(b"\r"), f"{line!r} does not end with CR LF"
                found.append(line[:-1].decode())
                continue
            left = deadline - time.monotonic()
            ready = select.select([self.source], [], [], max(left, 0))[0]
            data = os.read(self.source, 4096) if ready else b""
            assert data, f"no m-ready after {found} and {self._rest!r}"
            self._rest += data
        return found[:-1]

    def write(self, text):
        """Send text."""
        os.write(self._target, text if isinstance(text, bytes) else text.encode())

    def ask(self, command):
        """Send a command; return the lines of the answer."""
        self.write(command if isinstance(command, bytes) else command.encode())
        self.write("%")
        return self.lines()

    def load(self, data):
        """Send an input like the runner."""
        assert self.ask(f"db load {len(data)}") == [f"m-[Expecting {len(data)} bytes]"]
        for start in range(0, len(data), _CHUNK):
            last = start + _CHUNK >= len(data)
            said = self.ask("db " + data[start : start + _CHUNK].hex())
            assert said == (["m-load-done"] if last else [])

    def infer(self, times, warm_ups=0, energy=False):
        """Run the model; return (microseconds, results). In energy mode, microseconds is None."""
        said = self.ask(f"infer {times} {warm_ups}")
        laps = [int(lap[0]) for lap in map(re.compile(r"m-lap-us-(\d+)$").findall, said) if lap]
        kept = [line for line in said if not line.startswith("m-lap-us-")]
        wanted = [f"m-warmup-start-{warm_ups}", "m-warmup-done", f"m-infer-start-{times}"]
        assert kept[:-1] == [*wanted, "m-infer-done"]
        assert len(laps) == (0 if energy else 2)
        return (None if energy else laps[1] - laps[0]), results(kept[-1])


def results(line):
    """Return the numbers of a line m-results-[0.100,0.200]."""
    numbers = re.fullmatch(r"m-results-\[(-?\d+\.\d{3}(?:,-?\d+\.\d{3})*)\]", line)
    assert numbers, line
    return [float(number) for number in numbers[1].split(",")]


def random_input(task, seed, size=None):
    """Return random bytes like the runner's input for a task. size: bytes for another model."""
    random = np.random.default_rng(seed)
    if task == "ad01":
        return random.normal(-20, 25, 640).astype("<f4").tobytes()
    size = size or {"kws01": 490, "ic01": 3072, "vww01": 27648}[task]
    return random.integers(0, 256, size, np.uint8).tobytes()


# Like the reference of the benchmark: computed in float32, halves are rounded away from zero.
def model_input(task, data, info):
    """Return the array for the model's input (`info`: its TensorInfo) from the runner's bytes."""
    if task in ("ic01", "vww01"):
        values = np.frombuffer(data, np.uint8).astype(np.int16) - 128
    elif task == "ad01":
        quotients = np.frombuffer(data, "<f4") / np.float32(info.scale)
        rounded = np.trunc(quotients) + np.trunc((quotients - np.trunc(quotients)) * 2)
        values = np.clip(rounded + info.zero_point, -128, 127)
    else:
        values = np.frombuffer(data, np.int8)
    return values.astype(np.int8).reshape(info.shape)


def wanted_results(task, data, output, info):
    """Return the expected answer for the model's `output` (`info`: its TensorInfo)."""
    values = (output.reshape(-1).astype(np.float64) - info.zero_point) * np.float32(info.scale)
    if task == "ad01":
        return [float(np.mean((values - np.frombuffer(data, "<f4")) ** 2))]
    return values.tolist()
