# tflm_tools: board: asks a board for its firmware, memory, storage and architecture
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from pathlib import Path

from tflm.micropython_port import ARCHS

from ..errors import DeviceError
from ..packages import mpy_compiler
from ..targets import more_targets, target_of
from . import esp_chips
from .replies import SIZE, Nullable

_SCRIPTS = Path(__file__).parent / "device"

# Of sys.implementation._mpy: the version of .mpy files that mpy-cross writes.
_MPY_VERSION = 6
_MPY_SUBVERSION = 3
OLDEST = (1, 24, 0)

_MIN_REGION_BYTES = 8 * 1024  # smaller regions are left to ESP-IDF

# The answer of device/probe.py: all fields of Facts except port and core.
_PROBE_SCHEMA = {
    "version": (99, 999, 999), "machine": str, "mpy": SIZE, "platform": str, "free": SIZE,
    "used": SIZE, "block": SIZE, "root": str, "file_system": Nullable((1 << 48, 1 << 48)),
    "romfs": Nullable((SIZE, SIZE, 1 << 64, bool)), "storage": Nullable((SIZE, SIZE)),
    "tflm": Nullable((str, int, bool)), "assembler": bool, "frequency": 1 << 40,
    "flash_divider": Nullable(0xFFFF), "path": [str],
    "regions": Nullable([[(SIZE, SIZE, SIZE)]]), "revision": Nullable(3),
}  # fmt: skip


@dataclass
class Facts:
    """The description of a board; sizes in bytes, None for what the board does not have.

    free, block: free heap after a soft reset, and its largest block. root: folder for files, with
    a final slash. file_system: (free, all). romfs: (bytes, block bytes, address, is writable).
    storage: (address, bytes) of an RP2's file system in its flash. tflm: (version, .tflm format
    that it reads, is frozen). assembler: the firmware has the inline assembler for the board's
    native code. frequency: in Hz, 0 if unknown. flash_divider: the divider of the core's clock for
    flash, None if the chip does not report it. core: the last of more_targets() that an Xtensa
    core supports, else "".
    regions: of an ESP chip: its regions of executable memory and its regions of other memory, each
    (bytes, free bytes, largest free block); None for other chips. A region that is both is in both
    lists. revision: of an ESP32, None for other chips.
    """

    port: str
    version: tuple[int, ...]
    machine: str
    mpy: int
    platform: str
    free: int
    used: int
    block: int
    root: str
    file_system: tuple[int, int] | None
    romfs: tuple[int, int, int, bool] | None
    storage: tuple[int, int] | None
    tflm: tuple[str, int, bool] | None
    assembler: bool
    frequency: int
    flash_divider: int | None
    path: list[str]
    regions: list[list[tuple[int, int, int]]] | None = None
    revision: int | None = None
    core: str = ""

    @property
    def chip(self):
        """The chip at the end of the board's name, like RP2040 or ESP32C3."""
        return self.machine.rpartition(" ")[2].replace("-", "")

    @property
    def arch(self):
        """The architecture of the board's native code, as mpy-cross names it; "" for none."""
        index = self.mpy >> 10 & 15
        return ARCHS[index] if index < len(ARCHS) else ""

    @property
    def frozen(self):
        """Whether tflm is frozen into the firmware."""
        return self.tflm is not None and self.tflm[2]

    @property
    def target(self):
        """The value of `tflm flatten --target` for this board, or None."""
        return target_of(self.arch, self.core)

    @property
    def code_memory(self):
        """Free bytes of executable memory: (left to code, shared with the heap).

        The heap grows into the largest region of both, and leaves smaller regions to code. None
        for a chip that stores machine code in the heap.
        """
        if not self.regions or self.chip not in esp_chips.SEPARATE_CODE_MEMORY:
            return None
        executable, data = self.regions
        shared = max((region[1] for region in executable if region in data), default=0)
        return sum(region[1] for region in executable) - shared, shared

    @property
    def whole_heap(self):
        """The bytes that the heap can use in all, as it grows by several regions of an ESP chip.

        gc.mem_free() counts only the largest region that the heap does not use yet.
        """
        if not self.regions:
            return self.free
        free = sorted(region[1] for region in self.regions[1])
        return self.free + sum(size for size in free[:-1] if size >= _MIN_REGION_BYTES)

    def firmware(self):
        """Return the version of MicroPython as text."""
        return ".".join(map(str, self.version))

    def check_firmware(self):
        """Raise DeviceError if this MicroPython cannot run tflm."""
        esp_chips.check_chip(self)
        oldest = esp_chips.OLDEST.get(self.chip, OLDEST)
        mpy_fits = (self.mpy & 0xFF, self.mpy >> 8 & 3) == (_MPY_VERSION, _MPY_SUBVERSION)
        if tuple(self.version) < oldest or not (mpy_fits or self.frozen):
            oldest = ".".join(map(str, oldest))
            raise DeviceError(
                f"the board at {self.port} runs MicroPython {self.firmware()}, tflm needs "
                f"{oldest} or newer; install a newer firmware with: tflm flash",
                "firmware",
            )


def script_path(name):
    """Return the path of device/<name>.py."""
    return _SCRIPTS / f"{name}.py"


def script_source(name):
    """Return the source text of device/<name>.py."""
    return script_path(name).read_text()


def read_facts(link):
    """Ask the board at a Link for its Facts. Raises DeviceError."""
    answer = link.exec(script_source("probe"), link.first_seconds)
    facts = Facts(port=link.port, **link.value(answer, _PROBE_SCHEMA))
    if more_targets(facts.arch):
        facts.core = _core(link, facts.arch)
    return facts


def code_memory(link, facts):
    """Return the bytes of executable memory that are free now, None if it is not separate."""
    if facts.code_memory is None:
        return None
    return link.eval(
        "sum(r[1] for r in __import__('esp32').idf_heap_info(__import__('esp32').HEAP_EXEC))",
        schema=SIZE,
    )


# Ask an Xtensa core for its options, with the same module that the runtime uses for that.
def _core(link, arch):
    (module,) = mpy_compiler.compile_runtime_files(["kernels/xtensawin/__init__"], arch).values()
    text = link.exec(f"{script_source('core')}\nprint(options({module!r}))\n")
    return ("", *more_targets(arch))[link.value(text, SIZE)]
