# tflm_tools: board: the lines of Python that load a model on a board, and their trial
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import format as layout

from ..errors import DeviceError
from ..packages import runtime_files
from .checks import REMEDIES
from .esp_heap import ARENA, CODE, KERNELS_FIRST, LARGE_BYTES, MODEL, MODEL_FIRST, loading_order
from .files import Files

# Kinds of errors for which a smaller model may help: of the checks, and of exceptions on the
# board.
MEMORY_KINDS = ("heap", "code", "flash", "MemoryError", "ArenaError")

_NO_FILE = (layout.CONTROL_KERNEL, layout.CUSTOM_KERNEL)  # kernels that OpResolver does not import


def loading_orders(facts, need):
    """Return the orders in which a board may load a model, the most promising one first."""
    if not facts.regions or facts.frozen:
        return [MODEL_FIRST]
    orders = [MODEL_FIRST, KERNELS_FIRST]
    return orders[::-1] if loading_order(facts, need) == KERNELS_FIRST else orders


def kernel_lines(flats):
    """Return lines that import the kernels of models (a list of .tflm)."""
    names = sorted({name for flat in flats for name in runtime_files.kernels_of(flat)})
    names = [name for name in names if not name.startswith(_NO_FILE)]
    return [
        "import tflm",
        "resolver = tflm.OpResolver()  # before the heap uses the memory for machine code",
        f"for kernel in {tuple(names)!r}:",
        "    resolver.kernel(kernel)",
    ]


def loading_lines(storage, name, flat, facts, need, order):
    """Return lines of Python that load a model and make an interpreter.

    storage: where it is stored as `name`. flat: its .tflm (bytes). The user adds custom operators.
    A heap that consists of several regions gets the largest objects first, before tflm is
    imported, unless the order is KERNELS_FIRST.
    """
    load, source = storage.source(name)
    custom = any(k.startswith(layout.CUSTOM_KERNEL) for k in runtime_files.kernels_of(flat))
    first, arena = [], ""
    if facts.regions and not facts.frozen and need.model >= LARGE_BYTES:
        first = [
            "import os",
            f"data = bytearray(os.stat({source})[6])",
            f"open({source}, 'rb').readinto(data)",
        ]
        source = "data"
        if need.arena >= LARGE_BYTES:
            first.append(f"arena = bytearray({need.arena})")
            arena = ", arena"
    if storage.name != "romfs":  # the host has checked its records
        source += ", trusted=True"
    code = kernel_lines([flat]) if order == KERNELS_FIRST else []
    lines = [*code, *first, *([] if code else ["import tflm"]), *([load] if load else [])]
    lines.append(f"model = tflm.load({source})")
    if custom:
        lines.append("resolver = tflm.OpResolver()  # then resolver.add_custom(name, yours)")
    arguments = f"model{arena}{', resolver=resolver' * custom}"
    return [*lines, f"interpreter = tflm.Interpreter({arguments})"]


def streaming_lines(lines, kept):
    """Return lines of loading_lines() with an interpreter that streams weights.

    kept: the argument of Streaming().
    """
    delegates = f", delegates=[Streaming({kept})])"
    return [
        *lines[:-1],
        "from tflm.run.streaming import Streaming  # no thread may write files during invoke()",
        lines[-1].removesuffix(")") + delegates,
    ]


def load_on_board(link, programs, last=()):
    """Load a model with the first program that works; return its lines and the bytes of free heap.

    programs: lists of lines of Python; `last`: lines that follow each of them. Each trial
    begins with a soft reset. This decides whether a model fits: all checks before are estimates.
    Raises the DeviceError of the last program, whose kind is one of MEMORY_KINDS if memory is the
    reason.
    """
    for i, lines in enumerate(programs):
        try:
            return lines, _try(link, [*lines, *last])
        except DeviceError as error:
            if error.kind not in MEMORY_KINDS or i == len(programs) - 1:
                raise
    raise ValueError("no program to load a model")


def _try(link, lines):
    link.reset()
    try:
        link.exec("\n".join(lines), seconds=60)
    except DeviceError as error:
        kind = error.kind
        if kind == "ModelError" and "not enough" in str(error):
            kind = "MemoryError"
        if kind not in MEMORY_KINDS:
            raise
        reason, _, rest = str(error).partition(";")
        cause = ARENA if kind == "ArenaError" else MODEL
        if "machine code" in rest:
            reason += " (the memory for machine code is used up)"
            cause, kind = CODE, "code"
        raise DeviceError(
            f"the board cannot load the model: {reason}; {REMEDIES[cause]}", kind
        ) from None
    return link.eval("(__import__('gc').collect(), __import__('gc').mem_free())[1]", schema=int)


def remove_sent(link, removals):
    """Call functions that remove files of the board, the last one first, after a soft reset."""
    link.reset()
    Files(link)  # their functions on the board
    for remove in reversed(removals):
        remove()
