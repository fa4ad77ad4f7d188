# tflm_tools: board: Facts: what a board says of itself
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from pathlib import Path

from tflm.op_resolver import ARCHS

from ..errors import DeviceError
from ..packages import parts
from ..targets import more_targets, target_of
from .replies import SIZE, Maybe

_SCRIPTS = Path(__file__).parent / "device"

# Of sys.implementation._mpy: the version of .mpy files that mpy-cross writes.
_MPY_VERSION = 6
_MPY_SUBVERSION = 3
OLDEST = (1, 24, 0)

# What device/probe.py says: the fields of Facts but for the port.
_FORM = {
    "version": (99, 999, 999), "machine": str, "mpy": SIZE, "platform": str, "free": SIZE,
    "used": SIZE, "block": SIZE, "root": str, "file_system": Maybe((1 << 48, 1 << 48)),
    "romfs": Maybe((SIZE, SIZE, 1 << 64, bool)), "storage": Maybe((SIZE, SIZE)),
    "tflm": Maybe((str, int, bool)), "assembler": bool, "frequency": 1 << 40,
    "flash_divider": Maybe(0xFFFF), "path": [str],
}  # fmt: skip


@dataclass
class Facts:
    """One board; sizes in bytes, None for what it does not have.

    free, block: of the heap after a soft reset, and its largest block. file_system: (free, all).
    romfs: (bytes, block bytes, address, it can be written). storage: (address, bytes) of an RP2's
    file system in its flash. tflm: (version, format it reads, it is frozen). assembler: the
    firmware has the inline assembler for the board's native code. frequency: in Hz, 0
    where it is not known. flash_divider: of that, for flash; None where the chip does not tell.
    core: "mac16" where the core says that it has more than others with its native code, else "".
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
    core: str = ""

    @property
    def arch(self):
        """Native code that the board runs, as mpy-cross names it; "" for none."""
        index = self.mpy >> 10 & 15
        return ARCHS[index] if index < len(ARCHS) else ""

    @property
    def frozen(self):
        """True when tflm is frozen into the firmware."""
        return self.tflm is not None and self.tflm[2]

    @property
    def target(self):
        """What models are packed for, as `tflm flatten --target` names it; None for nothing."""
        return target_of(self.arch, self.core)

    def firmware(self):
        """The version of MicroPython as text."""
        return ".".join(map(str, self.version))

    def check_firmware(self):
        """Raise DeviceError when this MicroPython cannot run tflm."""
        mpy_fits = (self.mpy & 0xFF, self.mpy >> 8 & 3) == (_MPY_VERSION, _MPY_SUBVERSION)
        if tuple(self.version) < OLDEST or not (mpy_fits or self.frozen):
            oldest = ".".join(map(str, OLDEST))
            raise DeviceError(
                f"the board at {self.port} runs MicroPython {self.firmware()}, tflm needs "
                f"{oldest} or newer; put a newer one on it with: tflm flash",
                "firmware",
            )


def script_path(name):
    """The path of a file of device/."""
    return _SCRIPTS / f"{name}.py"


def script(name):
    """The source of a file of device/."""
    return script_path(name).read_text()


def ask(link):
    """The Facts of the board at a Link."""
    facts = Facts(
        port=link.port, **link.value(link.exec(script("probe"), link.first_seconds), _FORM)
    )
    if "mac16" in more_targets(facts.arch):
        facts.core = _core(link, facts.arch)
    return facts


# What the core of a board with Xtensa says of itself: the runtime there asks it the same way.
def _core(link, arch):
    (module,) = parts.compiled(["kernels/xtensawin/__init__"], arch).values()
    text = link.exec(f"{script('core')}\nprint(has_mac16({module!r}))\n")
    return "mac16" if link.value(text, 1) else ""
