# tflm_tools: search: what a board has for a network: RAM, flash, and the time that a user allows
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import asdict, dataclass

from ..board import profiles
from ..board.fit import free_memory
from ..errors import ToolError
from .pico_time import CLOCKS


@dataclass
class Limits:
    """What a network may take on a board: bytes of arena and .tflm, milliseconds (None: any).

    target: as for `tflm flatten`.
    """

    board: str
    target: str | None
    ram: int
    flash: int
    ms: float | None = None

    def excess(self, costs):
        """{name: share by which Costs are above the limit, negative below} of each limit."""
        found = {name: getattr(costs, name) / getattr(self, name) - 1 for name in ("ram", "flash")}
        if self.ms is not None:
            found["ms"] = costs.ms / self.ms - 1
        return found


# A short name of a board: pico2 for RPI_PICO2, esp32s3 for ESP32_GENERIC_S3.
def _short(board):
    return board.lower().replace("rpi_", "").replace("_generic", "").replace("_", "")


def limits_of(board, ram=None, flash=None, ms=None):
    """The Limits of a board with our firmware; other ones where they are given.

    board: a name of boards/, or a short one, like pico. Raises ToolError.
    """
    found = [
        profile for profile in profiles.load_all()
        if board.lower() in (profile.id.lower(), _short(profile.id))
    ]  # fmt: skip
    if not found:
        names = ", ".join(
            _short(profile.id) for profile in profiles.load_all() if not profile.qemu
        )
        raise ToolError(f"there is no board {board}; take one of {names}")
    (profile,) = found
    memory = free_memory(profile.name, profile.tflm, True)
    if ms is not None and profile.target not in CLOCKS:
        raise ToolError(
            f"there is no estimate of time for {profile.name}, so --ms cannot be held; leave it "
            "out, or search for a pico or pico2"
        )
    storages = [*memory.in_place.values(), memory.files]
    return Limits(profile.id, profile.target, ram or memory.ram, flash or max(storages), ms)


def plain(limits):
    """The Limits as a dict, to compare with what a study was begun with."""
    return asdict(limits)
