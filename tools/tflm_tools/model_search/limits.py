# tflm_tools: limits: the RAM, flash and time that a network may use on a board
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from ..board import profiles
from ..board.fit import free_memory
from ..errors import ToolError
from ..optimize.invoke_time import CORES


@dataclass
class Limits:
    """The limits for a network on a board.

    target: as for `tflm flatten`. ram: bytes of the arena. flash: bytes of the .tflm. ms:
    milliseconds of an invoke, None for no limit.
    """

    board: str
    target: str | None
    ram: int
    flash: int
    ms: float | None = None

    def excess(self, costs):
        """Return {limit: share by which Costs exceed it}; a share is negative below the limit."""
        found = {name: getattr(costs, name) / getattr(self, name) - 1 for name in ("ram", "flash")}
        if self.ms is not None:
            found["ms"] = costs.ms / self.ms - 1
        return found


def limits_of(board, ram=None, flash=None, ms=None):
    """Return the Limits of a board with tflm's firmware.

    board: the name of a folder in boards/, or its short name, such as pico. ram, flash, ms:
    replace the limits of the board. Raises ToolError for an unknown board, and for `ms` on a board
    for which no times can be estimated.
    """
    found = [
        profile for profile in profiles.load_all()
        if board.lower() in (profile.id.lower(), profile.short_name)
    ]  # fmt: skip
    if not found:
        names = ", ".join(
            profile.short_name for profile in profiles.load_all() if not profile.qemu
        )
        raise ToolError(f"there is no board {board}; take one of {names}")
    (profile,) = found
    free = free_memory(profile.name, profile.tflm, True)
    if ms is not None and profile.target not in CORES:
        raise ToolError(
            f"there is no estimate of time for {profile.name}, so --ms cannot be checked; leave "
            "it out, or search for a pico, pico2, esp32 or esp32c3"
        )
    storages = [*free.in_place.values(), free.files]
    return Limits(profile.id, profile.target, ram or free.ram, flash or max(storages), ms)
