# page: the image of a Pico with files in ROMFS, for the page's own board and for a visitor's
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.board import profiles, rom_directory, uf2
from tflm_tools.errors import ToolError

_BOARD = "RPI_PICO"
TARGET = profiles.named(_BOARD).target


def image(firmware, contents):
    """A UF2 of a firmware (bytes, from the start of flash) and {path in /rom: bytes}.

    Raises ToolError where ROMFS has no room for them.
    """
    profile = profiles.named(_BOARD)
    start, size = profile.tflm.romfs
    romfs = rom_directory.image(contents)
    if len(romfs) > size:
        raise ToolError(f"/rom would take {len(romfs)} bytes, {size} are there; use smaller files")
    flash = profile.flash_address
    return uf2.image([(flash, firmware), (flash + start, romfs)], profile.flashing["family"])
