# tflm_tools: board: reads the descriptions of boards, profile_files/*.toml
# MIT license; Copyright (c) 2026 the tflm authors

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

from .. import files
from ..errors import ToolError

_HERE = Path(__file__).resolve()
FOLDER = _HERE.parent / "profile_files"
_DEFINITIONS = _HERE.parents[3] / "boards"  # of MicroPython's build; only in a checkout


@dataclass
class Firmware:
    """The memory of a board with a firmware, in bytes; boards/README.md describes the keys.

    heap, block: free heap after boot, and its largest block. firmware, romfs, filesystem: (offset,
    bytes) in flash, or None. free: (offset, bytes) of unused flash, in which models can be read in
    place. code: free executable memory for machine code only, None if the chip has none. in_place:
    Python can read flash outside ROMFS in place. inline_assembler: the firmware loads kernels with
    inline assembler.
    """

    heap: int
    block: int
    firmware: tuple[int, int] | None = None
    romfs: tuple[int, int] | None = None
    filesystem: tuple[int, int] | None = None
    free: tuple[int, int] | None = None
    code: int | None = None
    in_place: bool = False
    inline_assembler: bool = False


@dataclass
class Profile:
    """A board of boards/. id: its folder's name, as for `make BOARD=`.

    target: the value for `tflm flatten --target`, or None. flash_address: None if flash cannot be
    read in place. tflm, stock: its Firmware with tflm, and its stock firmware. versions, flashing,
    qemu: tables of the file.
    """

    id: str
    folder: Path
    name: str
    chip: str
    port: str
    arch: str
    target: str | None
    machine: list[str]
    flash_bytes: int
    flash_address: int | None
    tflm: Firmware
    stock: Firmware | None = None
    versions: dict = field(default_factory=dict)
    flashing: dict = field(default_factory=dict)
    qemu: dict | None = None

    @property
    def short_name(self):
        """The short name of the board: pico2 for RPI_PICO2, esp32s3 for ESP32_GENERIC_S3."""
        return self.id.lower().replace("rpi_", "").replace("_generic", "").replace("_", "")


def with_flash(profile, megabytes):
    """Return the Profile of an RP2 board that has more flash; ROMFS gets what is added.

    megabytes: 0 for the profile as it is, else up to 16. Raises ToolError.
    """
    if not megabytes:
        return profile
    more = (megabytes << 20) - profile.flash_bytes
    if profile.port != "rp2" or profile.tflm is None or not 0 <= more <= (16 << 20):
        raise ToolError(
            f"{profile.id} has no firmware for {megabytes} MB of flash; choose an RP2 board and "
            "up to 16"
        )
    start, size = profile.tflm.romfs
    files_start, files_size = profile.tflm.filesystem
    firmware = replace(
        profile.tflm, romfs=(start, size + more), filesystem=(files_start + more, files_size)
    )
    return replace(profile, flash_bytes=megabytes << 20, tflm=firmware)


def _firmware(table):
    values = dict(table)
    for name in ("firmware", "romfs", "filesystem", "free"):
        if name in values:
            values[name] = tuple(values[name])
    return Firmware(**values)


def read(path):
    """Return the Profile of a profile file. Raises ToolError if the file is invalid."""
    path = Path(path)
    try:
        table = tomllib.loads(files.read(path).decode())
        flash = table["flash"]
        return Profile(
            id=path.stem,
            folder=_DEFINITIONS / path.stem,
            name=table["name"],
            chip=table["chip"],
            port=table["port"],
            arch=table["arch"],
            target=table.get("target"),
            machine=table["machine"],
            flash_bytes=flash["bytes"],
            flash_address=flash.get("address"),
            tflm=_firmware(table["tflm"]),
            stock=_firmware(table["stock"]) if "stock" in table else None,
            versions=table["versions"],
            flashing=table["flashing"],
            qemu=table.get("qemu"),
        )
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ToolError(
            f"{path} is not valid TOML ({error}); boards/README.md has the format"
        ) from None
    except KeyError as error:
        raise ToolError(f"{path} lacks {error}; boards/README.md has the keys") from None
    except TypeError as error:
        raise ToolError(f"{path}: {error}; boards/README.md has the keys") from None


def load_all():
    """Return all Profiles, ordered by the names of their files."""
    return [read(path) for path in sorted(FOLDER.glob("*.toml"))]


def named(board):
    """Return the Profile of the board with this id. Raises ToolError for an unknown board."""
    path = FOLDER / f"{board}.toml"
    if not board.isidentifier() or not path.exists():
        names = ", ".join(path.stem for path in sorted(FOLDER.glob("*.toml")))
        raise ToolError(f"there is no board {board}; choose one of {names}")
    return read(path)


def matching(machine):
    """Return the Profiles that match a board's own name, like "Raspberry Pi Pico with RP2040"."""
    return [
        profile
        for profile in load_all()
        if any(machine == name or machine.endswith(f" {name}") for name in profile.machine)
    ]
