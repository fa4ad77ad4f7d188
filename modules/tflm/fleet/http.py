# tflm.fleet: HTTP over sockets: each answer ends, in time or with an error of one sentence
# MIT license; Copyright (c) 2026 the tflm authors

import json
import time

from ..errors import TflmError

_MOST_LINE = 512
_MOST_LINES = 64  # of a head
_MOST_JSON = 16384
PIECE = 1024  # bytes that are read at once
_MS_A_BYTE = 10  # that a server may take on average: 100 bytes a second


class ServerError(TflmError):
    """The server does not answer, or not as it should; `status` where it refuses, else 0."""

    def __init__(self, text, status=0):
        super().__init__(text)
        self.status = status


def split(url):
    """(is https, host, port, path) of an address; raises ServerError for what is none."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    host, _, port = host.partition(":")
    is_right = mark and scheme in ("http", "https") and host
    if not is_right or [c for c in url if not 32 < ord(c) < 127] or not (port or "0").isdigit():
        raise ServerError("%r is no address; give one like http://host:8080/path" % url)
    is_https = scheme == "https"
    return is_https, host, int(port or (443 if is_https else 80)), slash + path or "/"


# What to do about a status.
def _advice(status):
    if status in (401, 403):
        return "check token and controller"
    if status == 404:
        return "check the address, which has the tenant at its end, and controller"
    if 300 <= status < 400:
        return "give the address that it sends to"
    return "poll again later, and look at the server's log"


# The bytes of a connection. A server that says nothing for `timeout` seconds, or little for long,
# is given up.
class _Connection:
    def __init__(self, url, timeout, tls, feed):
        try:
            import socket
        except ImportError:
            socket = None
        if socket is None:
            raise ServerError("this firmware has no sockets; use one for a board with a network")
        is_https, host, port, self.path = split(url)
        if is_https and tls is None:
            raise ServerError("%s is https; pass an ssl.SSLContext as tls" % url)
        self.host = "%s:%d" % (host, port)
        self._feed = feed
        self._left = 1000 * timeout
        self._last = time.ticks_ms()
        self._socket = None
        try:
            address = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)[0][-1]
            self._socket = socket.socket()
            self._socket.settimeout(timeout)
            self._socket.connect(address)
            if is_https:
                self._socket = tls.wrap_socket(self._socket, server_hostname=host)
        except (OSError, ValueError) as error:  # ValueError: of certificates
            self._failed(error)

    def _failed(self, error):
        self.close()
        raise ServerError(
            "the server at %s does not answer (%s); is it on, and the board in its network?"
            % (self.host, " ".join(str(error).split()))
        )

    def write(self, data):
        try:
            self._socket.write(data)
        except OSError as error:
            self._failed(error)

    # Up to `most` bytes; none at the end.
    def read(self, most):
        if self._feed:
            self._feed()
        recv = getattr(self._socket, "recv", self._socket.read)  # TLS has no recv
        try:
            data = recv(most)
        except OSError as error:
            self._failed(error)
        now = time.ticks_ms()
        self._left += _MS_A_BYTE * len(data) - time.ticks_diff(now, self._last)
        self._last = now
        if self._left < 0:
            raise ServerError("the server at %s is too slow; poll again later" % self.host)
        return data or b""

    # A line without its end.
    def line(self):
        line = b""
        while not line.endswith(b"\n"):
            data = self.read(1)
            if not data or len(line) == _MOST_LINE:
                raise ServerError(
                    "the server at %s breaks off, or does not speak HTTP; check the address"
                    % self.host
                )
            line += data
        return line.strip()

    def close(self):
        if self._socket:
            self._socket.close()


class Answer:
    """What a server answers: `status`, then read() until b""."""

    def __init__(self, connection):
        self._connection = connection
        words = connection.line().split(None, 2)
        if len(words) < 2 or not words[0].startswith(b"HTTP/") or not words[1].isdigit():
            raise ServerError(
                "the server at %s does not speak HTTP; check the address" % connection.host
            )
        self.status = int(words[1])
        self._left = None  # bytes of the body, or of this chunk; None: to the end
        self._is_chunked = False
        for _ in range(_MOST_LINES):
            line = connection.line()
            if not line:
                return
            name, _, value = line.lower().partition(b":")
            if name == b"content-length":
                self._left = self._number(value, 10)
            elif name == b"transfer-encoding":
                self._is_chunked = b"chunked" in value
                self._left = 0
        raise ServerError(
            "the server at %s sends headers without end; check the address" % connection.host
        )

    def _number(self, digits, base):
        try:
            number = int(digits.strip().decode(), base)
        except (ValueError, UnicodeError):
            number = -1
        if number < 0:
            raise ServerError(
                "the server at %s gives no length of what it sends; check the address"
                % self._connection.host
            )
        return number

    def read(self, most):
        """Up to `most` bytes of the body, b"" at its end; raises ServerError where it is cut."""
        if self._is_chunked and not self._left:
            self._left = self._number(self._connection.line().partition(b";")[0], 16)
            self._is_chunked = self._left > 0
        if self._left is None:
            return self._connection.read(most)
        if not self._left:
            return b""
        data = self._connection.read(min(most, self._left))
        if not data:
            raise ServerError(
                "the server at %s breaks off; poll again later" % self._connection.host
            )
        self._left -= len(data)
        if self._is_chunked and not self._left:
            self._connection.line()
        return data

    def close(self):
        self._connection.close()


class Http:
    """Requests to servers; timeout: seconds. tls: an ssl.SSLContext. feed: called meanwhile."""

    def __init__(self, timeout, tls=None, feed=None):
        self._timeout, self._tls, self._feed = timeout, tls, feed

    def ask(self, method, url, headers=(), body=b""):
        """The Answer, whose status is in the 200s; close() it. Raises ServerError."""
        connection = _Connection(url, self._timeout, self._tls, self._feed)
        lines = ["%s %s HTTP/1.1" % (method, connection.path), "Host: " + connection.host]
        lines += headers
        lines += ["Connection: close", "Content-Length: %d" % len(body), "", ""]
        try:
            connection.write("\r\n".join(lines).encode() + body)
            answer = Answer(connection)
        except ServerError:
            connection.close()
            raise
        if not 200 <= answer.status < 300:
            answer.close()
            raise ServerError(
                "the server at %s answers %d; %s"
                % (connection.host, answer.status, _advice(answer.status)),
                answer.status,
            )
        return answer

    def json(self, url, headers=()):
        """The dict that an address has; raises ServerError."""
        answer = self.ask("GET", url, headers)
        text = b""
        try:
            while True:
                data = answer.read(PIECE)
                text += data
                if not data or len(text) > _MOST_JSON:
                    break
        finally:
            answer.close()
        try:
            found = json.loads(text.decode()) if len(text) <= _MOST_JSON else None
        except (ValueError, RuntimeError):  # RuntimeError: nested too deeply
            found = None
        if not isinstance(found, dict):
            raise ServerError("%s has no JSON that tflm can read; check the address" % url)
        return found
