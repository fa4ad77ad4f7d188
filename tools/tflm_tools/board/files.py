# tflm_tools: board: writes files on a board: sends chunks, resumes, checks, then renames
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

from ..errors import DeviceError
from .facts import script_source
from .replies import SIZE

_CHUNK_BYTES = 1024  # the board's heap must hold a chunk's text and the code around it
PARTIAL_SUFFIX = ".part"  # of files that are not complete yet


class Files:
    """The file system of the board at a Link; `progress(bytes)` is called for each chunk sent."""

    def __init__(self, link, progress=None):
        self._link = link
        self.progress = progress or (lambda count: None)
        link.exec(script_source("store"))

    def crc(self, path, most=1 << 30):
        """Return (bytes, CRC32) of a file's first `most` bytes, or (-1, 0) without the file."""
        return self._link.eval(f"file_crc({path!r}, {most})", seconds=60, schema=(int, int))

    def has(self, path, data):
        """Return whether the content of a file is `data`."""
        return self.crc(path) == (len(data), binascii.crc32(data))

    def read(self, path, size):
        """Return the first `size` bytes of a file that is at least that long."""
        return self._link.bytes(f"first_bytes({path!r}, {size})", size)

    def send(self, path, data):
        """Write `data` to PATH.part, continuing an interrupted transfer if its bytes are right.

        Raises DeviceError if the board's file then differs from `data`.
        """
        partial = path + PARTIAL_SUFFIX
        size, crc = self.crc(partial)
        start = size if 0 < size <= len(data) and crc == binascii.crc32(data[:size]) else 0
        self.progress(start)
        if start < len(data) or size != len(data):
            self._link.exec(f"begin({partial!r}, {start})")
            self.send_chunks(data[start:], "put")
            self._link.exec("end()")
        if not self.has(partial, data):
            raise DeviceError(
                f"{partial} did not arrive intact at the board at {self._link.port}; "
                "try again, or check its flash with: tflm doctor",
                "crc",
            )

    def send_chunks(self, data, function):
        """Call a function on the board with each chunk of `data` as base64."""
        for i in range(0, len(data), _CHUNK_BYTES):
            chunk = data[i : i + _CHUNK_BYTES]
            text = binascii.b2a_base64(chunk, newline=False)
            self._link.exec(f"{function}({text!r})")
            self.progress(len(chunk))

    def rename(self, *pairs):
        """Rename (old, new) files or folders in order, in one command, and sync the flash."""
        moves = "".join(f"os.rename({old!r}, {new!r})\n" for old, new in pairs)
        self._link.exec(f"import os\n{moves}if hasattr(os, 'sync'): os.sync()")

    def remove(self, path):
        """Remove a file, or a folder with its content."""
        self._link.exec(f"remove({path!r})", seconds=60)

    def tree(self, folder):
        """Return {path: bytes} of the files below a folder."""
        return self._link.eval(f"tree({folder.rstrip('/')!r})", seconds=60, schema={str: SIZE})
