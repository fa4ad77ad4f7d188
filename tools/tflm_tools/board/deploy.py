# tflm_tools: board: deploys a model and the kernels it needs to a board, for `tflm deploy`
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field

from tflm.format import CUSTOM_KERNEL

from ..errors import DeviceError
from ..model.model_file import open_model
from ..optimize.invoke_time import target_milliseconds
from ..packages import bundle, mpy_compiler, runtime_files
from ..render.common import number
from ..targets import foreign_packings
from . import esp_chips
from .checks import check_board, check_files, check_frozen, check_memory
from .facts import code_memory, read_facts, script_path
from .files import Files
from .flatten_for_board import candidates_for_board, model_name
from .link import Link
from .loading import (
    MEMORY_KINDS,
    load_on_board,
    loading_lines,
    loading_orders,
    remove_sent,
    streaming_lines,
)
from .memory_need import memory_need
from .runtime import Runtime
from .storage_choice import available_storages, choose_storage
from .streaming_estimate import STREAMING_BOARD, StreamingEstimate, estimate_streaming

# The remedy for firmware that has tflm, but not tflm.text.
TEXT_FIRMWARE = "use MicroPython's stock firmware, or build: make firmware APP=story"

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
    weights: how they are stored, see Candidate. code_free: executable memory after loading, None
    for a chip that stores machine code in the heap. ms: estimated milliseconds of an invoke at the
    board's clock, None for a .tflm or an unknown core. hints: about the board's chip.
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
    weights: str = ""
    code_free: int | None = None
    ms: float | None = None
    hints: list[str] = field(default_factory=list)
    is_copied: bool = False


@dataclass(frozen=True)
class DeployOptions:
    """How deploy() stores a model on a board.

    to: one of storage_choice.STORAGES. name: of the model on the board; by default the file's
    name. custom: Python files that register custom operators. replace: delete the old model of
    this name before the new one is complete. board: a text that the board's own name must contain.
    timeout: least number of seconds to wait for each answer of the board. arena_budget,
    flash_budget: as for flatten(), for a .tflite. force: leave out the estimate of the board's
    memory; the model is tried on the board in any case.

    Without flash_budget, a .tflite whose packed weights do not fit is deployed with smaller ones.
    """

    to: str = "auto"
    name: str | None = None
    custom: tuple[str, ...] = ()
    replace: bool = False
    board: str | None = None
    timeout: float | None = None
    arena_budget: int | None = None
    flash_budget: int | None = None
    force: bool = False

    def candidates(self, model, facts):
        """Yield the Candidates of a ModelFile for the board with these Facts."""
        budgets = self.arena_budget, self.flash_budget
        return candidates_for_board(model, facts, self.custom, *budgets)


def deploy(path, port=None, progress=None, **options):
    """Store the model at `path` on a board with the kernels that it needs; return a Deployment.

    progress: called with (bytes done, bytes in all). options: the fields of DeployOptions. All
    checks are done before the first byte is written. Raises TflmError.
    """
    options = DeployOptions(**options)
    model = open_model(path)
    name = model_name(path, options.name)
    with Link(port, options.timeout) as link:
        facts = read_facts(link)
        check_board(facts, options.board)
        facts.check_firmware()
        target = _Target(link, facts, name, options, progress)
        done = deploy_first(target, options.candidates(model, facts))
    done.model = str(path)
    return done


def deploy_first(target, candidates):
    """Deploy the first of the Candidates that fits the board; return its Deployment.

    target: has deploy(candidate) and clean_up(). If none fits, removes the files that do not load,
    and raises the DeviceError of the last candidate, which is the smallest.
    """
    last_error = None
    for candidate in candidates:
        try:
            return target.deploy(candidate)
        except DeviceError as error:
            if error.kind not in MEMORY_KINDS:
                raise
            last_error = error
    target.clean_up()
    raise last_error


# The board to which candidates of a model are deployed until one fits.
class _Target:
    def __init__(self, link, facts, name, options, progress):
        self._link, self._facts, self._name, self._options = link, facts, name, options
        self._counter = SentBytes(progress)
        self._added = []  # what removes the files that were sent

    # Remove the files that were sent, as no candidate could be loaded.
    def clean_up(self):
        remove_sent(self._link, self._added)

    # Deploy a Candidate and load it on the board; return the Deployment.
    def deploy(self, candidate):
        link, facts, name, flat = self._link, self._facts, self._name, candidate.flat
        if facts.frozen:
            check_frozen(link, facts, flat)
            link.reset()
        # The trial of an earlier candidate has reset the board, too.
        self._files = Files(link, self._counter.add)
        storages = available_storages(link, self._files, facts, self._options.to)
        storage, too_small = choose_storage(
            storages, facts, name, flat, self._options.replace, candidate.weights_text(facts)
        )
        need = memory_need([flat], facts, in_ram=not storage.in_place)
        if not self._options.force:
            check_memory(facts, need, len(flat), too_small, candidate.weights_text(facts))
        runtime = None if facts.frozen else _runtime(self._files, facts, flat, storage)
        missing = self._send(flat, storage, runtime)
        custom = any(kernel.startswith(CUSTOM_KERNEL) for kernel in runtime_files.kernels_of(flat))
        # Custom operators are not on the board, so the tensors of such a model are not allocated.
        last = [] if custom else ["interpreter.allocate_tensors()"]
        programs = [
            loading_lines(storage, name, flat, facts, need, order)
            for order in loading_orders(facts, need)
        ]
        use, free = load_on_board(link, programs, last)
        in_flash = storage.in_place and not _is_in_ram(link, facts)
        fits_ram = in_flash and free >= len(flat) + _PROGRAM_BYTES
        faster = None
        if candidate.pipeline and in_flash and not fits_ram and _can_stream(link, facts):
            heap = free - _PROGRAM_BYTES - _FRAGMENTED_BYTES
            faster = estimate_streaming(candidate.pipeline, heap)
        if faster is not None:
            use, free = load_on_board(link, [streaming_lines(use, faster.kept), use], last)
        return Deployment(
            "", facts.port, facts.machine, facts.arch, name, storage.name, self._unchanged,
            len(flat), need.arena, runtime_text(facts, missing), self._counter.total, use, free,
            fits_ram, faster, candidate.weights, code_memory(link, facts),
            _milliseconds(candidate, facts, not in_flash),
            [*chip_hints(facts), *packing_hints(flat, facts), *text_hints(link, facts, flat)],
            storage.in_place and not in_flash,
        )  # fmt: skip

    # Send what the board lacks of the runtime and the model; return the bytes of the runtime.
    def _send(self, flat, storage, runtime):
        missing = runtime.missing if runtime is not None else 0
        if missing:
            check_files(self._facts, runtime.flash, 0 if storage.in_place else len(flat))
        self._unchanged = storage.holds(self._name, flat)
        self._counter.total += missing + (0 if self._unchanged else len(flat))
        if missing:
            runtime.install()
            self._added.append(runtime.remove)
        if not self._unchanged:
            storage.put(self._name, flat, self._options.replace)
            if not storage.in_place:
                self._added.append(lambda: storage.remove(self._name))
        return missing


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


# The estimated milliseconds of an invoke of a Candidate.
def _milliseconds(candidate, facts, in_ram):
    if candidate.pipeline is None:
        return None
    model = candidate.pipeline.compressed
    return target_milliseconds(model, facts.target, facts.frequency, in_ram=in_ram)


# Whether the board's `model` is in RAM, not in the flash of an RP2040 or RP2350.
def _is_in_ram(link, facts):
    if "RP2" not in facts.machine:
        return False
    return link.eval("__import__('uctypes').addressof(model.buffer) >> 24 != 0x10", schema=bool)


def chip_hints(facts):
    """Return hints about the chip of a board, as texts."""
    warning = esp_chips.revision_warning(facts)
    hints = [esp_chips.faster_clock(facts), "; ".join(warning) if warning else None]
    return [hint for hint in hints if hint]


def packing_hints(flat, facts):
    """Return a hint if the weights of a .tflm are packed for another core than the board's."""
    packings = foreign_packings(runtime_files.kernels_of(flat), facts.arch, facts.core)
    if not packings:
        return []
    return [
        f"the weights are packed for another core ({', '.join(packings)}), which is slow here; "
        "deploy the .tflite instead"
    ]


def text_hints(link, facts, flat):
    """Return a hint if a .tflm is a language model and the firmware has no tflm.text."""
    if not facts.frozen or not runtime_files.is_language_model(flat):
        return []
    try:
        link.exec("import tflm.text")
    except DeviceError:
        return [f"the firmware has no tflm.text, which writes texts; {TEXT_FIRMWARE}"]
    return []


def runtime_text(facts, missing):
    """Return where the board has tflm from; missing: bytes that were sent."""
    if facts.frozen:
        return f"tflm {facts.tflm[0]} of the firmware"
    if not missing:
        return f"tflm {runtime_files.version()}, already installed"
    return f"tflm {runtime_files.version()}, {number(missing)} bytes sent"


# Whether the firmware can stream weights. The .mpy files of a deploy include no delegates.
def _can_stream(link, facts):
    if not facts.frozen or STREAMING_BOARD not in facts.machine:
        return False
    try:
        link.exec("import tflm.run.streaming")
    except DeviceError:  # firmware that was built with KERNELS=
        return False
    return True


class SentBytes:
    """Adds up the bytes sent and reports (done, total) to a function, or to None."""

    def __init__(self, report):
        self._report = report
        self.done = self.total = 0

    def add(self, count):
        """Count some more bytes."""
        self.done += count
        if self._report is not None and self.total:
            self._report(min(self.done, self.total), self.total)
