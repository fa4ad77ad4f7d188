# tflm.fleet: HTTP over sockets, with limits for time and size of every answer.
# MIT license; Copyright (c) 2026 the tflm authors

import json
import time

from ..errors import TflmError

_MAX_LINE = 512  # bytes
_MAX_CHUNK_LINE = 20  # bytes of a line with the length of a chunk
_MAX_LINES = 64  # of headers
_MAX_JSON = 16384  # bytes
PIECE = 1024  # bytes of one read
_MS_A_BYTE = 10  # time for a byte of a body on average: 100 bytes a second
_MAX_PORT = 65535


class ServerError(TflmError):
    """The server does not answer as expected. status: of an answer that is an error, else 0."""

    def __init__(self, text, status=0):
        super().__init__(text)
        self.status = status


def split(url):
    """Return (is https, host, port, path) of an address; raises ServerError if it is invalid."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    host, _, port = host.partition(":")
    is_right = mark and scheme in ("http", "https") and host
    is_right = is_right and not [c for c in url if not 32 < ord(c) < 127]
    is_port = len(port) <= 5 and (port or "0").isdigit() and int(port or 0) <= _MAX_PORT
    if not is_right or not is_port:
        raise ServerError("%r is no address; pass one such as http://host:8080/path" % url)
    is_https = scheme == "https"
    return is_https, host, int(port or (443 if is_https else 80)), slash + path or "/"


# Return the remedy for a status.
def _advice(status):
    if status in (401, 403):
        return "check token and controller"
    if status == 404:
        return "check controller, and the address, which must end with the tenant"
    if 300 <= status < 400:
        return "use the address to which it redirects"
    return "poll again later, and check the server's log"


# A connection. It fails if the server sends nothing for `timeout` seconds. An answer has a
# deadline: `timeout` seconds, and 10 ms more for each byte of its body that has arrived.
class _Connection:
    def __init__(self, url, timeout, tls, feed):
        try:
            import socket
        except ImportError:
            socket = None
        if socket is None:
            raise ServerError("this firmware has no sockets; use a board with a network")
        is_https, host, port, self.path = split(url)
        if is_https and tls is None:
            raise ServerError("%s is https; pass an ssl.SSLContext as tls" % url)
        self.host = "%s:%d" % (host, port)
        self._feed = feed
        self._left = 1000 * timeout
        self._socket = None
        try:
            address = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)[0][-1]
            self._socket = socket.socket()
            self._socket.settimeout(timeout)
            self._socket.connect(address)
            if is_https:
                self._socket = tls.wrap_socket(self._socket, server_hostname=host)
        except (OSError, ValueError) as error:  # ValueError: an invalid certificate
            self._failed(error)
        self._last = time.ticks_ms()

    def _failed(self, error):
        self.close()
        raise ServerError(
            "the server at %s does not answer (%s); check that it runs and the board's network"
            % (self.host, " ".join(str(error).split()))
        )

    def write(self, data):
        try:
            self._socket.write(data)
        except OSError as error:
            self._failed(error)

    # Return up to `most` bytes; b"" at the end. `extra_ms`: what each byte adds to the deadline.
    def read(self, most, extra_ms=_MS_A_BYTE):
        if self._feed:
            self._feed()
        recv = getattr(self._socket, "recv", self._socket.read)  # TLS has no recv
        try:
            data = recv(most)
        except OSError as error:
            self._failed(error)
        now = time.ticks_ms()
        self._left += extra_ms * len(data) - time.ticks_diff(now, self._last)
        self._last = now
        if self._left < 0:
            raise ServerError("the server at %s is too slow; poll again later" % self.host)
        return data or b""

    # Return a line of at most `most` bytes, without its end.
    def line(self, most=_MAX_LINE):
        line = b""
        while not line.endswith(b"\n"):
            data = self.read(1, 0)
            if not data or len(line) == most:
                raise ServerError(
                    "the server at %s stops, or does not speak HTTP; check the address" % self.host
                )
            line += data
        return line.strip()

    def close(self):
        if self._socket:
            self._socket.close()


class Answer:
    """A server's answer: `status`, then read() until b""."""

    def __init__(self, connection):
        self._connection = connection
        words = connection.line().split(None, 2)
        if len(words) < 2 or not words[0].startswith(b"HTTP/") or not words[1].isdigit():
            raise ServerError(
                "the server at %s does not speak HTTP; check the address" % connection.host
            )
        self.status = int(words[1])
        self._left = None  # bytes left of the body or of this chunk; None: until the end
        self._is_chunked = False
        for _ in range(_MAX_LINES):
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
            "the server at %s sends too many headers; check the address" % connection.host
        )

    def _number(self, digits, base):
        try:
            number = int(digits.strip().decode(), base)
        except (ValueError, UnicodeError):
            number = -1
        if number < 0:
            raise ServerError(
                "the server at %s sends no valid length; check the address" % self._connection.host
            )
        return number

    def read(self, most):
        """Return up to `most` bytes of the body, b"" at its end; raises ServerError."""
        if self._is_chunked and not self._left:
            line = self._connection.line(_MAX_CHUNK_LINE)
            self._left = self._number(line.partition(b";")[0], 16)
            self._is_chunked = self._left > 0
        if self._left is None:
            return self._connection.read(most)
        if not self._left:
            return b""
        data = self._connection.read(min(most, self._left))
        if not data:
            raise ServerError(
                "the server at %s stops early; poll again later" % self._connection.host
            )
        self._left -= len(data)
        if self._is_chunked and not self._left:
            self._connection.line(_MAX_CHUNK_LINE)
        return data

    def close(self):
        self._connection.close()


class Http:
    """HTTP requests. timeout: seconds. tls: an ssl.SSLContext. feed: a function that is called
    before each read."""

    def __init__(self, timeout, tls=None, feed=None):
        self._timeout, self._tls, self._feed = timeout, tls, feed

    def ask(self, method, url, headers=(), body=b""):
        """Return the Answer, if its status is 200 to 299; close() it. Raises ServerError."""
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
        """Return the JSON object at an address; raises ServerError."""
        answer = self.ask("GET", url, headers)
        text = b""
        try:
            while True:
                data = answer.read(PIECE)
                text += data
                if not data or len(text) > _MAX_JSON:
                    break
        finally:
            answer.close()
        try:
            found = json.loads(text.decode()) if len(text) <= _MAX_JSON else None
        except (ValueError, RuntimeError):  # RuntimeError: nested too deeply
            found = None
        if not isinstance(found, dict):
            raise ServerError("%s is no JSON object; check the address" % url)
        return found
