# tflm_tools: what a stock MicroPython leaves free on three boards, and whether a model fits
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from ..render.common import size
from . import profiles

_KB = 1024

# What tflm, its compiled kernels and a small program take of the heap, and of the file system,
# where they are not in the firmware.
_RUNTIME = 30 * _KB
_RUNTIME_FILES = 150 * _KB


@dataclass
class Room:
    """What a board has for a model, in bytes. memory: for its arena, and a model in a file.

    in_place: of flash in which it is read in place, by the name of the place. files: of the file
    system, 0 where there is none.
    """

    name: str
    memory: int
    in_place: dict[str, int]
    files: int


# The boards that inspect shows, with their port's own firmware; what they leave is in
# profile_files/*.toml.
_SHOWN = {"Pico": "RPI_PICO", "Pico 2": "RPI_PICO2", "ESP32": "ESP32_GENERIC"}


def room_of(name, firmware, is_ours):
    """The Room of a profiles.Firmware, which is the port's own, or ours with the runtime in flash.

    An ESP32 without PSRAM has its heap in pieces: the arena gets the largest, the runtime others.
    """
    in_place = {}
    if firmware.romfs is not None:
        in_place["ROMFS"] = firmware.romfs[1]
    elif firmware.free is not None and firmware.in_place:
        in_place["free flash"] = firmware.free[1]
    files = firmware.filesystem[1] if firmware.filesystem else 0
    heap = firmware.heap
    if not is_ours:
        heap, files = heap - _RUNTIME, max(files - _RUNTIME_FILES, 0)
    return Room(name, min(heap, firmware.block), in_place, files)


@dataclass
class Fit:
    """Whether a model fits a board: `advice` says how, or what is missing."""

    board: str
    fits: bool
    advice: str


# The verdict for one board, from the bytes of the arena and of the flat model: RAM and each kind
# of flash for themselves.
def _fit(room, arena, flash):
    if arena > room.memory:
        text = f"RAM: arena {size(arena)}, but {size(room.memory)} are free"
        return Fit(room.name, False, text)
    if flash <= room.files and arena + flash <= room.memory:
        return Fit(room.name, True, "also with the model in RAM")
    for place, free in room.in_place.items():
        if flash <= free:
            return Fit(room.name, True, f"with the model read in place from {place}")
    if not room.in_place and arena <= room.memory and flash <= room.files:
        return Fit(room.name, True, "with the model frozen into the firmware")
    there = [f"{place} {size(free)}" for place, free in room.in_place.items()]
    if flash <= room.files:
        there.append(f"RAM {size(room.memory)} with the arena")
    else:
        there.append(f"files {size(room.files)}")
    return Fit(room.name, False, f"flash: model {size(flash)}, but {', '.join(there)}")


@dataclass
class BoardFit:
    """A Fit with what it was found from, in bytes; firmware: "stock", or "tflm" for ours."""

    board: str
    chip: str
    firmware: str
    memory: int
    flash: int
    fits: bool
    advice: str


def fits_all(arena, flash):
    """A BoardFit for each board of boards/ that can be bought, and each firmware for it."""
    found = []
    for profile in profiles.every():
        if profile.qemu is not None:
            continue
        for name, firmware in (("stock", profile.stock), ("tflm", profile.tflm)):
            if firmware is None:
                continue
            room = room_of(profile.name, firmware, name == "tflm")
            fit = _fit(room, arena, flash)
            largest = max([*room.in_place.values(), room.files])
            found.append(
                BoardFit(profile.name, profile.chip, name, room.memory, largest, fit.fits,
                         fit.advice)
            )  # fmt: skip
    return found


def fits(arena, flash):
    """A Fit for each board, of a model with `arena` and `flash` bytes."""
    profiled = ((name, profiles.named(board)) for name, board in _SHOWN.items())
    return [_fit(room_of(name, p.stock, False), arena, flash) for name, p in profiled]
