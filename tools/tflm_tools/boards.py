# tflm_tools: what a stock MicroPython leaves free on three boards, and whether a model fits
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

_KB = 1024
_MB = 1024 * _KB

# What tflm, its compiled kernels and a small program take of the heap.
_RUNTIME = 30 * _KB


@dataclass
class Board:
    """`memory`: bytes that an arena may have; `flash`: bytes of the file system for models."""

    name: str
    memory: int
    flash: int
    in_place: bool  # flash can be read in place by a stock firmware


# Heaps as measured with gc.mem_free() on stock firmware (Pico 225 KB, Pico 2 480 KB). An ESP32
# without PSRAM has its heap in pieces: 110 KB is the largest, and the runtime lies in others.
# Flash is the file system of the stock firmware: rp2 boards' MICROPY_HW_FLASH_STORAGE_BYTES
# (1408 KB of 2 MB; 4 MB less 1 MB), esp32's partitions-4MiB.csv (2 MB of 4 MB).
BOARDS = (
    Board("Pico", 225 * _KB - _RUNTIME, 1408 * _KB, True),
    Board("Pico 2", 480 * _KB - _RUNTIME, 3 * _MB, True),
    Board("ESP32", 110 * _KB, 2 * _MB, False),
)


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


def fits(arena, flash):
    """A Fit for each board, of a model with `arena` and `flash` bytes."""
    return [_fit(board, arena, flash) for board in BOARDS]
