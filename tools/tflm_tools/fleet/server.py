# tflm_tools: fleet: a small HTTP server with hawkBit's DDI API, for small fleets and tests
# MIT license; Copyright (c) 2026 the tflm authors

import base64
import contextlib
import hmac
import json
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ..errors import ToolError
from ..render.common import printable
from .depot import Depot

_BOARD = re.compile(r"/(\w{1,64})/controller/v1/([\w.-]{1,256})(/.*)?")
_DEPLOYMENT = re.compile(r"/deploymentBase/(\d{1,9})")
_FEEDBACK = re.compile(r"/deploymentBase/(\d{1,9})/feedback")
_ARTIFACT = re.compile(r"/softwaremodules/(\d{1,9})/artifacts/[\w.-]+")
_RANGE = re.compile(r"bytes=(\d{1,12})-")
_MAX_BODY_BYTES = 1 << 16
_MAX_CONNECTIONS = 256  # each has a thread
_WRITE_BYTES = 1 << 14


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of boards; `self.server` is a Server."""

    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds to wait for a board

    def log_message(self, *_):
        pass

    def answer(self, status, data=b"", kind="application/hal+json", headers=()):
        """Send an answer, whose body is `data` as JSON, or as it is if it is bytes."""
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", len(body)), *headers):
            self.send_header(name, str(value))
        self.end_headers()
        for at in range(0, len(body), _WRITE_BYTES):
            self.wfile.write(body[at : at + _WRITE_BYTES])

    # The Board that sent the request, and the rest of the path; None after an error was answered.
    def _board(self):
        match = _BOARD.fullmatch(self.path.partition("?")[0])
        if not match:
            self.answer(404)
            return None
        if not self._has_token():
            return None
        board = self.server.depot.board(match[2])
        host = f"{self.server.scheme}://{self.headers['Host']}"
        self.base = f"{host}/{match[1]}/controller/v1/{match[2]}"
        return board, match[3] or ""

    # True if the request has the server's token, after "TargetToken " or another word, or as a
    # password, which browsers ask for. Otherwise 401 was answered.
    def _has_token(self):
        scheme, _, given = self.headers.get("Authorization", "").rpartition(" ")
        given = given.encode("latin-1", "replace")
        if scheme == "Basic":
            try:
                given = base64.b64decode(given).partition(b":")[2]
            except ValueError:
                given = b""
        token = self.server.token.encode()
        if not token or hmac.compare_digest(given, token):
            return True
        self.answer(401, headers=(("WWW-Authenticate", 'Basic realm="tflm fleet"'),))
        return False

    # The JSON object in the body of a request, or {}.
    def _body(self):
        try:
            size = int(self.headers.get("Content-Length") or 0)
            self.close_connection |= size > _MAX_BODY_BYTES  # its rest is not a request
            body = json.loads(self.rfile.read(max(0, min(size, _MAX_BODY_BYTES))))
        except (ValueError, RecursionError):
            body = None
        return body if isinstance(body, dict) else {}

    def do_GET(self):
        if self.path == "/":
            if self._has_token():
                self.answer(200, self.server.table().encode(), "text/plain; charset=utf-8")
            return
        request = self._board()
        if not request:
            return
        board, rest = request
        number = _DEPLOYMENT.fullmatch(rest)
        artifact = _ARTIFACT.fullmatch(rest)
        offer = board.actions.get(int((number or artifact or [0, 0])[1]))
        if not rest:
            self.answer(200, self._links(board))
        elif offer and number:
            self.answer(200, self._deployment(int(number[1]), offer))
        elif offer and artifact:
            self._file(offer)
        else:
            self.answer(404)

    def _links(self, board):
        links = {}
        if not board.attributes:
            links["configData"] = {"href": f"{self.base}/configData"}
        number = self.server.depot.action_for(board)
        if number is not None:
            links["deploymentBase"] = {"href": f"{self.base}/deploymentBase/{number}"}
        return {"config": {"polling": {"sleep": self.server.sleep}}, "_links": links}

    def _deployment(self, number, offer):
        href = f"{self.base}/softwaremodules/{number}/artifacts/{offer.path.name}"
        artifact = {
            "filename": offer.path.name,
            "hashes": {"sha256": offer.sha256},
            "size": offer.size,
            "_links": {"download-http": {"href": href}},
        }
        chunk = {"part": "bApp", "version": str(offer.version), "name": offer.name}
        chunk["artifacts"] = [artifact]
        deployment = {"download": "forced", "update": "forced", "chunks": [chunk]}
        return {"id": str(number), "deployment": deployment}

    # Send a file, or the part that the request's Range asks for.
    def _file(self, offer):
        data = self.server.depot.data(offer)
        if data is None:
            self.answer(404)
            return
        start = _RANGE.fullmatch(self.headers.get("Range", ""))
        start = int(start[1]) if start else 0
        if start and start >= len(data):
            self.answer(416, headers=(("Content-Range", f"bytes */{len(data)}"),))
            return
        if not start:
            self.answer(200, data, "application/octet-stream")
            return
        headers = (("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}"),)
        self.answer(206, data[start:], "application/octet-stream", headers)

    def do_PUT(self):
        request = self._board()
        if request and request[1] == "/configData":
            data = self._body().get("data")
            self.server.depot.describe(request[0], data if isinstance(data, dict) else {})
            self.answer(200)
        elif request:
            self.answer(404)

    def do_POST(self):
        request = self._board()
        if not request:
            return
        board, rest = request
        number = _FEEDBACK.fullmatch(rest)
        status = self._body().get("status")
        if not number or not isinstance(status, dict):
            self.answer(404 if not number else 400)
            return
        execution = str(status.get("execution"))
        result, details = status.get("result"), status.get("details")
        finished = str(result.get("finished")) if isinstance(result, dict) else ""
        text = " ".join(map(str, details)) if isinstance(details, list) else ""
        is_known = self.server.depot.note(board, int(number[1]), execution, finished, text)
        if is_known:
            self.server.log_report(f"{board.controller}  {board.last}")
        self.answer(200 if is_known else 410)


class Server(ThreadingHTTPServer):
    """Offers the updates of a folder to every board that polls.

    token: the token that boards and readers of the page / must send, "" for none. log: called
    with a line for each report of a board. seconds: time between two polls of a board. Raises
    ToolError.
    """

    scheme = "http"  # of the addresses that boards get
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder, host="127.0.0.1", port=8080, token="", log=print, seconds=60,
                 handler=Handler):  # fmt: skip
        self.depot = Depot(folder)
        self.token = token
        self.sleep = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        self._log = log
        self._connections = []  # sockets, the oldest first
        self._connections_lock = threading.Lock()
        try:
            super().__init__((host, port), handler)
        except OSError as error:
            raise ToolError(
                f"cannot listen at {host}:{port}: {error.strerror}; give another --port"
            ) from None

    def log_report(self, line):
        """Log a report of a board, without control characters."""
        self._log(printable(line))

    def process_request(self, request, client_address):
        """Answer a connection in a thread; of too many connections the oldest one is ended."""
        with self._connections_lock:
            self._connections.append(request)
            oldest = self._connections[0] if len(self._connections) > _MAX_CONNECTIONS else None
            if oldest:
                del self._connections[0]
        if oldest:
            with contextlib.suppress(OSError):
                oldest.shutdown(socket.SHUT_RDWR)  # its thread ends
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        """Forget and close a connection."""
        with self._connections_lock, contextlib.suppress(ValueError):
            self._connections.remove(request)
        super().shutdown_request(request)

    def handle_error(self, request, client_address):
        """Ignore errors of connections that a board has closed."""

    def table(self):
        """Return a text with a line for each board."""
        boards = sorted(self.depot.all_boards(), key=lambda board: board.controller)
        lines = [f"{board.controller}  {board.last or 'has polled'}" for board in boards]
        return "\n".join(map(printable, lines)) + "\n"
