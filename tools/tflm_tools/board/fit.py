# tflm_tools: board: estimates whether a model fits known boards, without a connection to them
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from ..render.common import size
from . import profiles

_KB = 1024

# Bytes of heap and of the file system that tflm, its compiled kernels and a small program use when
# they are not in the firmware.
_RUNTIME_HEAP = 30 * _KB
_RUNTIME_HEAP_WITH_CODE = 50 * _KB  # of chips with separate executable memory: measured
_RUNTIME_FILES = 150 * _KB


@dataclass
class FreeMemory:
    """The memory that a board has for a model, in bytes.

    ram: heap for the arena, and for a model that is loaded from a file. in_place: {name of a
    storage that is read in place: bytes}. files: free in the file system, 0 without one. code:
    executable memory for the machine code of kernels, None if it is stored in the heap.
    """

    name: str
    ram: int
    in_place: dict[str, int]
    files: int
    code: int | None = None


_MORE_FLASH = 4, 8, 16  # megabytes of boards like a Pico

# The boards that `tflm inspect` shows, with stock firmware; profile_files/*.toml has their memory.
_INSPECT_BOARDS = {"Pico": "RPI_PICO", "Pico 2": "RPI_PICO2", "ESP32": "ESP32_GENERIC"}


def free_memory(name, firmware, has_tflm):
    """Return the FreeMemory of a board with a profiles.Firmware.

    has_tflm: tflm is in the firmware, so that it uses no heap for code and no files. The heap of
    an ESP32 without PSRAM consists of several blocks: the arena gets the largest one.
    """
    in_place = {}
    if firmware.romfs is not None:
        in_place["ROMFS"] = firmware.romfs[1]
    elif firmware.free is not None and firmware.in_place:
        in_place["free flash"] = firmware.free[1]
    files = firmware.filesystem[1] if firmware.filesystem else 0
    heap = firmware.heap
    if not has_tflm:
        heap -= _RUNTIME_HEAP_WITH_CODE if firmware.code else _RUNTIME_HEAP
        files = max(files - _RUNTIME_FILES, 0)
    code = None if has_tflm else firmware.code
    return FreeMemory(name, min(heap, firmware.block), in_place, files, code)


@dataclass
class Fit:
    """Whether a model fits a board; `advice` says how, or what is missing."""

    board: str
    fits: bool
    advice: str


# The Fit of one board; `arena` and `flash` are the bytes of the arena and of the flat model.
def _fit(board, arena, flash):
    if arena > board.ram:
        text = f"RAM: arena {size(arena)}, but {size(board.ram)} are free"
        return Fit(board.name, False, text)
    if flash <= board.files and arena + flash <= board.ram:
        code = f", {size(board.code)} for machine code" if board.code else ""
        return Fit(board.name, True, f"also with the model in RAM{code}")
    for storage, free in board.in_place.items():
        if flash <= free:
            return Fit(board.name, True, f"with the model read in place from {storage}")
    if not board.in_place and arena <= board.ram and flash <= board.files:
        return Fit(board.name, True, "with the model frozen into the firmware")
    available = [f"{storage} {size(free)}" for storage, free in board.in_place.items()]
    if flash <= board.files:
        available.append(f"RAM {size(board.ram)} with the arena")
    else:
        available.append(f"files {size(board.files)}")
    return Fit(board.name, False, f"flash: model {size(flash)}, but {', '.join(available)}")


@dataclass
class BoardFit:
    """A Fit with the board's memory in bytes; firmware: "stock", or "tflm" for firmware with tflm.

    memory: heap for the arena. flash: the largest storage for models.
    """

    board: str
    chip: str
    firmware: str
    memory: int
    flash: int
    fits: bool
    advice: str


# The real boards.
def _profiles():
    return [profile for profile in profiles.load_all() if profile.qemu is None]


def fits_all(arena, flash):
    """Return a BoardFit for each real board of boards/ and each firmware for it.

    arena, flash: bytes of a model's arena and of its .tflm.
    """
    result = []
    for profile in _profiles():
        for name, firmware in (("stock", profile.stock), ("tflm", profile.tflm)):
            if firmware is None:
                continue
            board = free_memory(profile.name, firmware, name == "tflm")
            fit = _fit(board, arena, flash)
            largest = max([*board.in_place.values(), board.files])
            result.append(
                BoardFit(profile.name, profile.chip, name, board.ram, largest, fit.fits,
                         fit.advice)
            )  # fmt: skip
    return result


# The Fit of the firmware with tflm for a board, None without such firmware.
def _fit_with_tflm(profile, arena, flash):
    if profile.tflm is None:
        return None
    return _fit(free_memory(profile.name, profile.tflm, True), arena, flash)


# Which firmware a board needs, as text; "" if the model fits none.
def _larger_firmware(profile, arena, flash):
    fit = _fit_with_tflm(profile, arena, flash)
    if fit is not None and fit.fits:
        return f"it fits firmware with tflm: tflm flash {profile.id}"
    return _more_flash(profile, arena, flash)


# Which flash of an RP2 board the model fits, as text; "" if it fits none.
def _more_flash(profile, arena, flash):
    for megabytes in _MORE_FLASH if profile.port == "rp2" else ():
        if megabytes << 20 <= profile.flash_bytes:
            continue
        larger = profiles.with_flash(profile, megabytes)
        if _fit_with_tflm(larger, arena, flash).fits:
            return (
                f"it fits {profile.chip} boards with {megabytes} MB of flash: "
                f"make firmware BOARD={profile.id} FLASH_MB={megabytes}"
            )
    return ""


def fits(arena, flash):
    """Return a Fit for each board that `tflm inspect` shows; arena, flash: as for fits_all().

    If the model fits none of them, other boards that it fits follow.
    """
    rows = []
    for name, board in _INSPECT_BOARDS.items():
        profile = profiles.named(board)
        fit = _fit(free_memory(name, profile.stock, False), arena, flash)
        if not fit.fits and (text := _larger_firmware(profile, arena, flash)):
            fit.advice += f"; {text}"
        rows.append(fit)
    if not any(fit.fits for fit in rows):
        for profile in _profiles():
            if profile.id in _INSPECT_BOARDS.values() or profile.stock is None:
                continue
            fit = _fit(free_memory(profile.name, profile.stock, False), arena, flash)
            rows += [fit] if fit.fits else []
    return rows


def storage_advice(machine, has_tflm, arena, flash):
    """Return where a model fits that is too large for a board's storage, as text for an error.

    machine: the board's own name. has_tflm: its firmware has tflm. arena, flash: as for
    fits_all(). The text begins with ", or "; it is empty if no known board has enough memory.
    """
    own = profiles.matching(machine)
    for profile in own if not has_tflm else ():
        fit = _fit_with_tflm(profile, arena, flash)
        if fit is not None and fit.fits:
            return f", or use firmware with tflm, which it fits (tflm flash {profile.id})"
    names = []
    for profile in _profiles():
        if profile in own:
            continue
        stock = _fit(free_memory(profile.name, profile.stock, False), arena, flash)
        with_tflm = _fit_with_tflm(profile, arena, flash)
        if stock.fits and not stock.advice.startswith("with the model frozen"):
            names.append(profile.id)
        elif with_tflm is not None and with_tflm.fits:
            names.append(f"{profile.id} with tflm")
    advice = f", or use another board that it fits: {', '.join(names)}" if names else ""
    more = next(filter(None, (_more_flash(profile, arena, flash) for profile in own)), "")
    return f"{advice}; {more}" if more else advice
