# page: makes the image of a Pico with files in ROMFS, for the emulator or a real board
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.board import profiles, rom_directory, uf2
from tflm_tools.errors import ToolError

_BOARD = "RPI_PICO"
TARGET = profiles.named(_BOARD).target


def image(firmware, contents):
    """Return a UF2 of a firmware (bytes from the start of flash) and {path in /rom: bytes}.

    Raises ToolError if the files do not fit in ROMFS.
    """
    profile = profiles.named(_BOARD)
    start, size = profile.tflm.romfs
    romfs = rom_directory.image(contents)
    if len(romfs) > size:
        raise ToolError(f"/rom would take {len(romfs)} bytes of {size}; use smaller files")
    flash = profile.flash_address
    return uf2.image([(flash, firmware), (flash + start, romfs)], profile.flashing["family"])
