# Generate the samples of an accelerometer in a hand that makes gestures
# MIT license; Copyright (c) 2026 the tflm authors

# No person was measured. A hand follows a path. The sensor measures the second derivative of the
# path and gravity, in axes that turn with the hand. Wearers differ in the orientation of the
# sensor, in speed and size of their movements, and in the errors of their sensors.

import sys

import numpy as np

LABELS = ("none", "circle", "wave", "shake", "tap")
RATE = 50  # samples a second
LENGTH = 96  # samples of a window: 1.92 s
RANGE = 4.0  # g, the largest value of the sensor

_STEPS_PER_SAMPLE = 8  # of the computed paths
_GRAVITY = 9.81
_RAMP_SECONDS = 0.3  # until the hand moves at full size, and until it has stopped
# Share of a window with movement, below which it is no gesture and above which it is one.
_NO_GESTURE_SHARE, _GESTURE_SHARE = 0.3, 0.7
_EDGE = 0.1  # seconds between a knock and the end of the window


# Return the rotation by an angle, or an array of angles, around an axis: [..., 3, 3].
def _turn(axis, angle):
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = np.asarray(angle)[..., None, None]
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross)


# Return the movement from 0 to 1 with minimal jerk, at a share 0 to 1 of its time.
def _minimum_jerk(share):
    share = np.clip(share, 0, 1)
    return share**3 * (10 - 15 * share + 6 * share**2)


class Wearer:
    """A person with a sensor: habits and errors that follow from the seed.

    The same seed gives the same recordings in the same order.
    """

    def __init__(self, seed):
        self.random = random = np.random.RandomState(seed)
        self.hold = _turn(random.normal(size=3), random.uniform(0, np.pi))
        self.tempo = np.exp(random.normal(0, 0.15))
        self.size = np.exp(random.normal(0, 0.2))
        self.lean = random.normal(0, 0.25, 3)  # of the directions of movement
        self.harmonic = random.uniform(0, 0.2)  # share of the second harmonic
        self.gain = random.normal(1, 0.02, 3)
        self.offset = random.normal(0, 0.03, 3)
        self.noise = random.uniform(0.003, 0.03)

    def record(self, gesture, samples=LENGTH, begin=-np.inf, end=np.inf):
        """Return float32 [samples, 3] in g: a gesture from `begin` to `end`, in seconds."""
        time = np.arange(samples * _STEPS_PER_SAMPLE) / (RATE * _STEPS_PER_SAMPLE)
        path, tilt, knocks = getattr(self, "_" + gesture)(time - max(begin, 0))
        ramp = _minimum_jerk((time - begin) / _RAMP_SECONDS)
        ramp = ramp * _minimum_jerk((end - time) / _RAMP_SECONDS)
        path, tilt = path * ramp[:, None], tilt * ramp
        force = np.gradient(np.gradient(path, axis=0), axis=0) * (RATE * _STEPS_PER_SAMPLE) ** 2
        force = force / _GRAVITY + np.array([0, 0, 1]) + knocks
        drift = np.cumsum(self.random.normal(0, 0.0006, (len(time), 3)), axis=0)
        axes = np.swapaxes(_turn(self._direction((0, 1, 0)), tilt) @ self.hold, -1, -2)
        felt = (axes @ (force + drift)[..., None])[..., 0]
        felt = felt.reshape(samples, _STEPS_PER_SAMPLE, 3).mean(axis=1)  # the filter of the sensor
        felt = felt * self.gain + self.offset + self.random.normal(0, self.noise, felt.shape)
        return np.clip(felt, -RANGE, RANGE).astype(np.float32)

    # Return a direction with the deviation of this wearer and of this movement.
    def _direction(self, axis):
        return np.array(axis) + self.lean + self.random.normal(0, 0.15, 3)

    # Return an oscillation of about `hertz`, and the oscillation a quarter period later.
    def _swing(self, time, hertz):
        turns = hertz * self.tempo * self.random.uniform(0.9, 1.1) * time
        turns = 2 * np.pi * (turns + self.random.uniform())
        more = self.harmonic * self.random.uniform(0.3, 1)
        return tuple(
            np.sin(turns + phase) + more * np.sin(2 * turns + self.harmonic)
            for phase in (0, np.pi / 2)
        )

    def _meters(self, length):
        return length * self.size * self.random.uniform(0.85, 1.15)

    def _still(self, time):
        return np.zeros((len(time), 3)), np.zeros(len(time)), np.zeros((len(time), 3))

    def _circle(self, time):
        across, up = self._swing(time, 1.1)
        radius = self._meters(0.17) * self.random.choice((-1, 1))
        across = np.outer(across * radius, self._direction((1, 0, 0)))
        up = np.outer(up * self._meters(0.15), self._direction((0, 0, 1)))
        return across + up, 0.1 * self.random.normal() * time, np.zeros((len(time), 3))

    def _wave(self, time):
        across, _ = self._swing(time, 1.7)
        path = np.outer(across * self._meters(0.1), self._direction((1, 0, 0)))
        return path, across * self.random.uniform(0.3, 0.6), np.zeros((len(time), 3))

    def _shake(self, time):
        across, _ = self._swing(time, 5)
        path = np.outer(across * self._meters(0.018), self._direction((0.6, 0, 0.8)))
        return path, across * 0.05, np.zeros((len(time), 3))

    # Two knocks with a finger.
    def _tap(self, time):
        path, tilt, knocks = self._still(time)
        first = self.random.uniform(0.05, 0.7)
        for start in (first, first + self.random.uniform(0.16, 0.32) / self.tempo):
            since = np.maximum(time - start, 0)
            ring = np.exp(-since / self.random.uniform(0.025, 0.045))
            ring = ring * np.sin(2 * np.pi * self.random.uniform(11, 17) * since) * (time > start)
            force = self.random.uniform(1.2, 2.5) * self.size
            knocks = knocks + np.outer(ring * force, self._direction((0, 0, 1)))
        return path, tilt, knocks

    # The hand is still, moves once, or belongs to a person who walks.
    def _none(self, time):
        path, tilt, knocks = self._still(time)
        kind = self.random.choice(3)
        if kind == 1:
            share = (time - self.random.uniform(0, 1)) / self.random.uniform(0.6, 1.4)
            moved = _minimum_jerk(share)
            path = np.outer(moved * self.random.uniform(0.1, 0.5), self.random.normal(0, 1, 3))
            tilt = moved * self.random.normal(0, 0.8)
        elif kind == 2:
            bounce, sway = self._swing(time, 1.8)
            path = np.outer(bounce * 0.012 * self.size, self._direction((0, 0, 1)))
            path = path + np.outer(sway * 0.004, self._direction((1, 0, 0)))
        return path, tilt, knocks


# Return the samples of a window, and the share of it with the gesture, 0 to 1.
def _window(wearer, label):
    random, seconds = wearer.random, LENGTH / RATE
    gesture = LABELS[label]
    if gesture == "none":
        return wearer.record(gesture), 0.0
    if gesture == "tap":
        return wearer.record(gesture, begin=random.uniform(0, seconds - 1.3 - _EDGE)), 1.0
    kind = random.choice(4)
    if kind < 2:
        return wearer.record(gesture), 1.0
    share = random.uniform()
    if kind == 2:
        return wearer.record(gesture, begin=(1 - share) * seconds), share
    return wearer.record(gesture, end=share * seconds), share


def windows(seeds, each):
    """Return (x, y) of wearers: float32 [n, LENGTH, 1, 3] in g, and a probability per label.

    There are `each` windows of each gesture. If a gesture begins or ends inside a window, its
    probability follows from its share of the window.
    """
    found, labels = [], []
    for seed in seeds:
        wearer = Wearer(seed)
        for _ in range(each):
            for label in range(len(LABELS)):
                samples, share = _window(wearer, label)
                likely = (share - _NO_GESTURE_SHARE) / (_GESTURE_SHARE - _NO_GESTURE_SHARE)
                probabilities = np.zeros(len(LABELS), np.float32)
                probabilities[label] = np.clip(likely, 0, 1)
                probabilities[0] = 1 - probabilities[1:].sum()
                found.append(samples)
                labels.append(probabilities)
    return np.array(found)[:, :, None], np.array(labels)


def main():
    """Write a CSV (x, y, z in g) of a wearer who makes each gesture, with pauses: FILE [SEED]."""
    path, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wearer, recordings = Wearer(seed), []
    for gesture in LABELS[1:]:
        recordings += [wearer.record("none", 150), wearer.record(gesture, 200, 0.5, 3.5)]
    np.savetxt(path, np.concatenate(recordings), "%.4f", ",")


if __name__ == "__main__":
    main()
