# Tests of deploy and doctor on boards like an ESP32: resets at the port, full flash, no memory
# MIT license; Copyright (c) 2026 the tflm authors

import os
import select
import time

import pytest
from host.conftest import build_layers
from support.standin import Board
from tflm_tools.board.deploy import deploy
from tflm_tools.board.doctor import doctor
from tflm_tools.board.link import Link
from tflm_tools.errors import DeviceError

# What an ESP32 sends after a reset: the ROM's first line at another speed, then its boot log.
_BOOT_LOG = (
    b"\x80\xf8\x00\xfe\xc0\x86ets Jul 29 2019 12:21:46\r\n\r\n"
    b"rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n"
    b"configsip: 0, SPIWP:0xee\r\nmode:DIO, clock div:2\r\nload:0x3fff0030,len:4892\r\n"
    b"entry 0x400805b0\r\nMicroPython v1.26.1; Generic ESP32 module with ESP32\r\n"
    b'Type "help()" for more information.\r\n>>> '
)
# Limits the bytes that all files of the board can take: {limit}.
_FULL = """
import builtins
_open = builtins.open
_left = [{limit}]
class File:
    def __init__(self, file):
        self._file = file
    def write(self, data):
        _left[0] -= len(data)
        if _left[0] < 0:
            raise OSError(28)
        return self._file.write(data)
    def __getattr__(self, name):
        return getattr(self._file, name)
    def __enter__(self):
        return self
    def __exit__(self, *exception):
        self._file.close()
def open(path, mode="r", **more):
    file = _open(path, mode, **more)
    return file if mode in ("r", "rb") else File(file)
builtins.open = open
"""


class ResettingBoard(Board):
    """A board that resets when its port is opened, as DTR and RTS make an ESP32 do.

    It ignores what arrives while it boots. seconds: how long that takes.
    """

    seconds = 1.5

    def _serve(self):
        if not select.select([self._master], [], [], 30)[0]:  # the host opens the port
            return
        end = time.monotonic() + self.seconds
        for i in range(0, len(_BOOT_LOG), 16):
            self._put(_BOOT_LOG[i : i + 16])
            time.sleep(0.02)
        while time.monotonic() < end:
            if select.select([self._master], [], [], 0.05)[0]:
                os.read(self._master, 1024)
        super()._serve()


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "net.tflite"
    path.write_bytes(build_layers(64, 20, 64))
    return path


def test_board_that_resets_when_the_port_is_opened(tmp_path, model):
    with ResettingBoard(tmp_path / "board") as board:
        assert doctor(board.port).healthy()
        done = deploy(model, board.port)
        with Link(board.port) as link:
            link.exec("\n".join([*done.use, "interpreter.invoke()"]))


# Flash that fills up at any time: deploy says so, the old model runs, and a later deploy works.
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.97])
def test_full_file_system(tmp_path, model, share):
    other = tmp_path / "other.tflite"
    other.write_bytes(build_layers(64, 60, 64))
    with Board(tmp_path / "measure") as board:
        all_bytes = deploy(model, board.port).sent
    folder = tmp_path / "board"
    with (
        Board(folder, special=_FULL.format(limit=int(share * all_bytes))) as board,
        pytest.raises(DeviceError, match="28|full|space"),
    ):
        deploy(model, board.port)
    with Board(folder) as board:
        done = deploy(model, board.port)
        with Link(board.port) as link:
            link.exec("\n".join([*done.use, "interpreter.invoke()"]))
    old = (folder / "net.tflm").read_bytes()
    with (
        Board(folder, special=_FULL.format(limit=500)) as board,
        pytest.raises(DeviceError, match="28|full|space"),
    ):
        deploy(other, board.port, name="net")
    assert (folder / "net.tflm").read_bytes() == old
    with Board(folder) as board, Link(board.port) as link:
        link.exec("\n".join([*done.use, "interpreter.invoke()"]))


# No file of lib/tflm that is cut off anywhere makes an import hang.
def test_bundle_cut_off_anywhere(tmp_path, model):
    with Board(tmp_path / "board") as board:
        done = deploy(model, board.port)
        (path,) = (tmp_path / "board" / "lib" / "tflm").glob("*.bundle")
        whole = path.read_bytes()
        head = list(range(0, 64, 7)) + [len(whole) // 40 * i for i in range(40)]
        with Link(board.port) as link:
            for size in head:
                path.write_bytes(whole[:size])
                link.reset()
                with pytest.raises(DeviceError) as caught:
                    link.exec("\n".join([*done.use, "interpreter.invoke()"]), seconds=10)
                assert caught.value.kind in ("ImportError", "ValueError"), size
        assert deploy(model, board.port).sent > 0
        assert path.read_bytes() == whole
        with Link(board.port) as link:
            link.exec("\n".join([*done.use, "interpreter.invoke()"]))


# An import that runs out of memory loses nothing: after a reset, the same lines run.
def test_import_out_of_memory(tmp_path, model):
    with Board(tmp_path / "board") as board:
        done = deploy(model, board.port)
    lines = "\n".join(
        [*done.use, "interpreter.invoke()", "print(bytes(interpreter.output(0).data))"]
    )
    with Board(tmp_path / "board") as board, Link(board.port) as link:
        wanted = link.exec(lines)
    kinds = set()
    for kilobytes in range(20, 140, 12):
        with Board(tmp_path / "board", heap=f"{kilobytes}k") as board:
            try:
                with Link(board.port) as link:
                    assert link.exec(lines) == wanted
            except DeviceError as error:
                kinds.add(error.kind)
    assert "MemoryError" in kinds
    # MicroPython reports a lack of memory while it looks for a module as an ImportError.
    assert kinds <= {"MemoryError", "ModelError", "ArenaError", "ImportError", "garbage"}
    with Board(tmp_path / "board") as board, Link(board.port) as link:
        assert link.exec(lines) == wanted
