# tflm_tools: fleet: keeps the updates of a folder, and which board is offered which update
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
        self._known = {}  # {(path, time of change, bytes): Offer or None}
        self._actions = 0
        self.boards = {}

    def newest(self):
        """Return the Offers with the highest version of each name."""
        offers = {}
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            stat = path.stat()
            key = (path, stat.st_mtime_ns, stat.st_size)
            if key not in self._known:
                self._known[key] = _offer(path)
            offer = self._known[key]
            if offer and (offer.name not in offers or offer.version > offers[offer.name].version):
                offers[offer.name] = offer
        return list(offers.values())

    def board(self, controller):
        """Return the Board of this name; a new one if it has not polled before."""
        with self._lock:
            return self.boards.setdefault(controller, Board(controller))

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
            board.last = f"{board.actions[number].path.name}: {execution}: {text}"
        return True
