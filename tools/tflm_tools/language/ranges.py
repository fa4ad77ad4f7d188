# tflm_tools: ranges: the lowest and highest values of a decoder's tensors on calibration texts
# MIT license; Copyright (c) 2026 the tflm authors

from .decoder import Decoder


class Ranges:
    """The range of each tensor that Decoder.see() names, per layer."""

    def __init__(self):
        self._low, self._high = {}, {}

    def see(self, name, layer, values):
        """Include an array in the range of a tensor."""
        key = name, layer
        self._low[key] = min(float(values.min()), self._low.get(key, 0.0))
        self._high[key] = max(float(values.max()), self._high.get(key, 0.0))

    def limits(self, name, layer=0):
        """Return (lowest, highest value); both include 0."""
        return self._low[name, layer], self._high[name, layer]

    def largest(self, name, layer=0):
        """Return the largest absolute value, which is never 0."""
        low, high = self.limits(name, layer)
        return max(-low, high, 1e-6)

    def largest_of_all(self, name):
        """Return the largest absolute value in all layers."""
        return max(self.largest(*key) for key in self._low if key[0] == name)


def measure(checkpoint, texts):
    """Return the Ranges of a Checkpoint on texts, which are lists of tokens."""
    ranges = Ranges()
    decoder = Decoder(checkpoint, ranges.see)
    for tokens in texts:
        decoder.reset()
        decoder.forward(tokens)
    return ranges
