# tflm: TableReader: read a table of a .tflm from its start to its end.
# MIT license; Copyright (c) 2026 the tflm authors

from .errors import damaged
from .micropython_port import struct


class TableReader:
    """Reads bytes and numbers in order; raises ModelError beyond the end of the table."""

    # `what` names the table in errors.
    def __init__(self, data, what):
        self._data = data
        self._at = 0
        self._what = what

    # Return the next `size` bytes.
    def take(self, size):
        start, self._at = self._at, self._at + size
        if self._at > len(self._data):
            raise damaged("%s is cut off" % self._what)
        return self._data[start : self._at]

    # Return the next numbers, for a format of struct.
    def unpack(self, kind):
        return struct.unpack(kind, self.take(struct.calcsize(kind)))
