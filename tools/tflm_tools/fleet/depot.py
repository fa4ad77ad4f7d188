# tflm_tools: fleet: keeps the updates of a folder, and which board is offered which update
# MIT license; Copyright (c) 2026 the tflm authors

import hashlib
import json
import stat
import struct
import threading
from dataclasses import dataclass, field
from pathlib import Path

from tflm.fleet import update as layout

from ..errors import ToolError
from ..render.common import printable

SUFFIX = ".tflu"
_MAX_BOARDS = 10_000
_MAX_ATTRIBUTES = 16
_MAX_TEXT = 300  # characters of an attribute or a report that are stored
_MAX_UPDATE_BYTES = 1 << 26  # the flash of no board is larger


@dataclass
class Offer:
    """An update in the folder, as its header describes it; the signature was not checked."""

    path: Path
    name: str
    version: int
    size: int
    sha256: str


@dataclass
class Board:
    """A board that has polled. actions: {number: Offer}; done: numbers of finished actions.

    last: the board's last report.
    """

    controller: str
    attributes: dict = field(default_factory=dict)
    actions: dict = field(default_factory=dict)
    done: set = field(default_factory=set)
    last: str = ""


def one_line(text):
    """Return the first characters of a text from a board, without line breaks and controls."""
    return printable(" ".join(text[:_MAX_TEXT].split()))


# (path, time of change, size) of a regular file that may be an update; None for anything else,
# like a link to a file that is missing, or a pipe, from which reading would wait.
def _file_key(path):
    try:
        status = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_UPDATE_BYTES:
        return None
    return path, status.st_mtime_ns, status.st_size


# The Offer of a file, or None if it is not an update.
def _offer(path):
    try:
        data = path.read_bytes()
        _, _, size = struct.unpack_from(layout.HEADER, data)
        manifest = json.loads(data[layout.HEADER_BYTES : layout.HEADER_BYTES + size])
        name, version = manifest["name"], manifest["version"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError, struct.error):
        return None
    if not layout.is_name(name) or not layout.is_version(version):
        return None
    return Offer(path, name, version, len(data), hashlib.sha256(data).hexdigest())


class Depot:
    """The updates of a folder, which is read again at each poll, and the boards that have polled.

    Several threads may use it. Raises ToolError if the folder does not exist.
    """

    def __init__(self, folder):
        if not Path(folder).is_dir():
            raise ToolError(f"{folder} is not a folder; give the one with your {SUFFIX} files")
        self._folder = Path(folder)
        self._lock = threading.Lock()
        self._known = {}  # {_file_key() of a file: Offer or None}
        self._actions = 0
        self.boards = {}  # by name; the board that has been silent longest is first

    def newest(self):
        """Return the Offers with the highest version of each name."""
        paths = sorted(self._folder.glob(f"*{SUFFIX}"))
        keys = [key for path in paths if (key := _file_key(path))]
        self._known = {
            key: self._known[key] if key in self._known else _offer(key[0]) for key in keys
        }
        offers = {}
        for offer in self._known.values():
            if offer and (offer.name not in offers or offer.version > offers[offer.name].version):
                offers[offer.name] = offer
        return list(offers.values())

    def board(self, controller):
        """Return the Board of this name, a new one if it has not polled before.

        Too many boards: the board that has been silent longest is forgotten.
        """
        with self._lock:
            board = self.boards.pop(controller, None) or Board(controller)
            if len(self.boards) >= _MAX_BOARDS:
                del self.boards[next(iter(self.boards))]
            self.boards[controller] = board
            return board

    def all_boards(self):
        """Return a list of all boards that have polled."""
        with self._lock:
            return list(self.boards.values())

    def data(self, offer):
        """Return the bytes of an Offer's file; None if the file is missing now."""
        try:
            return offer.path.read_bytes() if _file_key(offer.path) else None
        except OSError:
            return None

    def describe(self, board, attributes):
        """Store the attributes that a board has sent, a dict of texts; others are ignored."""
        texts = {
            name[:_MAX_TEXT]: value[:_MAX_TEXT]
            for name, value in attributes.items()
            if isinstance(value, str)
        }
        with self._lock:
            board.attributes = dict(list(texts.items())[:_MAX_ATTRIBUTES])

    def action_for(self, board):
        """Return the number of a board's next action, to install an update, or None.

        The update is the newest one of the board's model. For a board that has not reported its
        model, it is the first update by name that the board has not finished.
        """
        with self._lock:
            name = board.attributes.get("model")
            for offer in self.newest():
                if name and offer.name != name:
                    continue
                number = self._number(board, offer)
                if number not in board.done:
                    return number
        return None

    # The number of the action that offers an update to a board; it stays the same.
    def _number(self, board, offer):
        for number, known in board.actions.items():
            if known.sha256 == offer.sha256:
                return number
        self._actions += 1
        board.actions[self._actions] = offer
        return self._actions

    def note(self, board, number, execution, finished, text):
        """Store a board's report on an action; return whether the report was expected."""
        with self._lock:
            if number not in board.actions or number in board.done:
                return False
            if execution == "closed":
                board.done.add(number)
                execution = finished
            board.last = one_line(f"{board.actions[number].path.name}: {execution}: {text}")
        return True
