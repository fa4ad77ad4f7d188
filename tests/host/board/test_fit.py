# Tests of the estimate whether a model fits a board, by its RAM and each kind of flash
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from tflm_tools.board import fit, profiles

_KB = 1024


# {board: Fit} for sizes in KB.
def _fits(arena, flash):
    return {found.board: found for found in fit.fits(arena * _KB, flash * _KB)}


@pytest.mark.parametrize(
    ("arena", "flash", "fits", "advice"),
    [
        (10, 50, True, "in RAM"),
        (100, 250, True, "read in place from free flash"),
        (10, 500, False, "flash: model 500.0 KB, but free flash 288.0 KB"),
        (10, 1400, False, "free flash 288.0 KB, files 1.2"),
        (230, 10, False, "RAM: arena 230.0 KB"),
    ],
)
def test_fit_of_a_pico_with_stock_firmware(arena, flash, fits, advice):
    found = _fits(arena, flash)["Pico"]
    assert found.fits == fits and advice in found.advice, found


def test_fit_of_each_firmware():
    found = {(f.board, f.firmware): f for f in fit.fits_all(20 * _KB, 400 * _KB)}
    assert not found["Raspberry Pi Pico", "stock"].fits
    assert found["Raspberry Pi Pico", "tflm"].advice.endswith("read in place from ROMFS")


def test_free_flash_overlaps_nothing():
    for profile in profiles.load_all():
        for firmware in filter(None, (profile.stock, profile.tflm)):
            if firmware.free is None:
                continue
            start, size = firmware.free
            assert start + size <= profile.flash_bytes
            for other in filter(None, (firmware.romfs, firmware.filesystem)):
                assert start + size <= other[0] or sum(other) <= start
