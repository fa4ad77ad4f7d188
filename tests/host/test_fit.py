# Tests of whether a model fits a board: RAM and each kind of flash are judged for themselves
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from tflm_tools.board import fit, profiles

_KB = 1024


# {board: Fit} as inspect shows them.
def _fits(arena, flash):
    return {found.board: found for found in fit.fits(arena * _KB, flash * _KB)}


@pytest.mark.parametrize(
    ("arena", "flash", "fits", "says"),
    [
        (10, 50, True, "in RAM"),
        (100, 250, True, "read in place from free flash"),
        (10, 500, False, "flash: model 500.0 KB, but free flash 288.0 KB"),
        (10, 1400, False, "free flash 288.0 KB, files 1.2"),
        (230, 10, False, "RAM: arena 230.0 KB"),
    ],
)
def test_a_pico_with_its_own_firmware(arena, flash, fits, says):
    found = _fits(arena, flash)["Pico"]
    assert found.fits == fits and says in found.advice, found


def test_each_firmware_for_itself():
    found = {(f.board, f.firmware): f for f in fit.fits_all(20 * _KB, 500 * _KB)}
    assert not found["Raspberry Pi Pico", "stock"].fits
    assert found["Raspberry Pi Pico", "tflm"].advice.endswith("read in place from ROMFS")


# What is free lies in the flash, and in nothing else.
def test_free_flash_of_the_profiles():
    for profile in profiles.every():
        for firmware in filter(None, (profile.stock, profile.tflm)):
            if firmware.free is None:
                continue
            start, size = firmware.free
            assert start + size <= profile.flash_bytes
            for other in filter(None, (firmware.romfs, firmware.filesystem)):
                assert start + size <= other[0] or sum(other) <= start
