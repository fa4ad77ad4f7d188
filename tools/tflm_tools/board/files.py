# tflm_tools: board: files of a board: sent in pieces, resumed, checked, then renamed
# MIT license; Copyright (c) 2026 the tflm authors

import binascii

from ..errors import DeviceError
from .facts import script
from .replies import SIZE

_CHUNK = 1024  # bytes of a piece; its text and the code around it lie in the board's heap
PART = ".part"


class Files:
    """Writes to the file system of the board at a Link; `progress(bytes)` hears of each piece."""

    def __init__(self, link, progress=None):
        self._link = link
        self.progress = progress or (lambda count: None)
        link.exec(script("store"))

    def crc(self, path, most=1 << 30):
        """(bytes, CRC32) of a file's first `most` bytes; (-1, 0) without the file."""
        return self._link.eval(f"file_crc({path!r}, {most})", seconds=60, form=(int, int))

    def has(self, path, data):
        """True when the file holds just these bytes."""
        return self.crc(path) == (len(data), binascii.crc32(data))

    def read(self, path, size):
        """The first `size` bytes of a file, which has as many."""
        return self._link.bytes(f"first_bytes({path!r}, {size})", size)

    def send(self, path, data):
        """Write PATH.part; what an earlier try has left there is kept as far as it is right.

        Raises DeviceError when the board does not hold the right bytes then.
        """
        part = path + PART
        size, crc = self.crc(part)
        start = size if 0 < size <= len(data) and crc == binascii.crc32(data[:size]) else 0
        self.progress(start)
        if start < len(data) or size != len(data):
            self._link.exec(f"begin({part!r}, {start})")
            self.pieces(data[start:], "put")
            self._link.exec("end()")
        if not self.has(part, data):
            raise DeviceError(
                f"{part} did not arrive whole at the board at {self._link.port}; "
                "try again, or check its flash with: tflm doctor",
                "crc",
            )

    def pieces(self, data, function):
        """Call a function of the board with the bytes, piece by piece, as base64."""
        for i in range(0, len(data), _CHUNK):
            piece = data[i : i + _CHUNK]
            text = binascii.b2a_base64(piece, newline=False)
            self._link.exec(f"{function}({text!r})")
            self.progress(len(piece))

    def rename(self, *pairs):
        """Rename files or folders, in order and in one command, then write all to flash."""
        moves = "".join(f"os.rename({old!r}, {new!r})\n" for old, new in pairs)
        self._link.exec(f"import os\n{moves}if hasattr(os, 'sync'): os.sync()")

    def remove(self, path):
        """Remove a file or a folder with all that is in it."""
        self._link.exec(f"remove({path!r})", seconds=60)

    def tree(self, folder):
        """{path: bytes} of the files below a folder."""
        return self._link.eval(f"tree({folder.rstrip('/')!r})", seconds=60, form={str: SIZE})
