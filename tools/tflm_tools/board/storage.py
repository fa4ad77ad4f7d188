# tflm_tools: board: models as files of the file system, loaded into RAM
# MIT license; Copyright (c) 2026 the tflm authors

from .files import PART

_BLOCK = 4096  # of flash; a file takes whole blocks of it


def blocks(size):
    """Bytes of flash that a file of `size` bytes takes."""
    return (size + _BLOCK - 1) // _BLOCK * _BLOCK


class FileStorage:
    """Models as files: on boards that cannot read flash in place they are loaded into RAM."""

    name = "files"
    in_place = False

    def __init__(self, link, files, facts):
        self._files, self._facts = files, facts

    # Where a model lies.
    def _path(self, name):
        return f"{self._facts.root}{name}.tflm"

    def room(self, name, replace):
        """Bytes that a model may have, beside those that are there."""
        if self._facts.file_system is None:
            return 0
        old = blocks(max(self._files.crc(self._path(name))[0], 0)) if replace else 0
        return max(self._facts.file_system[0] + old - 4 * _BLOCK, 0)

    def holds(self, name, data):
        """True when the model is there."""
        return self._files.has(self._path(name), data)

    def put(self, name, data, replace):
        """Write a model beside the one of this name, then in its place."""
        path = self._path(name)
        if replace:
            self._files.remove(path)
        self._files.send(path, data)
        self._files.rename((path + PART, path))

    def source(self, name):
        """(import line or "", Python expression that tflm.load() takes)."""
        return "", repr(self._path(name))
