# tflm.fleet: Download: read a file of a server, and continue after interruptions.
# MIT license; Copyright (c) 2026 the tflm authors

from .http import PIECE, ServerError

_RETRIES = 3


class Download:
    """A file of a server, read from start to end; interrupted transfers are continued."""

    def __init__(self, http, url, headers=()):
        self._http, self._url, self._headers = http, url, list(headers)
        self._at = 0
        self._retries = _RETRIES
        self._answer = None

    # Request the rest of the file. A server without ranges sends the whole file.
    def _open(self):
        ranges = ["Range: bytes=%d-" % self._at] if self._at else []
        self._answer = self._http.ask("GET", self._url, self._headers + ranges)
        left = self._at if self._answer.status != 206 else 0
        while left:
            data = self._answer.read(min(left, PIECE))
            if not data:
                raise ServerError("%s became shorter; poll again later" % self._url)
            left -= len(data)

    def read(self, most):
        """Return up to `most` bytes, b"" at the end; raises ServerError after three retries."""
        while True:
            try:
                if self._answer is None:
                    self._open()
                data = self._answer.read(min(most, PIECE))
                self._at += len(data)
                return data
            except ServerError:
                self.close()
                if not self._at or not self._retries:
                    raise
                self._retries -= 1

    def read_all(self, size):
        """Return `size` bytes, fewer at the end."""
        data = b""
        while len(data) < size:
            more = self.read(size - len(data))
            if not more:
                break
            data += more
        return data

    def close(self):
        if self._answer:
            self._answer.close()
        self._answer = None
