# Tests of `make firmware` for ESP32 boards, with stand-ins for MicroPython's makefile and ESP-IDF
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from tflm_tools.board import profiles
from tflm_tools.errors import ToolError

pytestmark = pytest.mark.quick_boards

# The stand-ins record their arguments and write an image.
_EXPORT = """
export PATH="$idf/bin:$PATH"
"""
_IDF = """#!/bin/sh
printf 'app' > "$1/firmware.bin"
printf 'elf' > "$1/micropython.elf"
"""
_MAKEFILE = """
all:
\ttest -n "$(MICROPY_MPYCROSS)" -a -f "$(FROZEN_MANIFEST)" -a -d "$(BOARD_DIR)"
\techo "$(BOARD) $(MICROPY_MPYCROSS)" >> asked
\tidf.py $(BUILD)
"""


@pytest.fixture
def given(monkeypatch, tmp_path):
    """A checkout of MicroPython and an ESP-IDF, with the files that the build uses."""
    import build

    micropython, idf = tmp_path / "micropython", tmp_path / "idf"
    for name, text in {
        "py/mpconfig.h": (
            "#define MICROPY_VERSION_MAJOR 1\n#define MICROPY_VERSION_MINOR 26\n"
            "#define MICROPY_VERSION_MICRO 1\n"
        ),
        "lib/micropython-lib/README.md": "",
        "ports/esp32/Makefile": _MAKEFILE,
    }.items():
        (micropython / name).parent.mkdir(parents=True, exist_ok=True)
        (micropython / name).write_text(text)
    (idf / "bin").mkdir(parents=True)
    (idf / "export.sh").write_text(_EXPORT)
    (idf / "bin" / "idf.py").write_text(_IDF)
    (idf / "bin" / "idf.py").chmod(0o755)
    monkeypatch.setenv("IDF_PATH", str(idf))
    monkeypatch.setattr(build, "FIRMWARE", tmp_path / "firmware")
    return micropython


@pytest.mark.parametrize(
    "board", [f"ESP32_GENERIC{chip}" for chip in ("", "_S2", "_S3", "_C3", "_C6")]
)
def test_build(given, board):
    import build

    built = build.build(board, "digits", micropython=given)
    profile = profiles.named(board)
    data = built.image.read_bytes()
    offset = profile.tflm.romfs[0] - profile.flashing["offset"]
    assert data[:3] == b"app" and set(data[3:offset]) == {0xFF}
    assert data[offset:] == built.romfs.read_bytes() and len(data) > offset
    asked, mpy_cross = (given / "ports" / "esp32" / "asked").read_text().split()
    assert asked == board and "mpy-cross" in mpy_cross
    manifest = (built.folder.parent / board / "build" / "manifest.py").read_text()
    assert f"{board}/manifest.py" in manifest and "app='digits'" in manifest


def test_too_large(given, monkeypatch):
    import build

    idf = given.parent / "idf" / "bin" / "idf.py"
    idf.write_text(_IDF.replace("printf 'app'", "head -c 3000000 /dev/zero"))
    with pytest.raises(ToolError, match="the firmware ends at .* leave kernels out"):
        build.build("ESP32_GENERIC", micropython=given)


def test_failed_build(given):
    import build

    (given / "ports" / "esp32" / "Makefile").write_text(
        "all:\n\t@echo 'error: no such chip'; false\n"
    )
    with pytest.raises(ToolError, match=r"the build failed .*error: no such chip"):
        build.build("ESP32_GENERIC", micropython=given)
