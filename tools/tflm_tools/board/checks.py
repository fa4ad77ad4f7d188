# tflm_tools: board: checks that a model fits a board before anything is written to the board
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import format as layout

from ..errors import DeviceError
from ..model.flat_file import FlatFile
from ..packages import runtime_files
from .facts import script_source
from .storage_choice import format_free_bytes

# Heap in bytes for a small program and the interpreter's objects, in addition to the arena.
_PROGRAM_BYTES = 10 * 1024
# Compiled code needs more RAM than the bytes of its .mpy: measured on a Pico, 50 KB for 46 KB.
_RAM_PER_CODE_BYTE = 9, 8
_FREE_FILE_BYTES = 16384  # of the file system that stay free


def check_board(facts, board):
    """Raise DeviceError unless the board's name contains the text `board`, if that is given."""
    if board and board.lower() not in facts.machine.lower():
        raise DeviceError(
            f"the board at {facts.port} is a {facts.machine}, not {board}; name another port",
            "board",
        )


def check_frozen(link, facts, flat):
    """Raise DeviceError if the firmware's tflm cannot read a .tflm or lacks a kernel for it."""
    version, reads, _ = facts.tflm
    if reads != layout.VERSION:
        raise DeviceError(
            f"the firmware at {facts.port} has tflm {version}, which reads .tflm format {reads}, "
            f"not {layout.VERSION}; install the firmware of this version with: tflm flash",
            "firmware",
        )
    link.exec(script_source("kernels"))
    kernels = runtime_files.kernels_of(flat)
    missing = link.eval(f"missing_kernels({kernels!r})", seconds=60, schema=[str])
    if layout.ROWS_KERNEL in missing:
        raise DeviceError(
            f"the firmware at {facts.port} was built with KERNELS= and cannot read an input by "
            "rows; flatten the model without --input-by-rows, or build firmware without KERNELS= "
            "with: make firmware",
            "firmware",
        )
    if missing:
        raise DeviceError(
            f"the firmware at {facts.port} lacks the kernels {', '.join(missing)}; build firmware "
            "that has them with: make firmware",
            "firmware",
        )


def check_heap(facts, flat, code, in_ram, too_small=None):
    """Raise DeviceError if a .tflm and `code` bytes of .mpy do not fit the board's heap.

    in_ram: the .tflm is loaded into RAM. too_small: {storage: free bytes} of the storages from
    which the .tflm could be read in place, but which it does not fit.
    """
    arena = FlatFile(flat).arena_bytes
    code = code * _RAM_PER_CODE_BYTE[0] // _RAM_PER_CODE_BYTE[1]
    needed = arena + code + (len(flat) if in_ram else 0) + _PROGRAM_BYTES
    largest = max(arena, len(flat) if in_ram else 0)
    if needed > facts.free or largest > facts.block:
        in_place = arena + code + _PROGRAM_BYTES
        if in_ram and too_small and in_place <= facts.free and arena <= facts.block:
            raise DeviceError(
                f"the model has {len(flat)} bytes, too many for the storage that is read in place "
                f"({format_free_bytes(too_small)} free), and the heap of the board at "
                f"{facts.port} cannot hold both the model and its arena; remove files there, "
                "delete the old model first with --replace, or make the model smaller with "
                "`tflm flatten --flash-budget`",
                "flash",
            )
        model = f", {len(flat)} for the model in RAM" if in_ram else ""
        more = "" if facts.frozen else ", or firmware with tflm and ROMFS (tflm flash)"
        raise DeviceError(
            f"the model needs about {needed} bytes of heap ({arena} for the arena, {code} for "
            f"tflm{model}), but the board at {facts.port} has {facts.free} free, largest block "
            f"{facts.block}; use a smaller model, or --optimize ram of tflm flatten{more}",
            "heap",
        )


def check_files(facts, runtime, model):
    """Raise DeviceError if the file system cannot hold the runtime and the model, in bytes."""
    needed = runtime + model + _FREE_FILE_BYTES
    if needed > facts.file_system[0]:
        raise DeviceError(
            f"the file system of the board at {facts.port} has {facts.file_system[0]} bytes free, "
            f"{needed} are needed; remove files, or use firmware with tflm in it (tflm flash)",
            "flash",
        )
