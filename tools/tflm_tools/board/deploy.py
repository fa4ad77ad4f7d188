# tflm_tools: board: deploys a model and the kernels it needs to a board, for `tflm deploy`
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.format import CUSTOM_KERNEL

from ..errors import DeviceError
from ..model.flat_file import FlatFile
from ..model.model_file import open_model
from ..packages import bundle, mpy_compiler, runtime_files
from .checks import check_board, check_files, check_frozen, check_heap
from .facts import read_facts, script_path
from .files import Files
from .flatten_for_board import model_name, pipeline_for_board
from .link import Link
from .runtime import Runtime
from .storage_choice import available_storages, choose_storage
from .streaming_estimate import STREAMING_BOARD, StreamingEstimate, estimate_streaming

_PROGRAM_BYTES = 16384  # of heap, left for the user's program beside a copy of the model
# Bytes of heap that fragmentation makes unusable for large objects. After an interpreter was made,
# a Pico had 173,440 bytes free, but its largest free block was 153,984.
_FRAGMENTED_BYTES = 16384


@dataclass
class Deployment:
    """The result of `tflm deploy`; sizes in bytes.

    place: romfs, flash or files. unchanged: the board had the model already. sent: bytes of
    model and runtime. use: lines of Python that load the model on the board. free: heap after
    loading. fits_ram: the model is read from flash, and the free heap could hold a copy of it.
    faster: the estimated gain of streaming weights, if the heap cannot hold a copy, else None.
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
    faster: StreamingEstimate | None = None


def deploy(path, port=None, to="auto", name=None, custom=(), replace=False, progress=None,
           board=None, timeout=None, arena_budget=None):  # fmt: skip
    """Store the model at `path` on a board with the kernels that it needs; return a Deployment.

    to: one of storage_choice.STORAGES. replace: delete the old model of this name before the new
    one is complete. progress: called with (bytes done, bytes in all). board: a text that the
    board's own name must contain. timeout: least number of seconds to wait for each answer of the
    board. arena_budget: as for flatten(), for a .tflite. All checks are done before the first byte
    is written. Raises TflmError.
    """
    model = open_model(path)
    name = model_name(path, name)
    with Link(port, timeout) as link:
        facts = read_facts(link)
        check_board(facts, board)
        facts.check_firmware()
        pipeline = pipeline_for_board(model, facts, custom, arena_budget)
        flat = model.data if pipeline is None else pipeline.flat
        counter = _SentBytes(progress)
        files = Files(link, counter.add)
        if facts.frozen:
            check_frozen(link, facts, flat)
            link.reset()
            files = Files(link, counter.add)
        storages = available_storages(link, files, facts, to)
        storage, too_small = choose_storage(storages, facts, name, flat, replace)
        runtime = None if facts.frozen else _runtime(files, facts, flat, storage)
        code = runtime.code_bytes() if runtime else 0
        check_heap(facts, flat, code, not storage.in_place, too_small)
        if runtime is not None and runtime.missing:
            check_files(facts, runtime.flash, 0 if storage.in_place else len(flat))
        unchanged = storage.holds(name, flat)
        missing = runtime.missing if runtime is not None else 0
        counter.total = missing + (0 if unchanged else len(flat))
        if missing:
            runtime.install()
        if not unchanged:
            storage.put(name, flat, replace)
        custom = any(kernel.startswith(CUSTOM_KERNEL) for kernel in runtime_files.kernels_of(flat))
        use = _loading_lines(storage, name, custom)
        free = _load_model(link, use, custom)
        fits_ram = storage.in_place and free >= len(flat) + _PROGRAM_BYTES
        faster = None
        if pipeline and storage.in_place and not fits_ram and _can_stream(link, facts):
            heap = free - _PROGRAM_BYTES - _FRAGMENTED_BYTES
            faster = estimate_streaming(pipeline, heap)
    return Deployment(
        str(path), facts.port, facts.machine, facts.arch, name, storage.name, unchanged, len(flat),
        FlatFile(flat).arena_bytes, _runtime_text(facts, missing), counter.total, use, free,
        fits_ram, faster,
    )  # fmt: skip


# The Runtime that the model needs in lib/ of the board.
def _runtime(files, facts, flat, storage):
    if facts.file_system is None:
        raise DeviceError(
            f"the board at {facts.port} has no tflm in its firmware and no file system for it; "
            "build firmware that has tflm with: make firmware",
            "firmware",
        )
    required = bundle.files(runtime_files.files_for(flat, facts.arch, facts.assembler), facts.arch)
    extra = {}
    if storage.name == "flash":
        extra["tflm_flash.mpy"] = mpy_compiler.compile_file(script_path("tflm_flash"))
    return Runtime(files, facts, required, extra)


def _runtime_text(facts, missing):
    if facts.frozen:
        return f"tflm {facts.tflm[0]} of the firmware"
    if not missing:
        return f"tflm {runtime_files.version()}, already installed"
    return f"tflm {runtime_files.version()}, {missing} bytes sent"


# Lines of Python that load the model and make an interpreter. The user adds custom operators.
def _loading_lines(storage, name, custom):
    load, source = storage.source(name)
    if storage.name != "romfs":  # the host has checked its records
        source += ", trusted=True"
    lines = ["import tflm", *([load] if load else []), f"model = tflm.load({source})"]
    if custom:
        lines.append("resolver = tflm.OpResolver()  # then resolver.add_custom(name, yours)")
    return [*lines, f"interpreter = tflm.Interpreter(model{', resolver=resolver' * custom})"]


# Load the model on the board with these lines after a soft reset; return the bytes of free heap.
# Tensors are not allocated with custom operators, which the board does not have.
def _load_model(link, lines, custom):
    link.reset()
    last = [] if custom else ["interpreter.allocate_tensors()"]
    link.exec("\n".join([*lines, *last]), seconds=60)
    return link.eval("(__import__('gc').collect(), __import__('gc').mem_free())[1]", schema=int)


# Whether the firmware can stream weights. The .mpy files of a deploy include no delegates.
def _can_stream(link, facts):
    if not facts.frozen or STREAMING_BOARD not in facts.machine:
        return False
    try:
        link.exec("import tflm.run.streaming")
    except DeviceError:  # firmware that was built with KERNELS=
        return False
    return True


# Adds up the bytes sent and reports them.
class _SentBytes:
    def __init__(self, report):
        self._report = report
        self.done = self.total = 0

    def add(self, count):
        self.done += count
        if self._report is not None and self.total:
            self._report(min(self.done, self.total), self.total)
