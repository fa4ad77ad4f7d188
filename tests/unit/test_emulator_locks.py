# Tests of the locks of `make emulate`: on the file with a Pico's flash, and on builds
# MIT license; Copyright (c) 2026 the tflm authors

import sys
import threading
import time

import pytest
from tflm_tools.errors import ToolError


@pytest.fixture
def firmware(repository, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(repository / "firmware"))
    import build
    import emulate

    monkeypatch.setattr(build, "FIRMWARE", tmp_path)
    yield build, emulate
    for name in ("build", "emulate", "emulators", "build_folders"):
        sys.modules.pop(name, None)


def test_flash_has_one_emulator(firmware, tmp_path):
    _, emulate = firmware
    flash = tmp_path / "RPI_PICO.flash"
    refused = pytest.raises(ToolError, match="another emulator uses the flash in .*FLASH=FILE")
    other = emulate.flash_lock(tmp_path / "other.flash")
    with emulate.flash_lock(flash), other, refused, emulate.flash_lock(flash):
        pass
    with emulate.flash_lock(flash), emulate.flash_lock(None):
        pass


def test_second_build_says_that_it_waits(firmware, capsys):
    build, _ = firmware
    order = []

    def second():
        with build.build_lock():
            order.append("second")

    with build.build_lock():
        assert capsys.readouterr().err == ""
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.3)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
    assert capsys.readouterr().err == "waiting for another build to end\n"
