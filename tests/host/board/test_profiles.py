# Tests of the boards' profiles, and of ROMFS images that MicroPython reads
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import csv
import random
import re

import pytest
from tflm.micropython_port import ARCHS
from tflm_tools.board import profiles, romfs_image
from tflm_tools.board.fit import fits as fit_of_boards
from tflm_tools.errors import ToolError
from unit.on_device import device

_PROFILES = profiles.load_all()


@pytest.mark.parametrize("profile", _PROFILES, ids=[profile.id for profile in _PROFILES])
def test_profile_is_consistent(profile):
    assert profile.arch in ARCHS
    assert profile.port in ("rp2", "esp32", "qemu")
    assert profile.flashing["method"] in ("uf2", "esptool", "qemu") and profile.flashing["help"]
    for firmware in filter(None, (profile.tflm, profile.stock)):
        assert firmware.block <= firmware.heap
        ranges = sorted(filter(None, (firmware.firmware, firmware.romfs, firmware.filesystem)))
        for (start, size), (following, _) in zip(ranges, ranges[1:], strict=False):
            assert start + size <= following
        assert sum(ranges[-1]) <= profile.flash_bytes


# ROMFS gets the flash that is added; files stay at the end.
def test_more_flash():
    own = profiles.named("RPI_PICO")
    larger = profiles.with_flash(own, 16)
    assert profiles.with_flash(own, 0) is own
    assert sum(larger.tflm.filesystem) == larger.flash_bytes == 16 << 20
    assert sum(larger.tflm.romfs) == larger.tflm.filesystem[0]
    assert larger.tflm.filesystem[1] == own.tflm.filesystem[1]
    for board, megabytes in (("RPI_PICO", 1), ("RPI_PICO", 32), ("ESP32_GENERIC", 16)):
        with pytest.raises(ToolError, match="has no firmware for .* MB of flash"):
            profiles.with_flash(profiles.named(board), megabytes)


def test_advice_for_more_flash():
    fits = {fit.board: fit for fit in fit_of_boards(100_000, 6_000_000)}
    assert "make firmware BOARD=RPI_PICO FLASH_MB=8" in fits["Pico"].advice
    assert "RP2350 boards with 16 MB" in fits["Pico 2"].advice
    assert "FLASH_MB" not in {f.board: f for f in fit_of_boards(500_000, 6_000_000)}["Pico"].advice


# The flash map of the profile equals the one in the firmware's configuration.
@pytest.mark.parametrize("board", ["RPI_PICO", "RPI_PICO2", "RPI_PICO2_RISCV"])
def test_flash_map_of_rp2(board):
    profile = profiles.named(board)
    folder = profiles.named("RPI_PICO2").folder if board == "RPI_PICO2_RISCV" else profile.folder
    text = (folder / "mpconfigboard.h").read_text()
    storage = int(re.search(r"FLASH_STORAGE_BYTES \((\d+) \* 1024\)", text)[1]) * 1024
    models = int(re.search(r"ROMFS_BYTES \((\d+) \* 1024 \+", text)[1]) * 1024
    end = profile.flash_bytes
    assert profile.tflm.filesystem == (end - storage, storage)
    assert profile.tflm.romfs == (end - storage - models, models)


# MicroPython names the RISC-V cores of an RP2350 in os.uname().machine.
@pytest.mark.parametrize(
    ("mcu", "board"), [("RP2350", "RPI_PICO2"), ("RP2350-RISCV", "RPI_PICO2_RISCV")]
)
def test_cores_of_rp2350(mcu, board):
    found = profiles.matching(f"Raspberry Pi Pico2 with {mcu}")
    assert [profile.id for profile in found] == [board]
    families = {profile.flashing.get("family") for profile in _PROFILES if profile.port == "rp2"}
    assert found[0].flashing["family"] in families and len(families) == 3


# The targets of models for ESP32 boards: mac16 if the chip has MAC16, pie if it has vectors.
_TARGETS = {
    "ESP32_GENERIC": "mac16",
    "ESP32_GENERIC_S2": "xtensawin",
    "ESP32_GENERIC_S3": "pie",
    "ESP32_GENERIC_C3": "rv32imc",
    "ESP32_GENERIC_C6": "rv32imc",
}


@pytest.mark.parametrize("board", list(_TARGETS))
def test_flash_map_of_esp32(board):
    profile = profiles.named(board)
    assert profile.target == _TARGETS[board]
    with open(profile.folder / "partitions.csv") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = {row[0].strip(): row for row in csv.reader(lines)}
    for name, attribute in (("factory", "firmware"), ("romfs", "romfs"), ("vfs", "filesystem")):
        flash_range = int(rows[name][3], 0), int(rows[name][4], 0)
        assert getattr(profile.tflm, attribute) == flash_range


def test_profiles_by_machine_name():
    found = profiles.matching("Raspberry Pi Pico with RP2040")
    assert [profile.id for profile in found] == ["RPI_PICO"]
    assert profiles.matching("something with Z80") == []


def test_unknown_board():
    with pytest.raises(ToolError, match="there is no board NO_SUCH; choose one of ESP32_GENERIC"):
        profiles.named("NO_SUCH")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('arch = "armv6m"\n', "", "lacks 'arch'"),
        ("heap = 202_000", "heat = 202_000", "heat"),
        ("[flash]", "[flash", "is not valid TOML"),
    ],
)
def test_damaged_profile(before, after, message, tmp_path):
    text = (profiles.FOLDER / "RPI_PICO.toml").read_text()
    assert before in text
    path = tmp_path / "profile.toml"
    path.write_text(text.replace(before, after))
    with pytest.raises(ToolError, match=message):
        profiles.read(path)


# MicroPython reads each file of an image with its exact bytes, and files are aligned.
def test_romfs_image(tmp_path):
    rng = random.Random(5)
    contents = {}
    for number in range(60):
        folder = rng.choice(["", "lib/", "lib/tflm/kernels/", "b/"])
        name = f"{folder}{'n' * rng.randrange(1, 40)}{number}"
        contents[name] = rng.randbytes(rng.choice([0, 1, 15, 16, 17, 127, 128, 5000, 70000]))
    image = romfs_image.image(contents)
    for data in contents.values():
        if len(data) > 100:
            assert image.index(data) % romfs_image.ALIGNMENT == 0
    path = tmp_path / "image"
    path.write_bytes(image)
    (tmp_path / "list").write_text("\n".join(contents))
    lines = device(
        """
        import binascii, vfs
        with open(PATH, "rb") as file:
            image = file.read()
        with open(NAMES) as file:
            names = file.read().split()
        vfs.mount(vfs.VfsRom(image), "/rom")
        for name in names:
            with open("/rom/" + name, "rb") as file:
                data = file.read()
            print(len(data), binascii.crc32(data))
        """,
        PATH=str(path),
        NAMES=str(tmp_path / "list"),
    )
    assert lines == [f"{len(data)} {binascii.crc32(data)}" for data in contents.values()]
