# Tests of the page: deploys models to a visitor's board, here a second emulated Pico
# MIT license; Copyright (c) 2026 the tflm authors

import json
import zipfile
from pathlib import Path

import emulators
import numpy as np
import pytest
from steps import answered, expect
from support.builder import ModelBuilder
from tflm_tools import files
from tflm_tools.board.deploy import deploy
from tflm_tools.board.link import Link
from tflm_tools.flat.flatten import flatten
from tflm_tools.packages import bundle, runtime_files

_PATIENCE = 180_000  # milliseconds
_CUTS = 10
_FAKE = Path(__file__).with_name("fake_serial.js")
# Prints a hash of the whole ROMFS partition.
_HASH = (
    "import vfs, hashlib, binascii\n"
    "print(binascii.hexlify(hashlib.sha256(vfs.rom_ioctl(2, 0)).digest()).decode())"
)
_LOAD = (
    "import tflm\n"
    "interpreter = tflm.Interpreter(tflm.load('/rom/net.tflm'))\n"
    "interpreter.allocate_tensors()\n"
    "interpreter.invoke()\n"
    "print(interpreter.output(0).shape[-1])"
)


@pytest.fixture(scope="module")
def visited(opened):
    """The page in a browser with a serial port that has a board."""
    page = opened(script=_FAKE.read_text())
    answered(page)
    return page


# A dense layer with 512 inputs. The number of its outputs identifies the model.
def _dense(outputs):
    model = ModelBuilder("made")
    chance = np.random.default_rng(outputs)
    x = model.tensor((1, 512), "int8", scale=0.1, zero_point=0)
    weights = chance.integers(-127, 128, (outputs, 512)).astype(np.int8)
    w = model.tensor(weights.shape, "int8", weights, scale=0.01, zero_point=0)
    y = model.tensor((1, outputs), "int8", scale=0.5, zero_point=0)
    model.operator("FULLY_CONNECTED", [x, w], [y])
    model.io([x], [y])
    return model.build()


def _drop(page, name, data):
    page.set_input_files("#file", {"name": name, "mimeType": "", "buffer": data})
    expect(page.locator("#model-state")).to_have_text(
        f"{name} is on the board.", timeout=_PATIENCE
    )


# Press a button; return the page's message at the end.
def _press(page, name):
    page.get_by_role("button", name=name).click()
    expect(page.locator("#deploy")).to_be_enabled(timeout=_PATIENCE)
    return page.inner_text("#own-state")


def _on_board(page, code):
    said, trace = page.evaluate(
        "code => navigator.serial.requestPort().then((port) => port.exec(code))", code
    )
    assert not trace, trace
    return said.strip()


def test_doctor(visited):
    assert _press(visited, "Look at my board") == "Done."
    said = visited.inner_text("#own-said")
    assert "usb://2e8a:0005" in said and "Raspberry Pi Pico (RPI_PICO)" in said
    assert "digits_int8.tflite" in said and "read in place from flash" not in said.split("fits")[0]


def test_deploy(visited):
    _drop(visited, "net.tflite", _dense(16))
    assert _press(visited, "Send it to my board") == "Done."
    said = visited.inner_text("#own-said")
    assert "net on Raspberry Pi Pico with RP2040 at usb://2e8a:0005" in said
    assert _on_board(visited, _LOAD) == "16"
    assert _press(visited, "Send it to my board") == "Done."
    assert "was already there" in visited.inner_text("#own-said")


# The page writes the same ROMFS as `tflm deploy` on a board with the same firmware.
def test_deploy_as_by_the_command(visited, tmp_path, built_page):
    path = tmp_path / "net.tflite"
    path.write_bytes(_dense(16))
    board = emulators.start("RPI_PICO", built_page / "pico.uf2")
    try:
        deploy(path, board.port)
        with Link(board.port) as link:
            wanted = link.exec(_HASH, seconds=_PATIENCE / 1000).strip()
    finally:
        board.stop()
    _drop(visited, "net.tflite", _dense(16))
    assert _press(visited, "Send it to my board") == "Done."
    assert _on_board(visited, _HASH) == wanted


# Wherever the cable is pulled, the board keeps the old model or has the new one, and the page can
# send the model again.
def test_pulled_cable(visited):
    _drop(visited, "net.tflite", _dense(32))
    _press(visited, "Send it to my board")
    written = visited.evaluate("navigator.serial.requestPort().then((port) => port.written)")
    seen = set()
    for i in range(_CUTS):
        outputs = (16, 32)[i % 2]
        _drop(visited, "net.tflite", _dense(outputs))
        at = written * (0.3 + 0.7 * (i + 0.5) / _CUTS)
        visited.evaluate("at => navigator.serial.requestPort().then((p) => { p.cutAt = at; })", at)
        said = _press(visited, "Send it to my board")
        assert "was lost" in said or said == "Done.", said
        visited.evaluate("navigator.serial.requestPort().then((p) => { p.cutAt = Infinity; })")
        seen.add(_on_board(visited, _LOAD))
    assert seen == {"16", "32"}
    assert _press(visited, "Send it to my board") == "Done."
    assert _on_board(visited, _LOAD) == str(outputs)


# Browsers without Web Serial (Firefox, Safari) can save the files for a board.
def test_files(opened, repository):
    page = opened(script="Object.defineProperty(navigator, 'serial', { value: undefined });")
    answered(page)
    expect(page.locator("#unwired")).to_contain_text("This browser has no Web Serial")
    assert not page.locator("#wired").is_visible()
    page.select_option("#kind", "ESP32_GENERIC_S3")
    with page.expect_download(timeout=_PATIENCE) as download:
        page.get_by_role("button", name="Save the model with what it needs").click()
    assert download.value.suggested_filename == "digits_int8-ESP32_GENERIC_S3.zip"
    with zipfile.ZipFile(download.value.path()) as archive:
        given = {name: archive.read(name) for name in archive.namelist()}
    data = files.read(repository / "models" / "digits" / "digits_int8.tflite")
    flat = flatten(data, target="pie")
    wanted = bundle.pack(
        bundle.files(runtime_files.files_for(flat, "xtensawin", False), "xtensawin")
    )
    assert given["digits_int8.tflm"] == flat
    assert given[bundle.name_of(wanted)] == wanted
    listed = [name for name, _ in json.loads(given["package.json"])["urls"]]
    assert {*listed, "digits_int8.tflm", "package.json"} == set(given)
    expect(page.locator("#own-said")).to_contain_text("mpremote mip install package.json")
