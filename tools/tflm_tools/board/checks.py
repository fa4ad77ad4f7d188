# tflm_tools: board: what is checked on a board before anything is written to it
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import format as layout

from ..errors import DeviceError
from ..model.flat_file import FlatFile
from ..packages import parts
from .facts import script
from .storage_choice import told

# Heap that a small program, the interpreter's objects and a few names take beside the arena; and
# what code takes in RAM beside the bytes of its .mpy (measured on a Pico: 50 KB for 46 KB).
_MARGIN = 10 * 1024
_CODE_PARTS = 9, 8


def check_board(facts, board):
    """Raise DeviceError when the board is another one than meant."""
    if board and board.lower() not in facts.machine.lower():
        raise DeviceError(
            f"the board at {facts.port} is a {facts.machine}, not {board}; name another port",
            "board",
        )


def check_frozen(link, facts, flat):
    """Raise DeviceError when the firmware's tflm does not read a .tflm or lacks its kernels."""
    version, reads, _ = facts.tflm
    if reads != layout.VERSION:
        raise DeviceError(
            f"the firmware at {facts.port} has tflm {version}, which reads .tflm format {reads}, "
            f"not {layout.VERSION}; put the firmware of this version on it with: tflm flash",
            "firmware",
        )
    lacking = link.value(link.exec(
        script("kernels") + f"\nprint(repr(lacking({parts.kernels_of(flat)!r})))", seconds=60
    ), [str])  # fmt: skip
    if layout.ROWS_KERNEL in lacking:
        raise DeviceError(
            f"the firmware at {facts.port} takes no input by rows, as one built with KERNELS=; "
            "flatten the model without --input-by-rows, or build firmware without KERNELS= with: "
            "make firmware",
            "firmware",
        )
    if lacking:
        raise DeviceError(
            f"the firmware at {facts.port} lacks the kernels {', '.join(lacking)}; build one that "
            "has them with: make firmware",
            "firmware",
        )


def check_heap(facts, flat, code, in_ram, rooms=None):
    """Raise DeviceError when a .tflm and `code` bytes of .mpy do not fit the board's heap.

    rooms: bytes of the places where the .tflm would be read in place, but has no room.
    """
    arena = FlatFile(flat).arena_bytes
    code = code * _CODE_PARTS[0] // _CODE_PARTS[1]
    needed = arena + code + (len(flat) if in_ram else 0) + _MARGIN
    largest = max(arena, len(flat) if in_ram else 0)
    if needed > facts.free or largest > facts.block:
        alone = arena + code + _MARGIN
        if in_ram and rooms and alone <= facts.free and arena <= facts.block:
            raise DeviceError(
                f"the model has {len(flat)} bytes, too many for where it would be read in place "
                f"({told(rooms)} free), and the heap of the board at {facts.port} does not hold "
                "it beside its arena; remove what is not needed there, let the old model go "
                "first with --replace, or deploy what `tflm flatten --flash-budget` has made "
                "smaller",
                "flash",
            )
        model = f", {len(flat)} for the model in RAM" if in_ram else ""
        more = "" if facts.frozen else ", or firmware with tflm and ROMFS in it (tflm flash)"
        raise DeviceError(
            f"the model needs about {needed} bytes of heap ({arena} for the arena, {code} for "
            f"tflm{model}), the board at {facts.port} has {facts.free} free, {facts.block} in one "
            f"piece; use a smaller model, or --optimize ram of tflm flatten{more}",
            "heap",
        )


def check_files(facts, runtime, model):
    """Raise DeviceError when so many bytes of runtime and model have no room as files."""
    needed = runtime + model + 16384
    if needed > facts.file_system[0]:
        raise DeviceError(
            f"the file system of the board at {facts.port} has {facts.file_system[0]} bytes free, "
            f"{needed} are needed; remove files, or use firmware with tflm in it (tflm flash)",
            "flash",
        )
