# tflm_tools: board: lists the storages that a board has for models and chooses one for a model
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import DeviceError
from ..model.flat_file import FlatFile
from .fit import storage_advice
from .romfs import RomfsStorage
from .rp2_flash import Rp2FlashStorage
from .storage import RESERVED_BYTES, FileStorage

STORAGES = ("auto", "romfs", "flash", "files")

# How messages name the storages.
_NAMES = {"romfs": "ROMFS", "flash": "flash that is read in place", "files": "the file system"}


def available_storages(link, files, facts, to="auto"):
    """Yield the storages that a board has, in the order in which they are tried.

    to: one of STORAGES; a storage other than "auto" is the only one. Raises DeviceError if the
    board does not have it.
    """
    if to in ("auto", "romfs") and facts.romfs is not None and facts.romfs[3]:
        yield RomfsStorage(link, files, facts)
    elif to == "romfs":
        raise DeviceError(
            f"the board at {facts.port} has no writable ROMFS; use: --to files", "flash"
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


def format_free_bytes(free_bytes):
    """Return {storage name: free bytes} as text for a message."""
    texts = [f"{_NAMES[name]} {free} bytes" for name, free in free_bytes.items()]
    if "files" in free_bytes:
        texts[-1] += f" beside {RESERVED_BYTES} that stay free"
    return ", ".join(texts)


def choose_storage(storages, facts, name, flat, replace, weights=""):
    """Return the first storage that the model fits, and {name: free bytes} of those before it.

    name, flat: the model's name and .tflm (bytes). replace: the old model of this name would be
    deleted first. weights: how the .tflm stores them, as text. Raises DeviceError if the model
    fits no storage.
    """
    too_small, has_old = {}, False
    for storage in storages:
        if storage.holds(name, flat):
            return storage, too_small
        free = storage.free_bytes(name, replace)
        if free >= len(flat):
            return storage, too_small
        too_small[storage.name] = free
        has_old = has_old or not replace and storage.free_bytes(name, True) > free
    text = f"free: {format_free_bytes(too_small)}" if too_small else "it has no storage for models"
    delete = ", delete the old model first with --replace" if has_old else ""
    arena = FlatFile(flat).arena_bytes
    more = storage_advice(facts.machine, facts.frozen, arena, len(flat))
    raise DeviceError(
        f"the .tflm has {len(flat)} bytes{weights}, which do not fit the flash of the "
        f"board at {facts.port} ({text}); remove files there{delete}, or make the model smaller "
        f"with `tflm flatten --flash-budget`{more}",
        "flash",
    )
