# tflm_tools: board: checks that a model fits a board before anything is written to the board
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import format as layout

from ..errors import DeviceError
from ..packages import runtime_files
from .esp_heap import (
    ARENA,
    CODE,
    KERNELS_FIRST,
    MODEL,
    MODEL_FIRST,
    PROGRAM,
    loading_order,
    missing_memory,
)
from .facts import script_source
from .fit import storage_advice
from .storage import RESERVED_BYTES
from .storage_choice import format_free_bytes


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
    # A kernel of an older version may read a record in another way.
    if _numbers(version) < _numbers(runtime_files.version()):
        raise DeviceError(
            f"the firmware at {facts.port} has tflm {version}, older than these tools "
            f"({runtime_files.version()}); install the firmware of this version with: tflm flash",
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


# The numbers of a version: major and minor.
def _numbers(version):
    return [int(number) if number.isdigit() else 0 for number in version.split(".")[:2]]


# What a user can do, by the cause for which a model does not fit.
REMEDIES = {
    CODE: "use a model with fewer kinds of operators, or int8 in place of float32",
    ARENA: "flatten it with --optimize ram, or use a model with smaller inputs or layers",
    MODEL: "use a model with fewer weights",
}
REMEDIES[PROGRAM] = REMEDIES[MODEL]


# What does not fit the memory of a board: CODE, ARENA or MODEL; None if all fits.
def _missing(facts, need):
    if facts.regions:
        if loading_order(facts, need) is not None:
            return None
        cause = missing_memory(facts, need, MODEL_FIRST)
        # Without enough executable memory for one order, the cause for the other order counts.
        cause = missing_memory(facts, need, KERNELS_FIRST) if cause == CODE else cause
        if cause != PROGRAM:
            return cause
    elif need.heap <= facts.free and need.largest <= facts.block:
        return None
    return ARENA if need.arena > need.model else MODEL


def check_memory(facts, need, flat_bytes, too_small=None, weights=""):
    """Raise DeviceError if a board's heap or executable memory is smaller than a MemoryNeed.

    flat_bytes: the bytes of the .tflm. too_small: {storage: free bytes} of the storages from which
    the .tflm could be read in place, but which it does not fit. weights: how the .tflm stores
    them, as text. The error's kind is "heap", "flash" or "code".
    """
    cause = _missing(facts, need)
    if cause is None:
        return
    if cause == CODE:
        own, shared = facts.code_memory
        raise DeviceError(
            f"the kernels need about {need.machine_code} bytes of executable memory, but the "
            f"board at {facts.port} has {own + shared}, of which the heap uses up to {shared}; "
            f"{REMEDIES[CODE]}, or try it with --force",
            "code",
        )
    free = facts.whole_heap
    in_place = need.heap - need.model
    if need.model and too_small and in_place <= free and need.arena <= facts.block:
        raise DeviceError(
            f"the .tflm has {flat_bytes} bytes{weights}, too many for the storage that "
            f"is read in place ({format_free_bytes(too_small)} free), and the heap of the board "
            f"at {facts.port} cannot hold both the model and its arena; remove files there, "
            "delete the old model first with --replace, or make the model smaller with "
            f"--flash-budget{storage_advice(facts.machine, facts.frozen, need.arena, flat_bytes)}",
            "flash",
        )
    model = f", {need.model} for the model in RAM{weights}" if need.model else ""
    more = "" if facts.frozen else ", or firmware with tflm and ROMFS (tflm flash)"
    raise DeviceError(
        f"the model needs about {need.heap} bytes of heap ({need.arena} for the arena, "
        f"{need.code} for tflm{model}), but the board at {facts.port} has {free} free, largest "
        f"block {facts.block}; {REMEDIES[cause]}{more}; --force tries it anyway",
        "heap",
    )


def check_files(facts, runtime, model):
    """Raise DeviceError if the file system cannot hold the runtime and the model, in bytes."""
    needed = runtime + model + RESERVED_BYTES
    if needed > facts.file_system[0]:
        raise DeviceError(
            f"the file system of the board at {facts.port} has {facts.file_system[0]} bytes free, "
            f"{needed} are needed, {RESERVED_BYTES} of them stay free; remove files, or use "
            "firmware with tflm in it (tflm flash)",
            "flash",
        )
