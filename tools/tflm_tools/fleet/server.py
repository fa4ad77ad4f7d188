# tflm_tools: fleet: a small server of hawkBit's DDI, for a class room and for tests
# MIT license; Copyright (c) 2026 the tflm authors

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ..errors import ToolError
from ..render.common import printable
from .depot import Depot

_BOARD = re.compile(r"/(\w+)/controller/v1/([\w.-]+)(/.*)?")
_MOST_BODY = 1 << 16
_PIECE = 1 << 14


class Handler(BaseHTTPRequestHandler):
    """Requests of boards; what the server is, is in `self.server`."""

    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds that a board may be silent

    def log_message(self, *_):
        pass

    def answer(self, status, data=b"", kind="application/hal+json", headers=()):
        """Send an answer with the JSON of `data`, or with bytes."""
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", len(body)), *headers):
            self.send_header(name, str(value))
        self.end_headers()
        for at in range(0, len(body), _PIECE):
            self.wfile.write(body[at : at + _PIECE])

    # The Board that asks and the rest of the path; None after an answer that refuses.
    def _board(self):
        found = _BOARD.fullmatch(self.path.partition("?")[0])
        if not found:
            self.answer(404)
            return None
        given = self.headers.get("Authorization", "").rpartition(" ")[2]
        if self.server.token and given != self.server.token:
            self.answer(401)
            return None
        host = f"{self.server.scheme}://{self.headers['Host']}"
        self.base = f"{host}/{found[1]}/controller/v1/{found[2]}"
        return self.server.depot.board(found[2]), found[3] or ""

    # The JSON that came with a request, or {}.
    def _body(self):
        try:
            size = int(self.headers.get("Content-Length") or 0)
            found = json.loads(self.rfile.read(max(0, min(size, _MOST_BODY))))
        except (ValueError, RecursionError):
            found = None
        return found if isinstance(found, dict) else {}

    def do_GET(self):
        if self.path == "/":
            self.answer(200, self.server.table().encode(), "text/plain; charset=utf-8")
            return
        found = self._board()
        if not found:
            return
        board, rest = found
        number = re.fullmatch(r"/deploymentBase/(\d+)", rest)
        artifact = re.fullmatch(r"/softwaremodules/(\d+)/artifacts/[\w.-]+", rest)
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

    # A file, or what of it a range asks for.
    def _file(self, offer):
        data = offer.path.read_bytes()
        start = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(start[1]) if start else 0
        if not start:
            self.answer(200, data, "application/octet-stream")
            return
        about = (("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}"),)
        self.answer(206, data[start:], "application/octet-stream", about)

    def do_PUT(self):
        found = self._board()
        if found and found[1] == "/configData":
            data = self._body().get("data")
            found[0].attributes = data if isinstance(data, dict) else {}
            self.answer(200)
        elif found:
            self.answer(404)

    def do_POST(self):
        found = self._board()
        if not found:
            return
        board, rest = found
        number = re.fullmatch(r"/deploymentBase/(\d+)/feedback", rest)
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
            self.server.said(f"{board.controller}  {board.last}")
        self.answer(200 if is_known else 410)


class Server(ThreadingHTTPServer):
    """Offers the updates of a folder to every board that polls; token: what they have to show.

    said: called with a line for each thing that a board says. seconds: between two polls.
    """

    scheme = "http"  # of the addresses that boards get
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder, host="127.0.0.1", port=8080, token="", said=print, seconds=60,
                 handler=Handler):  # fmt: skip
        self.depot = Depot(folder)
        self.token = token
        self.sleep = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        self._say = said
        try:
            super().__init__((host, port), handler)
        except OSError as error:
            raise ToolError(
                f"cannot listen at {host}:{port}: {error.strerror}; give another --port"
            ) from None

    def said(self, line):
        """Pass on what a board says, without what commands a terminal."""
        self._say(printable(line))

    def handle_error(self, request, client_address):
        """A board that breaks off is no error here."""

    def table(self):
        """A line for each board, as text."""
        boards = sorted(self.depot.boards.values(), key=lambda board: board.controller)
        lines = [f"{board.controller}  {board.last or 'has polled'}" for board in boards]
        return "\n".join(map(printable, lines)) + "\n"
