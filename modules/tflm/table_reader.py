# tflm: TableReader: reads a table of a .tflm from front to back
# MIT license; Copyright (c) 2026 the tflm authors

from .errors import damaged
from .micropython_port import struct


class TableReader:
    """Reads bytes and numbers one after the other; raises ModelError at the end of the table."""

    # `what` the table is of, for errors.
    def __init__(self, data, what):
        self._data = data
        self._at = 0
        self._what = what

    # The next `size` bytes.
    def take(self, size):
        start, self._at = self._at, self._at + size
        if self._at > len(self._data):
            raise damaged("%s is cut off" % self._what)
        return self._data[start : self._at]

    # The next numbers, of the kinds that struct knows.
    def unpack(self, kind):
        return struct.unpack(kind, self.take(struct.calcsize(kind)))
