# Tests on boards: combines a Pico's firmware with another ROMFS without a build
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.board import profiles, uf2


def with_romfs(built, image, path):
    """Write a UF2 of a Built for a Pico and a ROMFS image (bytes) to `path`; return the path."""
    profile = profiles.named(built.board)
    start, size = profile.tflm.romfs
    assert len(image) <= size, f"an image of {len(image)} bytes does not fit in a ROMFS of {size}"
    segments = [
        (profile.flash_address, built.bin.read_bytes()),
        (profile.flash_address + start, image),
    ]
    path.write_bytes(uf2.image(segments, profile.flashing["family"]))
    return path
