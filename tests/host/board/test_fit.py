# Tests of the estimate whether a model fits a board, by its RAM and each kind of flash
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from tflm_tools.board import fit, profiles
from tflm_tools.optimize.invoke_time import HEAPS, copying_targets

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


# A model of the size of a recognizer of 35 million multiply-accumulates, and one that only boards
# with much flash hold.
def test_ways_for_a_large_model():
    found = _fits(59, 1060)
    assert not any(found[name].fits for name in ("Pico", "Pico 2"))
    assert found["Pico 2"].advice.endswith("it fits firmware with tflm: tflm flash RPI_PICO2")
    assert "tflm flash" not in found["Pico"].advice
    found = _fits(170, 1060)
    assert not any(found[name].fits for name in ("Pico", "Pico 2", "ESP32"))
    assert found["ESP32-S3 (generic module)"].advice == "with the model frozen into the firmware"


@pytest.mark.parametrize(
    ("machine", "has_tflm", "flash", "advice"),
    [
        ("Raspberry Pi Pico 2 with RP2350", False, 1060, "(tflm flash RPI_PICO2)"),
        ("Raspberry Pi Pico with RP2040", True, 1060, "that it fits: RPI_PICO2 with tflm"),
        ("Raspberry Pi Pico 2 with RP2350", True, 1700, "boards with 8 MB of flash: make"),
    ],
)
def test_advice_for_storages(machine, has_tflm, flash, advice):
    text = fit.storage_advice(machine, has_tflm, 59 * _KB, flash * _KB)
    assert text.startswith((", or use ", "; it fits ")) and advice in text


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


# Estimates of what load() copies use the heaps of the firmware.
def test_heaps_of_copied_models():
    for board in ("RPI_PICO", "RPI_PICO2"):
        profile = profiles.named(board)
        assert HEAPS[profile.target] == profile.tflm.heap
    assert copying_targets(4_048, 46_496) == {"armv6m", "armv7em"}
    assert copying_targets(8_640, 62_448) == {"armv7em"}  # as on an emulated Pico
    assert copying_targets(832, 280_336) == set()
