# tflm_tools: wake: deploys a wake word, the front end and their code to a board
# MIT license; Copyright (c) 2026 the tflm authors

from pathlib import Path

from ..board.checks import check_board, check_files, check_frozen, check_memory
from ..board.deploy import (
    Deployment,
    DeployOptions,
    SentBytes,
    chip_hints,
    deploy_first,
    runtime_text,
)
from ..board.esp_heap import KERNELS_FIRST
from ..board.facts import code_memory, read_facts
from ..board.files import PARTIAL_SUFFIX, Files
from ..board.link import Link
from ..board.loading import kernel_lines, load_on_board, loading_orders, remove_sent
from ..board.memory_need import memory_need
from ..board.runtime import Runtime
from ..errors import DeviceError, ToolError
from ..model.model_file import open_model
from ..packages import bundle, runtime_files
from .word_files import FRONT_END, front_end, model_of

# The modules of tflm.wake that a program with one word imports.
_IMPORTED = [f"wake/{name}" for name in ("__init__", "features", "listener", "manifest", "word")]

# Heap in bytes for a program with a microphone, whose buffers have up to 20 KB.
_PROGRAM_BYTES = 24 * 1024


def deploy_word(path, port=None, progress=None, **options):
    """Store the wake word of a manifest (.json) on a board; return a Deployment.

    The board gets the manifest, its model as .tflm, micro_frontend.tflm and what they need of
    tflm, as files. Parameters are as for board.deploy.deploy(); `to` can only be "auto" or
    "files", and `name` and `custom` must be omitted. Raises TflmError.
    """
    options = DeployOptions(**options)
    if options.to not in ("auto", "files") or options.name or options.custom:
        raise ToolError("a manifest is stored in files; leave out --to, --name and --custom")
    path = Path(path)
    model = model_of(path)
    with Link(port, options.timeout) as link:
        facts = read_facts(link)
        check_board(facts, options.board)
        facts.check_firmware()
        target = _Target(link, facts, path, model.stem, options.force, progress)
        return deploy_first(target, options.candidates(open_model(model), facts))


# The board to which candidates of a word's model are deployed until one fits.
class _Target:
    def __init__(self, link, facts, manifest, name, force, progress):
        if facts.file_system is None:
            raise DeviceError(
                f"the board at {facts.port} has no file system for the wake word; build firmware "
                "that has it with: make firmware APP=wake",
                "firmware",
            )
        self._link, self._facts, self._manifest = link, facts, manifest
        self._name, self._force = name, force
        self._front_end = front_end(facts.target)
        self._counter = SentBytes(progress)
        self._added = []  # what removes the files that were sent

    # Remove the files that were sent, as no candidate could be loaded.
    def clean_up(self):
        remove_sent(self._link, self._added)

    # Deploy a Candidate and load it on the board; return the Deployment.
    def deploy(self, candidate):
        link, facts, flat = self._link, self._facts, candidate.flat
        flats = [flat, self._front_end]
        if facts.frozen:
            for each in flats:
                check_frozen(link, facts, each)
            link.reset()
        files = Files(link, self._counter.add)
        need = memory_need(flats, facts, in_ram=True, more=_IMPORTED)
        need.program = max(need.program, _PROGRAM_BYTES)
        if not self._force:
            check_memory(facts, need, len(flat), weights=candidate.weights_text(facts))
        contents = {
            f"{facts.root}{FRONT_END}": self._front_end,
            f"{facts.root}{self._name}.tflm": flat,
            f"{facts.root}{self._manifest.name}": self._manifest.read_bytes(),
        }
        contents = {path: data for path, data in contents.items() if not files.has(path, data)}
        runtime = None if facts.frozen else Runtime(files, facts, self._required(flats))
        missing = runtime.missing if runtime else 0
        if runtime:
            check_files(facts, runtime.flash, sum(map(len, contents.values())))
        self._counter.total += missing + sum(map(len, contents.values()))
        if missing:
            runtime.install()
            self._added.append(runtime.remove)
        for path, data in contents.items():
            files.send(path, data)
            files.rename((path + PARTIAL_SUFFIX, path))
            self._added.append(lambda path=path: files.remove(path))
        orders = loading_orders(facts, need)
        use, free = load_on_board(link, [self._loading_lines(flats, order) for order in orders])
        return Deployment(
            str(self._manifest), facts.port, facts.machine, facts.arch, self._name, "files",
            not contents, len(flat), need.arena, runtime_text(facts, missing),
            self._counter.total, use, free, False, None, candidate.weights,
            code_memory(link, facts), hints=chip_hints(facts),
        )  # fmt: skip

    # {path: bytes} of the files of tflm for the models and the word.
    def _required(self, flats):
        arch = self._facts.arch
        names = set(runtime_files.with_imports(runtime_files.wake()))
        for flat in flats:
            names |= set(runtime_files.files_for(flat, arch, self._facts.assembler))
        return bundle.files(sorted(names), arch)

    # A heap of several regions grows later if garbage is collected earlier.
    def _loading_lines(self, flats, order):
        first = ["import gc", "gc.threshold(16384)"] if self._facts.regions else []
        if order == KERNELS_FIRST:
            first += kernel_lines(flats)
        path = f"{self._facts.root}{self._manifest.name}"
        return [
            *first,
            "from tflm import wake",
            f"word = wake.load({path!r}, trusted=True)",
            "listener = wake.Listener([word], trusted=True)",
        ]
