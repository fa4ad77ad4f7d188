# Tests on boards: a Pico's firmware with another ROMFS, without a build
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.board import profiles, uf2


def with_romfs(built, image, path):
    """Write a UF2 of a Built for a Pico and a ROMFS image (bytes) to `path`; returns the path."""
    profile = profiles.named(built.board)
    start, size = profile.tflm.romfs
    assert len(image) <= size, f"{len(image)} bytes are too many for a ROMFS of {size}"
    parts = [
        (profile.flash_address, built.bin.read_bytes()),
        (profile.flash_address + start, image),
    ]
    path.write_bytes(uf2.image(parts, profile.flashing["family"]))
    return path
