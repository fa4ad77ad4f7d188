# Tests of deploy and doctor on boards like an ESP32: resets at the port, full flash, no memory
# MIT license; Copyright (c) 2026 the tflm authors

from types import SimpleNamespace

import pytest
from host.conftest import build_layers
from support.esp32_board import ResettingBoard, StockBoard
from support.single_op import Tensor, single_op
from support.standin import Board
from tflm_tools.board import deploy as deploy_file
from tflm_tools.board.deploy import deploy
from tflm_tools.board.doctor import doctor
from tflm_tools.board.flatten_for_board import candidates_for_board
from tflm_tools.board.link import Link
from tflm_tools.board.memory_need import MemoryNeed
from tflm_tools.errors import DeviceError
from tflm_tools.model.model_file import open_model
from tflm_tools.packages import bundle

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


# Packed weights that the board stores but cannot load are replaced by single bytes.
def test_second_candidate_after_a_trial(tmp_path, monkeypatch):
    path = tmp_path / "net.tflite"
    path.write_bytes(build_layers(512, 250, 4))
    monkeypatch.setattr(deploy_file, "memory_need", lambda *_, **more: MemoryNeed([], [], 0))
    with StockBoard(tmp_path / "board", heap="300k") as board:
        done = deploy(path, board.port)
        assert done.weights == "bytes" and done.sent > 2 * done.flat_bytes
        with Link(board.port) as link:
            link.exec("\n".join([*done.use, "interpreter.invoke()"]))


_FLOAT32 = "[name for name in __import__('sys').modules if '.float32' in name]"


# The board has the code of a float32 model, too. An int8 model does not load it.
def test_int8_model_after_a_float32_model(tmp_path, repository, model):
    with StockBoard(tmp_path / "board") as board:
        floats = deploy(repository / "models/hello_world/hello_world_float.tflite", board.port)
        integers = deploy(model, board.port)
        for done, loads in ((integers, False), (floats, True)):
            with Link(board.port) as link:
                link.reset()
                link.exec("\n".join([*done.use, "interpreter.allocate_tensors()"]))
                assert bool(link.eval(_FLOAT32)) == loads


# A model that no board can load leaves no files. The error names the smallest form.
@pytest.mark.long
def test_failed_deploy_leaves_no_files(tmp_path, monkeypatch):
    path = tmp_path / "net.tflite"
    path.write_bytes(build_layers(512, 700, 4))
    monkeypatch.setattr(deploy_file, "memory_need", lambda *_, **more: MemoryNeed([], [], 0))
    with StockBoard(tmp_path / "board", heap="300k") as board:
        with pytest.raises(DeviceError, match="cannot load the model: .*fewer weights") as caught:
            deploy(path, board.port)
        smallest = list(candidates_for_board(open_model(path), SimpleNamespace(target=None)))[-1]
        assert f"{len(smallest.flat)} bytes" in str(caught.value)
    files = [path for path in (tmp_path / "board").rglob("*") if path.is_file()]
    assert not [path for path in files if ".sources" not in str(path)]


# The paths in a bundle's file.
def _paths(file):
    data = file.read_bytes()
    return sorted(bundle.contents(data[: bundle.data_start(data[: bundle.HEAD_BYTES])]))


# Many models make many bundles, which a later deploy replaces by one with all files.
def test_bundles_are_merged(tmp_path, model):
    lib = tmp_path / "board" / "lib" / "tflm"
    with Board(tmp_path / "board") as board:
        first = deploy(model, board.port)
        (whole,) = lib.glob("*.bundle")
        paths = _paths(whole)
        data = bundle.files([name.rpartition(".")[0] for name in paths], "x64")
        whole.unlink()
        for i in range(4):
            packed = bundle.pack({path: data[path] for path in paths[i::4]})
            (lib.parent / bundle.name_of(packed)).write_bytes(packed)
        assert deploy(model, board.port).sent == 0
        other = tmp_path / "other.tflite"
        other.write_bytes(
            single_op("NEG", [Tensor((1, 4), "float32")], [Tensor((1, 4), "float32")])
        )
        second = deploy(other, board.port)
        (merged,) = lib.glob("*.bundle")
        assert {*paths} < {*_paths(merged)}
        for done in (first, second):
            with Link(board.port) as link:
                link.exec("\n".join([*done.use, "interpreter.invoke()"]))


@pytest.mark.parametrize("chip", ["ESP32C2", "ESP8266"])
def test_chips_that_cannot_run_tflm(tmp_path, model, chip):
    with StockBoard(tmp_path / "board", chip) as board:
        found = doctor(board.port, [model])
        assert not found.healthy() and not found.models[0].fits
        with pytest.raises(DeviceError, match="use another chip") as caught:
            deploy(model, board.port)
        assert caught.value.kind == "chip"


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


# Ctrl-C at any moment of a run, and a soft reset after it: the next invoke has the same output.
def test_interrupts_and_soft_resets(tmp_path, model):
    with Board(tmp_path / "board") as board:
        done = deploy(model, board.port)
        run = "interpreter.input(0).raw[:] = bytes(64)", "interpreter.invoke()"
        show = "\n".join([*run, "print(bytes(interpreter.output(0).raw))"])
        loop = "\n    ".join(["while True:", *run])
        with Link(board.port) as link:
            for _ in range(3):
                link.exec("\n".join(done.use))
                wanted = link.exec(show)
                for k in range(5):
                    with pytest.raises(DeviceError, match="did not finish within"):
                        link.exec(loop, seconds=0.3 + 0.07 * k)
                    assert link.exec(show) == wanted
                link.reset()
                with pytest.raises(DeviceError, match="interpreter"):
                    link.exec("interpreter")
