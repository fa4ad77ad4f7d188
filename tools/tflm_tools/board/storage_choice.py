# tflm_tools: board: the places that a board has for models, and which one a model gets
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import DeviceError
from .romfs import RomfsStorage
from .rp2_flash import Rp2FlashStorage
from .storage import FileStorage

PLACES = ("auto", "romfs", "flash", "files")

# The same in sentences.
_NAMES = {"romfs": "ROMFS", "flash": "flash that is read in place", "files": "the file system"}


def storages(link, files, facts, to="auto"):
    """The places that a board has, in the order in which they are tried. Raises DeviceError."""
    if to in ("auto", "romfs") and facts.romfs is not None and facts.romfs[3]:
        yield RomfsStorage(link, files, facts)
    elif to == "romfs":
        raise DeviceError(
            f"the board at {facts.port} has no ROMFS that can be written; use: --to files", "flash"
        )
    if (
        to in ("auto", "flash")
        and facts.storage is not None
        and (to == "flash" or not facts.romfs)
    ):
        try:
            yield Rp2FlashStorage(link, files, facts)
        except DeviceError:
            if to == "flash":
                raise
    elif to == "flash":
        raise DeviceError(
            f"the board at {facts.port} cannot read its flash in place; use: --to files", "flash"
        )
    if to in ("auto", "files") and facts.file_system is not None:
        yield FileStorage(link, files, facts)


def told(rooms):
    """Rooms, a dict of place to bytes, as half a sentence."""
    return ", ".join(f"{_NAMES[name]} {room} bytes" for name, room in rooms.items())


def choose(places, facts, name, flat, replace):
    """The first place with room for the model, and {place: bytes} of those before it.

    Raises DeviceError when it fits none.
    """
    rooms = {}
    for storage in places:
        if storage.holds(name, flat):
            return storage, rooms
        room = storage.room(name, replace)
        if room >= len(flat):
            return storage, rooms
        rooms[storage.name] = room
    there = f"free: {told(rooms)}" if rooms else "it has no place for files at all"
    raise DeviceError(
        f"the model has {len(flat)} bytes, which do not fit the flash of the board at "
        f"{facts.port} ({there}); remove what is not needed, let the old model go first with "
        "--replace, or deploy what `tflm flatten --flash-budget` has made smaller",
        "flash",
    )
