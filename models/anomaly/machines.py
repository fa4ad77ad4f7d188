# Generate the vibration of random motors, healthy or with one fault
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import features
import numpy as np

FAULTS = ("unbalance", "bearing", "loose")
TRAINING, VALIDATION = range(10_000, 10_300), range(15_000, 15_060)  # seeds of machines
HELD_OUT = range(20_000, 20_040)
BASELINE = 40  # first windows, in which the machine is healthy; they define its normal values
_LENGTH, _RATE = features.LENGTH, features.RATE


class Machine:
    """A motor with an accelerometer; its random properties follow from the seed."""

    def __init__(self, seed):
        random = self.random = np.random.default_rng(seed)
        self.speed = random.uniform(20, 45)  # turns a second
        self.harmonics = 0.05 * random.lognormal(0, 0.4, 4) / np.array([1, 2.5, 4, 6])
        self.hum = 0.01 * random.lognormal(0, 0.5)  # at twice the mains frequency
        self.modes = random.uniform([60, 250], [200, 450])  # Hz, of its structure
        self.damping = random.uniform(0.03, 0.08, 2)
        self.rush = 0.02 * random.lognormal(
            0, 0.4, 2
        )  # excitation of the modes by flow and friction
        self.noise = 0.004 * random.lognormal(0, 0.2)
        # Severity of each fault.
        self.unbalance = random.uniform(1.8, 4)
        self.bearing = random.uniform(0.05, 0.2)
        self.loose = random.uniform(0.3, 1)

    def signal(self, windows, fault=None):
        """Return consecutive windows in g, [windows, LENGTH]; fault: None or one of FAULTS."""
        random, count = self.random, windows * _LENGTH
        # Load and speed drift.
        drift = np.cumsum(random.normal(0, 1, windows + 2))
        drift = np.interp(np.arange(count), np.arange(windows + 2) * _LENGTH, drift - drift.mean())
        load = np.exp(0.05 * drift)
        phase = 2 * np.pi * np.cumsum(self.speed * (1 + 0.004 * drift)) / _RATE
        sizes = self.harmonics.copy()
        if fault == "unbalance":
            sizes[0] *= self.unbalance
        angles = random.uniform(0, 2 * np.pi, 4)
        x = sum(a * load * np.sin((n + 1) * phase + angles[n]) for n, a in enumerate(sizes))
        if fault == "loose":  # knocks at every second turn, on one side
            knock = np.maximum(0, np.sin(phase / 2)) ** 6 * np.sin(phase) + 0.5 * np.sin(phase / 2)
            x = x + self.loose * self.harmonics[0] * 2 * knock
        x = x + self.hum * np.sin(2 * np.pi * 100 * np.arange(count) / _RATE)
        force = random.normal(0, 1, (2, count)) * self.rush[:, None] * load
        if fault == "bearing":
            force[1] += self._clicks(phase)
        for mode, damping, push in zip(self.modes, self.damping, force, strict=True):
            x = x + _ring(push, mode, damping)
        x = x + random.normal(0, self.noise, count)
        return x.reshape(windows, _LENGTH)

    # A ball passes a pit in the outer ring 3.58 times per turn, with jitter.
    def _clicks(self, phase):
        turns = phase / (2 * np.pi) * 3.58
        turns = turns + np.cumsum(self.random.normal(0, 0.002, len(turns)))
        hits = np.diff(np.floor(turns), prepend=0) > 0
        return hits * self.bearing * self.random.lognormal(0, 0.3, len(turns)) * 2


# Return the response of a structure with one resonance (Hz) to a force.
def _ring(force, frequency, damping):
    time = np.arange(0, 0.2, 1 / _RATE)
    omega = 2 * np.pi * frequency
    response = np.exp(-damping * omega * time) * np.sin(omega * time)
    return np.convolve(force, response)[: len(force)]


def bands(signal):
    """Return features.bands() of all windows: float64 [windows, BANDS]."""
    signal = signal - signal.mean(1, keepdims=True)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(_LENGTH) / _LENGTH)
    power = np.abs(np.fft.rfft(signal * window)) ** 2 * (4 / _LENGTH) ** 2 / 2
    edges = np.array(features.EDGES)
    sums = np.add.reduceat(power[:, : edges[-1]], edges[:-1], axis=1)
    return np.log10(sums / np.diff(edges) + features._FLOOR)


# Return the bands of seconds, like features.second().
def _joined(found):
    return np.log10((10.0**found).reshape(-1, features.TOGETHER, features.BANDS).mean(1))


def heard(seed, windows, faults=FAULTS):
    """Return {"well" or a fault: [windows / 4, BANDS]} of a machine, minus its baseline."""
    machine = Machine(seed)
    usual = _joined(bands(machine.signal(BASELINE))).mean(0)
    found = {"well": _joined(bands(machine.signal(windows))) - usual}
    for fault in faults:
        found[fault] = _joined(bands(machine.signal(windows, fault))) - usual
    return found


def held_out():
    """Return the bands of the held-out machines: {"well" or a fault: [n, BANDS]}."""
    each = [heard(seed, 60) for seed in HELD_OUT]
    return {name: np.concatenate([found[name] for found in each]) for name in each[0]}


def area(well, fault):
    """Return the area under the ROC curve: how often a fault has the higher score."""
    order = np.concatenate([well, fault]).argsort().argsort() + 1.0
    return float((order[len(well) :].mean() - (len(fault) + 1) / 2) / len(well))


def main():
    """Write 14 seconds of one axis in mg, one sample per line: healthy for 11, then FAULT."""
    path, fault = sys.argv[1:3]
    machine = Machine(HELD_OUT[0])
    signals = [
        machine.signal(11 * features.TOGETHER),
        machine.signal(3 * features.TOGETHER, fault),
    ]
    np.savetxt(path, 1000 * np.concatenate(signals).reshape(-1), "%.0f")


if __name__ == "__main__":
    main()
