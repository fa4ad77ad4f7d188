# tflm_tools: what a stock MicroPython leaves free on three boards, and whether a model fits
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from . import profiles

_KB = 1024

# What tflm, its compiled kernels and a small program take of the heap.
_RUNTIME = 30 * _KB


@dataclass
class Board:
    """`memory`: bytes that an arena may have; `flash`: bytes of the file system for models."""

    name: str
    memory: int
    flash: int
    in_place: bool  # flash can be read in place by a stock firmware


# The three boards, with their port's own firmware; what they leave is in boards/*/profile.toml.
# An ESP32 without PSRAM has its heap in pieces: the arena gets the largest, the runtime lies in
# others.
_SHOWN = {"Pico": "RPI_PICO", "Pico 2": "RPI_PICO2", "ESP32": "ESP32_GENERIC"}


def _boards():
    for name, board in _SHOWN.items():
        profile = profiles.named(board)
        stock = profile.stock
        memory = min(stock.heap - _RUNTIME, stock.block)
        yield Board(name, memory, stock.filesystem[1], stock.in_place)


@dataclass
class Fit:
    """Whether a model fits a board: `advice` says how, or what is missing."""

    board: str
    fits: bool
    advice: str


def _kilobytes(size):
    return f"{size / _KB:,.1f} KB"


# The verdict for one board, from the bytes of the arena and of the flat model.
def _fit(board, arena, flash):
    if arena > board.memory:
        text = f"arena {_kilobytes(arena)}, but {_kilobytes(board.memory)} of memory"
        return Fit(board.name, False, text)
    if flash > board.flash:
        text = f"model {_kilobytes(flash)}, but {_kilobytes(board.flash)} of flash"
        return Fit(board.name, False, text)
    if arena + flash <= board.memory:
        return Fit(board.name, True, "also with the model in RAM")
    how = "read in place from flash" if board.in_place else "frozen into the firmware"
    return Fit(board.name, True, f"with the model {how}")


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
            place = firmware.romfs or firmware.filesystem
            if place is None:
                continue
            # Our firmware has the runtime in flash.
            heap = firmware.heap - (_RUNTIME if name == "stock" else 0)
            in_place = firmware.in_place or firmware.romfs is not None
            board = Board(profile.name, min(heap, firmware.block), place[1], in_place)
            fit = _fit(board, arena, flash)
            found.append(
                BoardFit(profile.name, profile.chip, name, board.memory, board.flash, fit.fits,
                         fit.advice)
            )  # fmt: skip
    return found


def fits(arena, flash):
    """A Fit for each board, of a model with `arena` and `flash` bytes."""
    return [_fit(board, arena, flash) for board in _boards()]
