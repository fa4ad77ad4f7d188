# App keywords: reads sound from a WAV file of 16 kHz, mono, 16 bit
# MIT license; Copyright (c) 2026 the tflm authors

import struct

RATE = 16000
_PCM = 1
_EXTENSIBLE = 0xFFFE  # the format of the samples is later in the header
_UNKNOWN_SIZES = (0, 0xFFFFFFFF, 0x7FFFFFFF)  # written by programs that do not know the size yet


class WavFile:
    """The samples of a WAV file; readinto() gives them as int16, with zeros after the last.

    Raises ValueError for an invalid file, OSError for a file that cannot be read.
    """

    def __init__(self, path):
        self._path = path
        try:
            self._file = open(path, "rb")  # noqa: SIM115
        except OSError as error:
            raise OSError("cannot read %s: %s; check the path" % (path, error))
        try:
            self._left = self._find_samples()
        except ValueError:
            self._file.close()
            raise
        self.bytes = self._left

    def _refuse(self, what):
        raise ValueError(
            "%s %s; it must be a WAV file of 16 kHz, mono, 16 bit PCM (convert it with: "
            "sox IN -r 16000 -c 1 -b 16 OUT)" % (self._path, what)
        )

    # Seek to the samples; return their number of bytes, -1 if unknown.
    def _find_samples(self):
        head = self._file.read(12)
        if len(head) < 12 or head[:4] != b"RIFF" or head[8:] != b"WAVE":
            self._refuse("has no RIFF header")
        has_format = False
        while True:
            head = self._file.read(8)
            if len(head) < 8:
                self._refuse("ends before its samples")
            size = struct.unpack("<I", head[4:])[0]
            if head[:4] == b"data":
                break
            if head[:4] == b"fmt ":
                self._check_format(self._file.read(min(size, 40)))
                has_format = True
                size -= min(size, 40)
            self._file.seek(size + (size & 1), 1)  # chunks begin at even bytes
        if not has_format:
            self._refuse("has no format chunk")
        return -1 if size in _UNKNOWN_SIZES else size & (0 - 2)

    def _check_format(self, data):
        if len(data) < 16:
            self._refuse("ends within its header")
        code, channels, rate, _, _, bits = struct.unpack("<HHIIHH", data[:16])
        if code == _EXTENSIBLE and len(data) >= 26:
            code = struct.unpack("<H", data[24:26])[0]
        if code != _PCM:
            self._refuse("is compressed or has floats (format %d)" % code)
        if rate != RATE:
            self._refuse("has %d samples per second" % rate)
        if channels != 1:
            self._refuse("has %d channels" % channels)
        if bits != 16:
            self._refuse("has samples of %d bits" % bits)

    def readinto(self, buffer):
        """Fill `buffer` with samples; return the number of bytes from the file, 0 at its end.

        Raises ValueError if the file is shorter than the size in its header.
        """
        if self._left == 0:
            return 0
        count = self._file.readinto(buffer) or 0
        if self._left > 0:
            if count < len(buffer) and count < self._left:
                self._refuse("is truncated: %d bytes of sound are missing" % (self._left - count))
            count = min(count, self._left)  # other chunks may follow
            self._left -= count
        elif count == 0:
            self._left = 0
        for i in range(count & (0 - 2), len(buffer)):
            buffer[i] = 0
        return count

    def close(self):
        """Close the file."""
        self._file.close()
