# Tests of the errors of `make firmware` and `make emulate` before anything is built
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from tflm_tools.errors import ToolError

pytestmark = pytest.mark.quick_boards


@pytest.fixture
def refused(monkeypatch, tmp_path):
    """Return refused(board, ...): the error of build(). Nothing is compiled or fetched."""
    import build

    def compiled(*_):
        raise AssertionError("it was built")

    monkeypatch.setattr(build, "FIRMWARE", tmp_path / "firmware")
    monkeypatch.setattr(build, "_compile", compiled)
    monkeypatch.setattr(build.sources.Sources, "_fetch", lambda self: None)
    monkeypatch.setattr(build.sources, "version", lambda folder: "1.26.1")

    def call(*arguments, **options):
        with pytest.raises(ToolError) as caught:
            build.build(*arguments, **options)
        return str(caught.value)

    return call


def test_names(refused, tmp_path):
    assert "there is no board PICO; choose one of ESP32_GENERIC" in refused("PICO")
    assert "there is no app digit in firmware/apps; choose one of" in refused("QEMU_M3", "digit")
    assert "no quark.py in modules/tflm/kernels" in refused("QEMU_M3", kernels="conv quark")
    assert "is not a checkout of MicroPython" in refused("RPI_PICO", micropython=tmp_path)


# A checkout without submodules is refused.
def test_submodules(tmp_path):
    from sources import Sources

    (tmp_path / "py").mkdir()
    (tmp_path / "py" / "mpconfig.h").write_text("")
    source = Sources(tmp_path, tmp_path)
    for port, file in [
        ("rp2", "pico-sdk/pico_sdk_init.cmake"),
        ("qemu", "micropython-lib/README.md"),
    ]:
        with pytest.raises(
            ToolError, match=f"no submodules yet; .* make -C .*/{port} submodules$"
        ):
            source.check_submodules(port)
        (tmp_path / "lib" / file).parent.mkdir(parents=True)
        (tmp_path / "lib" / file).write_text("")
        source.check_submodules(port)


_MPY_TOOL = """
    xtensa += " __attribute__ ((aligned (4)))"
    thumb += " __attribute__ ((aligned (2)))"
    print("static const byte fun_data_%s[%u] %s = {"
        % (self.escaped_name, len(self.fun_data), self.fun_data_attributes)
    )
"""


# Fetched sources are fixed, and fixing them twice changes nothing. The user's checkout is not
# changed, and is refused for a Cortex-M0+ if it misaligns code.
def test_frozen_functions(tmp_path):
    from sources import Sources

    (tmp_path / "micropython" / "tools").mkdir(parents=True)
    tool = tmp_path / "micropython" / "tools" / "mpy-tool.py"
    tool.write_text(_MPY_TOOL)
    for _ in range(2):
        Sources(tmp_path).check_frozen("armv6m")
        text = tool.read_text()
        assert text.count("aligned (4)") == 2 and "aligned (2)" not in text
        assert text.count("len(self.fun_data) + 1") == text.count(".text.kernels") == 1
    tool.write_text(_MPY_TOOL)
    (tmp_path / "micropython" / "py").mkdir()
    (tmp_path / "micropython" / "py" / "mpconfig.h").write_text("")
    own = Sources(tmp_path, tmp_path / "micropython")
    with pytest.raises(ToolError, match=r"mpy-tool.py aligns .*; replace aligned \(2\) by"):
        own.check_frozen("armv6m")
    own.check_frozen("armv7emsp")
    assert tool.read_text() == _MPY_TOOL


def test_models(refused, tmp_path):
    assert "cannot read" in refused("QEMU_M3", model=tmp_path / "none.tflite")
    other = tmp_path / "text.txt"
    other.write_text("no model")
    assert "is neither a .tflite nor a .tflm; check MODEL=" in refused("RPI_PICO", model=other)
    large = tmp_path / "large.tflm"
    large.write_bytes(b"TFLM" + bytes(600_000))
    text = refused("RPI_PICO", model=large)
    assert "bytes of ROMFS, RPI_PICO has 458752; flatten it with --flash-budget" in text


def test_apps_that_a_board_cannot_run(refused):
    for app in ("bench", "keywords", "mlperf_tiny"):
        text = f"the app {app} needs hardware that QEMU_M0 lacks; use BOARD=RPI_PICO"
        assert refused("QEMU_M0", app) == text


# Errors about a missing ESP-IDF.
def test_esp32(refused, monkeypatch, tmp_path):
    import esp_idf

    monkeypatch.delenv("IDF_PATH", raising=False)
    assert "name yours with MICROPYTHON_DIR=" in refused("ESP32_GENERIC_S3", "digits")
    monkeypatch.setattr(esp_idf.toolchain, "have", lambda command: None)
    assert "name its folder with IDF_PATH=" in refused("ESP32_GENERIC", micropython="mine")
    monkeypatch.setenv("IDF_PATH", str(tmp_path))
    text = refused("ESP32_GENERIC", micropython="mine")
    assert f"there is no export.sh in {tmp_path}" in text
    (tmp_path / "export.sh").write_text("")
    text = refused("ESP32_GENERIC", micropython="mine")
    assert "mine is not a checkout of MicroPython" in text


def test_paths_with_spaces(refused, monkeypatch, tmp_path):
    import build

    monkeypatch.setattr(build, "FIRMWARE", tmp_path / "my build")
    assert "does not build in a path with spaces" in refused("QEMU_M3")


def test_boards_without_an_emulator():
    import emulators

    with pytest.raises(ToolError, match="no emulator here runs Raspberry Pi Pico 2; use"):
        emulators.check("RPI_PICO2")


# The reason of a failed build is the line of the compiler, of make or of CMake.
@pytest.mark.parametrize(
    "log, reason",
    [
        ("CC a.c\na.c:1:2: error: no such thing\nmake: *** [a.o] Error 1\n", "no such thing"),
        ("CMake Error at C.txt:1 (f):\n  No file.\n\nSee also CMakeError.log", "No file."),
        ("ViperTypeError: local 'x'\n\nmake: *** Error 1", "ViperTypeError: local 'x'"),
        ("make: *** No rule\nmake: Leaving\n", "No rule"),
        ("\n", "no output"),
    ],
)
def test_reason(log, reason):
    import build

    assert reason in build._reason(log)
