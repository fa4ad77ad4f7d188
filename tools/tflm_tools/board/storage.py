# tflm_tools: board: stores models as files, which a board loads into RAM
# MIT license; Copyright (c) 2026 the tflm authors

from .files import PARTIAL_SUFFIX

_BLOCK = 4096  # bytes; a file uses whole blocks of flash
RESERVED_BYTES = 4 * _BLOCK  # of the file system, which stay free


def file_flash_bytes(size):
    """Return the bytes of flash that a file of `size` bytes uses."""
    return (size + _BLOCK - 1) // _BLOCK * _BLOCK


class FileStorage:
    """Stores models as files, for boards that cannot read flash in place."""

    name = "files"
    in_place = False

    def __init__(self, link, files, facts):
        self._files, self._facts = files, facts

    # The path of a model on the board.
    def _path(self, name):
        return f"{self._facts.root}{name}.tflm"

    def free_bytes(self, name, replace):
        """Return the size of the largest model that can be stored.

        name, replace: the old model of this name would be deleted first.
        """
        if self._facts.file_system is None:
            return 0
        old = file_flash_bytes(max(self._files.crc(self._path(name))[0], 0)) if replace else 0
        return max(self._facts.file_system[0] + old - RESERVED_BYTES, 0)

    def holds(self, name, data):
        """Return whether the model `name` is stored with the bytes `data`."""
        return self._files.has(self._path(name), data)

    def put(self, name, data, replace):
        """Store a model: write a second file, then rename it over the old one.

        replace: delete the old model of this name first. Raises DeviceError.
        """
        path = self._path(name)
        if replace:
            self._files.remove(path)
        self._files.send(path, data)
        self._files.rename((path + PARTIAL_SUFFIX, path))

    def remove(self, name):
        """Remove a model."""
        self._files.remove(self._path(name))

    def source(self, name):
        """Return (import line or "", Python expression that is the argument of tflm.load())."""
        return "", repr(self._path(name))
