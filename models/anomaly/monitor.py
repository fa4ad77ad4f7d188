# Compare the vibration of a machine with its normal values; runs on boards and in the unix port
# MIT license; Copyright (c) 2026 the tflm authors

import features


class Monitor:
    """Scores seconds of vibration with the anomaly model in `interpreter`.

    The first `seconds` define the normal values, so the machine must be healthy then. A score
    above `threshold` is odd.
    """

    def __init__(self, interpreter, seconds=10):
        self.interpreter = interpreter
        self.threshold = float(str(interpreter.model.metadata()["anomaly.threshold"], "ascii"))
        self._usual = [0.0] * features.BANDS
        self._bands = [0.0] * features.BANDS
        self._seconds, self._heard = seconds, 0

    def hear(self, windows):
        """Return the score of the next second of an iterator of windows; None while it learns."""
        bands, usual = self._bands, self._usual
        features.second(windows, bands)
        if self._heard < self._seconds:
            self._heard += 1
            for i in range(features.BANDS):
                usual[i] += bands[i] / self._seconds
            return None
        for i in range(features.BANDS):
            bands[i] -= usual[i]
        self.interpreter.input(0).quantize(bands)
        self.interpreter.invoke()
        lost = self.interpreter.output(0).dequantize()
        return sum([(a - b) ** 2 for a, b in zip(bands, lost)]) / features.BANDS
