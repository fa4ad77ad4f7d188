# Tests of `tflm deploy` on the stand-in board: storages, files sent, interrupted transfers
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import random
import re
import shutil
from pathlib import Path

import pytest
from host.conftest import build_layers
from host.language import checkpoints
from optimize.network import Network
from support.script import run_script
from support.standin import Board
from tflm_tools.board import romfs_image
from tflm_tools.board.board_device import BoardDevice
from tflm_tools.board.deploy import deploy
from tflm_tools.board.doctor import doctor
from tflm_tools.board.link import Link
from tflm_tools.board.streaming_estimate import estimate_streaming
from tflm_tools.check.cases import make_cases
from tflm_tools.check.verify import verify
from tflm_tools.errors import DeviceError, ToolError
from tflm_tools.flat.flatten import FlattenOptions, FlattenPipeline, flatten
from tflm_tools.language.convert import CheckpointConversion
from tflm_tools.language.write import write
from tflm_tools.model.model_file import open_model
from tflm_tools.packages import bundle
from tflm_tools.port.invocation import InvokeOptions

_ROM = 1 << 17


# Two models that have the same name on the board, but different weights and shapes.
@pytest.fixture
def models(tmp_path):
    paths = []
    for i, widths in enumerate([(8, 40, 6, 5), (8, 90, 30, 3)]):
        folder = tmp_path / str(i)
        folder.mkdir()
        paths.append(folder / "net.tflite")
        paths[i].write_bytes(build_layers(*widths))
    return paths


# A stand-in for a board whose firmware has this tflm.
def board_with_tflm(tmp_path, repository, **options):
    return Board(tmp_path / "board", library=repository / "modules", **options)


# Load the model with the lines that deploy gave; return the size of its output, which identifies
# it.
def loaded_output_size(link, use):
    link.reset()
    link.exec("\n".join([*use, "interpreter.allocate_tensors()"]))
    return link.eval("interpreter.output(0).shape")[1]


@pytest.mark.parametrize("storage", ["romfs", "files"])
def test_deploy_to_firmware_with_tflm(tmp_path, repository, models, storage):
    done = []
    with board_with_tflm(tmp_path, repository, rom=_ROM) as board:
        first = deploy(models[0], board.port, to=storage, progress=lambda *n: done.append(n))
        assert (first.place, first.name, first.unchanged) == (storage, "net", False)
        assert first.sent == first.flat_bytes == done[-1][0] == done[-1][1]
        assert first.fits_ram == (storage == "romfs")
        with Link(board.port) as link:
            assert loaded_output_size(link, first.use) == 5
            assert not link.eval("'tflm' in __import__('os').listdir('lib')")
        again = deploy(models[0], board.port, to=storage)
        assert again.unchanged and again.sent == 0
        second = deploy(models[1], board.port, to=storage, name="other")
        third = deploy(models[1], board.port, to=storage)
        with Link(board.port) as link:
            assert loaded_output_size(link, second.use) == loaded_output_size(link, third.use) == 3


def test_deploy_chooses_the_storage(tmp_path, repository, models):
    with board_with_tflm(tmp_path, repository, rom=_ROM) as board:
        assert deploy(models[0], board.port).place == "romfs"
        with pytest.raises(DeviceError, match="cannot read its flash in place"):
            deploy(models[0], board.port, to="flash")
    with Board(tmp_path / "plain", library=repository / "modules") as board:
        assert deploy(models[0], board.port).place == "files"
        with pytest.raises(DeviceError, match="no writable ROMFS; use: --to files"):
            deploy(models[0], board.port, to="romfs")


# Without tflm in the firmware, deploy sends exactly the runtime files that the model needs.
def test_deploy_sends_the_runtime(tmp_path, models):
    with Board(tmp_path / "board") as board:
        first = deploy(models[0], board.port)
        assert first.sent > 20000
        folder = tmp_path / "board" / "lib" / "tflm"
        names = {Path(name).name for name in bundled_paths(folder)}
        assert "fully_connected.mpy" in names and "interpreter.mpy" in names
        assert not {"conv.mpy", "svdf.mpy", "reader.mpy", "planner.mpy"} & names
        assert len(list(folder.iterdir())) == 3  # an __init__, a loader and a bundle
        assert list((tmp_path / "board").rglob("*.partial")) == []
        second = deploy(models[1], board.port)
        assert second.sent == second.flat_bytes
        with Link(board.port) as link:
            assert loaded_output_size(link, second.use) == 3


# The files that another model needs in addition are sent as one more bundle. A damaged bundle is
# replaced, and then the folder contains a single bundle.
def test_second_bundle_and_damaged_bundle(tmp_path, models, repository):
    folder = tmp_path / "board" / "lib" / "tflm"
    digits = repository / "models" / "digits" / "digits_int8.tflite"
    with Board(tmp_path / "board") as board:
        deploy(models[0], board.port)
        before = set(bundled_paths(folder))
        done = deploy(digits, board.port)
        assert len(list(folder.glob("*.bundle"))) == 2
        assert before < set(bundled_paths(folder))
        assert deploy(digits, board.port).sent == 0
        run = "x = interpreter.input(0)\ninterpreter.invoke()"
        with Link(board.port) as link:
            link.exec("\n".join([*done.use, run]))
        for damage in (b"", b"nothing", None):
            path = sorted(folder.glob("*.bundle"))[-1]
            data = path.read_bytes()
            path.write_bytes(data + b"!" if damage is None else damage)
            expected = set(bundled_paths(folder)) if damage is None else before
            assert deploy(digits, board.port).sent > 20000
            assert expected <= set(bundled_paths(folder))
            (only,) = folder.glob("*.bundle")
            with Link(board.port) as link:
                link.exec("\n".join([*done.use, run]))


# contents() reads the head of a bundle only, in the current and in the older format of checks.
def test_contents_of_a_bundle():
    files = {"b.mpy": b"x" * 5, "a/c.mpy": b"y" * 70}
    packed = bundle.pack(files)
    head = packed[: bundle.data_start(packed[: bundle.HEAD_BYTES])]
    expected = {name: (len(data), binascii.crc32(data)) for name, data in files.items()}
    assert bundle.contents(head) == expected
    checks = b"".join(b"%08x\n" % expected[name][1] for name in sorted(files))
    older = b"".join(b"/%s %d %08x\n" % (n.encode(), *expected[n]) for n in sorted(files))
    assert head.endswith(checks)
    assert bundle.contents(head.removesuffix(checks) + older) == expected
    for size in range(len(head)):
        assert set(bundle.contents(head[:size])) <= set(files)


# An interrupted mip leaves a partial of a bundle: the import reports it, and deploy replaces it.
def test_truncated_bundle(tmp_path, models):
    folder = tmp_path / "board" / "lib" / "tflm"
    with Board(tmp_path / "board") as board:
        done = deploy(models[0], board.port)
        (path,) = folder.glob("*.bundle")
        whole = path.read_bytes()
        path.unlink()
        for size in (
            bundle.data_start(whole[: bundle.HEAD_BYTES]),
            len(whole) - 1,
            len(whole) + 1,
        ):
            (folder / "core.bundle").write_bytes((whole + b"!")[:size])
            with Link(board.port) as link, pytest.raises(DeviceError, match="is cut off; install"):
                link.exec("import tflm")
        assert deploy(models[0], board.port).sent > 20000
        with Link(board.port) as link:
            link.exec("\n".join([*done.use, "interpreter.invoke()"]))


# An interrupted mip also leaves a part of the other files. No part hangs the board, and deploy
# replaces it.
@pytest.mark.parametrize("name", ["loader.mpy", "__init__.py"])
def test_truncated_loader(tmp_path, models, name):
    path = tmp_path / "board" / "lib" / "tflm" / name
    with Board(tmp_path / "board") as board:
        done = deploy(models[0], board.port)
        whole = path.read_bytes()
        with Link(board.port) as link:
            for size in range(0, len(whole), len(whole) // 20):
                path.write_bytes(whole[:size])
                link.reset()
                with pytest.raises(DeviceError) as caught:
                    link.exec("import tflm\ntflm.load", seconds=5)
                assert name == "__init__.py" or "loader.mpy is cut off; install" in str(
                    caught.value
                )
        assert deploy(models[0], board.port).sent > 20000
        assert path.read_bytes() == whole
        with Link(board.port) as link:
            link.exec("\n".join([*done.use, "interpreter.invoke()"]))


# A bundle in ROMFS can be imported, although MicroPython's loader reads a ROMFS file from its
# start, whatever the current position in the file is.
def test_bundle_in_romfs(tmp_path, models):
    with Board(tmp_path / "board") as board:
        deploy(models[0], board.port)
    files = [path for path in (tmp_path / "board").rglob("*") if path.is_file()]
    contents = {str(path.relative_to(tmp_path / "board")): path.read_bytes() for path in files}
    image = tmp_path / "romfs.img"
    image.write_bytes(romfs_image.image(contents))
    output = run_script(
        "import sys, vfs\n"
        f"vfs.mount(vfs.VfsRom(open({str(image)!r}, 'rb').read()), '/rom')\n"
        "sys.path = ['/rom/lib']\n"
        "import tflm\n"
        "interpreter = tflm.Interpreter(tflm.load('/rom/net.tflm', trusted=True))\n"
        "interpreter.invoke()\n"
        "print(tflm.__path__, interpreter.output(0).shape[-1])\n"
    )
    assert output.split() == ["/.tflm", "5"]


# Paths of the files in a folder's bundles.
def bundled_paths(folder):
    paths = []
    for path in folder.glob("*.bundle"):
        data = path.read_bytes()
        paths += bundle.contents(data[: bundle.data_start(data[: bundle.HEAD_BYTES])])
    return paths


# deploy replaces another version in lib/ completely, but keeps the kernels of other models.
def test_other_version_in_lib(tmp_path, models):
    folder = tmp_path / "board" / "lib" / "tflm"
    (folder / "kernels").mkdir(parents=True)
    (folder / "__init__.py").write_text("__version__ = '0.0.1'\n")
    (folder / "format.py").write_text("VERSION = 0\n")
    (folder / "interpreter.py").write_text("raise ImportError('old')\n")
    (folder / "kernels" / "softmax.py").write_text("old = 1\n")
    with Board(tmp_path / "board") as board:
        done = deploy(models[0], board.port)
        with Link(board.port) as link:
            assert loaded_output_size(link, done.use) == 5
    assert list(folder.rglob("*.py")) == [folder / "__init__.py"]
    assert "kernels/softmax.mpy" in bundled_paths(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["tflm"]


# When the connection breaks after any byte, the old or the new model loads, and deploy can finish.
@pytest.mark.parametrize("storage", ["romfs", "files"])
def test_interrupted_deploy(tmp_path, repository, models, storage):
    with board_with_tflm(tmp_path, repository, rom=_ROM) as board:
        use = deploy(models[0], board.port, to=storage).use
        begin = board.received
    with board_with_tflm(tmp_path, repository, rom=_ROM) as board:
        deploy(models[1], board.port, to=storage, name="probe")
        whole = board.received
    assert begin > 5000 and whole > 5000
    chance = random.Random(4)
    new = 0
    for i in range(8):
        cut = chance.randrange(2000, whole)
        with board_with_tflm(tmp_path, repository, rom=_ROM, cut=cut) as board:
            try:
                deploy(models[(i + 1) % 2], board.port, to=storage)
            except DeviceError as error:
                assert error.kind in ("lost", "silent"), error
        with board_with_tflm(tmp_path, repository, rom=_ROM) as board, Link(board.port) as link:
            assert loaded_output_size(link, use) in (3, 5)
    with board_with_tflm(tmp_path, repository, rom=_ROM) as board:
        new = deploy(models[1], board.port, to=storage)
        with Link(board.port) as link:
            assert loaded_output_size(link, new.use) == 3


# When the power fails at any erase or write of the flash, the old or the new model loads.
def test_power_cut_at_each_write(tmp_path, repository, models):
    with board_with_tflm(tmp_path, repository, rom=_ROM) as board:
        use = deploy(models[0], board.port).use
    before = (tmp_path / "board.rom").read_bytes()
    seen = []
    for cut in range(1, 50):
        (tmp_path / "board.rom").write_bytes(before)
        with board_with_tflm(tmp_path, repository, rom=_ROM, flash_cut=cut) as board:
            try:
                deploy(models[1], board.port)
                break
            except DeviceError as error:
                assert error.kind == "lost"
        with board_with_tflm(tmp_path, repository, rom=_ROM) as board:
            with Link(board.port) as link:
                seen.append(loaded_output_size(link, use))
            deploy(models[1], board.port)
            with Link(board.port) as link:
                assert loaded_output_size(link, use) == 3
    assert len(seen) > 3 and seen == sorted(seen, reverse=True)  # the old model (5), then the new


# deploy does not send the bytes again that arrived before an interruption.
def test_resumed_transfer(tmp_path, repository):
    path = tmp_path / "large.tflite"
    path.write_bytes(build_layers(64, 300, 64))
    with (
        board_with_tflm(tmp_path, repository, cut=60000) as board,
        pytest.raises(DeviceError, match="was lost"),
    ):
        deploy(path, board.port)
    partial = tmp_path / "board" / "large.tflm.part"
    assert partial.stat().st_size > 10000
    partial.write_bytes(partial.read_bytes()[:-1])  # any prefix of the file can be continued
    with board_with_tflm(tmp_path, repository) as board:
        done = deploy(path, board.port)
        assert board.received < done.flat_bytes
    partial.write_bytes(b"something else" * 1000)
    with board_with_tflm(tmp_path, repository) as board:
        assert deploy(path, board.port, name="large").unchanged
        assert not deploy(path, board.port, name="large2").unchanged


@pytest.mark.parametrize(
    "special, words",
    [
        ("version = (1, 19, 1, '')", "runs MicroPython 1.19.1, .* tflm flash"),
        ("_mpy = 5 | 2 << 10", "tflm needs 1.24.0 or newer"),
        (
            "version, _machine = (1, 24, 0, ''), 'ESP32S2 module with ESP32S2'",
            "tflm needs 1.24.1 or newer",
        ),
        (
            "version, _machine = (1, 27, 0, ''), 'Generic ESP32P4 module with ESP32P4'",
            "tflm needs 1.28.0 or newer",
        ),
        ("_machine = 'ESP32C2 module with ESP32-C2'", "native code crashes; use another chip"),
    ],
)
def test_firmware_too_old(tmp_path, models, special, words):
    code = (
        "import sys as _sys\n"
        "class Implementation:\n"
        "    version = _sys.implementation.version\n"
        "    _mpy = _sys.implementation._mpy\n"
        "    _machine = 'Old with OLD'\n"
        "class Sys:\n"
        "    implementation = Implementation\n"
        "    platform, path = _sys.platform, _sys.path\n"
        f"class Special(Implementation):\n    {special}\n"
        "Sys.implementation = Special\n"
        "_sys.modules['sys'] = Sys\n"
    )
    with (
        Board(tmp_path / "board", special=code) as board,
        pytest.raises(DeviceError, match=words),
    ):
        deploy(models[0], board.port)
    assert list((tmp_path / "board").rglob("*.*")) == []  # nothing was written


def test_board_option_refuses_other_boards(tmp_path, repository, models):
    with board_with_tflm(tmp_path, repository) as board:
        with pytest.raises(DeviceError, match="not RP2040; name another port"):
            deploy(models[0], board.port, board="RP2040")
        assert deploy(models[0], board.port, board="linux").place == "files"


def test_heap_too_small(tmp_path, repository):
    path = tmp_path / "large.tflite"
    path.write_bytes(build_layers(64, 5000, 64))
    with board_with_tflm(tmp_path, repository, heap="600k") as board:
        with pytest.raises(
            DeviceError, match="bytes of heap .* use a model with fewer weights"
        ) as caught:
            deploy(path, board.port)
        assert caught.value.kind == "heap"
    assert not list((tmp_path / "board").glob("*.tflm*"))


def test_flash_too_small(tmp_path, repository):
    path = tmp_path / "net.tflite"
    path.write_bytes(build_layers(64, 300, 64))  # 40 KB
    with board_with_tflm(tmp_path, repository, rom=1 << 16) as board:
        deploy(path, board.port, to="romfs")
        path.write_bytes(build_layers(64, 302, 64))
        with pytest.raises(DeviceError, match="do not fit the flash .* --replace"):
            deploy(path, board.port, to="romfs")
        assert deploy(path, board.port, to="romfs", replace=True).place == "romfs"


# A model that does not fit ROMFS would fit the file system, but then not the heap. The error says
# that flash is missing, not heap, and does not advise firmware with tflm, which the board has.
def test_model_too_large_for_romfs_and_heap(tmp_path, repository):
    path = tmp_path / "large.tflite"
    path.write_bytes(build_layers(64, 5000, 64))  # 640 KB
    with board_with_tflm(tmp_path, repository, rom=1 << 16, heap="600k") as board:
        with pytest.raises(
            DeviceError, match=r"the storage that is read in place \(ROMFS"
        ) as caught:
            deploy(path, board.port)
        assert caught.value.kind == "flash" and "firmware" not in str(caught.value)
        found = doctor(board.port, [path]).models[0]
        assert not found.fits and "read in place (ROMFS" in found.how
        path.write_bytes(build_layers(64, 100, 64))
        assert doctor(board.port, [path]).models[0].fits


# deploy keeps the other files of a ROMFS image, also those in its first block.
def test_deploy_keeps_other_files_in_romfs(tmp_path, repository, models):
    from tflm_tools.board.romfs_image import image

    rom = tmp_path / "board.rom"
    files = {"a.txt": b"small", "lib/b.bin": bytes(range(256)) * 40, "net.tflm": b"old"}
    data = image(files)
    rom.write_bytes(data + b"\xff" * (_ROM - len(data)))
    with board_with_tflm(tmp_path, repository, rom=_ROM) as board:
        done = deploy(models[0], board.port)
        assert done.place == "romfs"
        with Link(board.port) as link:
            assert loaded_output_size(link, done.use) == 5
            assert link.eval("open('/rom/a.txt').read()") == "small"
            assert link.eval("open('/rom/lib/b.bin', 'rb').read()") == files["lib/b.bin"]
        deploy(models[1], board.port)
        with Link(board.port) as link:
            assert loaded_output_size(link, done.use) == 3
            assert link.eval("sorted(__import__('os').listdir('/rom'))") == [
                "a.txt", "lib", "net.tflm",
            ]  # fmt: skip


def test_firmware_lacks_kernels(tmp_path, repository, models):
    library = tmp_path / "firmware"
    library.mkdir()
    shutil.copytree(repository / "modules" / "tflm", library / "tflm")
    (library / "tflm" / "kernels" / "fully_connected.py").unlink()
    for path in (library / "tflm" / "kernels").glob("*/fully_connected*.py"):
        path.unlink()
    with Board(tmp_path / "board", library=library) as board:
        with pytest.raises(DeviceError, match="lacks the kernels fully_connected") as caught:
            deploy(models[0], board.port)
        assert "make firmware" in str(caught.value)
        (library / "tflm" / "run" / "rows.py").unlink()
        net = Network("rows", (8, 8, 4))
        rows = tmp_path / "rows.tflm"
        rows.write_bytes(flatten(net.build(net.conv(net.inputs[0], 4)), by_rows=True))
        with pytest.raises(
            DeviceError, match="cannot read an input by rows; .* without --input-by-rows"
        ):
            deploy(rows, board.port)
        version = library / "tflm" / "version.py"
        written = version.read_text()
        version.write_text(re.sub(r'"\d+\.\d+\.', '"1.0.', written))
        with pytest.raises(DeviceError, match=r"has tflm 1\.0\.\d+, older than .* tflm flash"):
            deploy(models[0], board.port)
        version.write_text(written)
        format_file = library / "tflm" / "format.py"
        format_file.write_text(format_file.read_text() + "\nVERSION = 77\n")
        with pytest.raises(DeviceError, match="reads .tflm format 77, not .* tflm flash"):
            deploy(models[0], board.port)


@pytest.mark.parametrize("name", ["", "a/b", "..", "a b", "x" * 41, "é"])
def test_invalid_names(tmp_path, models, name):
    with pytest.raises(ToolError, match="is not a valid model name"):
        deploy(models[0], "/dev/null", name=name)


# A board runs a stored model from its storage; any other model is sent to its RAM.
def test_invoke_stored_and_sent_models(tmp_path, repository, models):
    with board_with_tflm(tmp_path, repository) as board, Link(board.port) as link:
        device = BoardDevice(link)
        model = open_model(models[0])
        cases = [case.inputs for case in make_cases(model.inputs, 2, 0)]
        for _ in range(2):
            result = device.invoke(model, cases, InvokeOptions(repeat=2, locked=True))
            assert len(result.times) == 2 * len(cases)
            sizes = board.received
        link.close()
        deploy(models[0], board.port)
    with board_with_tflm(tmp_path, repository) as board, Link(board.port) as link:
        before = board.received
        again = BoardDevice(link).invoke(model, cases)
        assert board.received - before < sizes
        for one, other in zip(result.outputs, again.outputs, strict=True):
            assert (one[0] == other[0]).all()


# A language model writes the same words on a board as in the unix port.
def test_write_text_on_a_board(tmp_path, repository):
    checkpoints.write_llama2c(tmp_path, checkpoints.random_checkpoint())
    path = tmp_path / "model.tflite"
    CheckpointConversion(tmp_path / "model.bin").convert(path)
    options = {"n": 12, "temperature": 1.0, "seed": 3}
    wanted = list(write(path, "the", **options))
    assert "".join(wanted)
    with board_with_tflm(tmp_path, repository) as board, Link(board.port) as link:
        device = BoardDevice(link)
        assert list(write(path, "the", device=device, **options)) == wanted
        with pytest.raises(DeviceError, match="longest text 32; shorten the prompt"):
            list(write(path, "a" * 40, device=device))


# deploy and run say it if the firmware has tflm, but not tflm.text.
def test_firmware_without_text(tmp_path, repository):
    checkpoints.write_llama2c(tmp_path, checkpoints.random_checkpoint())
    path, library = tmp_path / "model.tflite", tmp_path / "modules"
    CheckpointConversion(tmp_path / "model.bin").convert(path)
    shutil.copytree(
        repository / "modules", library, ignore=lambda folder, names: {"text"} & set(names)
    )
    with Board(tmp_path / "board", library=library) as board:
        (hint,) = deploy(path, board.port).hints
        assert "no tflm.text" in hint and "make firmware APP=story" in hint
        with Link(board.port) as link, pytest.raises(DeviceError, match="APP=story"):
            list(write(path, "the", device=BoardDevice(link)))
    with board_with_tflm(tmp_path, repository) as board:
        assert deploy(path, board.port).hints == []


def test_verify_on_a_board(tmp_path, repository, models):
    with board_with_tflm(tmp_path, repository) as board, Link(board.port) as link:
        result = verify(models[0], runs=2, device=BoardDevice(link))
        assert result.mismatch is None
        assert [path.path for path in result.paths] == ["flat"]
        result = verify(models[0], runs=1, form="tflite", device=BoardDevice(link))
        assert result.mismatch is None


# The gain by streaming is estimated for a model that mostly waits for its weights, if there is
# enough heap.
def test_streaming_estimate(tmp_path, repository):
    path = tmp_path / "dense.tflite"
    path.write_bytes(build_layers(128, 512, 128, 8))
    pipeline = FlattenPipeline(path.read_bytes(), FlattenOptions("armv6m"))
    found = estimate_streaming(pipeline, 100_000)
    assert 80_000 < found.kept < 92_000  # buffers of weights, and more arena
    assert found.cycles < 0.8 * found.cycles_before
    assert estimate_streaming(pipeline, 40_000).cycles > found.cycles
    assert estimate_streaming(pipeline, 8_000) is None
    digits = repository / "models" / "digits" / "digits_int8.tflite"
    pipeline = FlattenPipeline(digits.read_bytes(), FlattenOptions("armv6m"))
    assert estimate_streaming(pipeline, 100_000) is None
