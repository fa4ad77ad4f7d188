# tflm_tools: fleet: depot: which update each board is offered, and what it has said of it
# MIT license; Copyright (c) 2026 the tflm authors

import hashlib
import json
import struct
import threading
from dataclasses import dataclass, field
from pathlib import Path

from tflm.fleet import update as layout

from ..errors import ToolError

SUFFIX = ".tflu"


@dataclass
class Offer:
    """An update in the folder: what it says of itself; nobody has checked its signature."""

    path: Path
    name: str
    version: int
    size: int
    sha256: str


@dataclass
class Board:
    """What is known of a board: actions are {number: Offer}; `done` are those that are over."""

    controller: str
    attributes: dict = field(default_factory=dict)
    actions: dict = field(default_factory=dict)
    done: set = field(default_factory=set)
    last: str = ""


# The Offer of a file, None for what is no update.
def _offer(path):
    try:
        data = path.read_bytes()
        _, _, size = struct.unpack_from(layout.HEADER, data)
        said = json.loads(data[layout.HEADER_BYTES : layout.HEADER_BYTES + size])
        name, version = said["name"], said["version"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError, struct.error):
        return None
    if not layout.is_name(name) or not layout.is_version(version):
        return None
    return Offer(path, name, version, len(data), hashlib.sha256(data).hexdigest())


class Depot:
    """The updates of a folder, which is read again at each poll, and the boards that have polled.

    Safe to use from several threads.
    """

    def __init__(self, folder):
        if not Path(folder).is_dir():
            raise ToolError(f"{folder} is no folder; give the one with your {SUFFIX} files")
        self._folder = Path(folder)
        self._lock = threading.Lock()
        self._known = {}
        self._actions = 0
        self.boards = {}

    def newest(self):
        """The Offers with the highest version of each name."""
        found = {}
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            about = path.stat()
            key = (path, about.st_mtime_ns, about.st_size)
            if key not in self._known:
                self._known[key] = _offer(path)
            offer = self._known[key]
            if offer and (offer.name not in found or offer.version > found[offer.name].version):
                found[offer.name] = offer
        return list(found.values())

    def board(self, controller):
        """The Board of this name, which is new if need be."""
        with self._lock:
            return self.boards.setdefault(controller, Board(controller))

    def action_for(self, board):
        """The number of what a board is to do, None for nothing: the newest update of its model.

        Of a board that has not said which model it has, and of a folder with several, it is the
        first by name that is not done.
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

    # The number of an action that gives an offer to a board: the same one each time.
    def _number(self, board, offer):
        for number, known in board.actions.items():
            if known.sha256 == offer.sha256:
                return number
        self._actions += 1
        board.actions[self._actions] = offer
        return self._actions

    def note(self, board, number, execution, finished, text):
        """Keep what a board says of an action; True when it was waited for."""
        with self._lock:
            if number not in board.actions or number in board.done:
                return False
            if execution == "closed":
                board.done.add(number)
                execution = finished
            board.last = f"{board.actions[number].path.name}: {execution}: {text}"
        return True
