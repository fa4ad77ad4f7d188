# tflm_tools: board: deploy: a model and what it needs go to a board, whole or not at all
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.format import CUSTOM_KERNEL

from ..errors import DeviceError
from ..model.flat_file import FlatFile
from ..model.model_file import open_model
from ..packages import bundle, parts
from .checks import check_board, check_files, check_frozen, check_heap
from .facts import ask, script_path
from .files import Files
from .flatten_for_board import flat_for, model_name
from .link import Link
from .runtime import Runtime
from .storage_choice import choose, storages
from .streaming_estimate import STREAMING_BOARD, Faster, faster_by_streaming

_LEFT = 16384  # bytes of heap that a program has beside a copy of its model
# Bytes of heap that no large object gets: what lives there lies between them. A Pico had 173,440
# free, and 153,984 in one piece, once an interpreter was made.
_BETWEEN = 16384


@dataclass
class Deployment:
    """What `tflm deploy` did; sizes in bytes.

    place: romfs, flash or files. unchanged: the board had the model already. sent: bytes of
    model and runtime. use: lines of Python that load it on the board. free: heap after loading.
    fits_ram: whether that has room for a copy of a model that is read from flash. faster: where it
    has not, what streaming weights of FULLY_CONNECTED would bring, or None.
    """

    model: str
    port: str
    board: str
    arch: str
    name: str
    place: str
    unchanged: bool
    flat_bytes: int
    arena_bytes: int
    runtime: str
    sent: int
    use: list[str]
    free: int
    fits_ram: bool
    faster: Faster | None = None


def deploy(path, port=None, to="auto", name=None, custom=(), replace=False, progress=None,
           board=None, timeout=None, arena_budget=None):  # fmt: skip
    """Put the model at `path` on a board, with the kernels that it needs.

    to: one of PLACES of places. replace: the old model of this name may go before the new one is
    whole. progress: called with (bytes done, bytes in all). board: a text that the board's own
    name must have. timeout: seconds that it has at least for each answer. arena_budget: as for
    flatten(), for a .tflite. Everything is checked before the first byte is written. Returns a
    Deployment.
    """
    model = open_model(path)
    name = model_name(path, name)
    with Link(port, timeout) as link:
        facts = ask(link)
        check_board(facts, board)
        facts.check_firmware()
        flat = flat_for(model, facts, custom, arena_budget)
        counter = _Counter(progress)
        files = Files(link, counter.add)
        if facts.frozen:
            check_frozen(link, facts, flat)
            link.reset()
            files = Files(link, counter.add)
        places = storages(link, files, facts, to)
        storage, rooms = choose(places, facts, name, flat, replace)
        runtime = None if facts.frozen else _runtime(files, facts, flat, storage)
        code = runtime.code_bytes() if runtime else 0
        check_heap(facts, flat, code, not storage.in_place, rooms)
        if runtime is not None and runtime.missing:
            check_files(facts, runtime.flash, 0 if storage.in_place else len(flat))
        unchanged = storage.holds(name, flat)
        missing = runtime.missing if runtime is not None else 0
        counter.total = missing + (0 if unchanged else len(flat))
        if missing:
            runtime.install()
        if not unchanged:
            storage.put(name, flat, replace)
        custom = any(kernel.startswith(CUSTOM_KERNEL) for kernel in parts.kernels_of(flat))
        use = _use(storage, name, custom)
        free = _try(link, use, custom)
        fits_ram = storage.in_place and free >= len(flat) + _LEFT
        faster = None
        if storage.in_place and not fits_ram and _streams(link, facts):
            faster = faster_by_streaming(model, flat, free - _LEFT - _BETWEEN)
    return Deployment(
        str(path), facts.port, facts.machine, facts.arch, name, storage.name, unchanged, len(flat),
        FlatFile(flat).arena_bytes, _what_runtime(facts, missing), counter.total, use, free,
        fits_ram, faster,
    )  # fmt: skip


# What the files in lib/ must be.
def _runtime(files, facts, flat, storage):
    if facts.file_system is None:
        raise DeviceError(
            f"the board at {facts.port} has no tflm in its firmware and no file system for it; "
            "build firmware that has it with: make firmware",
            "firmware",
        )
    wanted = bundle.files(parts.files_for(flat, facts.arch, facts.assembler), facts.arch)
    extra = {}
    if storage.name == "flash":
        extra["tflm_flash.mpy"] = parts.compile_file(script_path("tflm_flash"))
    return Runtime(files, facts, wanted, extra)


def _what_runtime(facts, missing):
    if facts.frozen:
        return f"tflm {facts.tflm[0]} of the firmware"
    if not missing:
        return f"tflm {parts.version()}, there already"
    return f"tflm {parts.version()}, {missing} bytes sent"


# Lines of Python that make an interpreter; custom operators are the user's to add.
def _use(storage, name, custom):
    load, source = storage.source(name)
    if storage.name != "romfs":  # its records were checked here
        source += ", trusted=True"
    lines = ["import tflm", *([load] if load else []), f"model = tflm.load({source})"]
    if custom:
        lines.append("resolver = tflm.OpResolver()  # then resolver.add_custom(name, yours)")
    return [*lines, f"interpreter = tflm.Interpreter(model{', resolver=resolver' * custom})"]


# Load the model on the board as a user will, after a soft reset; bytes of heap free then. With
# custom operators nothing is allocated: they are not there.
def _try(link, use, custom):
    link.reset()
    last = [] if custom else ["interpreter.allocate_tensors()"]
    link.exec("\n".join([*use, *last]), seconds=60)
    return link.eval("(__import__('gc').collect(), __import__('gc').mem_free())[1]", form=int)


# True where the firmware can stream weights; .mpy files of a deploy have no delegates.
def _streams(link, facts):
    if not facts.frozen or STREAMING_BOARD not in facts.machine:
        return False
    try:
        link.exec("import tflm.run.streaming")
    except DeviceError:  # a firmware that was built with KERNELS=
        return False
    return True


# Adds up what has been sent.
class _Counter:
    def __init__(self, report):
        self._report = report
        self.done = self.total = 0

    def add(self, count):
        self.done += count
        if self._report is not None and self.total:
            self._report(min(self.done, self.total), self.total)
