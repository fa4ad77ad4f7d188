# tflm.features: Impulse: several blocks that read the same samples, one after the other.
# MIT license; Copyright (c) 2026 the tflm authors

from .sink import Sink


# Stores the features of a block after the features of the blocks before it.
class _OffsetSink:
    def __init__(self, sink, first):
        self._sink = sink
        self._first = first

    def write(self, work, at, count, position):
        self._sink.write(work, at, count, self._first + position)


class Impulse:
    """Several blocks; their features follow each other in the order of the JSON.

    blocks: the Blocks. size, shape: number of all features. length, axes, rate: as for a Block.
    """

    def __init__(self, settings, blocks):
        self.settings = settings
        self.blocks = blocks
        self.shape = settings.shape
        self.size = self.shape[0]
        self.length, self.axes, self.rate = settings.length, settings.axes, settings.rate
        self._target = None
        self._sinks = []

    def compute(self, samples, target):
        """Compute the features of a window, as Block.compute() does."""
        if self._target is not target:
            sink, first, self._sinks = Sink(target, self.size), 0, []
            for block in self.blocks:
                self._sinks.append(_OffsetSink(sink, first))
                first += block.size
            self._target = target
        for i in range(len(self.blocks)):
            self.blocks[i].compute_into(samples, self._sinks[i])
