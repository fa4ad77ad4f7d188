# Tests of the page: doctor and deploy on a simulated ESP32 with stock firmware
# MIT license; Copyright (c) 2026 the tflm authors

import re
from pathlib import Path

import numpy as np
import pytest
from steps import answered, expect
from support.builder import ModelBuilder
from support.esp32_board import StockBoard, Uart
from tflm_tools.board.deploy import deploy
from tflm_tools.board.link import Link

_PATIENCE = 180_000  # milliseconds
_FAKE = Path(__file__).with_name("fake_esp32.js")


class Port:
    """The serial port of a simulated board. Opening it resets the board, whose files stay."""

    def __init__(self, folder, chip="ESP32"):
        self.folder, self.chip = folder, chip
        self.lost = 0  # bytes that came too fast
        self._board = self._uart = None

    def open(self):
        self._board = StockBoard(self.folder, self.chip)
        self._board.__enter__()
        self._uart = Uart(self._board)

    def close(self):
        self.lost += self._uart.lost
        self._uart.close()
        self._board.__exit__()
        self._uart = None

    def read(self):
        return self._uart.read().decode("latin-1") if self._uart else ""

    def write(self, text, milliseconds):
        self._uart.write(text.encode("latin-1"), milliseconds / 1000)


@pytest.fixture
def visit(opened, tmp_path):
    """Return visit(chip), which opens the page beside a board with this chip: (page, Port)."""

    def visit_board(chip="ESP32"):
        folder = tmp_path / "board"
        folder.mkdir()
        port = Port(folder, chip)
        page = opened(script=_FAKE.read_text())
        for name in ("open", "close", "read", "write"):
            page.expose_function(f"board{name.title()}", getattr(port, name))
        answered(page)
        return page, port

    return visit_board


# A dense layer, whose weights mac16 packs into twice their bytes.
def _dense(inputs, outputs):
    model = ModelBuilder("made")
    x = model.tensor((1, inputs), "int8", scale=0.1, zero_point=0)
    weights = np.random.default_rng(0).integers(-127, 128, (outputs, inputs)).astype(np.int8)
    w = model.tensor(weights.shape, "int8", weights, scale=0.01, zero_point=0)
    b = np.arange(outputs, dtype=np.int32) * 1000
    bias = model.tensor((outputs,), "int32", b, scale=0.001, zero_point=0)
    y = model.tensor((1, outputs), "int8", scale=0.5, zero_point=0)
    model.operator("FULLY_CONNECTED", [x, w, bias], [y])
    model.io([x], [y])
    return model.build()


# Press a button; return the page's message at the end.
def _press(page, name):
    page.get_by_role("button", name=name).click()
    expect(page.locator("#deploy")).to_be_enabled(timeout=_PATIENCE)
    return page.inner_text("#own-state")


def _drop(page, name, data):
    page.set_input_files("#file", {"name": name, "mimeType": "", "buffer": data})
    expect(page.locator("#model-state")).to_contain_text(
        re.compile(rf"^{re.escape(name)}"), timeout=_PATIENCE
    )
    expect(page.locator("#own-model")).to_have_text(name, timeout=_PATIENCE)


def _files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".sources" not in path.parts
    }


def test_doctor(visit):
    page, port = visit()
    assert _press(page, "Look at my board") == "Done."
    printed = page.inner_text("#own-said")
    assert "usb://10c4:ea60" in printed and "ESP32" in printed
    assert "xtensawin, models are packed for mac16" in printed
    assert "free for machine code" in printed
    assert re.search(r"digits_int8.tflite.* yes .*from a file, in RAM", printed), printed
    assert port.lost == 0


# The page writes the same files as `tflm deploy`, and shows what the model computes there.
@pytest.mark.parametrize(
    "inputs, outputs, weights", [(512, 40, ""), (2048, 75, "weights are single bytes")]
)
def test_deploy(visit, tmp_path, inputs, outputs, weights):
    model = tmp_path / "net.tflite"
    model.write_bytes(_dense(inputs, outputs))
    page, port = visit()
    _drop(page, "net.tflite", model.read_bytes())
    assert _press(page, "Send it to my board") == "Done."
    printed = page.inner_text("#own-said")
    assert "net on Generic ESP32 module with ESP32 at usb://10c4:ea60" in printed
    assert weights in printed and ("single bytes" in printed) == bool(weights)
    # The output for zeros is the bias: 0, 1, 2, ...
    wanted = ", ".join(f"{round(2 * i) / 2:.3g}" for i in range(10))
    assert f"output 0, [1, {outputs}]: {wanted}, ..." in printed
    assert "ms per invoke" in printed
    other = tmp_path / "other"
    other.mkdir()
    with StockBoard(other) as board:
        deploy(model, board.port)
    assert _files(port.folder) == _files(other)
    assert port.lost == 0
    with StockBoard(port.folder) as board, Link(board.port) as link:
        assert link.eval("__import__('os').stat('net.tflm')[6]", schema=int) > 0
    assert _press(page, "Send it to my board") == "Done."
    assert "was already there" in page.inner_text("#own-said")


@pytest.mark.parametrize(
    "chip, reason",
    [
        ("ESP32C2", "has an ESP32-C2, on which MicroPython's native code crashes; use another"),
        ("ESP8266", "has an ESP8266, whose memory is too small for tflm; use another chip"),
    ],
)
def test_other_chips(visit, chip, reason):
    page, port = visit(chip)
    before = _files(port.folder)
    assert reason in _press(page, "Send it to my board")
    assert _press(page, "Look at my board") == "Done."
    printed = page.inner_text("#own-said")
    assert reason.split(";")[0] in " ".join(printed.split())
    assert " yes " not in printed and _files(port.folder) == before


# An ESP32 that resets when its port is opened records motion, too.
def test_motion(visit):
    page, port = visit()
    page.click("#own-sensor summary")
    page.fill("#symbol-name", "rest")
    page.get_by_role("button", name="Add symbol").click()
    text = "# a program that is longer than the UART's buffer\n" * 40
    page.fill("#sensor-program", f"{text}for i in range(96):\n    print('0,0,%d' % (i % 2))")
    for i in range(2):
        page.click("#record")
        expect(page.locator(".pictures canvas")).to_have_count(i + 1, timeout=_PATIENCE)
    assert port.lost == 0
    page.fill("#sensor-program", "while True: pass")
    page.click("#record")
    expect(page.locator("#teach-state")).to_contain_text(
        "the program did not end within 20 s", timeout=_PATIENCE
    )
